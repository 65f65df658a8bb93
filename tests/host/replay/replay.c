/* replay.c: plays record by record: repeats the driver's actions, and compares the device's answers. */
#include "tests/host/replay/replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/host/monotonic.h"
#include "tests/host/replay/compare.h"
#include "tests/host/replay/messages.h"
#include "tests/host/replay/player.h"

#define WAIT_NS      UINT64_C(4000000000)
#define WAIT_REAL_NS UINT64_C(1000000000) /* real time for a device that may have threads */

/* Wait for the head after its fence has arrived. */
#define HEAD_NS      UINT64_C(50000000)
#define HEAD_REAL_NS UINT64_C(50000000)

/* The times in a file are untrusted: a time later than 13 days is ignored, so that repeated replays do not wrap the
 * device's clock. */
#define CAPTURE_NS_MOST (UINT64_C(1) << 50)
#define CLOCK_NS_MOST   (UINT64_C(1) << 63)

#define CONFIG_COMMAND   0x04u
#define CONFIG_BARS      0x10u
#define CONFIG_INTERRUPT 0x3Cu

/* ---- outcomes ---- */

static enum agpu_replay_state impossible(struct agpu_player *replay, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum agpu_replay_state impossible(struct agpu_player *replay, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(replay->difference.text, sizeof replay->difference.text, format, arguments);
    va_end(arguments);
    replay->state = AGPU_REPLAY_IMPOSSIBLE;
    return replay->state;
}

static void differ_register(struct agpu_player *replay, uint32_t space, uint64_t offset, uint64_t expected,
                            uint64_t found)
{
    struct agpu_replay_difference *difference = agpu_replay_differ(replay, AGPU_REPLAY_REGISTER);

    difference->offset = offset;
    difference->expected = expected;
    difference->found = found;
    snprintf(difference->text, sizeof difference->text,
             "%s + 0x%" PRIx64 ": expected 0x%" PRIx64 ", found 0x%" PRIx64,
             space == AGPU_CAPTURE_CONFIG_SPACE ? "configuration space"
             : space == 0                       ? "BAR0"
                                                : "BAR1",
             offset, expected, found);
}

/* ---- the device ---- */

static uint32_t read_register(struct agpu_player *replay, uint32_t offset)
{
    return (uint32_t)vgpu_port_bar_read(replay->machine.port, 0, offset, 4);
}

/* Restores the state in which firmware and driver had left configuration space when the capture, or its case,
 * started. */
static enum agpu_replay_state restore_config(struct agpu_player *replay, const uint8_t *config)
{
    struct vgpu_port *port = replay->machine.port;
    uint32_t found, expected;

    memcpy(&expected, config, sizeof expected);
    found = vgpu_port_config_read(port, 0, 4);
    if (found != expected) {
        return impossible(replay,
                          "the capture is of a device %04x:%04x, this one is %04x:%04x: another generation",
                          expected & 0xFFFF, expected >> 16, found & 0xFFFF, found >> 16);
    }
    for (uint32_t at = CONFIG_BARS; at < CONFIG_BARS + 4 * AGPU_DEVICE_BARS; at += 4) {
        memcpy(&expected, config + at, sizeof expected);
        vgpu_port_config_write(port, at, 4, expected);
    }
    vgpu_port_config_write(port, CONFIG_INTERRUPT, 1, config[CONFIG_INTERRUPT]);
    memcpy(&expected, config + CONFIG_COMMAND, sizeof expected);
    vgpu_port_config_write(port, CONFIG_COMMAND, 2, expected & 0xFFFF);
    agpu_replay_machine_settle(&replay->machine);
    return AGPU_REPLAY_GOES_ON;
}

static enum agpu_replay_state start_device(struct agpu_player *replay,
                                           const struct agpu_capture_device *device)
{
    uint16_t command;

    memcpy(&command, device->config + CONFIG_COMMAND, sizeof command);
    vgpu_port_reset(replay->machine.port, AGPU_DEVICE_RESET_COLD);
    agpu_judge_begin(&replay->judge, device->generation == AGPU_CAPTURE_LEGACY, command);
    replay->drawn = replay->aperture_mapped = false;
    replay->mixed_count = 0;
    replay->ring_address = 0;
    agpu_replay_messages_begin(replay);
    replay->machine.written_count = 0;
    replay->machine.lost_range = false;
    return restore_config(replay, device->config);
}

/* ---- registers ---- */

static void judge_answer(struct agpu_player *replay, uint32_t space, uint64_t offset, uint32_t size,
                         uint64_t expected, uint64_t found)
{
    if (!agpu_judge_answer(&replay->judge, space, offset, size, expected, found)) {
        differ_register(replay, space, offset, expected, found);
    }
}

/* Returns the fence from the device's registers. */
static uint64_t live_fence(struct agpu_player *replay)
{
    if (replay->judge.legacy) {
        return read_register(replay, AEROGPU_LEGACY_REG_FENCE_COMPLETED);
    }
    return (uint64_t)read_register(replay, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI) << 32 |
           read_register(replay, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

static uint32_t live_head(struct agpu_player *replay, uint32_t otherwise)
{
    uint32_t head = otherwise;

    if (!replay->judge.legacy && replay->ring_address != 0) {
        agpu_capture_memory_read(replay->machine.memory,
                                 replay->ring_address + offsetof(struct aerogpu_ring_header, head), &head,
                                 sizeof head);
    }
    return head;
}

/* Serves the device until it shows the fence, and the head if with_head. Returns false when the fence does not
 * arrive in time. The head arrives with it or slightly later. A head that differs from the captured one, because a
 * ring was stopped or replaced meanwhile, is not a difference, and is not waited for long. */
static bool wait_for(struct agpu_player *replay, uint64_t fence, bool with_head, uint32_t head)
{
    const uint64_t bound = replay->config.wait_ns != 0 ? replay->config.wait_ns : WAIT_NS;
    uint64_t until = replay->machine.now_ns + bound;
    uint64_t real = agpu_monotonic_ns() + (replay->config.trusted ? 0 : WAIT_REAL_NS);
    bool came = false;

    for (;;) {
        if (live_fence(replay) >= fence && (!with_head || live_head(replay, head) == head)) {
            return true;
        }
        if (!came && live_fence(replay) >= fence) {
            came = true;
            until = replay->machine.now_ns + (HEAD_NS < bound ? HEAD_NS : bound);
            real = agpu_monotonic_ns() + (replay->config.trusted ? 0 : HEAD_REAL_NS);
        }
        if (replay->machine.now_ns >= until && agpu_monotonic_ns() >= real) {
            return live_fence(replay) >= fence;
        }
        agpu_replay_machine_wait(&replay->machine, AGPU_PLAYER_STEP_NS);
    }
}

static void differ_fence(struct agpu_player *replay, uint64_t expected)
{
    struct agpu_replay_difference *difference = agpu_replay_differ(replay, AGPU_REPLAY_FENCE);

    difference->expected = expected;
    difference->found = live_fence(replay);
    snprintf(difference->text, sizeof difference->text,
             "COMPLETED_FENCE: expected %" PRIu64 ", found %" PRIu64 " when the device was idle", expected,
             difference->found);
}

/* ---- records ---- */

static void play_access(struct agpu_player *replay, const struct agpu_capture_access *access)
{
    struct vgpu_port *port = replay->machine.port;
    const bool config = access->space == AGPU_CAPTURE_CONFIG_SPACE;
    const struct agpu_device_info *info = vgpu_port_info(port);
    const uint64_t room = config ? info->config_bytes : info->bars[access->space].size;
    uint64_t found;

    if (access->offset > room || access->size > room - access->offset) {
        impossible(replay,
                   "the capture has an access to BAR%u + 0x%" PRIx64 ", this device's has 0x%" PRIx64
                   " bytes",
                   access->space, access->offset, room);
        return;
    }
    if (access->write != 0) {
        if (replay->by_message && access->space == 0 && access->offset == AEROGPU_MMIO_REG_IRQ_ACK) {
            agpu_replay_messages_acknowledged(replay, live_fence(replay));
        }
        if (config) {
            vgpu_port_config_write(port, (uint32_t)access->offset, access->size, (uint32_t)access->value);
        } else {
            vgpu_port_bar_write(port, access->space, access->offset, access->size, access->value);
        }
        agpu_judge_write(&replay->judge, access);
        if (access->space == 0 && !replay->judge.legacy && access->offset == AEROGPU_MMIO_REG_RING_GPA_LO) {
            replay->ring_address = (replay->ring_address & ~(uint64_t)UINT32_MAX) | (uint32_t)access->value;
        } else if (access->space == 0 && !replay->judge.legacy &&
                   access->offset == AEROGPU_MMIO_REG_RING_GPA_HI) {
            replay->ring_address = (replay->ring_address & UINT32_MAX) | access->value << 32;
        }
        agpu_replay_machine_settle(&replay->machine);
        if (access->space == 0 && !replay->judge.legacy && access->offset == AEROGPU_MMIO_REG_RING_CONTROL &&
            (access->value & AEROGPU_RING_CONTROL_RESET) != 0 && replay->judge.pending) {
            /* Which part of the dropped work was done depends on the device. */
            replay->judge.faulty = true;
        }
        return;
    }
    if (!config && access->space != 0 && replay->aperture_mapped) {
        return; /* written through the mapping, which the capture does not record */
    }
    found = config ? vgpu_port_config_read(port, (uint32_t)access->offset, access->size)
                   : vgpu_port_bar_read(port, access->space, access->offset, access->size);
    judge_answer(replay, access->space, access->offset, access->size, access->value, found);
}

static void play_line(struct agpu_player *replay, const struct agpu_capture_line *line)
{
    const uint64_t bound = replay->config.wait_ns != 0 ? replay->config.wait_ns : WAIT_NS;
    const uint64_t until = replay->machine.now_ns + bound;
    const uint64_t real = agpu_monotonic_ns() + (replay->config.trusted ? 0 : WAIT_REAL_NS);

    while (!agpu_replay_message_came(replay, line)) {
        if (replay->machine.now_ns >= until && agpu_monotonic_ns() >= real) {
            snprintf(agpu_replay_differ(replay, AGPU_REPLAY_MESSAGE)->text, sizeof replay->difference.text,
                     "an interrupt by message: expected one since the last IRQ_ACK, found none when the "
                     "device was idle");
            return;
        }
        agpu_replay_machine_wait(&replay->machine, AGPU_PLAYER_STEP_NS);
    }
}

static void play_registers(struct agpu_player *replay, const struct agpu_capture_item *item)
{
    for (uint32_t i = 0; i < item->registers->count && replay->state == AGPU_REPLAY_GOES_ON; i++) {
        struct agpu_capture_register recorded;
        uint32_t found;

        memcpy(&recorded, item->tail + i * sizeof recorded, sizeof recorded);
        if (recorded.offset % 4 != 0 || recorded.offset >= AEROGPU_PCI_BAR0_SIZE_BYTES) {
            continue;
        }
        found = read_register(replay, recorded.offset);
        if (!agpu_judge_base(&replay->judge, &recorded, found)) {
            judge_answer(replay, 0, recorded.offset, 4, recorded.value, found);
        }
    }
    replay->judge.based = true;
}

struct stream_place {
    const struct agpu_capture_memory *memory;
    uint64_t address;
};

static bool read_stream(void *ctx, uint64_t offset, void *to, size_t size)
{
    const struct stream_place *place = ctx;

    return agpu_capture_memory_read(place->memory, place->address + offset, to, size);
}

static bool draws(struct agpu_player *replay, const struct agpu_capture_submission *submission)
{
    struct stream_place place = {replay->expected, submission->cmd_address};

    return agpu_judge_draws(submission, read_stream, &place);
}

static void play_back(struct agpu_player *replay, const struct agpu_capture_back *back)
{
    replay->judge.pending = back->pending != 0;
    if (replay->judge.legacy && back->fence <= replay->judge.fence) {
        agpu_replay_machine_settle(
            &replay->machine); /* completes nothing of this case: the fence survives resets (legacy.md 3) */
        return;
    }
    if (!wait_for(replay, back->fence, !replay->judge.pending, back->head)) {
        differ_fence(replay, back->fence);
        return;
    }
    /* else the next BACK record covers this one, too */
    if (!replay->judge.pending && !replay->judge.undecoded) {
        if (live_fence(replay) != back->fence && !replay->judge.legacy) {
            differ_fence(replay, back->fence);
            return;
        }
        /* Errors first: the memory of a faulty submission is unspecified. */
        if (!replay->judge.legacy) {
            const uint32_t found = read_register(replay, AEROGPU_MMIO_REG_ERROR_COUNT);

            replay->judge.faulty = replay->judge.faulty || found != replay->judge.errors_found;
        }
        agpu_replay_compare_memory(replay);
    }
}

/* Recorded while submissions were in progress: the driver's writes, and what the captured device had written by
 * then. This device may have written more, or less, so these bytes can be attributed only when memory is at rest. */
static void play_mixed(struct agpu_player *replay, const struct agpu_capture_bytes *bytes)
{
    agpu_replay_machine_settle(&replay->machine);
    if (replay->mixed_count < AGPU_PLAYER_MIXED) {
        replay->mixed[replay->mixed_count] = (struct agpu_replay_range){bytes->address, bytes->size};
    }
    replay->mixed_count += replay->mixed_count <= AGPU_PLAYER_MIXED;
}

/* Writes contents to the device's own aperture, or to memory. */
static const char *play_contents(struct agpu_player *replay, const struct agpu_capture_item *item)
{
    const struct agpu_capture_region *region =
        agpu_capture_memory_find(replay->machine.memory, item->bytes->address);

    if ((item->bytes->flags & AGPU_CAPTURE_MIXED) != 0) {
        play_mixed(replay, item->bytes);
    }
    if (region != NULL && region->kind == AGPU_CAPTURE_BAR) {
        for (uint32_t i = 0; i < item->tail_size; i++) {
            vgpu_port_bar_write(replay->machine.port, region->bar, item->bytes->address - region->address + i,
                                1, item->tail[i]);
        }
        return NULL;
    }
    return agpu_capture_memory_apply(replay->machine.memory, item);
}

/* Returns true when the record maps an aperture that this device lacks. */
static bool lacks_aperture(struct agpu_player *replay, const struct agpu_capture_map *map)
{
    return map->kind == AGPU_CAPTURE_BAR &&
           vgpu_port_info(replay->machine.port)->bars[map->bar].size < map->size;
}

static const char *play_memory(struct agpu_player *replay, const struct agpu_capture_item *item)
{
    const char *wrong = agpu_capture_memory_apply(replay->expected, item);

    if (wrong != NULL) {
        return wrong;
    }
    switch (item->type) {
    case AGPU_CAPTURE_MAP:
        replay->aperture_mapped = replay->aperture_mapped || item->map->kind == AGPU_CAPTURE_BAR;
        if (lacks_aperture(replay, item->map)) {
            return "it uses the aperture in a BAR, which this device lacks or has smaller";
        }
        /* fallthrough */
    case AGPU_CAPTURE_UNMAP:
    case AGPU_CAPTURE_DEVICE:
    case AGPU_CAPTURE_CASE:
        vgpu_port_lock_memory(replay->machine.port);
        wrong = agpu_capture_memory_apply(replay->machine.memory, item);
        vgpu_port_unlock_memory(replay->machine.port);
        return wrong;
    case AGPU_CAPTURE_CONTENTS:
        return play_contents(replay, item);
    case AGPU_CAPTURE_CHANGED:
        agpu_replay_machine_note(&replay->machine, item->bytes->address, item->bytes->size);
        return NULL;
    default:
        return NULL;
    }
}

enum agpu_replay_state agpu_replay_feed(struct agpu_player *replay, const struct agpu_capture_item *item)
{
    const char *wrong;

    if (replay->state != AGPU_REPLAY_GOES_ON) {
        return replay->state;
    }
    replay->record = item->number;
    replay->counts.records++;
    if (item->time_ns < CAPTURE_NS_MOST && replay->time_base < CLOCK_NS_MOST &&
        replay->time_base + item->time_ns > replay->machine.now_ns) {
        replay->machine.now_ns = replay->time_base + item->time_ns;
        if (replay->machine.now_ns >= replay->machine.deadline_ns) {
            agpu_replay_machine_settle(&replay->machine);
        }
    }
    wrong = play_memory(replay, item);
    if (wrong != NULL) {
        return impossible(replay, "record %" PRIu64 ": %s", item->number, wrong);
    }
    switch (item->type) {
    case AGPU_CAPTURE_DEVICE:
        return start_device(replay, item->device);
    case AGPU_CAPTURE_CASE:
        snprintf(replay->test, sizeof replay->test, "%s", item->text);
        replay->counts.cases++;
        replay->submission = replay->fence = 0;
        break;
    case AGPU_CAPTURE_ACCESS:
        play_access(replay, item->access);
        break;
    case AGPU_CAPTURE_SUBMISSION:
        replay->submission = item->submission->number;
        replay->fence = item->submission->fence;
        replay->judge.pending = true;
        replay->counts.submissions++;
        replay->drawn = replay->drawn || draws(replay, item->submission);
        break;
    case AGPU_CAPTURE_BACK:
        play_back(replay, item->back);
        break;
    case AGPU_CAPTURE_WAY:
        agpu_replay_messages_way(replay, item->way);
        break;
    case AGPU_CAPTURE_LINE:
        play_line(replay, item->line);
        break;
    case AGPU_CAPTURE_REGISTERS:
        play_registers(replay, item);
        break;
    default:
        break;
    }
    return replay->state;
}

/* ---- life ---- */

struct agpu_player *agpu_replay_create(const struct agpu_replay_config *config, char *message,
                                       size_t message_size)
{
    struct agpu_player *replay = calloc(1, sizeof *replay);

    snprintf(message, message_size, "no memory");
    if (replay == NULL) {
        return NULL;
    }
    replay->config = *config;
    replay->expected = agpu_capture_memory_create(AGPU_CAPTURE_TOUCHED_MOST);
    if (replay->expected == NULL ||
        !agpu_replay_machine_open(&replay->machine, config->table, config->options, config->trusted, message,
                                  message_size)) {
        agpu_capture_memory_destroy(replay->expected);
        free(replay);
        return NULL;
    }
    return replay;
}

void agpu_replay_destroy(struct agpu_player *replay)
{
    if (replay != NULL) {
        agpu_replay_machine_close(&replay->machine);
        agpu_capture_memory_destroy(replay->expected);
        free(replay);
    }
}

void agpu_replay_again(struct agpu_player *replay)
{
    agpu_capture_memory_clear(replay->expected);
    vgpu_port_lock_memory(replay->machine.port);
    agpu_capture_memory_clear(replay->machine.memory);
    vgpu_port_unlock_memory(replay->machine.port);
    replay->machine.written_count = 0;
    replay->mixed_count = 0;
    replay->state = AGPU_REPLAY_GOES_ON;
    replay->counts = (struct agpu_replay_counts){0};
    replay->test[0] = '\0';
    replay->submission = replay->fence = 0;
    replay->time_base = replay->machine.now_ns;
}

const struct agpu_replay_difference *agpu_replay_found(const struct agpu_player *replay)
{
    return &replay->difference;
}

const struct agpu_replay_counts *agpu_replay_tally(const struct agpu_player *replay)
{
    return &replay->counts;
}

const struct agpu_capture_memory *agpu_replay_memory(const struct agpu_player *replay)
{
    return replay->expected;
}

struct vgpu_port *agpu_replay_port(struct agpu_player *replay)
{
    return replay->machine.port;
}
