/* case.h: a test case (name, needs, body), and tables of cases. */
#ifndef AGPU_CASES_HARNESS_CASE_H
#define AGPU_CASES_HARNESS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci/machine/platform.h"
#include "pci/machine/text.h"
#include "tests/cases/choice/budget.h"
#include "tests/cases/choice/skips.h"
#include "tests/cases/harness/cost.h"
#include "tests/cases/harness/status.h"

struct agpu_env;
struct agpu_stream;
struct agpu_test;

/* The state that the harness prepares before the body runs; each level includes those before it. */
enum agpu_need {
    AGPU_NEED_MACHINE,  /* a platform, nothing else */
    AGPU_NEED_FUNCTION, /* an identified device: BARs sized, decode and bus master on, ring stopped */
    AGPU_NEED_RING,     /* a running ring and a rig (rig.h) to submit packets with */
    AGPU_NEED_UMD,      /* a running ring and the driver stack on it (umd_rig.h), no rig */
};

/* The expectation is a choice of our device model where the specification lets devices differ. The runner skips the
 * case unless it is configured for the model. */
#define AGPU_CASE_MODEL_CHOICE 0x1u

/* The case is about several functions at once, of either generation. If several functions are selected it runs in a
 * separate group, after the groups of each function (devices.h); otherwise it reports that there is only one. */
#define AGPU_CASE_TOGETHER 0x4u

/* Runs only on request of a person or a tool: planned only in a run that consists of it alone (pattern_s=). */
#define AGPU_CASE_ON_REQUEST 0x8u

/* Leaves the device in a state that no other case can use. It is at the end of the catalogue, and a shuffled run
 * leaves it there. */
#define AGPU_CASE_LAST 0x10u

/* Bits for the device that a case is for; the fixture names them. A run plans the cases whose bits equal those of its
 * device. */
#define AGPU_CASE_DEVICE     0xFF00u
#define AGPU_CASE_ANY_DEVICE UINT32_MAX /* in place of a device's bits */

struct agpu_case {
    const char *id;   /* permanent, unique, "subject.thing.aspect" */
    const char *spec; /* section that the case tests, "ring.md 4" */
    enum agpu_need needs;
    uint32_t flags;    /* AGPU_CASE_* */
    uint64_t features; /* required features as the fixture names them; else the case is skipped */
    const void *arg;   /* for a body that several cases share */
    void (*run)(struct agpu_test *test);
};

/* The cases of one subject. */
struct agpu_case_table {
    const struct agpu_case *cases;
    size_t count;
};

/* Defines the table for an array of cases. Its name is agpu_cases_<folder>_<file>, after the file that contains it,
 * and tests/cases/catalogue.def lists the file. */
#define AGPU_CASE_TABLE(name, array)                                                                         \
    extern const struct agpu_case_table name;                                                                \
    const struct agpu_case_table name = {(array), sizeof(array) / sizeof((array)[0])}

/* One running case. Bodies read env and test_case; the rest is internal to the harness. */
struct agpu_test {
    struct agpu_env *env;                 /* state for the body (rig/env.h); opaque to the harness */
    const struct agpu_platform *platform; /* its clock is the one of deadline_ns */
    const struct agpu_case *test_case;
    struct agpu_stream *stream;
    enum agpu_result result;
    enum agpu_skip_code skip; /* reason when the result is SKIP */
    uint64_t deadline_ns;     /* time limit of the case */
    uint64_t stress_ns;       /* duration for rounds (rig/rounds.h); 0: the case's own count */
    uint64_t explore_seed;    /* of random work */
    bool unplanned;           /* sends no records, because the case is in no plan (fixture.h, untested) */
    unsigned checks;          /* made so far; depends only on the case and the device */
    unsigned failed_checks;
    unsigned excused_checks; /* failed but not recorded: see attempts.h */
    unsigned attempts_left;
    const uint64_t *stood_still_ns; /* how long the machine stood still in this attempt; NULL: unknown */
    uint32_t artifact_bytes;        /* sent so far (artifact.h) */
    struct agpu_cost cost;          /* so far */
    struct agpu_budgets *budgets;   /* configured limits on metrics; NULL: none */
    char reason[256];               /* of the first result worse than PASS, for the end record */
    char part[64];                  /* of the case that runs now (agpu_part); "": none */
    /* Appends the state of the device, as evidence for a wait that ran out; NULL: nothing to append. */
    void (*show_state)(const struct agpu_env *env, struct agpu_text *text);
    /* A broken prerequisite, in one word ("fence"). blocked_by: the case was not run because of it; cause: this case
     * found it. NULL: none. */
    const char *blocked_by;
    const char *cause;
};

#endif
