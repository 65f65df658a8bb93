/* runner.h: runs the catalogue on one machine: plan, each case between start and end, heartbeat, summary. */
#ifndef AGPU_CASES_HARNESS_RUNNER_H
#define AGPU_CASES_HARNESS_RUNNER_H

#include "pci/machine/platform.h"
#include "tests/cases/harness/case.h"
#include "tests/cases/harness/fixture.h"
#include "tests/cases/harness/guard.h"
#include "tests/cases/harness/skips.h"
#include "tests/cases/harness/status.h"
#include "tests/cases/harness/stream.h"
#include "tests/cases/harness/trace.h"

/* Counts and worst status so far. */
struct agpu_summary {
    enum agpu_result worst;             /* when all have ended: SKIP if too many were not tried (skips.h) */
    unsigned counts[AGPU_RESULT_COUNT]; /* cases ended, by result */
    unsigned ended;
    unsigned planned;
    uint64_t elapsed_us;
    struct agpu_skip_tally skips;
    const char *first_cause; /* the first basic thing found broken (struct agpu_test), NULL: none */
    unsigned blocked;        /* cases not tried because of a broken basic thing */
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
    const struct agpu_fixture *fixture;          /* what cases run on; agpu_list() needs none */
    const struct agpu_case_table *const *tables; /* all cases: agpu_catalogue() */
    size_t table_count;
    const char *build;  /* build id for the plan record */
    const char *filter; /* which ids (filter.h); NULL or "" selects all */
    const char
        *after; /* the run begins behind this case, in the order of the run; NULL or "": at the first */
    const char *require;     /* what must be there (rig/require.h); NULL or "": the default */
    const char *allow_skips; /* skips that are acceptable beyond the usual ones (skips.h) */
    bool model;              /* the device is known to be our model: AGPU_CASE_MODEL_CHOICE cases run */
    struct agpu_trace trace; /* sent as debug log records */
    enum agpu_stack_mode stack_mode;
    bool legacy; /* agpu_list(): the cases of a legacy device; a run asks the device that it finds */
    uint64_t case_bound_ns;  /* time for one case; 0 = 20 s */
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
};

/* Finds the device, runs every selected case and sends all records. The device's command register is as
 * before when it returns. Without a usable device the plan says device=none and its one case ends as ERROR
 * with the reason. Returns the worst result. PASS alone means success: whatever was skipped is acceptable
 * (skips.h); SKIP: nothing failed, but too much could not be tried. An empty selection is an ERROR. */
enum agpu_result agpu_run(const struct agpu_runner_config *config, struct agpu_summary *out);

/* Sends the summary record. */
void agpu_send_summary(struct agpu_stream *stream, const struct agpu_summary *summary);

/* Sends start and end of a case that has no body: its result is known. reason: NULL with PASS. */
void agpu_send_result(const struct agpu_runner_config *config, const struct agpu_case *item, unsigned index,
                      enum agpu_result result, const char *reason);

/* Ids of the cases for the device (config->legacy) that filter selects, in run order, one call each; for
 * --list. */
void agpu_list(const struct agpu_runner_config *config, void (*each)(void *ctx, const struct agpu_case *item),
               void *ctx);

#endif
