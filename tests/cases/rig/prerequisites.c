/* prerequisites.c: tracks broken prerequisites, the cases that they block, and when they are tested again. */
#include "tests/cases/rig/prerequisites.h"

#include "pci/protocol/aerogpu_pci.h"

#define MS UINT64_C(1000000)

/* Number of cases that fail because of one broken prerequisite before it blocks the others. */
#define FAILURES_SHOWN 2u
#define PAUSE_MOST     128u

#define WAIT_MOST        (2000 * MS)
#define WAIT_LEAST       (50 * MS)
#define WAIT_LATENCIES   20u
#define TIMEOUTS_AT_FULL 2u
#define TIMEOUTS_STRICT  6u

const char *agpu_basic_name(enum agpu_basic basic)
{
    static const char *const names[AGPU_BASIC_COUNT] = {
        [AGPU_BASIC_PRESENCE] = "presence",     [AGPU_BASIC_BRING_UP] = "bring_up",
        [AGPU_BASIC_FENCE_PAGE] = "fence_page", [AGPU_BASIC_FENCE] = "fence",
        [AGPU_BASIC_HEAD] = "ring_head",        [AGPU_BASIC_READ_BACK] = "read_back",
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
    case AGPU_BASIC_HEAD:
        return item->needs >= AGPU_NEED_RING;
    case AGPU_BASIC_FENCE_PAGE:
        return item->needs >= AGPU_NEED_RING && (item->features & AEROGPU_FEATURE_FENCE_PAGE) != 0;
    case AGPU_BASIC_READ_BACK:
    case AGPU_BASIC_COUNT:
        break;
    }
    return item->needs >= AGPU_NEED_RING && (item->features & AEROGPU_FEATURE_TRANSFER) != 0;
}

static void tell_block(const struct agpu_basics *basics, enum agpu_basic which, struct agpu_obstacle *why)
{
    why->known = true;
    why->cause = agpu_basic_name(which);
    why->result = basics->of[which].result;
    agpu_text_begin(&why->text, why->buffer, sizeof why->buffer);
    agpu_text_string(&why->text, basics->of[which].text);
}

bool agpu_basics_block(struct agpu_basics *basics, const struct agpu_case *item, struct agpu_obstacle *why)
{
    for (unsigned i = 0; i < AGPU_BASIC_COUNT; i++) {
        if (basics->of[i].broken && basics->of[i].pause != 0 && stands_on(item, (enum agpu_basic)i)) {
            basics->of[i].pause--;
            tell_block(basics, (enum agpu_basic)i, why);
            return true;
        }
    }
    return false;
}

void agpu_basics_broke(struct agpu_basics *basics, enum agpu_basic which, enum agpu_result result,
                       struct agpu_obstacle *why)
{
    unsigned beyond;

    if (!basics->of[which].broken) {
        basics->of[which].failures = 0;
        agpu_format_line(basics->of[which].text, sizeof basics->of[which].text, "%s", why->buffer);
    }
    basics->of[which].broken = true;
    basics->of[which].result = result;
    basics->fence_known = basics->fence_known && which > AGPU_BASIC_HEAD;
    basics->read_known = false;
    if (basics->of[which].failures++ < FAILURES_SHOWN) {
        why->known = false;
        why->cause = agpu_basic_name(which);
        why->result = result;
        return;
    }
    beyond = basics->of[which].failures - FAILURES_SHOWN;
    basics->of[which].pause = beyond >= 7 ? PAUSE_MOST : 1u << beyond;
    if (result == AGPU_TIMEOUT) {
        agpu_basics_late(basics);
    }
    tell_block(basics, which, why);
}

void agpu_basics_work(struct agpu_basics *basics, enum agpu_basic which)
{
    basics->of[which].broken = false;
    basics->of[which].failures = 0;
    basics->of[which].pause = 0;
}

bool agpu_basics_strict(const struct agpu_basics *basics)
{
    return basics->timeouts >= TIMEOUTS_STRICT;
}

void agpu_basics_late(struct agpu_basics *basics)
{
    basics->timeouts++;
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
    unsigned beyond = basics->timeouts > TIMEOUTS_AT_FULL ? basics->timeouts - TIMEOUTS_AT_FULL : 0;
    uint64_t bound = WAIT_MOST >> 2 * (beyond < 8 ? beyond : 8);

    if (least < WAIT_LEAST) {
        least = WAIT_LEAST;
    }
    return bound > least ? bound : least;
}
