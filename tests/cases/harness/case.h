/* case.h: what a test case is: its name, what it needs, its body; and tables of them. */
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

/* What the harness prepares before the body runs; each level includes those before it. */
enum agpu_need {
    AGPU_NEED_MACHINE,  /* a platform, nothing else */
    AGPU_NEED_FUNCTION, /* an identified device: BARs sized, decode and bus master on, ring stopped */
    AGPU_NEED_RING,     /* a running ring and a rig (rig.h) to submit packets with */
    AGPU_NEED_UMD,      /* a running ring and the driver stack on it (umd_rig.h), no rig */
};

/* The expectation is the choice of our device model, in a place where the specification lets devices differ.
 * Skipped unless the runner is told that it faces the model. */
#define AGPU_CASE_MODEL_CHOICE 0x1u

/* The case is about several functions at once, of either generation. Where several were picked it runs in a group of its
 * own, behind those of each (devices.h); elsewhere it says that there is one only. */
#define AGPU_CASE_TOGETHER 0x4u

/* For a person, or for a tool that asks for it: planned only where a run is for that alone (pattern_s=). */
#define AGPU_CASE_ON_REQUEST 0x8u

/* Leaves the device as no other case can use it. It stands at the end of the catalogue, and a shuffled run leaves it there. */
#define AGPU_CASE_LAST 0x10u

/* Bits that say which devices a case is for; the fixture names them. A run plans the cases whose bits are those of the device. */
#define AGPU_CASE_DEVICE     0xFF00u
#define AGPU_CASE_ANY_DEVICE UINT32_MAX /* in the place of a device's bits */

struct agpu_case {
    const char *id;   /* permanent, unique, "subject.thing.aspect" */
    const char *spec; /* section that the case is about, "ring.md 4" */
    enum agpu_need needs;
    uint32_t flags;    /* AGPU_CASE_* */
    uint64_t features; /* bits as the fixture names them, without which the case is skipped */
    const void *arg;   /* for a body that serves several cases */
    void (*run)(struct agpu_test *test);
};

/* The cases of one subject. */
struct agpu_case_table {
    const struct agpu_case *cases;
    size_t count;
};

/* Defines the table of an array of cases, agpu_cases_<folder>_<file> of the file that it stands in; the
 * file is named in tests/cases/catalogue.def. */
#define AGPU_CASE_TABLE(name, array)                                                                         \
    extern const struct agpu_case_table name;                                                                \
    const struct agpu_case_table name = {(array), sizeof(array) / sizeof((array)[0])}

/* One running case. Bodies read env and test_case; the rest belongs to the harness. */
struct agpu_test {
    struct agpu_env *env; /* what the body can reach (rig/env.h); the harness never looks in */
    const struct agpu_platform *platform; /* whose clock deadline_ns is on */
    const struct agpu_case *test_case;
    struct agpu_stream *stream;
    enum agpu_result result;
    enum agpu_skip_code skip; /* why, when the result is SKIP */
    uint64_t deadline_ns;     /* the case's own time bound */
    uint64_t stress_ns;       /* for so long rounds go on (rig/rounds.h); 0: as many as the case says */
    bool unplanned;           /* sends no records, because no plan has the case (fixture.h, owed) */
    unsigned checks;          /* made so far; depends on nothing but the case and the device */
    unsigned failed_checks;
    unsigned excused_checks; /* failed, and not recorded: see attempts.h */
    unsigned attempts_left;
    const uint64_t
        *stood_still_ns;          /* how long the machine did, since the attempt began; NULL: nobody knows */
    uint32_t artifact_bytes;      /* sent so far (artifact.h) */
    struct agpu_cost cost;        /* so far */
    struct agpu_budgets *budgets; /* limits that somebody set on metrics; NULL: none */
    char reason[256];             /* of the first result worse than PASS, for the end record */
    /* Appends what the device shows now, for the evidence of a wait that ran out; NULL: nothing. */
    void (*show_state)(const struct agpu_env *env, struct agpu_text *text);
    /* A basic thing that is broken, in one word ("fence"): blocked_by when the case was not tried because of
     * it, cause when this is a case that found out. NULL: none. */
    const char *blocked_by;
    const char *cause;
};

#endif
