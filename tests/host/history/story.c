/* story.c: summarises the results of one case over time (story.h). */
#include "tests/host/history/story.h"

#include <string.h>

#define CHANGES_OF_NO_BUILD 2u
#define CHANGES             3u

/* A build from a modified tree cannot be reproduced. */
static bool same_build(const struct agpu_past_run *a, const struct agpu_past_run *b)
{
    const size_t length = strlen(a->build);

    return length > 0 && a->build[length - 1] != '+' && strcmp(a->build, b->build) == 0;
}

struct agpu_story agpu_story_of(const struct agpu_past_runs *runs, const struct agpu_past_result *results,
                                size_t count, unsigned setup)
{
    struct agpu_story story = {0};

    for (size_t i = 0; i < count; i++) {
        const struct agpu_past_run *run = &runs->items[results[i].run];
        const enum agpu_verdict verdict = results[i].verdict;
        const bool bad = verdict >= AGPU_VERDICT_ERROR;

        if (run->setup != setup || (!bad && verdict != AGPU_VERDICT_PASS)) {
            continue;
        }
        if (story.ran == 0 || bad != story.now.bad) {
            if (story.ran != 0) {
                story.changes++;
                story.changes_of_no_build += same_build(&runs->items[results[story.now.last].run], run);
            }
            story.before = story.now;
            story.now = (struct agpu_spell){.first = i, .bad = bad};
        }
        story.now.last = i;
        story.now.results++;
        story.ran++;
        story.bad += bad;
    }
    return story;
}

bool agpu_story_is_flaky(const struct agpu_story *story)
{
    return story->changes_of_no_build >= CHANGES_OF_NO_BUILD || story->changes >= CHANGES;
}
