/* report.h: the records by which a run says what it is going to do and what came of it (record.h). */
#ifndef AGPU_CASES_HARNESS_REPORT_H
#define AGPU_CASES_HARNESS_REPORT_H

#include "tests/cases/harness/run.h"

/* Contents of a plan record. */
struct agpu_plan {
    const char *device;
    unsigned count;      /* cases */
    uint32_t digest;     /* of their ids (digest.h) */
    const char *missing; /* required features that the device lacks; NULL or "": none */
    const char *expect;  /* which ABI it must have, one word of expect.h; NULL: none is stated */
};

/* Sends the plan record; in a run of several rounds only the first round does. */
void agpu_send_plan(const struct agpu_runner_config *config, const struct agpu_plan *plan);

/* Whether it failed as the quarantine says. */
bool agpu_case_is_known(const struct agpu_runner_config *config, const struct agpu_test *test);

/* Says in the log why cases are left, if any are. */
void agpu_tell_stopped(const struct agpu_runner_config *config, const struct agpu_summary *summary);
/* And which budgets nothing was measured for. */
void agpu_tell_unjudged(const struct agpu_runner_config *config);

void agpu_send_start(const struct agpu_runner_config *config, const struct agpu_case *item, unsigned index);

/* us: how long the case took. */
void agpu_send_end(const struct agpu_runner_config *config, const struct agpu_test *test, uint64_t us);

/* Sends the summary record. */
void agpu_send_summary(struct agpu_stream *stream, const struct agpu_summary *summary);

/* Did a device what none may (struct agpu_runner_config)? It is told, and the run is an ERROR, whatever its cases say. */
void agpu_ask_for_fault(const struct agpu_runner_config *config, struct agpu_summary *summary);

/* Sends start and end of a case that has no body: its result is known. skip: why, with SKIP. reason: NULL with PASS. */
void agpu_send_result(const struct agpu_runner_config *config, const struct agpu_case *item, unsigned index,
                      enum agpu_result result, enum agpu_skip_code skip, const char *reason);

#endif
