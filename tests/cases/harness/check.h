/* check.h: the checks, skips and metrics for the body of a case.
 *
 * A body is straight code: it checks, and returns. A failed check records its expression, file, line and values, and
 * the body continues; agpu_require() and agpu_assert() return from the body. The harness prepares what the case
 * needs, restores the device and counts allocations afterwards, so a body has no cleanup to do. */
#ifndef AGPU_CASES_HARNESS_CHECK_H
#define AGPU_CASES_HARNESS_CHECK_H

#include "tests/cases/harness/mismatch.h"
#include "tests/cases/harness/case.h"

/* The source location of a check. */
struct agpu_where {
    const char *file;
    int line;
};
#define AGPU_HERE ((struct agpu_where){__FILE__, __LINE__})

/* ---- checks: the device is wrong if one fails ---- */

/* Each returns true if the check passed. */
#define agpu_check(t, expr) agpu_check_true((t), (expr), #expr, AGPU_HERE)
#define agpu_check_eq_u64(t, actual, expected)                                                               \
    agpu_check_u64((t), (actual), (expected), #actual " == " #expected, false, AGPU_HERE)
#define agpu_check_eq_hex(t, actual, expected)                                                               \
    agpu_check_u64((t), (actual), (expected), #actual " == " #expected, true, AGPU_HERE)
#define agpu_check_eq_ptr(t, actual, expected)                                                               \
    agpu_check_u64((t), (uintptr_t)(actual), (uintptr_t)(expected), #actual " == " #expected, true, AGPU_HERE)
#define agpu_check_eq_mem(t, actual, expected, size)                                                         \
    agpu_check_memory((t), (actual), (expected), (size), #actual " == " #expected, AGPU_HERE)
/* Checks that each of size bytes has this value. */
#define agpu_check_filled(t, actual, value, size)                                                            \
    agpu_check_fill((t), (actual), (value), (size), #actual " is all " #value, AGPU_HERE)
/* Checks that an enum agpu_status is AGPU_OK; a timeout makes the case TIMEOUT, other errors FAIL. */
#define agpu_check_ok(t, status) agpu_check_status((t), (status), #status, AGPU_HERE)

/* A check without which the rest of the body makes no sense: returns from the body when it fails. */
#define agpu_assert(t, expr)                                                                                 \
    do {                                                                                                     \
        if (!agpu_check_true((t), (expr), #expr, AGPU_HERE))                                                 \
            return;                                                                                          \
    } while (0)
/* Like agpu_assert(), for a call that records its own failed check and returns false. */
#define agpu_return_unless(passed)                                                                           \
    do {                                                                                                     \
        if (!(passed))                                                                                       \
            return;                                                                                          \
    } while (0)
#define agpu_assert_ok(t, status)                                                                            \
    do {                                                                                                     \
        if (!agpu_check_status((t), (status), #status, AGPU_HERE))                                           \
            return;                                                                                          \
    } while (0)

/* Names the part of the case that runs from here on, "format B5G6R5_UNORM" or "row 14", up to the next call. Failed
 * checks and the reason of the case begin with it, also when the case hangs. The text is cut after 63 bytes. */
__attribute__((format(printf, 2, 3))) void agpu_part(struct agpu_test *test, const char *format, ...);

/* Ends the last part. The end of the body does so too. */
static inline void agpu_part_end(struct agpu_test *test)
{
    test->part[0] = '\0';
}

/* ---- skips and errors: no verdict on the device ---- */

/* Skips the case for this reason (enum agpu_skip_code) unless expr holds, and returns from the body. */
#define agpu_require(t, expr, code) agpu_require_because(t, expr, code, agpu_skip_text(code))
#define agpu_require_because(t, expr, code, detail)                                                          \
    do {                                                                                                     \
        if (!(expr)) {                                                                                       \
            agpu_skip_because((t), (code), (detail));                                                        \
            return;                                                                                          \
        }                                                                                                    \
    } while (0)

/* Setup that can fail only because of the machine (memory): sets ERROR and returns from the body. */
#define agpu_require_ok(t, status)                                                                           \
    do {                                                                                                     \
        if (!agpu_setup((t), (status), #status, AGPU_HERE))                                                  \
            return;                                                                                          \
    } while (0)

/* ---- functions under the macros, and plain functions ---- */

/* Counts a check that a helper made itself and that passed. Returns true. */
static inline bool agpu_check_passed(struct agpu_test *test)
{
    test->checks++;
    return true;
}

/* Drops the checks counted since test->checks had this value. For an attempt that is repeated because the machine was
 * late: the count must not depend on time. */
static inline void agpu_check_drop(struct agpu_test *test, unsigned checks)
{
    if (test->failed_checks == 0) {
        test->checks = checks;
    }
}

bool agpu_check_true(struct agpu_test *test, bool passed, const char *expr, struct agpu_where where);
bool agpu_check_u64(struct agpu_test *test, uint64_t actual, uint64_t expected, const char *expr, bool hex,
                    struct agpu_where where);
/* Like agpu_check_u64(), with a note that adds further facts. */
bool agpu_check_u64_noted(struct agpu_test *test, uint64_t actual, uint64_t expected, const char *expr,
                          bool hex, const char *note, struct agpu_where where);
bool agpu_check_memory(struct agpu_test *test, const void *actual, const void *expected, size_t size,
                       const char *expr, struct agpu_where where);
/* Like agpu_check_memory(), with further facts about the memory, which make the report of a failed check more
 * precise. */
bool agpu_check_region(struct agpu_test *test, const struct agpu_region *region, const char *expr,
                       struct agpu_where where);
bool agpu_check_fill(struct agpu_test *test, const void *actual, uint8_t value, size_t size, const char *expr,
                     struct agpu_where where);
bool agpu_check_status(struct agpu_test *test, enum agpu_status status, const char *expr,
                       struct agpu_where where);
bool agpu_setup(struct agpu_test *test, enum agpu_status status, const char *expr, struct agpu_where where);

/* The worst result wins: sets result and reason if result is worse than the case's current one. */
void agpu_result_set(struct agpu_test *test, enum agpu_result result, const char *reason);
/* Marks the case skipped for this reason; the body should return. The second function takes its own text for the
 * report. */
void agpu_skip(struct agpu_test *test, enum agpu_skip_code code);
void agpu_skip_because(struct agpu_test *test, enum agpu_skip_code code, const char *detail);
/* Marks the case as not run because of a broken prerequisite (one word) that an earlier case found. Such a skip is
 * never acceptable. */
void agpu_blocked(struct agpu_test *test, const char *cause, const char *text);
/* Marks the case an ERROR: the test system, not the device, is at fault. */
void agpu_error(struct agpu_test *test, const char *reason);
/* Marks the case TIMEOUT. */
void agpu_timeout(struct agpu_test *test, const char *what);

/* Reports a measured figure of this case; it is in the report and in the metrics of summary.json. A figure that
 * exceeds a budget of the run (budget.h) is a failed check. */
void agpu_metric(struct agpu_test *test, const char *name, uint64_t value, const char *unit);

/* Records which alternative this device takes where the specification lists several and the case accepts all of them:
 * "tail_beyond_ring", "drops the work". It is in every report, so that devices can be compared. name is a permanent
 * name of the choice; value is one of a few. */
void agpu_choice(struct agpu_test *test, const char *name, const char *value);

/* Returns true while the case has time left; the first false marks it TIMEOUT. For loops of many submissions. */
bool agpu_time_left(struct agpu_test *test);

#endif
