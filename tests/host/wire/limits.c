/* limits.c: the time limits of a run. */
#include "tests/host/wire/limits.h"

#include <stdio.h>

static double us_to_seconds(uint64_t us)
{
    return (double)us / 1e6;
}

static bool is_over(uint64_t base_us, uint64_t limit_us, uint64_t now_us)
{
    return limit_us && now_us >= base_us + limit_us;
}

static bool awaits_plan(const struct agpu_limits *limits, const struct agpu_run *run)
{
    return !run->plan_seen && run->boot == limits->started_boot;
}

static bool awaits_records(const struct agpu_limits *limits, const struct agpu_run *run)
{
    return (run->plan_seen || limits->silence_before_plan) && !run->summary.seen;
}

enum agpu_ending agpu_limits_exceeded(const struct agpu_limits *limits, const struct agpu_run *run,
                                      uint64_t now_us, char text[AGPU_LIMIT_TEXT])
{
    const struct agpu_case_result *current = agpu_run_current(run);

    if (awaits_plan(limits, run) && is_over(limits->boot_began_us, limits->boot_us, now_us)) {
        snprintf(
            text, AGPU_LIMIT_TEXT,
            "no plan record within %.1f s of the start: the image did not boot, or its records do not arrive",
            us_to_seconds(limits->boot_us));
        return AGPU_ENDING_BOOT_TIMEOUT;
    }
    if (awaits_records(limits, run) && is_over(limits->last_record_us, limits->silence_us, now_us)) {
        snprintf(text, AGPU_LIMIT_TEXT, "no record, heartbeat included, for %.1f s",
                 us_to_seconds(limits->silence_us));
        return AGPU_ENDING_SILENCE;
    }
    if (current != NULL && is_over(current->started_us, limits->case_us, now_us)) {
        snprintf(text, AGPU_LIMIT_TEXT, "still running after %.1f s", us_to_seconds(limits->case_us));
        return AGPU_ENDING_CASE_TIMEOUT;
    }
    if (!run->summary.seen && is_over(limits->run_began_us, limits->run_us, now_us)) {
        snprintf(text, AGPU_LIMIT_TEXT, "the run is not finished after %.1f s",
                 us_to_seconds(limits->run_us));
        return AGPU_ENDING_RUN_TIMEOUT;
    }
    return AGPU_ENDING_NONE;
}

void agpu_earlier_deadline(uint64_t *deadline, uint64_t base_us, uint64_t limit_us)
{
    if (limit_us && base_us + limit_us < *deadline) {
        *deadline = base_us + limit_us;
    }
}

void agpu_limits_deadline(const struct agpu_limits *limits, const struct agpu_run *run, uint64_t *deadline)
{
    if (run->summary.seen) {
        return;
    }
    agpu_earlier_deadline(deadline, limits->run_began_us, limits->run_us);
    if (awaits_plan(limits, run)) {
        agpu_earlier_deadline(deadline, limits->boot_began_us, limits->boot_us);
    }
    if (awaits_records(limits, run)) {
        agpu_earlier_deadline(deadline, limits->last_record_us, limits->silence_us);
        const struct agpu_case_result *current = agpu_run_current(run);
        if (current != NULL) {
            agpu_earlier_deadline(deadline, current->started_us, limits->case_us);
        }
    }
}
