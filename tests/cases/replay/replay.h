/* replay.h: a capture as a case: replayed on the function under test, up to the first difference
 * (tests/capture/play.h). */
#ifndef AGPU_CASES_REPLAY_REPLAY_H
#define AGPU_CASES_REPLAY_REPLAY_H

#include "tests/capture/records.h"
#include "tests/cases/harness/case.h"

/* The source of the capture's records. */
struct agpu_replay_source {
    void *ctx;
    /* Starts at the first record, again in each round. Returns NULL, or the reason why there is no capture. */
    const char *(*open)(void *ctx);
    /* Fetches the next record; item is valid until the next call. Returns false at the end of the capture, and also,
     * with *wrong set, if the capture is unreadable or incomplete. */
    bool (*next)(void *ctx, struct agpu_capture_item *item, const char **wrong);
    void (*close)(void *ctx);
    uint64_t until; /* number of the last submission to replay; 0: all */
};

/* Returns the catalogue of a replaying run: one case, replay.capture. source must remain valid during the run. */
const struct agpu_case_table *const *agpu_replay_catalogue(const struct agpu_replay_source *source,
                                                           size_t *count);

#endif
