/* limits.h: the time limits of a run: what must happen by when, and the ending if it does not. */
#ifndef AGPU_TESTS_HOST_WIRE_LIMITS_H
#define AGPU_TESTS_HOST_WIRE_LIMITS_H

#include "tests/host/wire/run_verdict.h"

#define AGPU_LIMIT_TEXT 160

/* Durations, 0 without a limit, and the host times from which they count, in microseconds. */
struct agpu_limits {
    uint64_t run_us, boot_us, silence_us, case_us;
    bool silence_before_plan;
    uint64_t run_began_us, boot_began_us, last_record_us;
    uint32_t started_boot; /* the boot that boot_us is about */
};

/* Returns the ending of the first limit that is exceeded, and its text; AGPU_ENDING_NONE if none is. */
enum agpu_ending agpu_limits_exceeded(const struct agpu_limits *limits, const struct agpu_run *run,
                                      uint64_t now_us, char text[AGPU_LIMIT_TEXT]);

/* Moves the deadline to the time at which the next limit ends the run, if that is earlier. */
void agpu_limits_deadline(const struct agpu_limits *limits, const struct agpu_run *run, uint64_t *deadline);
/* The same for one limit. */
void agpu_earlier_deadline(uint64_t *deadline, uint64_t base_us, uint64_t limit_us);

#endif
