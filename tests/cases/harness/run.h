/* run.h: the configuration of a run, and its summary (runner.h). */
#ifndef AGPU_CASES_HARNESS_RUN_H
#define AGPU_CASES_HARNESS_RUN_H

#include "pci/machine/platform.h"
#include "tests/cases/choice/budget.h"
#include "tests/cases/choice/quarantine.h"
#include "tests/cases/choice/shard.h"
#include "tests/cases/choice/tags.h"
#include "tests/cases/harness/case.h"
#include "tests/cases/harness/fixture.h"
#include "tests/cases/harness/guard.h"
#include "tests/cases/choice/skips.h"
#include "tests/cases/harness/status.h"
#include "tests/cases/harness/stream.h"
#include "tests/cases/harness/trace.h"

/* Id of the case that checks whether anything grew over several rounds (rounds.h). */
#define AGPU_ROUNDS_CASE "stress.rounds.nothing_grows"

/* Counts of the skips that are not acceptable. */
struct agpu_skip_tally {
    unsigned of[AGPU_SKIP_COUNT]; /* by reason */
    unsigned untried;             /* sum of these */
};

/* Counts and worst status so far. */
struct agpu_summary {
    enum agpu_result worst;             /* at the end of the run: SKIP if too many were not run (skips.h) */
    unsigned counts[AGPU_RESULT_COUNT]; /* cases ended, by result */
    unsigned ended;
    unsigned planned;
    uint64_t elapsed_us;
    struct agpu_skip_tally skips; /* those that are not acceptable (skips.h) */
    const char *device_wrong;     /* why the device itself is unacceptable (judge.h); NULL: it is not */
    const char *first_cause;      /* the first broken prerequisite (struct agpu_test), NULL: none */
    unsigned blocked;             /* cases not run because of a broken prerequisite */
    unsigned known;               /* failures listed in the quarantine, which do not change the result */
    bool stopped;                 /* after the first failure, or after cases_max */
    unsigned left;                /* cases that did not start because of that */
};

/* State for a progress display; valid during the call. */
struct agpu_progress {
    const char *device;  /* as in the plan record */
    const char *running; /* id of the case, NULL between cases */
    const struct agpu_summary *summary;
};

/* One of several rounds of the catalogue (rounds.h); zero: there is only one. */
struct agpu_round {
    unsigned number;      /* from 1 */
    uint64_t shuffle;     /* seed of the order of the cases; 0: order of the tables */
    uint64_t first_fence; /* fence number before a case's first submission; 0: the default */
};

struct agpu_runner_config {
    const struct agpu_platform *platform;
    struct agpu_stream *stream;
    const struct agpu_fixture *fixture; /* the fixture for the cases; agpu_list() needs none */
    /* Passed to the fixture. The runner sets the platform, agpu_run_devices() the functions. Cases with
     * AGPU_CASE_MODEL_CHOICE run only if model is set. */
    struct agpu_fixture_config fixture_config;
    const struct agpu_case_table *const *tables; /* all cases: agpu_catalogue() */
    size_t table_count;
    const char *build;                        /* build id for the plan record */
    const char *run;                          /* id of this boot, likewise; NULL: none */
    const char *configured;                   /* sources of the configuration, likewise; NULL: not reported */
    const char *filter;                       /* ids to select (filter.h); NULL or "": all */
    struct agpu_tag_choice tags;              /* tags to select (tags.h) */
    struct agpu_shard shard;                  /* share of the selected cases */
    unsigned cases_max;                       /* the run stops after this many; 0: no limit */
    bool until_failure;                       /* and after the first failure that is not a known one */
    const struct agpu_quarantine *quarantine; /* known failures; NULL: none */
    struct agpu_budgets *budgets;             /* limits on figures; NULL: none. Records which were checked */
    const char *after; /* the run starts after this case, in run order; NULL or "": at the first */
    /* The machine died in the case `after` in the previous boot: that case is CRASH for this reason. NULL: it did
     * not. */
    const char *died;
    const char *give_up;     /* all other cases are skipped for this reason; NULL: none */
    const char *expect;      /* ABI that the device must have (expect.h); NULL or "": any */
    const char *allow_skips; /* additional acceptable skips (skips.h) */
    uint32_t device;         /* agpu_list(): AGPU_CASE_DEVICE bits; a run uses those of its device */
    uint64_t case_bound_ns;  /* time for one case; 0 = 20 s */
    uint64_t stress_ns;      /* duration of each stress case that works in rounds; 0: its own */
    uint64_t explore_seed;   /* of random work in the first round; each later round has the next one */
    uint64_t pattern_ns;     /* show the test picture for this long instead; 0: run the catalogue */
    uint64_t total_bound_ns; /* time limit of the run, after which all other cases are TIMEOUT; 0 = 300 s */
    struct agpu_round round; /* with a number, the caller sends the summary and all plans but the first */
    /* Terminates cases that do not return. call NULL: this machine cannot, and the case is called directly. With a
     * guard the runner tracks every allocation. */
    struct agpu_guard guard;
    /* Called in place of a prepared case's body; true: it did what the body would have done. For tests of the image
     * itself. May be NULL. */
    bool (*instead)(void *ctx, struct agpu_test *test);
    void *instead_ctx;
    /* Called at the start and end of each case and with each heartbeat; may be NULL. Must not run cases. */
    void (*progress)(void *ctx, const struct agpu_progress *progress);
    void *progress_ctx;
    /* Called before a case is announced: everything from here on belongs to that case. May be NULL. */
    void (*case_comes)(void *ctx, const struct agpu_case *item);
    /* Called before and after everything that a case does with the device; may be NULL. */
    void (*case_begins)(void *ctx, const struct agpu_case *item, unsigned index);
    void (*case_ends)(void *ctx, enum agpu_result result);
    void *cases_ctx;
    /* Returns true to make the run an ERROR for a reason outside all cases: since the last call a device did
     * something that is never allowed, or the image did not understand its configuration. Appends the fault to the
     * text once. NULL: the machine detects no such faults. */
    bool (*at_fault)(void *ctx, struct agpu_text *what);
    void *at_fault_ctx;
};

#endif
