/* together.c: several functions of one machine at once: the state and work of one must not affect the others (device.md
 * 1). */
#include "pci/machine/wait.h"
#include "ring/irq.h"
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/cases/rig/line.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/together.h"

#define ROUNDS     24u
#define WORK_BYTES 2048u

/* Opens the other functions, runs the body, and closes them. */
static void together_run(struct agpu_test *t, void (*body)(struct agpu_together *together))
{
    struct agpu_together together;

    if (agpu_together_open(t, &together)) {
        body(&together);
    }
    agpu_together_close(&together);
}

/* ---- one function, of either generation ---- */

/* Posts a submission, without a doorbell if the ring has one. */
static bool post_on(struct agpu_test *t, const struct agpu_submission *submission)
{
    struct agpu_env *env = t->env;

    return agpu_check_ok(t, env->abi.legacy ? env->transport.submit(env->transport.ctx, submission)
                                            : agpu_ring_post(&env->ring, submission));
}

static bool post_empty_on(struct agpu_test *t)
{
    const struct agpu_submission empty = {.fence = ++t->env->rig.fence};

    return post_on(t, &empty);
}

static void ring_doorbell_of(const struct agpu_test *t)
{
    if (!t->env->abi.legacy) {
        agpu_doorbell(&t->env->ring);
    }
}

/* Waits for the last fence that was submitted to the function. */
static bool finish_on(struct agpu_test *t)
{
    struct agpu_env *env = t->env;
    struct agpu_wait wait;
    uint64_t done = 0;

    agpu_wait_begin(&wait, env->platform, AGPU_RELAX_FENCE);
    do {
        if (!agpu_check_ok(t, env->transport.completed_fence(env->transport.ctx, &done))) {
            return false;
        }
    } while (done != env->rig.fence && agpu_wait_again(&wait));
    return agpu_check_u64(t, done, env->rig.fence, "last fence of this function", false, AGPU_HERE);
}

static bool no_errors_on(struct agpu_test *t)
{
    if (!(t->env->abi.features & AEROGPU_FEATURE_ERROR_INFO)) {
        return true;
    }
    return agpu_check_u64(t, agpu_error_count(t->env), 0, "ERROR_COUNT of this function", false, AGPU_HERE);
}

static bool moves_data(const struct agpu_test *t)
{
    return (t->env->abi.features & AEROGPU_FEATURE_TRANSFER) != 0;
}

/* ---- registers ---- */

/* Returns a register that stores any value while the ring is off. */
static uint32_t storage_of(const struct agpu_test *t)
{
    return t->env->abi.legacy ? AEROGPU_LEGACY_REG_RING_BASE_LO : AEROGPU_MMIO_REG_RING_GPA_LO;
}

static void registers_body(struct agpu_together *together)
{
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < together->count; i++) {
            agpu_reg_write(&together->of[i]->env->function, storage_of(together->of[i]),
                           0x10001000u << round | i << 16);
        }
        for (unsigned i = 0; i < together->count; i++) {
            agpu_check_place(together->of[i],
                             "register of this function after the others were written, number", i,
                             agpu_reg_read(&together->of[i]->env->function, storage_of(together->of[i])),
                             0x10001000u << round | i << 16);
        }
    }
    for (unsigned i = 0; i < together->count; i++) {
        agpu_reg_write(&together->of[i]->env->function, storage_of(together->of[i]), 0);
    }
}

/* Given several functions, a register must hold its own value after the others are written. */
static void together_registers(struct agpu_test *t)
{
    together_run(t, registers_body);
}

static void bars_body(struct agpu_together *together)
{
    for (unsigned a = 0; a < together->count * AGPU_PCI_BAR_COUNT; a++) {
        for (unsigned b = 0; b < a; b++) {
            const struct agpu_bar_info *one =
                &together->of[a / AGPU_PCI_BAR_COUNT]->env->function.bars[a % AGPU_PCI_BAR_COUNT];
            const struct agpu_bar_info *other =
                &together->of[b / AGPU_PCI_BAR_COUNT]->env->function.bars[b % AGPU_PCI_BAR_COUNT];

            agpu_check(together->of[a / AGPU_PCI_BAR_COUNT],
                       one->size == 0 || other->size == 0 || one->address >= other->address + other->size ||
                           other->address >= one->address + one->size);
        }
    }
}

/* Given several functions, no two memory BARs may overlap: each must have its own addresses. */
static void together_bars(struct agpu_test *t)
{
    together_run(t, bars_body);
}

static void gate_body(struct agpu_together *together)
{
    for (unsigned i = 0; i < together->count; i++) {
        const struct agpu_function *function = &together->of[i]->env->function;
        const uint16_t on = agpu_command_read(function);

        agpu_command_write(function, on & (uint16_t) ~(AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER));
        for (unsigned k = 0; k < together->count; k++) {
            struct agpu_test *other = together->of[k];

            if (k != i && post_empty_on(other)) {
                ring_doorbell_of(other);
                finish_on(other);
            }
        }
        agpu_command_write(function, on);
        if (post_empty_on(together->of[i])) {
            ring_doorbell_of(together->of[i]);
            finish_on(together->of[i]);
        }
    }
}

/* Given several functions, closing the gates of the command register on one must leave the others working, and
 * reopening them must let its work complete. */
static void together_gate(struct agpu_test *t)
{
    together_run(t, gate_body);
}

/* ---- rings ---- */

static void busy_body(struct agpu_together *together)
{
    for (unsigned i = 0; i < together->count; i++) {
        for (unsigned k = 0; k < ROUNDS; k++) {
            agpu_return_unless(post_empty_on(together->of[i]));
        }
    }
    for (unsigned i = 0; i < together->count; i++) {
        ring_doorbell_of(together->of[i]);
    }
    for (unsigned i = together->count; i-- > 0;) {
        finish_on(together->of[i]);
        no_errors_on(together->of[i]);
    }
}

/* Given several functions whose rings are filled before the first doorbell, each must complete its own work without
 * errors. */
static void together_busy(struct agpu_test *t)
{
    together_run(t, busy_body);
}

static void fences_body(struct agpu_together *together)
{
    for (unsigned i = 0; i < together->count; i++) {
        together->of[i]->env->rig.fence += 100000u * i;
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < together->count; i++) {
            struct agpu_test *t = together->of[(i + round) % together->count];

            agpu_return_unless(post_empty_on(t));
            ring_doorbell_of(t);
            agpu_return_unless(finish_on(t));
        }
        for (unsigned i = 0; i < together->count; i++) { /* and they must be unchanged */
            agpu_return_unless(finish_on(together->of[i]));
        }
    }
}

/* Given several functions with very different fence numbers, submitted to by turns, each must show only its own
 * fence. */
static void together_fences(struct agpu_test *t)
{
    together_run(t, fences_body);
}

/* ---- work with data: the same handles mean something else on each ---- */

/* Posts a round trip of a pattern through a buffer of the device; each function has its own pattern. */
static bool post_work_on(struct agpu_test *t, unsigned seed, uint8_t pattern[WORK_BYTES])
{
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;

    if (!moves_data(t)) {
        return post_empty_on(t);
    }
    agpu_fill_pattern(pattern, WORK_BYTES, seed);
    agpu_put_create_buffer(rig, 1, WORK_BYTES, 0, 0);
    agpu_put_upload(rig, 1, 0, pattern, WORK_BYTES);
    agpu_put_readback(rig, 1, 0, WORK_BYTES);
    if (!agpu_rig_finish(rig, &submission)) {
        agpu_error(t, "the case's packets do not fit the rig");
        return false;
    }
    return post_on(t, &submission);
}

static bool check_work_on(struct agpu_test *t, const uint8_t pattern[WORK_BYTES])
{
    bool held = finish_on(t) && no_errors_on(t);

    if (held && moves_data(t)) {
        held = agpu_check_readback(t, pattern, WORK_BYTES);
        agpu_rig_begin_over(&t->env->rig);
    }
    return held;
}

static void work_body(struct agpu_together *together)
{
    static uint8_t patterns[AGPU_TOGETHER_MAX][WORK_BYTES];

    for (unsigned i = 0; i < together->count; i++) {
        agpu_return_unless(post_work_on(together->of[i], 17 + i, patterns[i]));
    }
    for (unsigned i = together->count; i-- > 0;) {
        ring_doorbell_of(together->of[i]);
    }
    for (unsigned i = 0; i < together->count; i++) {
        check_work_on(together->of[i], patterns[i]);
    }
}

/* Given several functions with buffers of the same handle, each must read back its own pattern. */
static void together_work(struct agpu_test *t)
{
    together_run(t, work_body);
}

static void reset_body(struct agpu_together *together)
{
    static uint8_t patterns[AGPU_TOGETHER_MAX][WORK_BYTES];

    for (unsigned turn = 0; turn < together->count; turn++) {
        struct agpu_test *reset = together->of[turn];
        const struct agpu_transport *transport = &reset->env->transport;

        for (unsigned i = 0; i < together->count; i++) {
            for (unsigned k = 0; k < ROUNDS; k++) {
                agpu_return_unless(post_empty_on(together->of[i]));
            }
            if (i != turn) {
                agpu_return_unless(post_work_on(together->of[i], 31 * turn + i, patterns[i]));
            }
        }
        for (unsigned i = 0; i < together->count; i++) {
            ring_doorbell_of(together->of[i]);
        }
        agpu_return_unless(agpu_check_ok(reset, transport->reset(transport->ctx)));
        for (unsigned i = 0; i < together->count; i++) {
            if (i != turn) {
                agpu_return_unless(check_work_on(together->of[i], patterns[i]));
                if (moves_data(together->of[i])) { /* the handles are free for the next turn */
                    agpu_put_destroy(&together->of[i]->env->rig, 1);
                    agpu_put_readback_done(&together->of[i]->env->rig);
                    agpu_return_unless(agpu_run_clean(together->of[i]));
                }
            }
        }
        agpu_return_unless(post_empty_on(reset));
        ring_doorbell_of(reset);
        agpu_return_unless(finish_on(reset));
    }
}

/* Given a reset of one function with work in its ring, the others must complete theirs, and it must work again. */
static void together_reset(struct agpu_test *t)
{
    together_run(t, reset_body);
}

/* ---- lines ---- */

/* Returns true if the pins of both functions end at one input of the interrupt controller: then the level is that of
 * either. */
static bool share_line(const struct agpu_test *a, const struct agpu_test *b)
{
    return agpu_config_read(&a->env->function, AGPU_PCI_INTERRUPT_LINE, 1) ==
           agpu_config_read(&b->env->function, AGPU_PCI_INTERRUPT_LINE, 1);
}

/* A function that shares the line may hold it. */
static void touch_all(const void *ctx)
{
    const struct agpu_together *together = ctx;

    for (unsigned i = 0; i < together->count; i++) {
        agpu_reg_read(&together->of[i]->env->function, AEROGPU_MMIO_REG_MAGIC);
    }
}

static bool line_arrives(const struct agpu_together *together, struct agpu_test *t, bool asserted,
                         const char *what)
{
    const int level = agpu_line_wait(t, asserted, touch_all, together);

    return level < 0 || agpu_check_u64(t, level > 0, asserted, what, false, AGPU_HERE);
}

static bool check_lines(struct agpu_together *together, const bool asserted[AGPU_TOGETHER_MAX])
{
    bool held = true;

    for (unsigned i = 0; i < together->count; i++) {
        bool expected = false;

        for (unsigned k = 0; k < together->count; k++) {
            expected |= asserted[k] && (k == i || share_line(together->of[i], together->of[k]));
        }
        held &= line_arrives(together, together->of[i], expected,
                             expected ? "line while its own interrupt, or one that shares it, is pending"
                                      : "line while only interrupts of other functions are pending");
    }
    return held;
}

static void acknowledge_on(const struct agpu_test *t)
{
    struct agpu_kmd_interrupt seen;

    agpu_kmd_adapter_service_interrupt(&t->env->adapter, &seen);
}

static bool raise_on(struct agpu_test *t)
{
    if (!t->env->abi.legacy) {
        agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    }
    if (!post_empty_on(t)) {
        return false;
    }
    ring_doorbell_of(t);
    return finish_on(t);
}

static void lines_body(struct agpu_together *together)
{
    bool asserted[AGPU_TOGETHER_MAX] = {false};

    for (unsigned i = 0; i < together->count; i++) {
        if (agpu_line_level(together->of[i]) < 0) {
            agpu_skip(together->of[0], AGPU_SKIP_INTX_LEVEL);
            return;
        }
        acknowledge_on(together->of[i]);
    }
    agpu_return_unless(check_lines(together, asserted));
    for (unsigned i = 0; i < together->count;
         i++) { /* raises them one after the other and drops them in the same order */
        agpu_return_unless(raise_on(together->of[i]));
        asserted[i] = true;
        agpu_return_unless(check_lines(together, asserted));
    }
    for (unsigned i = 0; i < together->count; i++) {
        acknowledge_on(together->of[i]);
        asserted[i] = false;
        agpu_return_unless(check_lines(together, asserted));
    }
}

/* Given several functions, the line of each must follow its own interrupt, and that of a function that shares its
 * input, as they are raised and acknowledged in turn. */
static void together_lines(struct agpu_test *t)
{
    together_run(t, lines_body);
}

#define TOGETHER(name, section, need, function)                                                              \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = (need), .flags = AGPU_CASE_TOGETHER, .run = (function)     \
    }

static const struct agpu_case function_together_cases[] = {
    TOGETHER("discovery.together.registers", "device.md 1", AGPU_NEED_FUNCTION, together_registers),
    TOGETHER("discovery.together.bars", "device.md 1", AGPU_NEED_FUNCTION, together_bars),
    TOGETHER("discovery.together.gate", "device.md 2", AGPU_NEED_RING, together_gate),
    TOGETHER("ring.together.busy", "ring.md 2", AGPU_NEED_RING, together_busy),
    TOGETHER("fence.together.by_turns", "ring.md 4", AGPU_NEED_RING, together_fences),
    TOGETHER("buffer.together.same_handles", "commands.md 6", AGPU_NEED_RING, together_work),
    TOGETHER("ring.together.reset", "device.md 4.2", AGPU_NEED_RING, together_reset),
    TOGETHER("irq.together.lines", "device.md 4.4", AGPU_NEED_RING, together_lines),
};

AGPU_CASE_TABLE(agpu_cases_function_together, function_together_cases);
