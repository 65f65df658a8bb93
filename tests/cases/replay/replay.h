/* replay.h: a capture as a case: played on the function that the run found, to the first difference (tests/capture/play.h). */
#ifndef AGPU_CASES_REPLAY_REPLAY_H
#define AGPU_CASES_REPLAY_REPLAY_H

#include "tests/capture/records.h"
#include "tests/cases/harness/case.h"

/* Where the records come from. */
struct agpu_replay_source {
    void *ctx;
    /* Begins at the first record, again in each round. NULL, or why there is none. */
    const char *(*open)(void *ctx);
    /* The next record; item is valid until the next call. False at the end of the capture, or, with *wrong set, where it cannot
     * be read, or is not complete. */
    bool (*next)(void *ctx, struct agpu_capture_item *item, const char **wrong);
    void (*close)(void *ctx);
    uint64_t until; /* number of the last submission that is played; 0: all */
};

/* The catalogue of a run that replays: one case, replay.capture. source must live as long as the run. */
const struct agpu_case_table *const *agpu_replay_catalogue(const struct agpu_replay_source *source,
                                                           size_t *count);

#endif
