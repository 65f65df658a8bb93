/* check.h: the checks, skips and metrics that the body of a case uses.
 *
 * A body is straight code: it checks, and returns. A failed check is recorded with its expression, file, line
 * and values and the body goes on; agpu_require() and agpu_assert() return from it. The harness prepares what
 * the case needs, and restores the device and counts allocations afterwards, so that a body has nothing to
 * undo. */
#ifndef AGPU_CASES_HARNESS_CHECK_H
#define AGPU_CASES_HARNESS_CHECK_H

#include "tests/cases/harness/blame.h"
#include "tests/cases/harness/case.h"

/* Where in the source a check stands. */
struct agpu_where {
    const char *file;
    int line;
};
#define AGPU_HERE ((struct agpu_where){__FILE__, __LINE__})

/* ---- checks: the device is wrong if one fails ---- */

/* Each yields whether it held. */
#define agpu_check(t, expr) agpu_check_true((t), (expr), #expr, AGPU_HERE)
#define agpu_check_eq_u64(t, actual, expected)                                                               \
    agpu_check_u64((t), (actual), (expected), #actual " == " #expected, false, AGPU_HERE)
#define agpu_check_eq_hex(t, actual, expected)                                                               \
    agpu_check_u64((t), (actual), (expected), #actual " == " #expected, true, AGPU_HERE)
#define agpu_check_eq_ptr(t, actual, expected)                                                               \
    agpu_check_u64((t), (uintptr_t)(actual), (uintptr_t)(expected), #actual " == " #expected, true, AGPU_HERE)
#define agpu_check_eq_mem(t, actual, expected, size)                                                         \
    agpu_check_memory((t), (actual), (expected), (size), #actual " == " #expected, AGPU_HERE)
/* Every one of size bytes has this value. */
#define agpu_check_filled(t, actual, value, size)                                                            \
    agpu_check_fill((t), (actual), (value), (size), #actual " is all " #value, AGPU_HERE)
/* An enum agpu_status is AGPU_OK; a timeout makes the case TIMEOUT, the others FAIL. */
#define agpu_check_ok(t, status) agpu_check_status((t), (status), #status, AGPU_HERE)

/* A check without which the rest of the body makes no sense. */
#define agpu_assert(t, expr)                                                                                 \
    do {                                                                                                     \
        if (!agpu_check_true((t), (expr), #expr, AGPU_HERE))                                                 \
            return;                                                                                          \
    } while (0)
/* The same for a call that has recorded its own failed check and returns false. */
#define agpu_return_unless(held)                                                                             \
    do {                                                                                                     \
        if (!(held))                                                                                         \
            return;                                                                                          \
    } while (0)
#define agpu_assert_ok(t, status)                                                                            \
    do {                                                                                                     \
        if (!agpu_check_status((t), (status), #status, AGPU_HERE))                                           \
            return;                                                                                          \
    } while (0)

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

/* Setup that only the machine can refuse (memory): ERROR and return. */
#define agpu_require_ok(t, status)                                                                           \
    do {                                                                                                     \
        if (!agpu_setup((t), (status), #status, AGPU_HERE))                                                  \
            return;                                                                                          \
    } while (0)

/* ---- functions under the macros, and the plain ones ---- */

/* Counts a check that a helper has made itself and that held. Returns true. */
static inline bool agpu_check_held(struct agpu_test *test)
{
    test->checks++;
    return true;
}

/* For a try that showed nothing, because the machine was late, and is repeated: drops the checks counted since
 * test->checks was this number, so that the count does not depend on time. */
static inline void agpu_check_drop(struct agpu_test *test, unsigned checks)
{
    if (test->failed_checks == 0) {
        test->checks = checks;
    }
}

bool agpu_check_true(struct agpu_test *test, bool held, const char *expr, struct agpu_where where);
bool agpu_check_u64(struct agpu_test *test, uint64_t actual, uint64_t expected, const char *expr, bool hex,
                    struct agpu_where where);
/* The same with a note, which says what else is known. */
bool agpu_check_u64_noted(struct agpu_test *test, uint64_t actual, uint64_t expected, const char *expr,
                          bool hex, const char *note, struct agpu_where where);
bool agpu_check_memory(struct agpu_test *test, const void *actual, const void *expected, size_t size,
                       const char *expr, struct agpu_where where);
/* The same with what else is known of the memory, which the failed check then makes use of. */
bool agpu_check_region(struct agpu_test *test, const struct agpu_region *region, const char *expr,
                       struct agpu_where where);
bool agpu_check_fill(struct agpu_test *test, const void *actual, uint8_t value, size_t size, const char *expr,
                     struct agpu_where where);
bool agpu_check_status(struct agpu_test *test, enum agpu_status status, const char *expr,
                       struct agpu_where where);
bool agpu_setup(struct agpu_test *test, enum agpu_status status, const char *expr, struct agpu_where where);

/* Worst wins: takes result and reason if result is worse than what the case has. */
void agpu_result_set(struct agpu_test *test, enum agpu_result result, const char *reason);
/* Marks the case skipped for this reason; the body should return. The second takes a text of its own for people. */
void agpu_skip(struct agpu_test *test, enum agpu_skip_code code);
void agpu_skip_because(struct agpu_test *test, enum agpu_skip_code code, const char *detail);
/* Marks the case as not tried because a basic thing is broken, in one word, which an earlier case found out:
 * a skip that is never acceptable. */
void agpu_blocked(struct agpu_test *test, const char *cause, const char *text);
/* Marks the case an ERROR: the test system, not the device, is at fault. */
void agpu_error(struct agpu_test *test, const char *reason);
/* Marks the case TIMEOUT. */
void agpu_timeout(struct agpu_test *test, const char *what);

/* A measured figure of this case; part of the report and of summary.json's metrics. One that breaks a budget of the run
 * (budget.h) is a failed check. */
void agpu_metric(struct agpu_test *test, const char *name, uint64_t value, const char *unit);

/* What this device chose in a place where the specification lists alternatives, all of which the case
 * accepts: "tail_beyond_ring", "drops the work". Part of every report, so that two devices can be compared.
 * name is the place, in words that last; value one of a few. */
void agpu_choice(struct agpu_test *test, const char *name, const char *value);

/* True while the case has time left; the first false marks it TIMEOUT. For loops over many submissions. */
bool agpu_time_left(struct agpu_test *test);

#endif
