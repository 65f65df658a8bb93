/* present_event.c: held fences while something happens that does not concern them: acknowledges, masks, registers,
 * lower fences, edges that were missed (ring.md 4, 5, 7; device.md 4.4, 4.7). */
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/paced.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/vblank.h"

#define VSYNC AEROGPU_PRESENT_FLAG_VSYNC
#define ALL   (AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR)

/* Writes of registers while fences are held. last undoes them after the fences have completed. */
struct held_event {
    uint32_t reg, values[2], last;
};

static const struct held_event held_events[] = {
    {AEROGPU_MMIO_REG_IRQ_ACK, {AEROGPU_IRQ_SCANOUT_VBLANK, AEROGPU_IRQ_FENCE}, 0},
    {AEROGPU_MMIO_REG_IRQ_ACK, {AEROGPU_IRQ_ERROR, UINT32_MAX}, 0},
    {AEROGPU_MMIO_REG_IRQ_ENABLE, {AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR, AEROGPU_IRQ_FENCE}, 0},
    {AEROGPU_MMIO_REG_IRQ_ENABLE, {AEROGPU_IRQ_SCANOUT_VBLANK, AEROGPU_IRQ_FENCE}, 0},
    {AEROGPU_MMIO_REG_RING_SIZE_BYTES, {0, 0}, UINT32_MAX},
    {AEROGPU_MMIO_REG_FENCE_GPA_HI, {UINT32_MAX, UINT32_MAX}, UINT32_MAX},
    {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, {0x1000, 0x2000}, 0},
    {AEROGPU_MMIO_REG_CURSOR_ENABLE, {0, 1}, 0},
    {AEROGPU_MMIO_REG_SCANOUT0_ENABLE, {1, 1}, 1},
};

/* Posts two paced presents, each with an empty submission after it, just after an edge. */
static bool held_post(struct agpu_test *t, const struct agpu_paced list[4], uint64_t *seq)
{
    struct agpu_vblank_edge edge;

    agpu_rig_begin_over(&t->env->rig);
    if (!agpu_vblank_read(t, &edge) || !agpu_vblank_next(t, &edge)) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (!agpu_paced_post(t, &list[i])) {
            return false;
        }
    }
    *seq = edge.seq;
    agpu_doorbell(&t->env->ring);
    agpu_paced_taken(t);
    return true;
}

/* The interrupt is that of the first one. */
static const struct agpu_paced held_list[4] = {
    AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1),
    {AGPU_PACED_EMPTY, 0, 1, AEROGPU_SUBMIT_FLAG_NO_IRQ, 0, false},
    {AGPU_PACED_PRESENT, VSYNC, 2, AEROGPU_SUBMIT_FLAG_NO_IRQ, 0, false},
    {AGPU_PACED_EMPTY, 0, 2, AEROGPU_SUBMIT_FLAG_NO_IRQ, 0, false}};

/* Given held fences, a write of a register that does not concern them must neither release nor lose one, nor its
 * interrupt. A value of all ones stands for the register's own. */
static void held_through_writes(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    bool on_time[4] = {false}, in_time;

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < sizeof held_events / sizeof held_events[0]; i++) {
        const struct held_event *event = &held_events[i];
        const uint32_t own = event->reg == AEROGPU_MMIO_REG_IRQ_ACK ? 0 : agpu_reg_read(function, event->reg);
        const uint64_t first = t->env->rig.fence + 1;
        uint64_t seq;

        agpu_irq_enable(function, ALL);
        agpu_return_unless(held_post(t, held_list, &seq));
        agpu_irq_enable(function, AEROGPU_IRQ_FENCE);
        for (unsigned j = 0; j < 2; j++) {
            const bool is_own = event->values[j] == UINT32_MAX && event->reg != AEROGPU_MMIO_REG_IRQ_ACK;

            agpu_reg_write(function, event->reg, is_own ? own : event->values[j]);
        }
        in_time = agpu_vblank_passed(t, seq) == 0; /* no edge came between the writes */
        agpu_return_unless(agpu_paced_follow(t, held_list, 4, first, seq, on_time));
        agpu_return_unless(in_time ? agpu_check_irq(t, AEROGPU_IRQ_FENCE) : agpu_check_passed(t));
        agpu_irq_ack(function, ALL);
        if (event->reg != AEROGPU_MMIO_REG_IRQ_ACK) {
            agpu_reg_write(function, event->reg, event->last == UINT32_MAX ? own : event->last);
        }
        agpu_scanout_enable(t, 1);
    }
}

/* Given a pending FENCE, a held fence must complete at its edge all the same. */
static void held_behind_pending(struct agpu_test *t)
{
    const uint64_t first = t->env->rig.fence + 2;
    bool on_time[4] = {false};
    uint64_t seq;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_scanout_enable(t, 1);
    agpu_return_unless(agpu_run_empty(t) && agpu_check_irq(t, AEROGPU_IRQ_FENCE));
    agpu_return_unless(held_post(t, held_list, &seq));
    agpu_return_unless(agpu_paced_follow(t, held_list, 4, first, seq, on_time));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
}

/* Given missed edges, each of them must release one held fence, whichever register is accessed first. */
static void held_over_missed_edges(struct agpu_test *t)
{
    static const uint32_t touched[] = {AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO, AEROGPU_MMIO_REG_IRQ_STATUS,
                                       AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_MMIO_REG_SCANOUT0_ENABLE};
    static const struct agpu_paced one = AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1);
    const struct agpu_function *function = &t->env->function;

    agpu_require_simulated_time(t);
    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < sizeof touched / sizeof touched[0]; i++) {
        const uint64_t first = t->env->rig.fence + 1;
        struct agpu_vblank_edge edge;

        agpu_rig_begin_over(&t->env->rig);
        agpu_return_unless(agpu_vblank_read(t, &edge) && agpu_vblank_next(t, &edge));
        for (unsigned j = 0; j < 4; j++) {
            agpu_return_unless(agpu_paced_post(t, &one));
        }
        agpu_doorbell(&t->env->ring);
        agpu_paced_taken(t);
        agpu_vblank_stall(t, 20);
        if (touched[i] == AEROGPU_MMIO_REG_IRQ_ENABLE || touched[i] == AEROGPU_MMIO_REG_SCANOUT0_ENABLE) {
            agpu_reg_write(function, touched[i], 1);
        } else {
            agpu_reg_read(function, touched[i]);
        }
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, first + 1));
        agpu_return_unless(agpu_check_completed(t, first + 1));
        agpu_return_unless(agpu_check_place(t, "edges to the second of four held fences, first access to",
                                            touched[i], agpu_vblank_passed(t, edge.seq), 2));
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    }
}

/* Given edges that are due, disabling the scanout must count them, and nothing more. */
static void held_until_disabled(struct agpu_test *t)
{
    static const struct agpu_paced one = AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1);

    agpu_require_simulated_time(t);
    for (unsigned i = 0; i < 6; i++) {
        struct agpu_vblank_edge edge;

        agpu_return_unless(agpu_vblank_start(t, &edge));
        if (i % 2 != 0) {
            agpu_rig_begin_over(&t->env->rig);
            agpu_return_unless(agpu_paced_post(t, &one));
            agpu_doorbell(&t->env->ring);
        }
        agpu_vblank_stall(t, 4 + 8 * (i / 2));
        agpu_scanout_enable(t, 0);
        agpu_return_unless(agpu_check_place(t, "edges counted before the scanout was disabled, round", i,
                                            agpu_vblank_passed(t, edge.seq), i / 2));
        if (i % 2 != 0) {
            agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        }
    }
}

/* Given a fence above a held one and one below that, the lower one must never set COMPLETED_FENCE back. On our model it
 * signals nothing, and does not change what the higher one waits for. In the last rounds it has completed before: then
 * no device may raise its interrupt. */
static void held_before_lower(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_rig *rig = &t->env->rig;

    for (unsigned i = 0; i < 12; i++) {
        const unsigned edges = i / 4 % 2;
        const uint64_t high = rig->fence + 10, before = agpu_fence_mmio_value(function);
        struct agpu_vblank_edge edge;
        uint64_t seen;

        agpu_rig_begin_over(rig);
        agpu_return_unless(agpu_vblank_begin(t, &edge));
        agpu_irq_enable(function, AEROGPU_IRQ_FENCE);
        for (unsigned j = 0; j < 3; j++) { /* paced; higher; lower */
            struct agpu_submission submission;

            if (j == 0 || (j == 1 && edges != 0) || (j == 2 && i % 2 != 0)) {
                agpu_put_present(rig, 0, VSYNC);
            } else {
                agpu_rig_packet(rig, AEROGPU_CMD_NOP, 8);
            }
            agpu_assert(t, agpu_rig_finish(rig, &submission));
            agpu_rig_begin(rig);
            submission.fence = j == 2 && i >= 8 ? before : high - (j == 0 ? 9 : j == 1 ? 0 : 5);
            submission.flags = j < 2 && i / 2 % 2 != 0 ? AEROGPU_SUBMIT_FLAG_NO_IRQ : 0;
            agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
        }
        agpu_doorbell(&t->env->ring);
        agpu_return_unless(agpu_check_head(t, t->env->ring.tail));
        seen = agpu_fence_mmio_value(function);
        if (t->env->model) {
            agpu_check_place(t, "COMPLETED_FENCE before the edge, round", i,
                             agpu_vblank_passed(t, edge.seq) == 0 ? seen : before, before);
        }
        rig->fence = high;
        agpu_return_unless(agpu_vblank_next(t, &edge));
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, high));
        agpu_return_unless(agpu_check_completed(t, high));
        if (t->env->model) {
            agpu_check_place(t, "edges to the fence above a lower one, round", i,
                             t->platform->test->simulated_time ? agpu_vblank_passed(t, edge.seq) : edges,
                             edges);
        }
        if (t->env->model || i >= 8) {
            agpu_check_irq(t, i / 2 % 2 != 0 ? 0 : AEROGPU_IRQ_FENCE);
        }
        agpu_irq_ack(function, ALL);
        agpu_scanout_enable(t, 0);
    }
}

/* Given a held fence, one with the same low half must be another one. */
static void held_before_same_low_half(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_vblank_edge edge;

    agpu_return_unless(agpu_vblank_begin(t, &edge));
    for (unsigned i = 0; i < 2; i++) {
        struct agpu_submission submission;

        agpu_put_present(rig, 0, VSYNC);
        rig->fence += i == 0 ? 0 : UINT32_MAX;
        agpu_assert(t, agpu_rig_finish(rig, &submission));
        agpu_rig_begin(rig);
        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
    }
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, rig->fence));
    agpu_check_completed(t, rig->fence);
    agpu_check_within(t, agpu_vblank_passed(t, edge.seq), 2, 1000, "edges to the second of two held fences");
}

#define EVENT_CASE(name, section, function)                                                                  \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case resource_present_event_cases[] = {
    EVENT_CASE("present.held.through_writes", "ring.md 7", held_through_writes),
    EVENT_CASE("present.held.pending_fence", "ring.md 7", held_behind_pending),
    EVENT_CASE("present.held.missed_edges", "ring.md 7", held_over_missed_edges),
    EVENT_CASE("present.held.until_disabled", "device.md 4.7", held_until_disabled),
    EVENT_CASE("present.held.lower_fence", "ring.md 4", held_before_lower),
    EVENT_CASE("present.held.same_low_half", "ring.md 4", held_before_same_low_half),
};

AGPU_CASE_TABLE(agpu_cases_resource_present_event, resource_present_event_cases);
