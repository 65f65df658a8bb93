/* play.c: replays record by record: repeats what the driver did, and compares the results. */
#include "tests/capture/play.h"

#include <string.h>

#include "pci/machine/text.h"
#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/capture/play_memory.h"

#define CONFIG_COMMAND 4u
#define COMMAND_MEMORY 2u
#define COMMAND_MASTER 4u

#define WAIT_NS UINT64_C(4000000000)
/* Time limit for optional events. */
#define SETTLE_NS UINT64_C(100000000)

static uint32_t read_register(struct agpu_play *play, uint32_t offset)
{
    return (uint32_t)play->platform->bar_read(play->platform->ctx, play->function, 0, offset, 4);
}

static void write_register(struct agpu_play *play, uint64_t offset, uint32_t size, uint64_t value)
{
    play->platform->bar_write(play->platform->ctx, play->function, 0, offset, size, value);
}

/* ---- outcomes ---- */

static void differ_register(struct agpu_play *play, uint32_t space, uint64_t offset, uint64_t expected,
                            uint64_t found)
{
    struct agpu_text text;

    agpu_play_differ(play, &text);
    agpu_format(&text, "%s + 0x%jx: expected 0x%jx, found 0x%jx",
                space == AGPU_CAPTURE_CONFIG_SPACE ? "configuration space"
                : space == 0                       ? "BAR0"
                                                   : "BAR1",
                offset, expected, found);
}

/* ---- registers that hold addresses ---- */

static struct agpu_play_pair *pair_of(struct agpu_play *play, uint64_t offset)
{
    for (size_t i = 0; i < AGPU_PLAY_PAIRS; i++) {
        if (offset - play->pairs[i].offset < 8) {
            return &play->pairs[i];
        }
    }
    return NULL;
}

static uint64_t moved_pair(const struct agpu_play *play, const struct agpu_play_pair *pair)
{
    return pair->address != 0 ? agpu_play_move(play, pair->address, pair->needs) : 0;
}

static void write_whole(struct agpu_play *play, struct agpu_play_pair *pair)
{
    const uint64_t moved = moved_pair(play, pair);

    write_register(play, pair->offset, 4, (uint32_t)moved);
    write_register(play, pair->offset + 4, 4, moved >> 32);
    pair->shown = (uint32_t)moved;
    pair->raw = false;
}

/* The upper half completes an address, so both halves are written then. A lower half alone is translated if the
 * address is in the capture's memory; otherwise nothing may use it before the other half is written. */
static void write_half(struct agpu_play *play, struct agpu_play_pair *pair, uint64_t offset, uint32_t value)
{
    if (offset != pair->offset) {
        const uint32_t low = pair->staged ? pair->low : (uint32_t)pair->address;

        pair->address = low | (uint64_t)value << 32;
        if (!pair->raw && (uint32_t)moved_pair(play, pair) == pair->shown) {
            write_register(play, offset, 4, moved_pair(play, pair) >> 32);
        } else {
            write_whole(play, pair);
        }
        return;
    }
    pair->low = value;
    if (!pair->staged) {
        pair->address = (pair->address & ~(uint64_t)UINT32_MAX) | value;
        if (play->enabled || agpu_play_live(play, pair->address, pair->needs) != NULL) {
            write_whole(play, pair);
            return;
        }
        pair->raw = true;
    }
    pair->shown = value;
    write_register(play, offset, 4, value);
}

/* Stores the pieces of an address, which has another value here, until something uses it. */
static void write_pieces(struct agpu_play *play, struct agpu_play_pair *pair,
                         const struct agpu_capture_access *access)
{
    if (!play->enabled && play->screen_on == 0) {
        pair->raw = true;
        write_register(play, access->offset, access->size, access->value);
    }
}

/* Called before anything that may use them. */
static void write_raw_pairs(struct agpu_play *play)
{
    for (size_t i = 0; i < AGPU_PLAY_PAIRS; i++) {
        if (play->pairs[i].raw) {
            write_whole(play, &play->pairs[i]);
        }
    }
}

/* Returns the expected value here for a half that has this value in the capture. */
static uint64_t expected_of(struct agpu_play *play, uint64_t offset, uint64_t expected)
{
    const struct agpu_play_pair *pair = pair_of(play, offset);
    const unsigned shift = pair != NULL && offset != pair->offset ? 32 : 0;

    if (pair == NULL || (uint32_t)(pair->address >> shift) != expected) {
        return expected;
    }
    return (uint32_t)(moved_pair(play, pair) >> shift);
}

/* Presents may write the whole surface of the screen, so a surface that is not completely in the capture's memory is
 * moved away. */
static void note_screen(struct agpu_play *play, uint64_t offset, uint32_t value)
{
    struct agpu_play_pair *screen = pair_of(play, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
    const uint64_t before = moved_pair(play, screen);
    uint64_t bytes;

    if (offset == AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES) {
        play->screen_pitch = value;
    } else if (offset == AEROGPU_MMIO_REG_SCANOUT0_HEIGHT) {
        play->screen_height = value;
    } else if (offset == AEROGPU_MMIO_REG_SCANOUT0_ENABLE) {
        screen->low = value == 0 && play->screen_on != 0 ? (uint32_t)screen->address : screen->low;
        play->screen_on = value;
    } else {
        return;
    }
    bytes = (uint64_t)play->screen_pitch * play->screen_height;
    screen->needs = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    if (moved_pair(play, screen) != before) {
        write_whole(play, screen);
    }
}

/* ---- accesses ---- */

static void write_bar0(struct agpu_play *play, const struct agpu_capture_access *access)
{
    struct agpu_play_pair *pair = pair_of(play, access->offset);
    struct agpu_play_pair *last = pair_of(play, access->offset + access->size - 1);

    agpu_judge_write(&play->judge, access);
    if (pair != NULL && access->size == 4 && access->offset % 4 == 0) {
        write_half(play, pair, access->offset, (uint32_t)access->value);
        return;
    }
    if (pair != NULL && access->size == 8 && access->offset == pair->offset) {
        pair->address = access->value;
        pair->low = (uint32_t)access->value;
        pair->raw = false;
        pair->shown = (uint32_t)moved_pair(play, pair);
        write_register(play, access->offset, 8, moved_pair(play, pair));
        return;
    }
    if (pair != NULL || last != NULL) {
        write_pieces(play, pair != NULL ? pair : last, access);
        return;
    }
    write_raw_pairs(play);
    note_screen(play, access->offset, (uint32_t)access->value);
    if (access->offset == AEROGPU_MMIO_REG_RING_CONTROL) {
        play->enabled = (access->value & AEROGPU_RING_CONTROL_ENABLE) != 0;
        play->highest_fence = (access->value & AEROGPU_RING_CONTROL_RESET) != 0 ? 0 : play->highest_fence;
    }
    write_register(play, access->offset, access->size, access->value);
}

/* Only the command register of configuration space is written by the driver; the others stay as in this machine. */
static void play_config(struct agpu_play *play, const struct agpu_capture_access *access)
{
    if (access->write == 0) {
        const uint32_t found = play->platform->config_read(play->platform->ctx, play->function,
                                                           (uint32_t)access->offset, access->size);

        if (!agpu_judge_answer(&play->judge, access->space, access->offset, access->size, access->value,
                               found)) {
            differ_register(play, access->space, access->offset, access->value, found);
        }
    } else if (access->offset == CONFIG_COMMAND && access->size <= 2) {
        play->platform->config_write(play->platform->ctx, play->function, CONFIG_COMMAND, access->size,
                                     (uint32_t)access->value);
        agpu_judge_write(&play->judge, access);
    }
}

static void play_access(struct agpu_play *play, const struct agpu_capture_access *access)
{
    const struct agpu_play_pair *pair = access->space == 0 ? pair_of(play, access->offset) : NULL;
    uint64_t found, expected;

    agpu_play_show(play);
    if (access->space == AGPU_CAPTURE_CONFIG_SPACE) {
        play_config(play, access);
        return;
    }
    if (access->space != 0) {
        return; /* storage in an aperture, which is handled as memory here */
    }
    if (access->offset > AEROGPU_PCI_BAR0_SIZE_BYTES - access->size) {
        agpu_play_refuse(play, "an access past the end of the registers");
        return;
    }
    if (access->write != 0) {
        write_bar0(play, access);
        return;
    }
    found = play->platform->bar_read(play->platform->ctx, play->function, 0, access->offset, access->size);
    if (pair != NULL && pair->raw) {
        return;
    }
    expected = access->size == 4 ? expected_of(play, access->offset, access->value) : access->value;
    if (!agpu_judge_answer(&play->judge, 0, access->offset, access->size, expected, found)) {
        differ_register(play, 0, access->offset, expected, found);
    }
}

static void play_registers(struct agpu_play *play, const struct agpu_capture_item *item)
{
    for (uint32_t i = 0; i < item->registers->count && play->state == AGPU_PLAY_GOES_ON; i++) {
        struct agpu_capture_register recorded;
        uint32_t found;

        memcpy(&recorded, item->tail + i * sizeof recorded, sizeof recorded);
        if (recorded.offset % 4 != 0 || recorded.offset >= AEROGPU_PCI_BAR0_SIZE_BYTES) {
            continue;
        }
        found = read_register(play, recorded.offset);
        if (!agpu_judge_base(&play->judge, &recorded, found) &&
            !agpu_judge_answer(&play->judge, 0, recorded.offset, 4, recorded.value, found)) {
            differ_register(play, 0, recorded.offset, recorded.value, found);
        }
    }
    play->judge.based = true;
}

/* ---- progress ---- */

static uint64_t live_fence(struct agpu_play *play)
{
    uint32_t high = read_register(play, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI), low, again;

    for (;;) {
        low = read_register(play, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
        again = read_register(play, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI);
        if (again == high) {
            return (uint64_t)high << 32 | low;
        }
        high = again;
    }
}

static bool head_is(struct agpu_play *play, uint32_t head)
{
    const uint8_t *word =
        agpu_play_live(play, play->pairs[0].address + offsetof(struct aerogpu_ring_header, head), 4);

    return word == NULL || play->pairs[0].address == 0 ||
           __atomic_load_n((const uint32_t *)(const void *)word, __ATOMIC_ACQUIRE) == head;
}

/* Returns false if the fence does not complete in time. */
static bool wait_for(struct agpu_play *play, uint64_t fence, uint64_t bound_ns)
{
    struct agpu_wait wait;
    bool reached = false;

    agpu_wait_begin_ns(&wait, play->platform, AGPU_RELAX_FENCE, bound_ns);
    do {
        reached = live_fence(play) >= fence;
    } while (!reached && agpu_wait_again(&wait));
    return reached;
}

/* Waits for the head that belongs to the fence, if it comes. */
static void wait_for_head(struct agpu_play *play, uint32_t head)
{
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, play->platform, AGPU_RELAX_FENCE, SETTLE_NS);
    while (!head_is(play, head) && agpu_wait_again(&wait)) {
    }
}

static void differ_fence(struct agpu_play *play, uint64_t expected)
{
    struct agpu_text text;

    agpu_play_differ(play, &text);
    agpu_format(&text, "COMPLETED_FENCE: expected %ju, found %ju when the device was idle", expected,
                live_fence(play));
}

static void play_back(struct agpu_play *play, const struct agpu_capture_back *back)
{
    uint32_t errors;

    agpu_play_show(play);
    play->judge.pending = back->pending != 0;
    if (!wait_for(play, back->fence, WAIT_NS)) {
        differ_fence(play, back->fence);
        return;
    }
    if (play->judge.pending) {
        return;
    }
    wait_for_head(play, back->head);
    if (play->judge.undecoded) {
        return; /* no register responds: a later BACK includes this one */
    }
    if (live_fence(play) != back->fence) {
        differ_fence(play, back->fence);
        return;
    }
    /* Compare errors first: the memory of a faulty submission is undefined. */
    errors = read_register(play, AEROGPU_MMIO_REG_ERROR_COUNT);
    play->judge.faulty = play->judge.faulty || errors != play->judge.errors_found;
    agpu_play_compare(play);
}

/* ---- records ---- */

static bool read_stream(void *stream, uint64_t offset, void *to, size_t size)
{
    memcpy(to, (const uint8_t *)stream + offset, size);
    return true;
}

static bool draws(struct agpu_play *play, const struct agpu_capture_submission *submission)
{
    const uint8_t *stream = agpu_play_expected(play, submission->cmd_address, submission->cmd_bytes);

    return stream != NULL && agpu_judge_draws(submission, read_stream, (void *)(uintptr_t)stream);
}

static void play_submission(struct agpu_play *play, const struct agpu_capture_submission *submission)
{
    play->submission = submission->number;
    play->fence = submission->fence;
    play->highest_fence = submission->fence > play->highest_fence ? submission->fence : play->highest_fence;
    play->judge.pending = true;
    play->submissions++;
    play->drawn = play->drawn || draws(play, submission);
    agpu_play_post(play, submission);
}

/* Restarts: puts the function into the state in which a driver finds it. */
static void play_begin(struct agpu_play *play, const struct agpu_capture_device *device)
{
    uint16_t command;

    if (device->generation == AGPU_CAPTURE_LEGACY) {
        agpu_play_refuse(
            play, "it is from the retired device: agpu replay plays it in one process with the device");
        return;
    }
    if (device->view != AGPU_CAPTURE_GUEST) {
        agpu_play_refuse(play, "it is the device's view of a run: expected the guest's (agpu run --capture)");
        return;
    }
    memcpy(&command, device->config + CONFIG_COMMAND, sizeof command);
    agpu_play_end(play);
    agpu_judge_begin(&play->judge, false, command);
    play->drawn = play->mixed = play->enabled = play->cut = false;
    play->screen_pitch = play->screen_height = play->screen_on = 0;
    play->highest_fence = 0;
}

static void play_contents(struct agpu_play *play, const struct agpu_capture_bytes *bytes)
{
    if ((bytes->flags & AGPU_CAPTURE_MIXED) != 0 && !play->mixed) {
        /* The captured device had done a part of it by then. */
        play->mixed = true;
        wait_for(play, play->highest_fence, SETTLE_NS);
    }
}

enum agpu_play_state agpu_play_record(struct agpu_play *play, const struct agpu_capture_item *item)
{
    play->left_out = play->left_out && item->type != AGPU_CAPTURE_DEVICE;
    if (play->state != AGPU_PLAY_GOES_ON || play->left_out) {
        return play->state;
    }
    play->record = item->number;
    if (item->type == AGPU_CAPTURE_CONTENTS) {
        play_contents(play, item->bytes);
    }
    agpu_play_memory(play, item);
    switch (play->state == AGPU_PLAY_GOES_ON ? item->type : AGPU_CAPTURE_NOTE) {
    case AGPU_CAPTURE_DEVICE:
        play_begin(play, item->device);
        break;
    case AGPU_CAPTURE_CASE:
        memcpy(play->test, item->text, sizeof play->test);
        play->cases++;
        play->submission = play->fence = 0;
        break;
    case AGPU_CAPTURE_ACCESS:
        play->mixed = false;
        play_access(play, item->access);
        break;
    case AGPU_CAPTURE_SUBMISSION:
        play_submission(play, item->submission);
        break;
    case AGPU_CAPTURE_BACK:
        play_back(play, item->back);
        break;
    case AGPU_CAPTURE_REGISTERS:
        play_registers(play, item);
        break;
    default:
        break;
    }
    if (play->state == AGPU_PLAY_DIFFERS && play->cut) {
        play->state = AGPU_PLAY_GOES_ON;
        play->left_out = true;
    }
    play->cases_left_out += play->left_out;
    return play->state;
}

/* ---- start and end ---- */

void agpu_play_init(struct agpu_play *play, const struct agpu_platform *platform,
                    const struct agpu_pci_ref *function, unsigned aperture_bar)
{
    static const struct agpu_play_pair pairs[AGPU_PLAY_PAIRS] = {
        {.offset = AEROGPU_MMIO_REG_RING_GPA_LO, .needs = sizeof(struct aerogpu_ring_header)},
        {.offset = AEROGPU_MMIO_REG_FENCE_GPA_LO, .needs = sizeof(struct aerogpu_fence_page)},
        {.offset = AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, .staged = true},
        {.offset = AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, .staged = true},
    };

    memset(play, 0, sizeof *play);
    play->platform = platform;
    play->function = function;
    play->aperture_bar = aperture_bar;
    memcpy(play->pairs, pairs, sizeof pairs);
}

void agpu_play_end(struct agpu_play *play)
{
    static const uint32_t off[] = {AEROGPU_MMIO_REG_SCANOUT0_ENABLE, AEROGPU_MMIO_REG_CURSOR_ENABLE,
                                   AEROGPU_MMIO_REG_IRQ_ENABLE};
    struct agpu_wait wait;
    uint32_t command;

    command = play->platform->config_read(play->platform->ctx, play->function, CONFIG_COMMAND, 2);
    play->platform->config_write(play->platform->ctx, play->function, CONFIG_COMMAND, 2,
                                 command | COMMAND_MEMORY | COMMAND_MASTER);
    write_register(play, AEROGPU_MMIO_REG_RING_CONTROL, 4, 0);
    agpu_play_poison(play);
    write_register(play, AEROGPU_MMIO_REG_RING_CONTROL, 4, AEROGPU_RING_CONTROL_RESET);
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        write_register(play, off[i], 4, 0);
    }
    write_register(play, AEROGPU_MMIO_REG_IRQ_ACK, 4, UINT32_MAX);
    /* Wait until work in flight has ended: head follows tail in memory (device.md 4.2). */
    agpu_wait_begin_ns(&wait, play->platform, AGPU_RELAX_RESET, WAIT_NS);
    while (!agpu_play_is_reset(play) && agpu_wait_again(&wait)) {
    }
    for (size_t i = 0; i < AGPU_PLAY_PAIRS; i++) {
        write_register(play, play->pairs[i].offset, 4, 0);
        write_register(play, play->pairs[i].offset + 4, 4, 0);
        play->pairs[i].address = 0;
        play->pairs[i].raw = false;
        play->pairs[i].low = play->pairs[i].shown = 0;
    }
    agpu_play_forget(play);
}
