/* span.c: a batch with more work than a device does in one pass, and register writes while it waits for the next pass
 * (ring.md 1, 2; device.md 0, 2.1, 4.2). A device that is quicker than the writes must come to the same result. */
#include <string.h>

#include "pci/config.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/rig/paced.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/vblank.h"

#define SPAN_ROWS    8192u /* the most that every device takes (commands.md 16) */
#define SPAN_COPIES  520u
#define SPAN_TABLE   7u
#define SPAN_WORD(n) (0x5EED0000u + (n))

enum span_event {
    SPAN_NOTHING,
    SPAN_DOORBELL,
    SPAN_PACED, /* the scanout is on at the first doorbell; another doorbell comes while Bus Master is off */
    SPAN_ENABLE,
    SPAN_MASTER,
    SPAN_LATE, /* another entry, whose doorbell comes while Bus Master is off */
    SPAN_MEMORY,
    SPAN_OF_MODEL, /* from here on: another device may not have taken the doorbell yet */
    SPAN_RING_GPA = SPAN_OF_MODEL,
    SPAN_DISABLE,
    SPAN_SCANOUT,
    SPAN_HEADER, /* another layout of the ring, which the batch has not begun with */
    SPAN_POST,   /* another entry, whose doorbell comes after the others have completed */
    SPAN_EVENTS,
};

/* Clears a bit of the command register, twice, and sets it again. A doorbell may come in between. */
static void span_clear(struct agpu_test *t, uint16_t bit, bool doorbell)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t command = agpu_command_read(function);

    agpu_command_write(function, command & (uint16_t)~bit);
    if (doorbell) {
        agpu_doorbell(&t->env->ring);
    }
    agpu_command_write(function, command & (uint16_t)~bit);
    agpu_command_write(function, command);
}

static void span_write(struct agpu_test *t, enum span_event event)
{
    const struct agpu_function *function = &t->env->function;
    const struct agpu_submission empty = {.fence = t->env->rig.fence + 1};

    switch (event) {
    case SPAN_DOORBELL:
        agpu_doorbell(&t->env->ring);
        break;
    case SPAN_ENABLE:
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
        break;
    case SPAN_DISABLE:
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        break;
    case SPAN_MASTER:
    case SPAN_PACED:
        span_clear(t, AGPU_PCI_COMMAND_MASTER, event == SPAN_PACED);
        break;
    case SPAN_LATE:
        agpu_check_ok(t, agpu_ring_post(&t->env->ring, &empty));
        t->env->rig.fence++;
        span_clear(t, AGPU_PCI_COMMAND_MASTER, true);
        break;
    case SPAN_MEMORY:
        span_clear(t, AGPU_PCI_COMMAND_MEMORY, false);
        break;
    case SPAN_RING_GPA:
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_GPA_LO, 0);
        break;
    case SPAN_SCANOUT:
        agpu_scanout_enable(t, 1);
        break;
    case SPAN_HEADER:
        agpu_ring_header(&t->env->ring)->entry_stride_bytes *= 2;
        agpu_ring_header(&t->env->ring)->entry_count = 1;
        agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ACK, 0);
        break;
    case SPAN_POST:
        agpu_check_ok(t, agpu_ring_post(&t->env->ring, &empty));
        agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ACK, 0);
        break;
    case SPAN_NOTHING:
    case SPAN_EVENTS:
        break;
    }
}

/* Posts the work of a round. The first entry has a paced present. It copies word 0 of buffer 3 to buffer 4, changes
 * the word, and copies between the textures. After each of these copies it moves a word between buffers 7 and 8. Then
 * it writes buffer 4 and that word back. If faulty, it ends with an error. The second entry has a paced present too,
 * and writes back a word of its own. */
static bool span_post(struct agpu_test *t, uint32_t width, uint32_t round, bool faulty)
{
    static const struct agpu_paced present = {
        AGPU_PACED_PRESENT, AEROGPU_PRESENT_FLAG_VSYNC, 0, AEROGPU_SUBMIT_FLAG_NO_IRQ, 0, false};
    struct agpu_rig *rig = &t->env->rig;
    const uint32_t words[3] = {SPAN_WORD(2 * round), ~0u, SPAN_WORD(2 * round + 1)};
    struct agpu_submission submission;

    agpu_rig_begin_over(rig);
    agpu_put_upload(rig, 3, 0, &words[0], 4);
    agpu_put_upload(rig, 5, 0, &words[2], 4);
    agpu_put_upload(rig, 7, 0, &words[0], 4);
    if (!agpu_run_clean(t)) {
        return false;
    }
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_put_present(rig, 0, AEROGPU_PRESENT_FLAG_VSYNC);
    agpu_put_copy_buffer(rig, 4, 0, 3, 0, 4, 0);
    agpu_put_upload(rig, 3, 0, &words[1], 4);
    for (uint32_t i = 0; i < SPAN_COPIES; i++) {
        agpu_put_copy_texture(rig, 1 + i % 2, 2 - i % 2, width, SPAN_ROWS, 0);
        agpu_put_copy_buffer(rig, 8 - i % 2, 4 * i + 4, 7 + i % 2, 4 * i, 4, 0);
    }
    agpu_put_copy_buffer(rig, 6, 0, 4, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_copy_buffer(rig, 6, 4, 7, 4 * SPAN_COPIES, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (faulty) {
        agpu_put_copy_buffer(rig, 6, 0, 99, 0, 4, 0);
        agpu_put_copy_buffer(rig, 6, 12, 3, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    agpu_rig_alloc(rig, SPAN_TABLE, &rig->memory[0], 0);
    if (!agpu_check(t, agpu_rig_finish(rig, &submission)) ||
        !agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission))) {
        return false;
    }
    agpu_rig_begin(rig);
    agpu_put_copy_buffer(rig, 6, 8, 5, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_rig_alloc(rig, SPAN_TABLE, &rig->memory[0], 0);
    return agpu_paced_post(t, &present);
}

/* Creates textures 1 and 2 and buffers 3 to 8. Our model counts a row as 128 bytes and its contents (device.md 4.10):
 * the copies of a round take two service points at width 1, and four at width 64. */
static bool span_create(struct agpu_test *t, uint32_t width)
{
    struct agpu_rig *rig = &t->env->rig;

    for (uint32_t handle = 1; handle <= 2; handle++) {
        agpu_put_create_texture(rig, handle, AEROGPU_FORMAT_R8G8B8A8_UNORM, width, SPAN_ROWS, 0, 0);
    }
    for (uint32_t handle = 3; handle <= 8; handle++) {
        agpu_put_create_buffer(rig, handle, 4 * (SPAN_COPIES + 1), handle == 6 ? SPAN_TABLE : 0, 0);
    }
    agpu_rig_alloc(rig, SPAN_TABLE, &rig->memory[0], 0);
    return agpu_run_clean(t);
}

/* Checks the words that a round has written back. */
static bool span_check_words(struct agpu_test *t, uint32_t round)
{
    const uint32_t *words = t->env->rig.memory[0].cpu;

    return agpu_check_place(t, "word behind the long entry, event", round, words[0], SPAN_WORD(2 * round)) &&
           agpu_check_place(t, "word of all its parts, event", round, words[1], SPAN_WORD(2 * round)) &&
           agpu_check_place(t, "word of the next entry, event", round, words[2], SPAN_WORD(2 * round + 1));
}

/* Given a batch over several passes, a register write in between must neither lose, repeat nor change the rest of it:
 * table, fence, pacing and the other entries stay as at the doorbell. */
static void span_events(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_ring *ring = &t->env->ring;
    struct agpu_rig *rig = &t->env->rig;
    const uint32_t gpa = agpu_reg_read(function, AEROGPU_MMIO_REG_RING_GPA_LO);
    const uint32_t *words = rig->memory[0].cpu;

    agpu_return_unless(span_create(t, 1));
    agpu_irq_enable(function, AEROGPU_IRQ_FENCE);
    for (uint32_t event = 0; event < (t->env->model ? SPAN_EVENTS : SPAN_OF_MODEL) && agpu_time_left(t);
         event++) {
        const uint32_t head = ring->tail + 1; /* the first submission of the round uploads */
        uint64_t first, seq;
        bool unseen;

        memset(rig->memory[0].cpu, 0, 64);
        agpu_scanout_enable(t, event == SPAN_PACED);
        agpu_return_unless(span_post(t, 1, event, false));
        first = rig->fence - 1;
        seq = agpu_vblank_seq(t);
        agpu_doorbell(ring);
        unseen = agpu_fence_mmio_value(function) < first && (!t->env->model || agpu_ring_head(ring) == head);
        agpu_return_unless(agpu_check_place(t, "word at the fence or head of the long entry, event", event,
                                            unseen ? SPAN_WORD(2 * event) : words[0], SPAN_WORD(2 * event)));
        span_write(t, (enum span_event)event);
        agpu_assert_ok(t, agpu_fence_wait(ring, rig->fence));
        agpu_return_unless(span_check_words(t, event) && agpu_check_completed(t, rig->fence));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_FENCE));
        if (event == SPAN_PACED) {
            agpu_return_unless(agpu_check_within(t, agpu_vblank_passed(t, seq), 2, 1000,
                                                 "edges to the second paced present"));
        } else {
            agpu_return_unless(
                agpu_check_place(t, "edges to presents without scanout at the doorbell, event", event,
                                 t->platform->test->simulated_time ? agpu_vblank_passed(t, seq) : 0, 0));
        }
        agpu_scanout_enable(t, 0);
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_GPA_LO, gpa);
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
        if (event == SPAN_HEADER) {
            agpu_ring_header(ring)->entry_stride_bytes = ring->entry_stride;
            agpu_ring_header(ring)->entry_count = ring->entry_count;
        }
        if (event == SPAN_POST) {
            agpu_settle(t);
            agpu_return_unless(agpu_check_completed(t, rig->fence));
            agpu_doorbell(ring);
            agpu_assert_ok(t, agpu_fence_wait(ring, ++rig->fence));
        }
        agpu_return_unless(agpu_check_head(t, ring->tail));
    }
    agpu_check_no_errors_counted(t);
}

/* Given a batch over several passes, an error in a later pass must have the fence of its entry, and stop that entry
 * alone. */
static void span_error(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    const uint32_t *words = rig->memory[0].cpu;
    struct agpu_error_info before;
    uint64_t first;

    agpu_return_unless(span_create(t, 1));
    before = agpu_errors_so_far(t->env);
    agpu_return_unless(span_post(t, 1, 0, true));
    first = rig->fence - 1;
    agpu_doorbell(&t->env->ring);
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, rig->fence));
    agpu_return_unless(agpu_check_error(t, &before, first, AEROGPU_ERROR_CMD_DECODE));
    agpu_ack_errors(t->env);
    if (t->env->model) {
        agpu_return_unless(span_check_words(t, 0));
        agpu_check_place(t, "word of a copy that follows the error", 12, words[3], 0);
    }
    agpu_run_empty(t);
}

/* Given a ring reset in the middle of an entry, neither it nor the next may complete, and new work must run. Between
 * the two writes our model may pass service points, but on simulated time not the four that the entry takes. */
static void span_reset(struct agpu_test *t)
{
    agpu_return_unless(span_create(t, 64));
    agpu_return_unless(span_post(t, 64, 0, false));
    agpu_doorbell(&t->env->ring);
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL,
                   AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
    agpu_settle(t);
    agpu_return_unless(agpu_check_completed(t, 0));
    if (t->env->model) {
        agpu_check_place(t, "word behind the long entry", 0,
                         t->platform->test->simulated_time ? *(const uint32_t *)t->env->rig.memory[0].cpu : 0,
                         0);
    }
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    t->env->rig.fence = 0;
    agpu_rig_begin_over(&t->env->rig);
    agpu_return_unless(span_create(t, 1) && span_post(t, 1, 1, false));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    span_check_words(t, 1);
}

#define SPAN_CASE(name, section, more, function)                                                             \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT | (more),    \
        .run = (function)                                                                                    \
    }

static const struct agpu_case ring_span_cases[] = {
    SPAN_CASE("ring.span.writes", "device.md 0", 0, span_events),
    SPAN_CASE("ring.span.error", "ring.md 3.1", AEROGPU_FEATURE_ERROR_INFO, span_error),
    SPAN_CASE("ring.span.reset", "device.md 4.2", 0, span_reset),
};

AGPU_CASE_TABLE(agpu_cases_ring_span, ring_span_cases);
