/* undefined_bits.c: no event sets a bit of IRQ_STATUS without a meaning, and the error registers show errors alone
 * (device.md 4.4, 4.6). */
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/vblank.h"

#define BITS_DEFINED (AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR)

static bool bits_of_reset(struct agpu_test *t)
{
    return agpu_check_ok(t, agpu_ring_reset(&t->env->ring));
}

static bool bits_of_fence(struct agpu_test *t)
{
    return agpu_run_empty(t);
}

static bool bits_of_flags(struct agpu_test *t)
{
    const struct agpu_submission submission = {
        .fence = ++t->env->rig.fence, .flags = AEROGPU_SUBMIT_FLAG_PRESENT | AEROGPU_SUBMIT_FLAG_NO_IRQ};

    return agpu_submit_wait(t, &submission);
}

static bool bits_of_work(struct agpu_test *t)
{
    agpu_put_create_buffer(&t->env->rig, 1, 64, 0, 0);
    agpu_put_destroy(&t->env->rig, 1);
    return agpu_run_clean(t);
}

/* The device discards this doorbell. */
static bool bits_of_disabled_ring(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_doorbell(&t->env->ring);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    return agpu_run_empty(t);
}

static bool bits_of_bus_master(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    agpu_command_write(function, agpu_command_read(function) & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    agpu_doorbell(&t->env->ring);
    agpu_function_restore(function);
    return agpu_run_empty(t);
}

static bool bits_of_cursor(struct agpu_test *t)
{
    for (uint32_t on = 2; on-- > 0;) {
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_CURSOR_ENABLE, on);
    }
    return true;
}

/* The fence waits for an edge. */
static bool bits_of_vblank(struct agpu_test *t)
{
    bool completed;

    agpu_scanout_enable(t, 1);
    agpu_put_present(&t->env->rig, 0, AEROGPU_PRESENT_FLAG_VSYNC);
    completed = agpu_run_clean(t);
    agpu_scanout_enable(t, 0);
    return completed;
}

static bool bits_of_refused(struct agpu_test *t)
{
    return agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NONE);
}

static bool bits_of_no_ring(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint32_t size = agpu_reg_read(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES);
    const uint32_t count = agpu_error_count(t->env);

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0);
    agpu_doorbell(&t->env->ring);
    if (!agpu_wait_error_count(t, count + 1)) {
        return false;
    }
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, size);
    return true;
}

/* The reset clears the errors of the round before; the last two events are errors. */
static const struct {
    const char *what;
    uint64_t features;
    bool (*happens)(struct agpu_test *t);
    bool error;
} bits_events[] = {
    {"after a ring reset, with IRQ_ENABLE", 0, bits_of_reset, false},
    {"after a fence, with IRQ_ENABLE", 0, bits_of_fence, false},
    {"after a fence with PRESENT and NO_IRQ, with IRQ_ENABLE", 0, bits_of_flags, false},
    {"after work, with IRQ_ENABLE", 0, bits_of_work, false},
    {"after a doorbell of a disabled ring, with IRQ_ENABLE", 0, bits_of_disabled_ring, false},
    {"after Bus Master off and on, with IRQ_ENABLE", 0, bits_of_bus_master, false},
    {"after a cursor on and off, with IRQ_ENABLE", AEROGPU_FEATURE_CURSOR, bits_of_cursor, false},
    {"after a paced present, with IRQ_ENABLE", AEROGPU_FEATURE_VBLANK, bits_of_vblank, false},
    {"after a refused submission, with IRQ_ENABLE", AEROGPU_FEATURE_ERROR_INFO, bits_of_refused, true},
    {"after a doorbell without a ring, with IRQ_ENABLE", AEROGPU_FEATURE_ERROR_INFO, bits_of_no_ring, true},
};

/* The registers read 0 before the first error, and one of the defined codes after it. */
static void bits_check_errors(struct agpu_test *t, const char *what, uint32_t mask, bool error)
{
    const struct agpu_error_info info = agpu_error_info(t->env);
    const bool defined = error ? info.code - 1 < AEROGPU_ERROR_BACKEND : info.code == AEROGPU_ERROR_NONE;

    if (!agpu_check_true(t, defined, error ? "ERROR_CODE is 1, 2 or 3" : "ERROR_CODE is 0", AGPU_HERE) ||
        !agpu_check_true(t, error || (info.fence | info.count) == 0, "ERROR_FENCE and ERROR_COUNT are 0",
                         AGPU_HERE)) {
        agpu_check_place(t, what, mask, info.code, error ? AEROGPU_ERROR_CMD_DECODE : AEROGPU_ERROR_NONE);
    }
}

/* Given any mask, an event must not set a bit of IRQ_STATUS without a meaning, and must not change the error registers
 * without an error. */
static void status_undefined_bits(struct agpu_test *t)
{
    static const uint32_t masks[] = {0, BITS_DEFINED, ~BITS_DEFINED, UINT32_MAX};

    agpu_require_because(t, agpu_abi_minor(&t->env->abi) <= AEROGPU_ABI_MINOR, AGPU_SKIP_ABI,
                         "a minor whose bits are known (up to ABI 1.4)");
    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        agpu_irq_enable(&t->env->function, masks[i]);
        for (unsigned k = 0; k < sizeof bits_events / sizeof bits_events[0]; k++) {
            if ((bits_events[k].features & ~t->env->abi.features) != 0) {
                continue;
            }
            agpu_return_unless(bits_events[k].happens(t));
            agpu_check_place(t, bits_events[k].what, masks[i],
                             agpu_irq_status(&t->env->function) & ~BITS_DEFINED, 0);
            if ((t->env->abi.features & AEROGPU_FEATURE_ERROR_INFO) != 0) {
                bits_check_errors(t, bits_events[k].what, masks[i], bits_events[k].error);
            }
        }
        agpu_settle(t);
        agpu_check_place(t, "after these events, with IRQ_ENABLE", masks[i],
                         agpu_irq_status(&t->env->function) & ~BITS_DEFINED, 0);
        agpu_irq_ack(&t->env->function, UINT32_MAX);
    }
}

static const struct agpu_case function_undefined_bits_cases[] = {
    {.id = "irq.status.undefined_bits",
     .spec = "device.md 4.4",
     .needs = AGPU_NEED_RING,
     .run = status_undefined_bits},
};

AGPU_CASE_TABLE(agpu_cases_function_undefined_bits, function_undefined_bits_cases);
