/* basics.h: what nearly every case stands on, proven before it is used as evidence: that the ring comes up,
 * that an empty submission completes, that bytes can be read back.
 *
 * Each is proven once, and again after a case has failed. While one of them is broken, the first cases that
 * need it fail and name it; the cases after them are not tried ("blocked by ..."), but for one now and then,
 * at growing distances, so that a device which recovers is tried again. Cases that need nothing of it go on.
 * Waits get shorter as timeouts add up: a device that has been late for seconds is not waited for so long
 * hundreds of times. */
#ifndef AGPU_CASES_RIG_BASICS_H
#define AGPU_CASES_RIG_BASICS_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/cases/harness/fixture.h"

enum agpu_basic {
    AGPU_BASIC_PRESENCE,   /* the registers are there */
    AGPU_BASIC_BRING_UP,   /* quiet state, reset, ring up (device.md 4.2, 6) */
    AGPU_BASIC_FENCE_PAGE, /* the same with a fence page; the ring runs without one while it is broken */
    AGPU_BASIC_FENCE,      /* an empty submission completes (ring.md 2, 4) */
    AGPU_BASIC_HEAD,       /* the ring head follows what was consumed (ring.md 2) */
    AGPU_BASIC_READ_BACK,  /* what a copy with write-back leaves in guest memory (commands.md 6.4) */
    AGPU_BASIC_COUNT,
};

struct agpu_basics {
    bool doubtful;    /* a case failed since the last proof */
    bool fence_known; /* an empty submission has completed */
    bool read_known;  /* bytes have been read back */
    struct {
        bool broken;
        enum agpu_result result;
        unsigned failures; /* in a row */
        unsigned pause;    /* cases that go by before it is tried again */
        char text[200];    /* what was seen */
    } of[AGPU_BASIC_COUNT];
    unsigned timeouts; /* waits of the run that ran out, one a case */
};

/* "bring_up"; one word. */
const char *agpu_basic_name(enum agpu_basic basic);

/* Is the case to be left out for now, because of something broken that it needs? Fills in why; counts down
 * to the next try. */
bool agpu_basics_block(struct agpu_basics *basics, const struct agpu_case *item, struct agpu_obstacle *why);

/* The case that was being prepared found this broken: fills in why, as a failure of this case the first
 * times, later as a case that was blocked. */
void agpu_basics_broke(struct agpu_basics *basics, enum agpu_basic which, enum agpu_result result,
                       struct agpu_obstacle *why);

/* This was just seen to work. */
void agpu_basics_work(struct agpu_basics *basics, enum agpu_basic which);

/* Have waits run out so often that one submission which completes proves nothing, or five? */
bool agpu_basics_strict(const struct agpu_basics *basics);

/* A wait for the device ran out, and the case that waited does not end as TIMEOUT. */
void agpu_basics_late(struct agpu_basics *basics);

/* How a case ended. */
void agpu_basics_ended(struct agpu_basics *basics, enum agpu_result result);

/* The longest time that anything is waited for, by the timeouts so far: 2 s, then a quarter of it for each timeout
 * above two, down to 50 ms or 20 times the latency of the run. */
uint64_t agpu_basics_wait_ns(const struct agpu_basics *basics, uint64_t latency_ns);

#endif
