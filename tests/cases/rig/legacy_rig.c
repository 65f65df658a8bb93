/* legacy_rig.c: helpers for cases on the legacy device. */
#include "tests/cases/rig/legacy_rig.h"

#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/legacy_irq.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/line.h"

/* Time limit for devices that work late. */
#define SOON_NS UINT64_C(200000000)

struct agpu_legacy_rig agpu_legacy_rig(const struct agpu_test *test)
{
    struct agpu_env *env = test->env;

    return (struct agpu_legacy_rig){
        .function = &env->function,
        .ring = &env->legacy,
        .memory = &env->rig.memory[0],
        .magic = env->abi.magic,
        .version = env->abi.version,
        .features = env->abi.features,
    };
}

bool agpu_legacy_restart(struct agpu_test *test, uint32_t entry_count)
{
    struct agpu_env *env = test->env;

    return agpu_check_status(test, agpu_legacy_stop(&env->legacy), "stop the ring", AGPU_HERE) &&
           agpu_check_status(test,
                             agpu_legacy_start(&env->legacy, &env->function, env->abi.features, entry_count),
                             "start the ring again", AGPU_HERE);
}

uint32_t agpu_legacy_read(const struct agpu_test *test, uint32_t reg)
{
    return agpu_reg_read(&test->env->function, reg);
}

void agpu_legacy_write(const struct agpu_test *test, uint32_t reg, uint32_t value)
{
    agpu_reg_write(&test->env->function, reg, value);
}

bool agpu_check_legacy_at(struct agpu_test *test, uint32_t reg, uint32_t value, const char *expr,
                          struct agpu_where where)
{
    struct agpu_wait wait;
    uint32_t found;

    agpu_wait_begin_ns(&wait, test->env->platform, AGPU_RELAX_FENCE, SOON_NS);
    do {
        found = agpu_legacy_read(test, reg);
    } while (found != value && agpu_wait_again(&wait));
    return agpu_check_u64(test, found, value, expr, true, where);
}

void agpu_legacy_settle(struct agpu_test *test)
{
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, test->env->platform, AGPU_RELAX_IDLE,
                       agpu_latency_settle_ns(&test->env->latency));
    do {
        agpu_legacy_read(test,
                         AEROGPU_MMIO_REG_MAGIC); /* some devices work only when a register is accessed */
    } while (agpu_wait_again(&wait));
}

static void touch_int_status(const void *function)
{
    agpu_legacy_int_status(function);
}

bool agpu_check_legacy_line_at(struct agpu_test *test, bool asserted, struct agpu_where where)
{
    const int level = agpu_line_wait(test, asserted, touch_int_status, &test->env->function);

    if (level < 0) {
        agpu_skip(test, AGPU_SKIP_INTX_LEVEL); /* the other checks of the case still count */
        return true;
    }
    return agpu_check_u64(test, level > 0, asserted, "level of the INTx line", false, where);
}

bool agpu_legacy_run_empty_at(struct agpu_test *test, struct agpu_where where)
{
    struct agpu_legacy_ring *ring = &test->env->legacy;
    struct agpu_legacy_submission submission = {.type = AGPU_LEGACY_RENDER,
                                                .fence = ring->last_submitted + 1};

    if (!agpu_time_left(test)) {
        return false;
    }
    if (!agpu_check_status(test, agpu_legacy_wait_room(ring), "wait for a ring entry", where) ||
        !agpu_check_status(test, agpu_legacy_post(ring, &submission), "post the submission", where)) {
        return false;
    }
    agpu_legacy_doorbell(ring);
    return agpu_check_status(test, agpu_legacy_wait_fence(ring, submission.fence), "wait for the fence",
                             where);
}
