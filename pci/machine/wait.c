/* wait.c: bounded waits. */
#include "pci/machine/wait.h"

#include "pci/machine/test_system.h"

#define MS UINT64_C(1000000)

/* A wait gives up after this many polls without any progress of the clock: far more than one clock tick takes, seconds
 * at most. */
#define STUCK_CLOCK_POLLS (1u << 24)

/* Each poll may be a trip to the device. After PACE_AFTER_NS the polls become less frequent: the next one comes after
 * half of the time waited so far, but after at most PACE_MOST_NS. */
#define PACE_AFTER_NS (100 * UINT64_C(1000))
#define PACE_SHARE    2u
#define PACE_MOST_NS  (4 * MS)
#define PACE_EDGE_NS                                                                                         \
    (MS / 2) /* for a vblank wait: work in the period after an edge needs most of that period */

/* NULL: every wait has its own bound. */
static struct agpu_wait_limits *limits_of(const struct agpu_platform *platform)
{
    return platform->test != NULL ? platform->test->limits : NULL;
}

void agpu_wait_until(const struct agpu_platform *platform, uint64_t latest_ns)
{
    if (limits_of(platform) != NULL) {
        limits_of(platform)->latest_ns = latest_ns;
    }
}

void agpu_wait_limit(const struct agpu_platform *platform, uint64_t most_ns)
{
    if (limits_of(platform) != NULL) {
        limits_of(platform)->most_ns = most_ns;
    }
}

uint64_t agpu_wait_bound_ns(const struct agpu_platform *platform, enum agpu_relax_reason reason)
{
    const uint64_t most = limits_of(platform) != NULL ? limits_of(platform)->most_ns : UINT64_MAX;

    switch (reason) {
    case AGPU_RELAX_FENCE:
    case AGPU_RELAX_RESET:
    case AGPU_RELAX_ROOM:
        return most < 2000 * MS ? most : 2000 * MS;
    case AGPU_RELAX_VBLANK:
        return 200 * MS;
    case AGPU_RELAX_IDLE:
        break;
    }
    return 0;
}

void agpu_wait_begin_ns(struct agpu_wait *wait, const struct agpu_platform *platform,
                        enum agpu_relax_reason reason, uint64_t bound_ns)
{
    uint64_t now = platform->now_ns(platform->ctx);

    *wait = (struct agpu_wait){
        .platform = platform,
        .reason = reason,
        .deadline_ns = now > UINT64_MAX - bound_ns ? UINT64_MAX : now + bound_ns,
        .began_ns = now,
        .last_ns = now,
    };
    if (limits_of(platform) != NULL && wait->deadline_ns > limits_of(platform)->latest_ns) {
        wait->deadline_ns = limits_of(platform)->latest_ns;
    }
}

void agpu_wait_begin(struct agpu_wait *wait, const struct agpu_platform *platform,
                     enum agpu_relax_reason reason)
{
    agpu_wait_begin_ns(wait, platform, reason, agpu_wait_bound_ns(platform, reason));
}

static uint64_t next_poll(const struct agpu_wait *wait, uint64_t now)
{
    const uint64_t bound = wait->reason == AGPU_RELAX_VBLANK ? PACE_EDGE_NS : PACE_MOST_NS;
    const uint64_t step = (now - wait->began_ns) / PACE_SHARE;

    if (wait->pace_ns != 0) {
        return now + wait->pace_ns;
    }
    if (now - wait->began_ns < PACE_AFTER_NS) {
        return now;
    }
    return now + (step < bound ? step : bound);
}

bool agpu_wait_again(struct agpu_wait *wait)
{
    uint64_t now;

    if (wait->expired) {
        return false;
    }
    do {
        wait->platform->relax(wait->platform->ctx, wait->reason);
        now = wait->platform->now_ns(wait->platform->ctx);
        wait->same_time = now == wait->last_ns ? wait->same_time + 1 : 0;
        wait->last_ns = now;
        wait->expired = now >= wait->deadline_ns || wait->same_time >= STUCK_CLOCK_POLLS;
    } while (!wait->expired && now < wait->next_ns && (wait->peek == NULL || !wait->peek(wait->peek_ctx)));
    wait->next_ns = next_poll(wait, now);
    return true;
}

void agpu_wait_stall(const struct agpu_platform *platform, uint64_t ns)
{
    struct agpu_wait wait;

    if (platform->test != NULL && platform->test->stall != NULL) {
        platform->test->stall(platform->ctx, ns);
        return;
    }
    agpu_wait_begin_ns(&wait, platform, AGPU_RELAX_IDLE, ns);
    while (agpu_wait_again(&wait)) {
        ;
    }
}
