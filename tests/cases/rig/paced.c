/* paced.c: posts paced submissions and follows their fences. */
#include "tests/cases/rig/paced.h"

#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/shared_surface.h"
#include "tests/cases/rig/vblank.h"

/* A busy machine may see an edge late: late fences are then tested again. */
#define TRIES 10u

static void put_paced(struct agpu_rig *rig, const struct agpu_paced *paced)
{
    const uint32_t size = sizeof(struct aerogpu_cmd_present);
    struct aerogpu_cmd_present *odd;

    switch (paced->stream) {
    case AGPU_PACED_EMPTY:
        break;
    case AGPU_PACED_PRESENT:
        agpu_put_present(rig, paced->scanout_id, paced->flags);
        break;
    case AGPU_PACED_PRESENT_EX:
        agpu_put_present_ex(rig, paced->scanout_id, paced->flags, UINT32_MAX);
        break;
    case AGPU_PACED_TWO:
        agpu_put_present(rig, 0, paced->flags);
        agpu_put_present(rig, 0, 0);
        break;
    case AGPU_PACED_TWO_OTHER:
        agpu_put_present_ex(rig, 0, 0, 0);
        agpu_put_present(rig, 0, paced->flags);
        break;
    case AGPU_PACED_AFTER_ERROR:
        agpu_put_export(rig, 0x7777, 0x7777); /* an unknown resource, which uploads may ignore */
        agpu_put_present(rig, 0, paced->flags);
        break;
    case AGPU_PACED_BEFORE_ERROR:
        agpu_put_present(rig, 0, paced->flags);
        agpu_put_export(rig, 0x7777, 0x7777);
        break;
    case AGPU_PACED_AFTER_SHORT:
        agpu_rig_packet(rig, AEROGPU_CMD_CLEAR, 12);
        agpu_put_present(rig, 0, paced->flags);
        break;
    case AGPU_PACED_SHORT_EX:
        odd = agpu_rig_packet(rig, AEROGPU_CMD_PRESENT_EX, size);
        odd->flags = paced->flags;
        break;
    case AGPU_PACED_BEHIND_BARE:
        agpu_rig_packet(rig, AEROGPU_CMD_PRESENT, size - 4);
        agpu_put_present(rig, 0, paced->flags);
        break;
    case AGPU_PACED_LONGER:
        odd = agpu_rig_packet(rig, AEROGPU_CMD_PRESENT, size + 64);
        odd->flags = paced->flags;
        break;
    case AGPU_PACED_LATE:
        for (unsigned i = 0; i < 50; i++) {
            agpu_rig_packet(rig, AEROGPU_CMD_NOP, 8 + 4 * (i % 9));
        }
        agpu_put_present(rig, 0, paced->flags);
        break;
    case AGPU_PACED_NO_PRESENT:
        agpu_rig_packet(rig, AEROGPU_CMD_FLUSH, sizeof(struct aerogpu_cmd_flush));
        break;
    }
}

bool agpu_paced_post(struct agpu_test *t, const struct agpu_paced *paced)
{
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;

    put_paced(rig, paced);
    if (!agpu_check(t, agpu_rig_finish(rig, &submission))) {
        return false;
    }
    submission.flags = paced->desc_flags;
    submission.fence = paced->no_fence ? 0 : submission.fence;
    agpu_rig_begin(rig);
    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

/* If no fence has an upper half, one read is enough. */
static uint64_t done_in_registers(const struct agpu_test *t)
{
    return t->env->rig.fence >> 32 == 0
               ? agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO)
               : agpu_fence_mmio_value(&t->env->function);
}

/* Returns how many fences from first on have completed, according to the page or the registers. */
static uint64_t fences_done(const struct agpu_test *t, uint64_t first, bool registers)
{
    const bool page = t->env->ring.page.cpu != NULL;
    const uint64_t in_page = page ? agpu_fence_page_value(&t->env->ring) : 0;
    const uint64_t in_registers = registers || !page ? done_in_registers(t) : 0;
    const uint64_t completed = in_page > in_registers ? in_page : in_registers;

    return completed < first ? 0 : completed - first + 1;
}

struct next_fence {
    const struct agpu_test *t;
    uint64_t first, done;
};

static bool has_more(const void *ctx)
{
    const struct next_fence *next = ctx;

    return next->t->env->ring.page.cpu != NULL && fences_done(next->t, next->first, false) > next->done;
}

static void begin_wait(struct agpu_wait *wait, const struct next_fence *next, uint32_t period)
{
    agpu_wait_begin(wait, next->t->env->platform, AGPU_RELAX_VBLANK);
    wait->pace_ns = period / 6; /* the page is polled in between */
    wait->peek = has_more;
    wait->peek_ctx = next;
}

void agpu_paced_taken(struct agpu_test *t)
{
    const struct agpu_ring *ring = &t->env->ring;
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, t->env->platform, AGPU_RELAX_ROOM, agpu_vblank_period(t) / 4);
    while (agpu_ring_head(ring) != ring->tail && agpu_wait_again(&wait)) {
        ;
    }
}

bool agpu_paced_follow(struct agpu_test *t, const struct agpu_paced *list, uint64_t count, uint64_t first,
                       uint64_t seq, bool *on_time)
{
    const uint32_t period = agpu_vblank_period(t);
    const uint64_t late = period / 2;
    uint64_t reached[AGPU_PACED_MOST] = {0};
    struct next_fence next = {.t = t, .first = first};
    struct agpu_wait wait;
    bool registers = true;

    begin_wait(&wait, &next, period);
    do {
        const uint64_t done = next.done;
        const uint64_t passed = agpu_vblank_passed(t, seq);
        const uint64_t now_done = fences_done(t, first, registers);
        const uint64_t most = now_done > done ? agpu_vblank_passed(t, seq) : passed;
        const uint64_t now = agpu_now(t);

        registers = !registers; /* alternate, because the registers must not be ahead of the page either */
        for (uint64_t i = done; i < count; i++) {
            if (i < now_done && most < list[i].edge) {
                return agpu_check_u64(
                    t, most, list[i].edge,
                    "vblank edges from the doorbell to the fence of a paced submission, at least", false,
                    AGPU_HERE);
            }
            if (i < now_done) {
                on_time[i] |= reached[i] == 0 || now - reached[i] <= late;
            } else if (reached[i] == 0 && passed >= list[i].edge) {
                reached[i] = now;
            }
        }
        if (now_done > done) {
            next.done = now_done;
            begin_wait(&wait, &next, period);
        }
        if (next.done >= count) {
            return agpu_check_passed(t);
        }
    } while (agpu_wait_again(&wait));
    return agpu_check_u64(t, next.done, count, "fences completed, none for 200 ms", false, AGPU_HERE);
}

bool agpu_paced_run(struct agpu_test *t, const struct agpu_paced *list, uint32_t count)
{
    bool on_time[AGPU_PACED_MOST] = {false};
    struct agpu_vblank_edge edge = {0};
    const unsigned checks = t->checks;
    uint32_t missing = 0;

    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t first = t->env->rig.fence + 1;

        agpu_rig_begin_over(&t->env->rig);
        if (i != 0 && (!agpu_time_left(t) || !agpu_vblank_read(t, &edge) || !agpu_vblank_next(t, &edge))) {
            return false;
        }
        agpu_check_drop(t, checks);
        for (uint32_t j = 0; j < count; j++) {
            if (!agpu_paced_post(t, &list[j])) {
                return false;
            }
        }
        edge.seq = agpu_vblank_seq(t);
        agpu_doorbell(&t->env->ring);
        agpu_paced_taken(t);
        if (!agpu_paced_follow(t, list, count, first, edge.seq, on_time)) {
            return false;
        }
        for (missing = 0; missing < count && on_time[missing]; missing++) {
            ;
        }
        if (missing == count) {
            return true;
        }
    }
    return agpu_check_u64(t, missing, count,
                          "submissions whose fence completed at its vblank edge in one of ten tries", false,
                          AGPU_HERE);
}
