/* run.h: what a run is told, and what came of it (runner.h). */
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

/* Reports whether anything grew over several rounds (rounds.h). */
#define AGPU_ROUNDS_CASE "stress.rounds.nothing_grows"

/* Which skips are not acceptable. */
struct agpu_skip_tally {
    unsigned of[AGPU_SKIP_COUNT]; /* by reason */
    unsigned untried;             /* the sum of them */
};

/* Counts and worst status so far. */
struct agpu_summary {
    enum agpu_result worst;             /* when all have ended: SKIP if too many were not tried (skips.h) */
    unsigned counts[AGPU_RESULT_COUNT]; /* cases ended, by result */
    unsigned ended;
    unsigned planned;
    uint64_t elapsed_us;
    struct agpu_skip_tally skips; /* that are not acceptable (skips.h) */
    const char *device_wrong;     /* what the device is that it must not be (judge.h); NULL: nothing */
    const char *first_cause;      /* the first basic thing found broken (struct agpu_test), NULL: none */
    unsigned blocked;             /* cases not tried because of a broken basic thing */
    unsigned known;               /* failed as the quarantine says, which makes nothing worse */
    bool stopped;                 /* at the first failure, or after cases_max */
    unsigned left;                /* cases that were not begun because of that */
};

/* What a screen may want to show; valid during the call. */
struct agpu_progress {
    const char *device;  /* as in the plan record */
    const char *running; /* id of the case, NULL between cases */
    const struct agpu_summary *summary;
};

/* One of several times that the catalogue is run (rounds.h); zero: the only one. */
struct agpu_round {
    unsigned number;      /* from 1 */
    uint64_t shuffle;     /* seed of the order of the cases; 0: as the tables have it */
    uint64_t first_fence; /* number before that of a case's first submission; 0: as ever */
};

struct agpu_runner_config {
    const struct agpu_platform *platform;
    struct agpu_stream *stream;
    const struct agpu_fixture *fixture; /* what cases run on; agpu_list() needs none */
    /* What the fixture has to know. The runner sets the platform, agpu_run_devices() the functions. Cases with
     * AGPU_CASE_MODEL_CHOICE run only with model. */
    struct agpu_fixture_config told;
    const struct agpu_case_table *const *tables; /* all cases: agpu_catalogue() */
    size_t table_count;
    const char *build;                        /* build id for the plan record */
    const char *run;                          /* id of this boot, likewise; NULL: none */
    const char *configured;                   /* where what came from, likewise; NULL: it does not say */
    const char *filter;                       /* which ids (filter.h); NULL or "" selects all */
    struct agpu_tag_choice tags;              /* and which kinds (tags.h) */
    struct agpu_shard shard;                  /* and which part of those */
    unsigned cases_max;                       /* the run stops behind so many; 0: at the end */
    bool until_failure;                       /* and behind the first that fails and is not known to */
    const struct agpu_quarantine *quarantine; /* known failures; NULL: none */
    struct agpu_budgets *budgets;             /* limits on figures; NULL: none. Which were judged is noted */
    const char
        *after; /* the run begins behind this case, in the order of the run; NULL or "": at the first */
    /* The machine died in that case the last time: the case is CRASH for this reason. NULL: it did not. */
    const char *died;
    const char *give_up;     /* all other cases are skipped for this reason; NULL: none */
    const char *expect;      /* which ABI the device must have (expect.h); NULL or "": nothing is stated */
    const char *allow_skips; /* skips that are acceptable beyond the usual ones (skips.h) */
    uint32_t device; /* agpu_list(): AGPU_CASE_DEVICE bits; a run takes those of the device that it finds */
    uint64_t case_bound_ns; /* time for one case; 0 = 20 s */
    uint64_t
        stress_ns; /* each case of the tag stress that goes by rounds goes on for so long; 0: as it does */
    uint64_t pattern_ns;     /* the run is the test picture, shown for so long; 0: the catalogue */
    uint64_t total_bound_ns; /* time for the run, after which the rest ends as TIMEOUT; 0 = 300 s */
    struct agpu_round round; /* with a number, plan (but for the first) and summary are the caller's */
    /* Ends cases that do not return; call NULL: this machine cannot, a case is called as it is. Where it can, every
     * allocation is kept account of. */
    struct agpu_guard guard;
    /* Called in the place of a case, prepared and all; true: it did what the body would have done. For tests of the
     * image itself. May be NULL. */
    bool (*instead)(void *ctx, struct agpu_test *test);
    void *instead_ctx;
    /* Called at the start and end of each case and with each heartbeat; may be NULL. Must not run cases. */
    void (*progress)(void *ctx, const struct agpu_progress *progress);
    void *progress_ctx;
    /* Before a case is announced: what happens from here on is that case's. May be NULL. */
    void (*case_comes)(void *ctx, const struct agpu_case *item);
    /* Around everything that a case does with the device; may be NULL. */
    void (*case_begins)(void *ctx, const struct agpu_case *item, unsigned index);
    void (*case_ends)(void *ctx, enum agpu_result result);
    void *cases_ctx;
    /* True makes the run an ERROR that no case notices: since the last call a device did what no device may do, or the image
     * did not understand its configuration. Appends the fault to the text once. NULL: the machine knows of no such fault. */
    bool (*at_fault)(void *ctx, struct agpu_text *what);
    void *at_fault_ctx;
};

#endif
