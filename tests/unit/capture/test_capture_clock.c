/* test_capture_clock.c: times of an untrusted capture. The device's clock neither wraps nor jumps into the far future,
 * so that playing the capture ends. */
#include "pci/protocol/aerogpu_pci.h"
#include "tests/capture/format.h"
#include "tests/capture/records.h"
#include "tests/device/plugin/model.h"
#include "tests/host/replay/player.h"
#include "tests/host/replay/replay.h"
#include "tests/unit/test.h"

#define CONFIG_COMMAND 0x04u
#define MEMORY_ENABLE  0x02u

static void feed(struct agpu_player *player, uint64_t time_ns, uint8_t space, uint64_t offset, uint8_t size,
                 uint64_t value)
{
    const struct agpu_capture_access access = {
        .write = 1, .space = space, .size = size, .count = 1, .offset = offset, .value = value};
    const struct agpu_capture_item item = {
        .type = AGPU_CAPTURE_ACCESS, .number = 1, .time_ns = time_ns, .access = &access};

    assert_int_equal(agpu_replay_feed(player, &item), AGPU_REPLAY_GOES_ON);
}

TEST(late_times_end)
{
    const struct agpu_replay_config config = {
        .table = vgpu_model_plugin(), .options = "render=off", .trusted = true, .wait_ns = 50000000};
    char message[300];
    struct agpu_player *player = agpu_replay_create(&config, message, sizeof message);

    assert_non_null(player);
    feed(player, 0, AGPU_CAPTURE_CONFIG_SPACE, CONFIG_COMMAND, 2, MEMORY_ENABLE);
    /* From here on vblank edges are due, one after another, until the clock is past them. */
    feed(player, 0, 0, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 4, 1);
    for (unsigned round = 0; round < 8; round++) {
        feed(player, UINT64_MAX / 2 - 1, 0, AEROGPU_MMIO_REG_IRQ_ACK, 4, UINT32_MAX);
        assert_true(player->machine.now_ns < UINT64_MAX / 2);
        agpu_replay_again(player);
    }
    for (unsigned round = 0; round < 8; round++) {
        feed(player, UINT64_C(1) << 49, 0, AEROGPU_MMIO_REG_IRQ_ACK, 4, UINT32_MAX);
        agpu_replay_again(player);
    }
    assert_true(player->machine.now_ns >= UINT64_C(8) << 49); /* possible times are accepted */
    agpu_replay_destroy(player);
}
