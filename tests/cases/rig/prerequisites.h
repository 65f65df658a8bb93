/* prerequisites.h: the prerequisites of nearly every case, proven before they are used as evidence: the ring starts, an
 * empty submission completes, bytes can be read back.
 *
 * Each is proven once, and again after a case has failed. While one of them is broken, the first cases that need it
 * fail and name it. The following ones are skipped ("blocked by ..."), except one at growing intervals, so that a
 * device which recovers is tested again. Cases that do not need it run normally. Waits get shorter as timeouts add
 * up, so that a run does not wait full seconds hundreds of times for a device that has stopped answering. */
#ifndef AGPU_CASES_RIG_PREREQUISITES_H
#define AGPU_CASES_RIG_PREREQUISITES_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/cases/harness/fixture.h"

enum agpu_prerequisite {
    AGPU_PREREQUISITE_PRESENCE,   /* the registers are there */
    AGPU_PREREQUISITE_BRING_UP,   /* idle state, reset, ring started (device.md 4.2, 6) */
    AGPU_PREREQUISITE_FENCE_PAGE, /* the same with a fence page; the ring runs without one while it is broken */
    AGPU_PREREQUISITE_FENCE,      /* an empty submission completes (ring.md 2, 4) */
    AGPU_PREREQUISITE_HEAD,       /* the ring head follows the consumed slots (ring.md 2) */
    AGPU_PREREQUISITE_READ_BACK, /* a copy with write-back changes guest memory as it must (commands.md 6.4) */
    AGPU_PREREQUISITE_COUNT,
};

struct agpu_prerequisites {
    bool doubtful;    /* a case failed since the last proof */
    bool fence_known; /* an empty submission has completed */
    bool read_known;  /* bytes have been read back */
    struct {
        bool broken;
        enum agpu_result result;
        unsigned failures; /* in a row */
        unsigned pause;    /* number of cases to skip before the next attempt */
        char text[200];    /* what was found */
    } of[AGPU_PREREQUISITE_COUNT];
    unsigned timeouts; /* waits of the run that timed out, at most one per case */
};

/* The name in one word: "bring_up". */
const char *agpu_prerequisite_name(enum agpu_prerequisite basic);

/* Returns true if the case must be skipped for now because a prerequisite is broken, and fills in why. Counts down to
 * the next attempt. */
bool agpu_prerequisites_block(struct agpu_prerequisites *prerequisites, const struct agpu_case *item,
                              struct agpu_obstacle *why);

/* Records that preparing a case found this prerequisite broken, and fills in why: for the first cases as a failure,
 * for later ones as a blocked case. */
void agpu_prerequisites_broke(struct agpu_prerequisites *prerequisites, enum agpu_prerequisite which,
                              enum agpu_result result, struct agpu_obstacle *why);

/* Records that this prerequisite was just seen to work. */
void agpu_prerequisites_work(struct agpu_prerequisites *prerequisites, enum agpu_prerequisite which);

/* Returns true if waits have timed out so often that a few completed submissions prove nothing. */
bool agpu_prerequisites_strict(const struct agpu_prerequisites *prerequisites);

/* Records a timeout for a case that does not end as TIMEOUT. */
void agpu_prerequisites_late(struct agpu_prerequisites *prerequisites);

/* Records how a case ended. */
void agpu_prerequisites_ended(struct agpu_prerequisites *prerequisites, enum agpu_result result);

/* Returns the limit of all waits, by the timeouts so far: 2 s, then a quarter of it for each timeout above two. It is
 * at least 50 ms or 20 times the latency of the run. */
uint64_t agpu_prerequisites_wait_ns(const struct agpu_prerequisites *prerequisites, uint64_t latency_ns);

#endif
