/* story.h: what the results of one case over time amount to. No I/O. */
#ifndef AGPU_HOST_HISTORY_STORY_H
#define AGPU_HOST_HISTORY_STORY_H

#include "tests/host/history/runs.h"

/* Results in a row that say the same: passed, or not. */
struct agpu_spell {
    size_t first; /* positions in the results */
    size_t last;
    size_t results; /* of this setup, and neither skipped nor interrupted */
    bool bad;       /* ERROR or worse */
};

struct agpu_story {
    size_t ran; /* results that say something: neither skipped nor interrupted */
    size_t bad;
    size_t changes;             /* between passing and not */
    size_t changes_of_no_build; /* with the same build on both sides */
    struct agpu_spell now;      /* the latest spell */
    struct agpu_spell before;   /* the one before it; results is 0: none */
};

/* The story of the results that are of one setup (agpu_past_run), which are in the order of time. */
struct agpu_story agpu_story_of(const struct agpu_past_runs *runs, const struct agpu_past_result *results,
                                size_t count, unsigned setup);

/* Both passed and not where nothing had changed but the run: twice at least to and fro with one build (once may have been a
 * device that was repaired, or broken), or thrice at all. */
bool agpu_story_is_flaky(const struct agpu_story *story);

#endif
