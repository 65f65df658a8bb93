/* compare.c: compares memory after the device has come to rest with the capture. */
#include "tests/host/replay/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ring/protocol/aerogpu_ring.h"
#include "tests/host/monotonic.h"

#define THREAD_NS UINT64_C(50000000)

struct agpu_replay_difference *agpu_replay_differ(struct agpu_player *replay, enum agpu_replay_kind kind)
{
    struct agpu_replay_difference *difference = &replay->difference;

    *difference = (struct agpu_replay_difference){
        .kind = kind, .record = replay->record, .submission = replay->submission, .fence = replay->fence};
    snprintf(difference->test, sizeof difference->test, "%s", replay->test);
    replay->state = AGPU_REPLAY_DIFFERS;
    return difference;
}

/* Reads memory of the device's own aperture, 8 bytes at a time through its BAR. */
static void read_live(struct agpu_player *replay, const struct agpu_capture_region *region, uint64_t from,
                      uint8_t *to, uint64_t size)
{
    if (region->kind != AGPU_CAPTURE_BAR) {
        memcpy(to, region->bytes + from, size);
        return;
    }
    for (uint64_t i = 0; i < size; i++) {
        to[i] = (uint8_t)vgpu_port_bar_read(replay->machine.port, region->bar, from + i, 1);
    }
}

static bool in_fence_page_version(const struct agpu_player *replay, uint64_t address)
{
    uint32_t magic = 0;
    const uint64_t page = address & ~UINT64_C(63);
    const uint64_t offset = offsetof(struct aerogpu_fence_page, abi_version);

    /* The version in the page is the device's own (ring.md 5). */
    return address - page >= offset && address - page < offset + 4 &&
           agpu_capture_memory_read(replay->expected, page, &magic, sizeof magic) &&
           magic == AEROGPU_FENCE_PAGE_MAGIC;
}

/* Returns true where the captured contents may be the driver's or the captured device's. */
static bool is_mixed(const struct agpu_player *replay, uint64_t address)
{
    for (uint32_t i = 0; i < replay->mixed_count && i < AGPU_PLAYER_MIXED; i++) {
        if (address - replay->mixed[i].address < replay->mixed[i].size) {
            return true;
        }
    }
    return replay->mixed_count > AGPU_PLAYER_MIXED;
}

/* Returns true when a differing byte is acceptable. */
static bool is_tolerated(const struct agpu_player *replay, uint64_t address, uint8_t expected, uint8_t found)
{
    const int step = expected - found;

    return replay->judge.faulty || (replay->drawn && step >= -1 && step <= 1) ||
           in_fence_page_version(replay, address) || is_mixed(replay, address);
}

static void differ_memory(struct agpu_player *replay, uint64_t address, const uint8_t *expected,
                          const uint8_t *found, uint64_t size, bool unexpected)
{
    struct agpu_replay_difference *difference = agpu_replay_differ(replay, AGPU_REPLAY_MEMORY);
    char left[3 * AGPU_REPLAY_SHOWN + 1] = "", right[3 * AGPU_REPLAY_SHOWN + 1] = "";
    uint64_t shown;

    difference->address = address;
    difference->unexpected = unexpected;
    for (uint64_t i = 0; i < size; i++) {
        if (expected[i] != found[i]) {
            difference->bytes++;
            difference->last = address + i;
        }
    }
    shown = difference->last - address + 1;
    shown = shown < AGPU_REPLAY_SHOWN ? shown : AGPU_REPLAY_SHOWN;
    memcpy(difference->expected_bytes, expected, shown);
    memcpy(difference->found_bytes, found, shown);
    for (uint64_t i = 0; i < shown; i++) {
        snprintf(left + 3 * i, 4, " %02x", expected[i]);
        snprintf(right + 3 * i, 4, " %02x", found[i]);
    }
    snprintf(difference->text, sizeof difference->text,
             "memory at 0x%" PRIx64 ": expected%s, found%s; %" PRIu64 " bytes differ up to 0x%" PRIx64 "%s",
             address, left, right, difference->bytes, difference->last,
             unexpected ? "; the captured device wrote nothing there" : "");
}

/* Compares one piece within one mapping. Returns false at a difference. */
static bool compare_piece(struct agpu_player *replay, const struct agpu_capture_region *live,
                          const struct agpu_capture_region *recorded, uint64_t address, uint64_t size,
                          bool unexpected)
{
    uint8_t *expected = recorded->bytes + (address - recorded->address);
    uint8_t found[4096];

    while (size > 0) {
        const uint64_t piece = size < sizeof found ? size : sizeof found;

        read_live(replay, live, address - live->address, found, piece);
        replay->counts.compared_bytes += piece;
        if (memcmp(expected, found, piece) != 0) {
            for (uint64_t i = 0; i < piece; i++) {
                if (expected[i] == found[i]) {
                    continue;
                }
                if (!is_tolerated(replay, address + i, expected[i], found[i])) {
                    differ_memory(replay, address + i, expected + i, found + i, piece - i, unexpected);
                    return false;
                }
                replay->counts.tolerated++;
                if (live->kind != AGPU_CAPTURE_BAR) {
                    live->bytes[address + i - live->address] = expected[i]; /* from here on as captured */
                }
            }
        }
        expected += piece;
        address += piece;
        size -= piece;
    }
    return true;
}

static bool compare_range(struct agpu_player *replay, uint64_t address, uint64_t size, bool unexpected)
{
    while (size > 0) {
        const struct agpu_capture_region *live = agpu_capture_memory_find(replay->machine.memory, address);
        const struct agpu_capture_region *recorded = agpu_capture_memory_find(replay->expected, address);
        bool known = true;
        uint64_t piece;

        if (live == NULL || recorded == NULL) {
            return true; /* meanwhile unmapped */
        }
        piece = live->size - (address - live->address);
        piece = piece < size ? piece : size;
        if (recorded->kind == AGPU_CAPTURE_UNKNOWN) { /* compare only the lines with known contents */
            const uint64_t line = (address - recorded->address) / 64;

            piece = piece < 64 - (address - recorded->address) % 64 ? piece
                                                                    : 64 - (address - recorded->address) % 64;
            known = (recorded->known[line / 64] >> line % 64 & 1) != 0;
        }
        if (known && !compare_piece(replay, live, recorded, address, piece, unexpected)) {
            return false;
        }
        address += piece;
        size -= piece;
    }
    return true;
}

static bool compare_everything(struct agpu_player *replay)
{
    size_t count;
    const struct agpu_capture_region *regions = agpu_capture_memory_regions(replay->expected, &count);

    for (size_t i = 0; i < count; i++) {
        if (regions[i].kind != AGPU_CAPTURE_BAR &&
            !compare_range(replay, regions[i].address, regions[i].size, false)) {
            return false;
        }
    }
    return true;
}

static void compare_written(struct agpu_player *replay)
{
    const struct agpu_replay_machine *machine = &replay->machine;
    const size_t count = machine->written_count;

    if (machine->lost_range) {
        compare_everything(replay);
    }
    for (size_t i = 0; i < count && replay->state == AGPU_REPLAY_GOES_ON; i++) {
        compare_range(replay, machine->written[i].address, machine->written[i].size, false);
    }
}

/* Compares everything that the captured device changed, and that this one wrote, since memory was last at rest. No
 * register shows that the memory part of a reset is done (device.md 4.2): a thread of the device gets time for it. */
void agpu_replay_compare_memory(struct agpu_player *replay)
{
    struct agpu_replay_machine *machine = &replay->machine;
    const uint64_t until = agpu_monotonic_ns() + (replay->config.trusted ? 0 : THREAD_NS);

    compare_written(replay);
    while (replay->state == AGPU_REPLAY_DIFFERS && agpu_monotonic_ns() < until) {
        agpu_replay_machine_wait(machine, AGPU_PLAYER_STEP_NS);
        replay->state = AGPU_REPLAY_GOES_ON;
        compare_written(replay);
    }
    machine->written_count = 0;
    machine->lost_range = false;
    replay->mixed_count = 0;
    replay->judge.faulty = false;
}
