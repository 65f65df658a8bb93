/* submit.h: submits the rig's stream and checks the outcome, valid or faulty, in one call each. */
#ifndef AGPU_CASES_RIG_SUBMIT_H
#define AGPU_CASES_RIG_SUBMIT_H

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

static inline struct agpu_rig *agpu_rig_of(struct agpu_test *test)
{
    return &test->env->rig;
}

/* The error registers (device.md 4.6). */
struct agpu_error_info {
    uint32_t code;
    uint64_t fence;
    uint32_t count;
};
struct agpu_error_info agpu_error_info(struct agpu_env *env);

/* Only one of them; reading a register costs a round trip to the device. */
uint32_t agpu_error_code(const struct agpu_env *env);
uint64_t agpu_error_fence(const struct agpu_env *env);
uint32_t agpu_error_count(struct agpu_env *env);

/* Reads ERROR_COUNT before a submission, while none runs. If it has increased since the case's last reading, an error
 * came late, which agpu_check_no_late_error() reports. */
uint32_t agpu_error_count_before(struct agpu_env *env);

/* Returns agpu_error_count_before() in the form that the checks below take: the other members are 0. */
struct agpu_error_info agpu_errors_so_far(struct agpu_env *env);

/* Finishes the rig's stream, submits it, waits for its fence and checks its outcome as agpu_check_valid_outcome()
 * does; then starts a new stream. Returns false if any of that failed. */
#define agpu_run_clean(t) agpu_run_clean_at((t), AGPU_HERE)
/* Like agpu_run_clean(), with a stream of an older minor of the ABI (commands.md 1). */
#define agpu_run_of_minor(t, minor) agpu_run_of_minor_at((t), (minor), AGPU_HERE)

/* Checks valid submissions that have completed, the last with the rig's fence: fence page and COMPLETED_FENCE show
 * it, the ring's head equals its tail, ERROR_COUNT is `before`, and no ERROR is pending. */
#define agpu_check_valid_outcome(t, before) agpu_check_valid_outcome_at((t), (before), AGPU_HERE)

/* Reads ERROR_COUNT once more at the end of a case, and checks that it has not increased since the last reading of
 * the case or its preparation. */
void agpu_check_no_late_error(struct agpu_test *test);

/* Like agpu_run_clean(), for a submission that must fail: its fence completes, the error count grew, ERROR is pending,
 * ERROR_FENCE is the submission's, and the code is an accepted one (code itself on our model). Then acknowledges ERROR,
 * and checks that an empty submission has a valid outcome. */
#define agpu_run_fault(t, code) agpu_run_fault_at((t), (code), AGPU_HERE)

/* Like agpu_run_fault(), for a submission that some known devices accept: a device that is not our model may accept it,
 * and *passed is then true. After either outcome an empty submission must run without error. */
#define agpu_run_fault_or_pass(t, code, passed) agpu_run_fault_or_pass_at((t), (code), (passed), AGPU_HERE)

/* agpu_run_fault() with the caller's descriptor. */
#define agpu_run_faulty_desc(t, desc, code) agpu_run_faulty_desc_at((t), (desc), (code), AGPU_HERE)

/* Posts one submission, rings the doorbell and waits for its fence. */
#define agpu_submit_wait(t, submission) agpu_submit_wait_at((t), (submission), AGPU_HERE)

/* Runs an empty submission with the next fence number; returns true if its fence completed. */
#define agpu_run_empty(t) agpu_run_empty_at((t), AGPU_HERE)

/* Waits until ERROR_COUNT is at least count and checks that it is equal. */
#define agpu_wait_error_count(t, count) agpu_wait_error_count_at((t), (count), AGPU_HERE)

/* Checks the error registers against before: more errors, the last one for this fence with an accepted code. */
#define agpu_check_error(t, before, fence, code)                                                             \
    agpu_check_error_at((t), (before), (fence), (code), AGPU_HERE)

/* Like agpu_check_error(), for a fault of the ring itself, not of a submission: exactly one more error, and exactly
 * this code, on every device (ring.md 2). */
#define agpu_check_ring_error(t, before, code) agpu_check_ring_error_at((t), (before), (code), AGPU_HERE)

/* Each waits, with a limit, until the device shows the value, and checks it. Head, fence page, completed fence and
 * interrupt status change in no defined order (ring.md 2, 4), so seeing one does not imply the others. */
#define agpu_check_head(t, value)      agpu_check_head_at((t), (value), AGPU_HERE)
#define agpu_check_completed(t, value) agpu_check_completed_at((t), (value), AGPU_HERE)
#define agpu_check_page(t, value)      agpu_check_page_at((t), (value), AGPU_HERE) /* true without a page */
#define agpu_check_irq(t, causes)      agpu_check_irq_at((t), (causes), AGPU_HERE)

/* Checks that ERROR_COUNT is 0; a failed check includes the error registers and the last submission. */
#define agpu_check_no_errors_counted(t) agpu_check_no_errors_counted_at((t), AGPU_HERE)
bool agpu_check_no_errors_counted_at(struct agpu_test *test, struct agpu_where where);

/* Acknowledges the ERROR that agpu_check_error() and agpu_check_ring_error() have found pending; otherwise does
 * nothing. */
void agpu_ack_errors(struct agpu_env *env);

/* Waits long enough, by this run's latency (latency.h), for anything that the device might still do: for checks that
 * nothing happens. */
void agpu_settle(struct agpu_test *test);

bool agpu_check_valid_outcome_at(struct agpu_test *test, uint32_t before, struct agpu_where where);
bool agpu_run_clean_at(struct agpu_test *test, struct agpu_where where);
bool agpu_run_of_minor_at(struct agpu_test *test, uint32_t minor, struct agpu_where where);
bool agpu_run_fault_at(struct agpu_test *test, uint32_t code, struct agpu_where where);
bool agpu_run_fault_or_pass_at(struct agpu_test *test, uint32_t code, bool *passed, struct agpu_where where);
bool agpu_run_faulty_desc_at(struct agpu_test *test, const struct aerogpu_submit_desc *desc, uint32_t code,
                             struct agpu_where where);
bool agpu_submit_wait_at(struct agpu_test *test, const struct agpu_submission *submission,
                         struct agpu_where where);
bool agpu_run_empty_at(struct agpu_test *test, struct agpu_where where);
bool agpu_wait_error_count_at(struct agpu_test *test, uint32_t count, struct agpu_where where);
bool agpu_check_head_at(struct agpu_test *test, uint32_t value, struct agpu_where where);
bool agpu_check_completed_at(struct agpu_test *test, uint64_t value, struct agpu_where where);
bool agpu_check_page_at(struct agpu_test *test, uint64_t value, struct agpu_where where);
bool agpu_check_irq_at(struct agpu_test *test, uint32_t causes, struct agpu_where where);
bool agpu_check_ring_error_at(struct agpu_test *test, const struct agpu_error_info *before, uint32_t code,
                              struct agpu_where where);
bool agpu_check_error_at(struct agpu_test *test, const struct agpu_error_info *before, uint64_t fence,
                         uint32_t code, struct agpu_where where);

#endif
