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

const char *agpu_prerequisite_name(enum agpu_prerequisite basic)
{
    static const char *const names[AGPU_PREREQUISITE_COUNT] = {
        [AGPU_PREREQUISITE_PRESENCE] = "presence",     [AGPU_PREREQUISITE_BRING_UP] = "bring_up",
        [AGPU_PREREQUISITE_FENCE_PAGE] = "fence_page", [AGPU_PREREQUISITE_FENCE] = "fence",
        [AGPU_PREREQUISITE_HEAD] = "ring_head",        [AGPU_PREREQUISITE_READ_BACK] = "read_back",
    };

    return (unsigned)basic < AGPU_PREREQUISITE_COUNT ? names[basic] : "?";
}

static bool stands_on(const struct agpu_case *item, enum agpu_prerequisite basic)
{
    switch (basic) {
    case AGPU_PREREQUISITE_PRESENCE:
        return true;
    case AGPU_PREREQUISITE_BRING_UP:
    case AGPU_PREREQUISITE_FENCE:
    case AGPU_PREREQUISITE_HEAD:
        return item->needs >= AGPU_NEED_RING;
    case AGPU_PREREQUISITE_FENCE_PAGE:
        return item->needs >= AGPU_NEED_RING && (item->features & AEROGPU_FEATURE_FENCE_PAGE) != 0;
    case AGPU_PREREQUISITE_READ_BACK:
    case AGPU_PREREQUISITE_COUNT:
        break;
    }
    return item->needs >= AGPU_NEED_RING && (item->features & AEROGPU_FEATURE_TRANSFER) != 0;
}

static void describe_block(const struct agpu_prerequisites *prerequisites, enum agpu_prerequisite which,
                           struct agpu_obstacle *why)
{
    why->known = true;
    why->cause = agpu_prerequisite_name(which);
    why->result = prerequisites->of[which].result;
    agpu_text_begin(&why->text, why->buffer, sizeof why->buffer);
    agpu_text_string(&why->text, prerequisites->of[which].text);
}

bool agpu_prerequisites_block(struct agpu_prerequisites *prerequisites, const struct agpu_case *item,
                              struct agpu_obstacle *why)
{
    for (unsigned i = 0; i < AGPU_PREREQUISITE_COUNT; i++) {
        if (prerequisites->of[i].broken && prerequisites->of[i].pause != 0 &&
            stands_on(item, (enum agpu_prerequisite)i)) {
            prerequisites->of[i].pause--;
            describe_block(prerequisites, (enum agpu_prerequisite)i, why);
            return true;
        }
    }
    return false;
}

void agpu_prerequisites_broke(struct agpu_prerequisites *prerequisites, enum agpu_prerequisite which,
                              enum agpu_result result, struct agpu_obstacle *why)
{
    unsigned beyond;

    if (!prerequisites->of[which].broken) {
        prerequisites->of[which].failures = 0;
        agpu_format_line(prerequisites->of[which].text, sizeof prerequisites->of[which].text, "%s",
                         why->buffer);
    }
    prerequisites->of[which].broken = true;
    prerequisites->of[which].result = result;
    prerequisites->fence_known = prerequisites->fence_known && which > AGPU_PREREQUISITE_HEAD;
    prerequisites->read_known = false;
    if (prerequisites->of[which].failures++ < FAILURES_SHOWN) {
        why->known = false;
        why->cause = agpu_prerequisite_name(which);
        why->result = result;
        return;
    }
    beyond = prerequisites->of[which].failures - FAILURES_SHOWN;
    prerequisites->of[which].pause = beyond >= 7 ? PAUSE_MOST : 1u << beyond;
    if (result == AGPU_TIMEOUT) {
        agpu_prerequisites_late(prerequisites);
    }
    describe_block(prerequisites, which, why);
}

void agpu_prerequisites_work(struct agpu_prerequisites *prerequisites, enum agpu_prerequisite which)
{
    prerequisites->of[which].broken = false;
    prerequisites->of[which].failures = 0;
    prerequisites->of[which].pause = 0;
}

bool agpu_prerequisites_strict(const struct agpu_prerequisites *prerequisites)
{
    return prerequisites->timeouts >= TIMEOUTS_STRICT;
}

void agpu_prerequisites_late(struct agpu_prerequisites *prerequisites)
{
    prerequisites->timeouts++;
}

void agpu_prerequisites_ended(struct agpu_prerequisites *prerequisites, enum agpu_result result)
{
    if (result > AGPU_ERROR) {
        prerequisites->doubtful = true;
    }
    prerequisites->timeouts += result == AGPU_TIMEOUT;
}

uint64_t agpu_prerequisites_wait_ns(const struct agpu_prerequisites *prerequisites, uint64_t latency_ns)
{
    uint64_t least = latency_ns < WAIT_MOST / WAIT_LATENCIES ? latency_ns * WAIT_LATENCIES : WAIT_MOST;
    unsigned beyond =
        prerequisites->timeouts > TIMEOUTS_AT_FULL ? prerequisites->timeouts - TIMEOUTS_AT_FULL : 0;
    uint64_t bound = WAIT_MOST >> 2 * (beyond < 8 ? beyond : 8);

    if (least < WAIT_LEAST) {
        least = WAIT_LEAST;
    }
    return bound > least ? bound : least;
}
