/* report.h: the records with the plan and the results of a run (record.h). */
#ifndef AGPU_CASES_HARNESS_REPORT_H
#define AGPU_CASES_HARNESS_REPORT_H

#include "tests/cases/harness/run.h"

/* Contents of a plan record. */
struct agpu_plan {
    const char *device;
    unsigned count;      /* number of cases */
    uint32_t digest;     /* of their ids (digest.h) */
    const char *missing; /* required features that the device lacks; NULL or "": none */
    const char *expect;  /* ABI that it must have, one word of expect.h; NULL: any */
};

/* Sends the plan record; in a run of several rounds only the first round does. */
void agpu_send_plan(const struct agpu_runner_config *config, const struct agpu_plan *plan);

/* Returns true if the case failed in the way that the quarantine lists. */
bool agpu_case_is_known(const struct agpu_runner_config *config, const struct agpu_test *test);

/* Logs why cases did not start, if there are any. */
void agpu_report_stopped(const struct agpu_runner_config *config, const struct agpu_summary *summary);
/* Logs the budgets for which no figure was measured. */
void agpu_report_unjudged(const struct agpu_runner_config *config);

void agpu_send_start(const struct agpu_runner_config *config, const struct agpu_case *item, unsigned index);

/* us: duration of the case. */
void agpu_send_end(const struct agpu_runner_config *config, const struct agpu_test *test, uint64_t us);

/* Sends the summary record. */
void agpu_send_summary(struct agpu_stream *stream, const struct agpu_summary *summary);

/* Asks the machine for faults outside all cases (at_fault in struct agpu_runner_config). If there is one, logs it and
 * makes the run an ERROR, whatever its cases report. */
void agpu_ask_for_fault(const struct agpu_runner_config *config, struct agpu_summary *summary);

/* Sends start and end of a case without a body, whose result is known. skip: the reason with SKIP. reason: NULL with
 * PASS. */
void agpu_send_result(const struct agpu_runner_config *config, const struct agpu_case *item, unsigned index,
                      enum agpu_result result, enum agpu_skip_code skip, const char *reason);

#endif
