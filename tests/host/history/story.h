/* story.h: summarises the results of one case over time. No I/O. */
#ifndef AGPU_HOST_HISTORY_STORY_H
#define AGPU_HOST_HISTORY_STORY_H

#include "tests/host/history/runs.h"

/* Consecutive equal results: passed, or not. */
struct agpu_spell {
    size_t first; /* range of positions in the results */
    size_t last;
    size_t results; /* in this setup, and neither skipped nor interrupted */
    bool bad;       /* ERROR or worse */
};

struct agpu_story {
    size_t ran; /* results that count: neither skipped nor interrupted */
    size_t bad;
    size_t changes;             /* changes between passing and not */
    size_t changes_of_no_build; /* of these, with the same build before and after */
    struct agpu_spell now;      /* the latest spell */
    struct agpu_spell before;   /* the previous spell; results is 0: none */
};

/* Summarises the results in one setup (agpu_past_run); they must be in order of time. */
struct agpu_story agpu_story_of(const struct agpu_past_runs *runs, const struct agpu_past_result *results,
                                size_t count, unsigned setup);

/* Returns true when the case both passed and failed although only the run differed: at least two changes with the
 * same build, or at least three in total. A single change may be a device that was repaired, or broke. */
bool agpu_story_is_flaky(const struct agpu_story *story);

#endif
