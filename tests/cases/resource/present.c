/* present.c: presents and their pacing by vblank (ring.md 7, commands.md 11). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/order.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/ring_layout.h"
#include "tests/cases/rig/shared_surface.h"
#include "tests/cases/rig/vblank.h"

#define VSYNC AEROGPU_PRESENT_FLAG_VSYNC

/* A busy machine may see an edge late: what was late is tried again then. */
#define PRESENT_TRIES 10u
#define PRESENT_MOST  60u /* submissions in a list */

/* What one submission has in its stream. */
enum present_stream {
    STREAM_EMPTY, /* an empty submission */
    STREAM_PRESENT,
    STREAM_PRESENT_EX,
    STREAM_TWO,         /* the second present without VSYNC */
    STREAM_TWO_OTHER,   /* the first */
    STREAM_AFTER_ERROR, /* behind a packet that is an error */
    STREAM_AFTER_SHORT, /* behind a packet shorter than its structure */
    STREAM_SHORT_EX,    /* a PRESENT_EX that is an error for its size, and has its flags */
    STREAM_LONGER,      /* with bytes behind its structure */
    STREAM_LATE,        /* behind many other packets */
    STREAM_NO_PRESENT,  /* packets, and no present */
};

/* One submission, and the edge after its doorbell at which its fence completes; 0: at once. */
struct paced {
    enum present_stream stream;
    uint32_t flags; /* of the present */
    uint32_t edge;
    uint32_t desc_flags; /* AEROGPU_SUBMIT_FLAG_* */
    uint32_t scanout_id;
};

#define PACED(stream, flags, edge)                                                                           \
    {                                                                                                        \
        stream, flags, edge, 0, 0                                                                            \
    }

static void put_paced_present(struct agpu_rig *rig, uint32_t flags, uint32_t scanout_id, uint32_t size)
{
    struct aerogpu_cmd_present *packet = agpu_rig_packet(rig, AEROGPU_CMD_PRESENT, size);

    packet->scanout_id = scanout_id;
    packet->flags = flags;
}

static void put_paced_present_ex(struct agpu_rig *rig, uint32_t flags, uint32_t scanout_id,
                                 uint32_t d3d9_flags)
{
    struct aerogpu_cmd_present_ex *packet = agpu_rig_packet(rig, AEROGPU_CMD_PRESENT_EX, sizeof *packet);

    packet->scanout_id = scanout_id;
    packet->flags = flags;
    packet->d3d9_present_flags = d3d9_flags;
}

static void put_paced_stream(struct agpu_rig *rig, const struct paced *paced)
{
    const uint32_t size = sizeof(struct aerogpu_cmd_present);
    struct aerogpu_cmd_present *cut;

    switch (paced->stream) {
    case STREAM_EMPTY:
        break;
    case STREAM_PRESENT:
        put_paced_present(rig, paced->flags, paced->scanout_id, size);
        break;
    case STREAM_PRESENT_EX:
        put_paced_present_ex(rig, paced->flags, paced->scanout_id, UINT32_MAX);
        break;
    case STREAM_TWO:
        put_paced_present(rig, paced->flags, 0, size);
        put_paced_present(rig, 0, 0, size);
        break;
    case STREAM_TWO_OTHER:
        put_paced_present_ex(rig, 0, 0, 0);
        put_paced_present(rig, paced->flags, 0, size);
        break;
    case STREAM_AFTER_ERROR:
        agpu_put_export(rig, 0x7777, 0x7777); /* no such resource, which uploads may pass over */
        put_paced_present(rig, paced->flags, 0, size);
        break;
    case STREAM_AFTER_SHORT:
        agpu_rig_packet(rig, AEROGPU_CMD_CLEAR, 12);
        put_paced_present(rig, paced->flags, 0, size);
        break;
    case STREAM_SHORT_EX:
        cut = agpu_rig_packet(rig, AEROGPU_CMD_PRESENT_EX, size);
        cut->flags = paced->flags;
        break;
    case STREAM_LONGER:
        put_paced_present(rig, paced->flags, 0, size + 64);
        break;
    case STREAM_LATE:
        for (unsigned i = 0; i < 50; i++) {
            agpu_rig_packet(rig, AEROGPU_CMD_NOP, 8 + 4 * (i % 9));
        }
        put_paced_present(rig, paced->flags, 0, size);
        break;
    case STREAM_NO_PRESENT:
        agpu_rig_packet(rig, AEROGPU_CMD_FLUSH, sizeof(struct aerogpu_cmd_flush));
        break;
    }
}

static bool post_paced(struct agpu_test *t, const struct paced *paced)
{
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;

    put_paced_stream(rig, paced);
    if (!agpu_check(t, agpu_rig_finish(rig, &submission))) {
        return false;
    }
    submission.flags = paced->desc_flags;
    agpu_rig_begin(rig);
    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

/* Where no fence has an upper half, one read tells. */
static uint64_t present_in_registers(const struct agpu_test *t)
{
    return t->env->rig.fence >> 32 == 0
               ? agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO)
               : agpu_fence_mmio_value(&t->env->function);
}

/* How many of the fences from first on have completed, by page or registers. */
static uint64_t present_done(const struct agpu_test *t, uint64_t first, bool registers)
{
    const bool page = t->env->ring.page.cpu != NULL;
    const uint64_t in_page = page ? agpu_fence_page_value(&t->env->ring) : 0;
    const uint64_t in_registers = registers || !page ? present_in_registers(t) : 0;
    const uint64_t completed = in_page > in_registers ? in_page : in_registers;

    return completed < first ? 0 : completed - first + 1;
}

struct present_next {
    const struct agpu_test *t;
    uint64_t first, done;
};

static bool present_has_more(const void *ctx)
{
    const struct present_next *next = ctx;

    return next->t->env->ring.page.cpu != NULL && present_done(next->t, next->first, false) > next->done;
}

static void present_wait_begin(struct agpu_wait *wait, const struct present_next *next, uint32_t period)
{
    agpu_wait_begin(wait, next->t->env->platform, AGPU_RELAX_VBLANK);
    wait->pace_ns = period / 6; /* the page shows more */
    wait->peek = present_has_more;
    wait->peek_ctx = next;
}

/* Lets the device take the entries, for which their fences need not complete. */
static void present_taken(struct agpu_test *t)
{
    const struct agpu_ring *ring = &t->env->ring;
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, t->env->platform, AGPU_RELAX_ROOM, agpu_vblank_period(t) / 4);
    while (agpu_ring_head(ring) != ring->tail && agpu_wait_again(&wait)) {
        ;
    }
}

/* Follows the fences of a list that was submitted at edge seq. Earlier than its edge is wrong; on_time notes those
 * that came within half a period of it. */
static bool present_follow(struct agpu_test *t, const struct paced *list, uint64_t count, uint64_t first,
                           uint64_t seq, bool *on_time)
{
    const uint32_t period = agpu_vblank_period(t);
    const uint64_t late = period / 2;
    uint64_t reached[PRESENT_MOST] = {0};
    struct present_next next = {.t = t, .first = first};
    struct agpu_wait wait;
    bool registers = true;

    present_wait_begin(&wait, &next, period);
    do {
        const uint64_t done = next.done;
        const uint64_t passed = agpu_vblank_passed(t, seq);
        const uint64_t now_done = present_done(t, first, registers);
        const uint64_t most = now_done > done ? agpu_vblank_passed(t, seq) : passed;
        const uint64_t now = agpu_now(t);

        registers = !registers; /* they may not be ahead of the page either */
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
            present_wait_begin(&wait, &next, period);
        }
        if (next.done >= count) {
            return true;
        }
    } while (agpu_wait_again(&wait));
    return agpu_check_u64(t, next.done, count, "fences completed, none for 200 ms", false, AGPU_HERE);
}

/* Submits the list with one doorbell just behind an edge, as it is where scanout was just enabled or a list has just ended, and
 * finds each fence completing at its own. */
static bool run_paced(struct agpu_test *t, const struct paced *list, uint32_t count)
{
    bool on_time[PRESENT_MOST] = {false};
    struct agpu_vblank_edge edge = {0};
    uint32_t missing = 0;

    for (unsigned i = 0; i < PRESENT_TRIES; i++) {
        const uint64_t first = t->env->rig.fence + 1;

        agpu_rig_begin_over(&t->env->rig);
        if (i != 0 && (!agpu_time_left(t) || !agpu_vblank_look(t, &edge) || !agpu_vblank_next(t, &edge))) {
            return false;
        }
        for (uint32_t j = 0; j < count; j++) {
            if (!post_paced(t, &list[j])) {
                return false;
            }
        }
        edge.seq = agpu_vblank_seq(t);
        agpu_doorbell(&t->env->ring);
        present_taken(t);
        if (!present_follow(t, list, count, first, edge.seq, on_time)) {
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

#define RUN_PACED(t, list) run_paced((t), (list), sizeof(list) / sizeof(list)[0])

static void vsync_waits_for_an_edge(struct agpu_test *t)
{
    static const struct paced one[] = {PACED(STREAM_PRESENT, VSYNC, 1)};

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(RUN_PACED(t, one));
    }
    agpu_check_no_errors_counted(t);
}

/* Whatever is written meanwhile, but ENABLE = 0, lets go of nothing. */
static void vsync_undisturbed(struct agpu_test *t)
{
    static const uint32_t writes[][2] = {
        {AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 2},    {AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 5},
        {AEROGPU_MMIO_REG_SCANOUT0_FORMAT, 1},    {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0x1000},
        {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0}, {AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 0},
        {AEROGPU_MMIO_REG_CURSOR_ENABLE, 1},      {AEROGPU_MMIO_REG_CURSOR_ENABLE, 0},
        {AEROGPU_MMIO_REG_IRQ_ENABLE, 3},         {AEROGPU_MMIO_REG_IRQ_ACK, UINT32_MAX},
        {AEROGPU_MMIO_REG_DOORBELL, 0},           {AEROGPU_MMIO_REG_RING_CONTROL, 0},
        {AEROGPU_MMIO_REG_RING_CONTROL, 1},       {AEROGPU_MMIO_REG_DOORBELL, 1},
    };
    static const struct paced one = PACED(STREAM_PRESENT, VSYNC, 1);
    struct agpu_vblank_edge edge;
    bool on_time = false;

    agpu_return_unless(agpu_vblank_begin(t, &edge));
    agpu_return_unless(post_paced(t, &one));
    edge.seq = agpu_vblank_seq(t);
    agpu_doorbell(&t->env->ring);
    present_taken(t);
    for (unsigned i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        agpu_reg_write(&t->env->function, writes[i][0], writes[i][1]);
    }
    present_follow(t, &one, 1, t->env->rig.fence, edge.seq, &on_time);
}

static void one_for_each_edge(struct agpu_test *t)
{
    static const struct paced list[] = {
        PACED(STREAM_PRESENT, VSYNC, 1),    PACED(STREAM_PRESENT, VSYNC, 2),
        PACED(STREAM_PRESENT_EX, VSYNC, 3), PACED(STREAM_PRESENT, VSYNC, 4),
        PACED(STREAM_PRESENT_EX, VSYNC, 5), PACED(STREAM_PRESENT, VSYNC, 6),
    };

    agpu_scanout_enable(t, 1);
    agpu_return_unless(RUN_PACED(t, list));
    agpu_check_no_errors_counted(t);
}

/* Immediate work behind a held fence completes together with it. */
static void later_work_queues_behind(struct agpu_test *t)
{
    static const struct paced list[] = {
        PACED(STREAM_EMPTY, 0, 0),   PACED(STREAM_PRESENT, VSYNC, 1), PACED(STREAM_EMPTY, 0, 1),
        PACED(STREAM_PRESENT, 0, 1), PACED(STREAM_NO_PRESENT, 0, 1),  PACED(STREAM_PRESENT, VSYNC, 2),
        PACED(STREAM_EMPTY, 0, 2),   PACED(STREAM_PRESENT, VSYNC, 3),
    };

    agpu_scanout_enable(t, 1);
    RUN_PACED(t, list);
}

/* Everything that paces. */
static void vsync_of_every_kind(struct agpu_test *t)
{
    static const struct paced kinds[] = {
        PACED(STREAM_PRESENT, UINT32_MAX, 1),
        {STREAM_PRESENT, VSYNC, 2, .scanout_id = 5},
        {STREAM_PRESENT_EX, VSYNC, 3, .scanout_id = UINT32_MAX},
        PACED(STREAM_TWO, VSYNC, 4),
        PACED(STREAM_TWO_OTHER, VSYNC, 5),
        PACED(STREAM_LONGER, VSYNC, 6),
        PACED(STREAM_LATE, VSYNC, 7),
        {STREAM_PRESENT, VSYNC, 8, .desc_flags = AEROGPU_SUBMIT_FLAG_NO_IRQ},
    };

    agpu_scanout_enable(t, 1);
    agpu_return_unless(RUN_PACED(t, kinds));
    agpu_check_no_errors_counted(t);
}

/* Faults in packets do not change the pacing. */
static void vsync_with_errors(struct agpu_test *t)
{
    static const struct paced kinds[] = {PACED(STREAM_AFTER_ERROR, VSYNC, 1),
                                         PACED(STREAM_AFTER_SHORT, VSYNC, 2),
                                         PACED(STREAM_SHORT_EX, VSYNC, 3)};

    const struct agpu_executor *executor = agpu_executor_of(t);

    agpu_return_unless(executor != NULL);
    agpu_scanout_enable(t, 1);
    agpu_return_unless(RUN_PACED(t, kinds));
    /* One known executor does not look at the size of a present (commands.md 3). */
    agpu_check(t, agpu_error_count(t->env) >= (executor->implicit ? 2u : 3u));
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    agpu_run_empty(t);
}

/* And everything that does not. */
static void vsync_of_no_kind(struct agpu_test *t)
{
    static const struct paced kinds[] = {
        PACED(STREAM_PRESENT, 0, 0),
        PACED(STREAM_PRESENT, 2, 0),
        PACED(STREAM_PRESENT, ~VSYNC, 0),
        PACED(STREAM_PRESENT_EX, ~VSYNC, 0),
        {STREAM_PRESENT, 0, 0, .desc_flags = AEROGPU_SUBMIT_FLAG_PRESENT},
        {STREAM_EMPTY, 0, 0, .desc_flags = AEROGPU_SUBMIT_FLAG_PRESENT},
        {STREAM_NO_PRESENT, 0, 0, .desc_flags = AEROGPU_SUBMIT_FLAG_PRESENT},
        {STREAM_PRESENT, 0, 0, .scanout_id = VSYNC},
        {STREAM_PRESENT_EX, 0, 0, .scanout_id = VSYNC},
        PACED(STREAM_TWO, 0, 0),
        PACED(STREAM_LATE, 0, 0),
        PACED(STREAM_EMPTY, 0, 0),
    };

    agpu_scanout_enable(t, 1);
    agpu_return_unless(RUN_PACED(t, kinds));
    agpu_check_no_errors_counted(t);
}

/* An edge that was due when the doorbell rang is no edge after it. */
static void vsync_old_edge(struct agpu_test *t)
{
    static const struct paced one = PACED(STREAM_PRESENT, VSYNC, 2);
    struct agpu_vblank_edge edge;
    bool on_time = false;

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(agpu_vblank_look(t, &edge));
        agpu_rig_begin_over(&t->env->rig);
        agpu_return_unless(post_paced(t, &one));
        agpu_vblank_stall(t, 12);
        agpu_doorbell(&t->env->ring);
        agpu_return_unless(present_follow(t, &one, 1, t->env->rig.fence, edge.seq, &on_time));
    }
}

static void vsync_without_scanout(struct agpu_test *t)
{
    static const struct paced one = PACED(STREAM_PRESENT, VSYNC, 0);
    uint64_t before = agpu_vblank_seq(t);

    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(post_paced(t, &one));
        agpu_doorbell(&t->env->ring);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    }
    agpu_check_eq_u64(t, agpu_vblank_seq(t), before);
}

/* Posts so many of one kind behind one doorbell. */
static bool post_paced_many(struct agpu_test *t, const struct paced *paced, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!post_paced(t, paced)) {
            return false;
        }
    }
    return true;
}

static void scanout_off_releases(struct agpu_test *t)
{
    static const struct paced one[] = {PACED(STREAM_PRESENT, VSYNC, 1)};
    uint64_t before;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    /* Off; and, for a device that lets go of what was held at the write, off and at once on again. */
    for (unsigned again = 0; again < (t->env->model ? 2 : 1); again++) {
        agpu_scanout_enable(t, 1);
        agpu_rig_begin_over(&t->env->rig);
        agpu_return_unless(post_paced_many(t, one, 20));
        before = agpu_vblank_seq(t);
        agpu_doorbell(&t->env->ring);
        agpu_scanout_enable(t, 0);
        agpu_scanout_enable(t, again);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        /* Paced, the twenty would have taken as many edges. */
        agpu_check_within(t, agpu_vblank_seq(t) - before, 0, 19, "vblank edges that held fences took");
        agpu_return_unless(agpu_check_completed(t, t->env->rig.fence));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_FENCE));
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    }
    /* The next one is paced again. */
    agpu_scanout_enable(t, 1);
    RUN_PACED(t, one);
}

static void reset_drops_held(struct agpu_test *t)
{
    static const struct paced list[] = {PACED(STREAM_PRESENT, VSYNC, 1), PACED(STREAM_EMPTY, 0, 1)};
    struct agpu_vblank_edge edge;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_vblank_begin(t, &edge));
    agpu_return_unless(post_paced(t, &list[0]) && post_paced(t, &list[1]));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    /* Neither at an edge nor when the scanout goes off. */
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(agpu_vblank_next(t, &edge));
        agpu_check_completed(t, 0);
    }
    agpu_scanout_enable(t, 0);
    agpu_settle(t);
    agpu_check_completed(t, 0);
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
    if (t->env->ring.page.cpu != NULL) {
        agpu_check_u64(t, agpu_fence_page_value(&t->env->ring), 0, "completed_fence of the fence page", false,
                       AGPU_HERE);
    }
    agpu_run_empty(t);
}

/* A fence whose edge comes while bus mastering is off completes when it is on again, or at the next edge. */
static void vsync_without_master(struct agpu_test *t)
{
    static const struct paced one = PACED(STREAM_PRESENT, VSYNC, 1);
    const struct agpu_function *function = &t->env->function;
    struct agpu_vblank_edge edge;

    agpu_return_unless(agpu_vblank_begin(t, &edge));
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(post_paced(t, &one));
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(agpu_check_head(t, 2));
    if (agpu_fence_mmio_value(function) != 1) {
        return; /* an edge came before it could be held back */
    }
    agpu_command_write(function, agpu_command_read(function) & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    if (agpu_fence_mmio_value(function) == 1) {
        agpu_return_unless(agpu_vblank_look(t, &edge) && agpu_vblank_next(t, &edge) &&
                           agpu_vblank_next(t, &edge));
        agpu_check_completed(t, 1);
    }
    agpu_function_restore(function);
    agpu_return_unless(agpu_vblank_look(t, &edge));
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_within(t, agpu_vblank_seq(t) - edge.seq, 0, 30,
                      "vblank edges to a fence whose own came without bus master");
}

/* ---- interrupts of held fences ---- */

/* The interrupt comes with the fences that complete in one step, if one of them wants it; not before, and not if
 * none does. */
static void vsync_interrupts(struct agpu_test *t)
{
    static const uint32_t flags[][3] = {
        {0, 0, 0},
        {0, AEROGPU_SUBMIT_FLAG_NO_IRQ, AEROGPU_SUBMIT_FLAG_NO_IRQ},
        {AEROGPU_SUBMIT_FLAG_NO_IRQ, 0, AEROGPU_SUBMIT_FLAG_NO_IRQ},
        {AEROGPU_SUBMIT_FLAG_NO_IRQ, AEROGPU_SUBMIT_FLAG_NO_IRQ, 0},
        {AEROGPU_SUBMIT_FLAG_NO_IRQ, AEROGPU_SUBMIT_FLAG_NO_IRQ, AEROGPU_SUBMIT_FLAG_NO_IRQ}};

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        const bool wanted = i + 1 < sizeof flags / sizeof flags[0];
        const uint64_t before = t->env->rig.fence;
        uint32_t status;

        agpu_rig_begin_over(&t->env->rig);
        for (unsigned j = 0; j < 3; j++) {
            struct paced one = {j == 0 ? STREAM_PRESENT : STREAM_EMPTY, VSYNC, 1, flags[i][j], 0};

            agpu_return_unless(post_paced(t, &one));
        }
        agpu_doorbell(&t->env->ring);
        status = agpu_irq_status(&t->env->function);
        if (agpu_fence_mmio_value(&t->env->function) == before) { /* held still */
            agpu_check_u64(t, status, 0, "IRQ_STATUS while the fence is held", true, AGPU_HERE);
        }
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        if (!wanted) {
            agpu_settle(t);
        }
        agpu_return_unless(agpu_check_irq(t, wanted ? AEROGPU_IRQ_FENCE : 0));
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    }
}

/* A second submission with the value of a held fence is merged with it, and held with it. */
static void vsync_merged(struct agpu_test *t)
{
    static const struct paced one = PACED(STREAM_PRESENT, VSYNC, 1);
    struct agpu_submission same;
    uint64_t seq;
    bool on_time = false;

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < 2; i++) {
        agpu_rig_begin_over(&t->env->rig);
        agpu_return_unless(post_paced(t, &one));
        same = (struct agpu_submission){.fence = t->env->rig.fence};
        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &same));
        seq = agpu_vblank_seq(t);
        agpu_doorbell(&t->env->ring);
        present_taken(t);
        agpu_return_unless(present_follow(t, &one, 1, same.fence, seq, &on_time));
    }
}

/* ---- many ---- */

/* Hundreds of frames where time costs nothing: every one of them at its edge. */
static void many_frames_paced(struct agpu_test *t)
{
    static struct paced list[PRESENT_MOST];
    const uint32_t count = t->platform->simulated_time ? PRESENT_MOST : 6;

    for (uint32_t i = 0; i < count; i++) {
        list[i] = (struct paced){i % 5 == 3 ? STREAM_PRESENT_EX : STREAM_PRESENT, VSYNC, i + 1, 0, 0};
    }
    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < (t->platform->simulated_time ? 5 : 1); i++) {
        agpu_return_unless(run_paced(t, list, count));
    }
}

#define PRESENT_CASE(name, function)                                                                         \
    {                                                                                                        \
        .id = (name), .spec = "ring.md 7", .needs = AGPU_NEED_RING,                                          \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case cases[] = {
    PRESENT_CASE("present.vsync.waits_for_an_edge", vsync_waits_for_an_edge),
    PRESENT_CASE("present.vsync.undisturbed", vsync_undisturbed),
    PRESENT_CASE("present.vsync.one_for_each_edge", one_for_each_edge),
    PRESENT_CASE("present.vsync.later_work_queues_behind", later_work_queues_behind),
    PRESENT_CASE("present.vsync.every_kind", vsync_of_every_kind),
    PRESENT_CASE("present.vsync.no_kind", vsync_of_no_kind),
    {.id = "present.vsync.with_errors",
     .spec = "ring.md 7",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_ERROR_INFO,
     .run = vsync_with_errors},
    PRESENT_CASE("present.vsync.old_edge", vsync_old_edge),
    PRESENT_CASE("present.vsync.interrupts", vsync_interrupts),
    PRESENT_CASE("present.vsync.merged", vsync_merged),
    PRESENT_CASE("present.vsync.many_frames", many_frames_paced),
    PRESENT_CASE("present.vsync.without_scanout", vsync_without_scanout),
    PRESENT_CASE("present.vsync.without_bus_master", vsync_without_master),
    PRESENT_CASE("present.vsync.scanout_off_releases", scanout_off_releases),
    PRESENT_CASE("present.vsync.reset_drops_held", reset_drops_held),
};

AGPU_CASE_TABLE(agpu_cases_resource_present, cases);
