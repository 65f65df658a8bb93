/* case.h: what a test case is, and the checks, skips and metrics that its body uses.
 *
 * A body is straight code: it checks, and returns. A failed check is recorded with its expression, file, line
 * and values and the body goes on; agpu_require() and agpu_assert() return from it. The harness prepares what
 * the case needs, and restores the device and counts allocations afterwards, so that a body has nothing to
 * undo. */
#ifndef AGPU_CASES_HARNESS_CASE_H
#define AGPU_CASES_HARNESS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci/machine/platform.h"
#include "tests/cases/harness/status.h"

struct agpu_env;
struct agpu_stream;
struct agpu_test;

/* What the harness prepares before the body runs; each level includes those before it. */
enum agpu_need {
    AGPU_NEED_MACHINE,  /* a platform, nothing else */
    AGPU_NEED_FUNCTION, /* an identified device: BARs sized, decode and bus master on, ring stopped */
    AGPU_NEED_RING,     /* a running ring and a rig (rig.h) to submit packets with */
    AGPU_NEED_UMD,      /* a running ring and a user-mode driver device on the memory manager (umd_rig.h), no
                    * rig */
};

/* The expectation is the choice of our device model, in a place where the specification lets devices differ.
 * Skipped unless the runner is told that it faces the model. */
#define AGPU_CASE_MODEL_CHOICE 0x1u

/* The case is for the legacy (ARGP) device: env->legacy is its ring. Cases are for the versioned device
 * unless they say so, and a run plans only those of the device that it found. */
#define AGPU_CASE_LEGACY 0x2u

struct agpu_case {
    const char *id;   /* permanent, unique, "subject.thing.aspect" */
    const char *spec; /* section that the case is about, "ring.md 4" */
    enum agpu_need needs;
    uint32_t flags;    /* AGPU_CASE_* */
    uint64_t features; /* AEROGPU_FEATURE_* bits without which the case is skipped */
    const void *arg;   /* for a body that serves several cases */
    void (*run)(struct agpu_test *test);
};

/* The cases of one subject. */
struct agpu_case_table {
    const struct agpu_case *cases;
    size_t count;
};

/* Defines the table of an array of cases, agpu_cases_<folder>_<file> of the file that it stands in; the file is
 * named in tests/cases/catalogue.def. */
#define AGPU_CASE_TABLE(name, array)                                                                         \
    extern const struct agpu_case_table name;                                                                \
    const struct agpu_case_table name = {(array), sizeof(array) / sizeof((array)[0])}

/* One running case. Bodies read env and test_case; the rest belongs to the harness. */
struct agpu_test {
    struct agpu_env *env;
    const struct agpu_case *test_case;
    struct agpu_stream *stream;
    enum agpu_result result;
    uint64_t deadline_ns; /* the case's own time bound, on the platform's clock */
    unsigned failed_checks;
    uint32_t artifact_bytes; /* sent so far (artifact.h) */
    char reason[256];        /* of the first result worse than PASS, for the end record */
};

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

/* Skips the case, naming what is missing, and returns from the body. */
#define agpu_require(t, expr, missing)                                                                       \
    do {                                                                                                     \
        if (!(expr)) {                                                                                       \
            agpu_skip((t), (missing));                                                                       \
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

bool agpu_check_true(struct agpu_test *test, bool held, const char *expr, struct agpu_where where);
bool agpu_check_u64(struct agpu_test *test, uint64_t actual, uint64_t expected, const char *expr, bool hex,
                    struct agpu_where where);
bool agpu_check_memory(struct agpu_test *test, const void *actual, const void *expected, size_t size,
                       const char *expr, struct agpu_where where);
bool agpu_check_fill(struct agpu_test *test, const void *actual, uint8_t value, size_t size, const char *expr,
                     struct agpu_where where);
bool agpu_check_status(struct agpu_test *test, enum agpu_status status, const char *expr,
                       struct agpu_where where);
bool agpu_setup(struct agpu_test *test, enum agpu_status status, const char *expr, struct agpu_where where);

/* Worst wins: takes result and reason if result is worse than what the case has. */
void agpu_result_set(struct agpu_test *test, enum agpu_result result, const char *reason);
/* Marks the case skipped; the body should return. */
void agpu_skip(struct agpu_test *test, const char *missing);
/* Marks the case an ERROR: the test system, not the device, is at fault. */
void agpu_error(struct agpu_test *test, const char *reason);
/* Marks the case TIMEOUT. */
void agpu_timeout(struct agpu_test *test, const char *what);

/* A measured figure of this case; part of the report and of summary.json's metrics. */
void agpu_metric(struct agpu_test *test, const char *name, uint64_t value, const char *unit);

/* True while the case has time left; the first false marks it TIMEOUT. For loops over many submissions. */
bool agpu_time_left(struct agpu_test *test);

#endif
