/* vblank.c: reads the vblank clock for cases (device.md 4.7). */
#include "tests/cases/rig/vblank.h"

#include "pci/machine/wait.h"
#include "pci/registers.h"

#define QUIET_MOST_NS UINT32_C(50000000)
#define POLL_EVERY_NS UINT32_C(500000)

uint64_t agpu_vblank_seq(const struct agpu_test *test)
{
    return agpu_reg_read64(&test->env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
}

uint64_t agpu_vblank_time(const struct agpu_test *test)
{
    return agpu_reg_read64(&test->env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
}

uint32_t agpu_vblank_period(const struct agpu_test *test)
{
    struct agpu_env *env = test->env;

    if (env->vblank_period == 0) {
        env->vblank_period = agpu_reg_read(&env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
    }
    return env->vblank_period;
}

void agpu_scanout_enable(const struct agpu_test *test, uint32_t on)
{
    agpu_reg_write(&test->env->function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, on);
}

uint64_t agpu_now(const struct agpu_test *test)
{
    const struct agpu_platform *platform = test->env->platform;

    return platform->now_ns(platform->ctx);
}

void agpu_vblank_stall(const struct agpu_test *test, uint64_t eighths)
{
    agpu_wait_stall(test->env->platform, eighths * agpu_vblank_period(test) / 8);
}

uint32_t agpu_vblank_seq_low(const struct agpu_test *test)
{
    return agpu_reg_read(&test->env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
}

uint64_t agpu_vblank_passed(const struct agpu_test *test, uint64_t seq)
{
    return agpu_vblank_seq_low(test) - (uint32_t)seq;
}

/* SEQ must be equal before and after: then TIME has not changed between its halves either, nor the upper half of SEQ,
 * unless 2^32 edges passed. */
bool agpu_vblank_read(struct agpu_test *test, struct agpu_vblank_edge *out)
{
    const struct agpu_function *function = &test->env->function;

    for (unsigned i = 0; i < 8; i++) {
        out->seq = (uint64_t)agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_HI) << 32;
        out->seq |= agpu_vblank_seq_low(test);
        out->time = (uint64_t)agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI) << 32;
        out->time |= agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
        out->seen = agpu_now(test);
        if (agpu_vblank_seq_low(test) == (uint32_t)out->seq) {
            return true;
        }
    }
    return agpu_check_true(test, false, "VBLANK_SEQ holds still for two reads", AGPU_HERE);
}

/* Returns how long after an edge polling can pause; 0 for a device that reports an absurd period. */
static uint64_t quiet_ns(uint32_t period)
{
    return period < QUIET_MOST_NS ? period - period / 16 : 0;
}

bool agpu_vblank_next(struct agpu_test *test, struct agpu_vblank_edge *edge)
{
    const uint64_t before = edge->seq;
    uint64_t last = edge->seen; /* at this time it was still the newest edge */
    struct agpu_wait wait;

    agpu_wait_begin(&wait, test->env->platform, AGPU_RELAX_VBLANK);
    wait.pace_ns = edge->not_before != 0 ? POLL_EVERY_NS : 2 * POLL_EVERY_NS;
    if (edge->not_before != 0) {
        wait.next_ns = edge->not_before + quiet_ns(agpu_vblank_period(test));
        agpu_wait_again(&wait);
    }
    do {
        const uint64_t now = agpu_now(test);

        /* The low half shows that there was an edge, at a third of the cost; identifying it takes all of SEQ. */
        if (agpu_vblank_seq_low(test) != (uint32_t)before) {
            edge->not_before = last;
            return agpu_vblank_read(test, edge) &&
                   (edge->seq > before ||
                    agpu_check_true(test, false, "VBLANK_SEQ counts upwards", AGPU_HERE));
        }
        last = now;
    } while (agpu_wait_again(&wait));
    agpu_check_u64(test, before, before + 1, "VBLANK_SEQ at the next edge, waited for 200 ms", false,
                   AGPU_HERE);
    return false;
}

bool agpu_vblank_begin(struct agpu_test *test, struct agpu_vblank_edge *edge)
{
    agpu_scanout_enable(test, 1);
    edge->not_before = 0; /* the time of the current newest edge is unknown */
    return agpu_vblank_read(test, edge);
}

bool agpu_vblank_start(struct agpu_test *test, struct agpu_vblank_edge *edge)
{
    if (!agpu_vblank_begin(test, edge)) {
        return false;
    }
    edge->not_before = edge->seen; /* no need to poll for most of a period */
    return agpu_vblank_next(test, edge);
}

bool agpu_vblank_wait_seq(struct agpu_test *test, uint64_t target)
{
    struct agpu_vblank_edge edge = {.seen = agpu_now(test)};

    edge.seq = agpu_vblank_seq(test);
    while (edge.seq < target) {
        if (!agpu_time_left(test) || !agpu_vblank_next(test, &edge)) {
            return false;
        }
    }
    return true;
}

bool agpu_vblank_check_schedule_at(struct agpu_test *test, const struct agpu_vblank_edge *from,
                                   const struct agpu_vblank_edge *to, struct agpu_where where)
{
    return agpu_check_u64(test, to->time - from->time, (to->seq - from->seq) * agpu_vblank_period(test),
                          "VBLANK_TIME_NS moves by VBLANK_PERIOD_NS an edge", false, where);
}

bool agpu_check_within_at(struct agpu_test *test, uint64_t value, uint64_t low, uint64_t high,
                          const char *what, struct agpu_where where)
{
    if (value < low || value > high) {
        return agpu_check_u64(test, value, value < low ? low : high, what, false, where);
    }
    return agpu_check_passed(test);
}
