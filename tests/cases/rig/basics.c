/* basics.c: what is broken, which cases that blocks, and when it is tried again. */
#include "tests/cases/rig/basics.h"

#include "pci/protocol/aerogpu_pci.h"

#define MS UINT64_C(1000000)

/* Cases that fail because of one broken thing before the others are blocked. */
#define FAILURES_SHOWN 2u
#define PAUSE_MOST     128u

#define WAIT_MOST        (2000 * MS)
#define WAIT_LEAST       (50 * MS)
#define WAIT_LATENCIES   20u
#define TIMEOUTS_AT_FULL 2u

const char *agpu_basic_name(enum agpu_basic basic)
{
    static const char *const names[AGPU_BASIC_COUNT] = {
        [AGPU_BASIC_PRESENCE] = "presence",
        [AGPU_BASIC_BRING_UP] = "bring_up",
        [AGPU_BASIC_FENCE] = "fence",
        [AGPU_BASIC_READ_BACK] = "read_back",
    };

    return (unsigned)basic < AGPU_BASIC_COUNT ? names[basic] : "?";
}

static bool stands_on(const struct agpu_case *item, enum agpu_basic basic)
{
    switch (basic) {
    case AGPU_BASIC_PRESENCE:
        return true;
    case AGPU_BASIC_BRING_UP:
    case AGPU_BASIC_FENCE:
        return item->needs >= AGPU_NEED_RING;
    case AGPU_BASIC_READ_BACK:
    case AGPU_BASIC_COUNT:
        break;
    }
    return item->needs >= AGPU_NEED_RING && (item->features & AEROGPU_FEATURE_TRANSFER) != 0;
}

static void tell_block(const struct agpu_basics *basics, struct agpu_obstacle *why)
{
    why->known = true;
    why->cause = agpu_basic_name(basics->which);
    why->result = basics->result;
    agpu_text_begin(&why->text, why->buffer, sizeof why->buffer);
    agpu_text_string(&why->text, basics->text);
}

bool agpu_basics_block(struct agpu_basics *basics, const struct agpu_case *item, struct agpu_obstacle *why)
{
    if (!basics->broken || basics->pause == 0 || !stands_on(item, basics->which)) {
        return false;
    }
    basics->pause--;
    tell_block(basics, why);
    return true;
}

void agpu_basics_broke(struct agpu_basics *basics, enum agpu_basic which, enum agpu_result result,
                       struct agpu_obstacle *why)
{
    struct agpu_text kept;

    if (!basics->broken || basics->which != which) {
        basics->failures = 0;
        agpu_text_begin(&kept, basics->text, sizeof basics->text);
        agpu_text_string(&kept, why->buffer);
    }
    basics->broken = true;
    basics->which = which;
    basics->result = result;
    if (which <= AGPU_BASIC_FENCE) {
        basics->fence_known = false;
    }
    basics->read_known = false;
    if (basics->failures++ < FAILURES_SHOWN) {
        why->known = false;
        why->cause = agpu_basic_name(which);
        why->result = result;
        basics->pause = 0;
        return;
    }
    basics->pause =
        basics->failures - FAILURES_SHOWN >= 8 ? PAUSE_MOST : 1u << (basics->failures - FAILURES_SHOWN);
    basics->timeouts += result == AGPU_TIMEOUT; /* the case will not end as one */
    tell_block(basics, why);
}

void agpu_basics_work(struct agpu_basics *basics, enum agpu_basic which)
{
    if (basics->broken && basics->which > which) {
        return;
    }
    basics->broken = false;
    basics->failures = 0;
    basics->pause = 0;
}

void agpu_basics_ended(struct agpu_basics *basics, enum agpu_result result)
{
    if (result > AGPU_ERROR) {
        basics->doubtful = true;
    }
    basics->timeouts += result == AGPU_TIMEOUT;
}

uint64_t agpu_basics_wait_ns(const struct agpu_basics *basics, uint64_t latency_ns)
{
    uint64_t least = latency_ns < WAIT_MOST / WAIT_LATENCIES ? latency_ns * WAIT_LATENCIES : WAIT_MOST;
    unsigned halvings = basics->timeouts > TIMEOUTS_AT_FULL ? basics->timeouts - TIMEOUTS_AT_FULL : 0;
    uint64_t bound = WAIT_MOST >> (halvings < 16 ? halvings : 16);

    if (least < WAIT_LEAST) {
        least = WAIT_LEAST;
    }
    return bound > least ? bound : least;
}
