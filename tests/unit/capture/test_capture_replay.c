/* test_capture_replay.c: differences from the captured device that replay accepts: reads of a disabled BAR, and memory
 * that driver and device wrote at the same time. */
#include "pci/protocol/aerogpu_pci.h"
#include "tests/capture/format.h"
#include "tests/capture/records.h"
#include "tests/device/plugin/model.h"
#include "tests/host/replay/player.h"
#include "tests/host/replay/replay.h"
#include "tests/unit/test.h"

#define CONFIG_COMMAND 0x04u
#define MEMORY_ENABLE  0x02u
#define ADDRESS        UINT64_C(0x100000)

static struct agpu_player *create(void)
{
    const struct agpu_replay_config config = {
        .table = vgpu_model_plugin(), .options = "render=off", .trusted = true, .wait_ns = 50000000};
    char message[300];
    struct agpu_player *player = agpu_replay_create(&config, message, sizeof message);

    assert_non_null(player);
    return player;
}

static enum agpu_replay_state feed_access(struct agpu_player *player, bool write, uint8_t space,
                                          uint64_t offset, uint8_t size, uint64_t value)
{
    const struct agpu_capture_access access = {
        .write = write, .space = space, .size = size, .count = 1, .offset = offset, .value = value};
    const struct agpu_capture_item item = {.type = AGPU_CAPTURE_ACCESS, .number = 1, .access = &access};

    return agpu_replay_feed(player, &item);
}

/* Feeds a read of MAGIC that returned value. decode: Memory Space of the command register at that time. */
static enum agpu_replay_state read_as(bool decode, uint8_t size, uint64_t value)
{
    struct agpu_player *player = create();
    enum agpu_replay_state state;

    feed_access(player, true, AGPU_CAPTURE_CONFIG_SPACE, CONFIG_COMMAND, 2, MEMORY_ENABLE);
    feed_access(player, true, AGPU_CAPTURE_CONFIG_SPACE, CONFIG_COMMAND, 2, decode ? MEMORY_ENABLE : 0);
    state = feed_access(player, false, 0, AEROGPU_MMIO_REG_MAGIC, size, value);
    agpu_replay_destroy(player);
    return state;
}

TEST(unanswered_reads)
{
    assert_int_equal(read_as(false, 4, 0), AGPU_REPLAY_GOES_ON);
    assert_int_equal(read_as(false, 4, UINT32_MAX), AGPU_REPLAY_GOES_ON);
    assert_int_equal(read_as(false, 4, AEROGPU_MMIO_MAGIC), AGPU_REPLAY_DIFFERS);
    assert_int_equal(read_as(true, 4, AEROGPU_MMIO_MAGIC), AGPU_REPLAY_GOES_ON);
    assert_int_equal(read_as(true, 4, 0), AGPU_REPLAY_DIFFERS);
    assert_int_equal(read_as(true, 4, UINT32_MAX), AGPU_REPLAY_DIFFERS);
}

static enum agpu_replay_state feed_bytes(struct agpu_player *player, enum agpu_capture_type type,
                                         uint64_t address, const void *bytes, uint32_t size, uint32_t flags)
{
    const struct agpu_capture_bytes told = {.address = address, .size = size, .flags = flags};
    const struct agpu_capture_item item = {
        .type = type, .number = 1, .bytes = &told, .tail = bytes, .tail_size = size};

    return agpu_replay_feed(player, &item);
}

/* The capture has eight bytes of memory while work is in progress, then a change by the captured device of the four
 * bytes at changed. The replaying device made that change earlier, and feeding the eight bytes overwrote it. */
static enum agpu_replay_state told_at_work(struct agpu_player *player, uint32_t flags, uint64_t changed)
{
    const struct agpu_capture_map map = {.address = ADDRESS, .size = 4096, .kind = AGPU_CAPTURE_ZEROED};
    const struct agpu_capture_item mapped = {.type = AGPU_CAPTURE_MAP, .number = 1, .map = &map};
    const struct agpu_capture_back back = {0};
    const struct agpu_capture_item rest = {.type = AGPU_CAPTURE_BACK, .number = 1, .back = &back};
    const uint8_t before[8] = {1, 1, 1, 1, 1, 1, 1, 1}, after[4] = {2, 2, 2, 2};

    assert_int_equal(agpu_replay_feed(player, &mapped), AGPU_REPLAY_GOES_ON);
    feed_access(player, true, AGPU_CAPTURE_CONFIG_SPACE, CONFIG_COMMAND, 2, MEMORY_ENABLE);
    feed_bytes(player, AGPU_CAPTURE_CONTENTS, ADDRESS, before, sizeof before, flags);
    feed_bytes(player, AGPU_CAPTURE_CHANGED, changed, after, sizeof after, 0);
    return agpu_replay_feed(player, &rest);
}

TEST(memory_of_both)
{
    struct agpu_player *player = create();
    const uint8_t later[4] = {3, 3, 3, 3};
    const struct agpu_capture_back back = {0};
    const struct agpu_capture_item rest = {.type = AGPU_CAPTURE_BACK, .number = 1, .back = &back};

    assert_int_equal(told_at_work(player, AGPU_CAPTURE_MIXED, ADDRESS + 4), AGPU_REPLAY_GOES_ON);
    assert_int_equal(*agpu_capture_memory_pointer(player->machine.memory, ADDRESS + 4, 1), 2);
    /* Once the device is idle, the owner of these bytes is known again. */
    feed_bytes(player, AGPU_CAPTURE_CHANGED, ADDRESS + 4, later, sizeof later, 0);
    assert_int_equal(agpu_replay_feed(player, &rest), AGPU_REPLAY_DIFFERS);
    agpu_replay_destroy(player);

    player = create();
    assert_int_equal(told_at_work(player, 0, ADDRESS + 4), AGPU_REPLAY_DIFFERS);
    agpu_replay_destroy(player);

    player = create(); /* a change outside the eight bytes */
    assert_int_equal(told_at_work(player, AGPU_CAPTURE_MIXED, ADDRESS + 8), AGPU_REPLAY_DIFFERS);
    agpu_replay_destroy(player);
}

/* More pieces than the player stores: it then treats all memory as possibly written by both. */
TEST(memory_of_both_in_many_pieces)
{
    struct agpu_player *player = create();
    const struct agpu_capture_map map = {.address = ADDRESS, .size = 65536, .kind = AGPU_CAPTURE_ZEROED};
    const struct agpu_capture_item mapped = {.type = AGPU_CAPTURE_MAP, .number = 1, .map = &map};
    const struct agpu_capture_back back = {0};
    const struct agpu_capture_item rest = {.type = AGPU_CAPTURE_BACK, .number = 1, .back = &back};
    const uint8_t one = 1, two = 2;

    assert_int_equal(agpu_replay_feed(player, &mapped), AGPU_REPLAY_GOES_ON);
    feed_access(player, true, AGPU_CAPTURE_CONFIG_SPACE, CONFIG_COMMAND, 2, MEMORY_ENABLE);
    for (uint32_t i = 0; i < 2 * AGPU_PLAYER_MIXED; i++) {
        feed_bytes(player, AGPU_CAPTURE_CONTENTS, ADDRESS + i, &one, 1, AGPU_CAPTURE_MIXED);
    }
    feed_bytes(player, AGPU_CAPTURE_CHANGED, ADDRESS + 2 * AGPU_PLAYER_MIXED - 1, &two, 1, 0);
    assert_int_equal(agpu_replay_feed(player, &rest), AGPU_REPLAY_GOES_ON);
    agpu_replay_destroy(player);
}
