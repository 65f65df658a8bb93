/* replay.c: the case that replays a capture. */
#include "tests/cases/replay/replay.h"

#include "tests/capture/play.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

static const struct agpu_replay_source *played;

/* Turns the outcome of the replay into the result of the case. */
static void judge_play(struct agpu_test *test, const struct agpu_play *play, const char *wrong)
{
    char buffer[700];
    struct agpu_text text;

    switch (play->state) {
    case AGPU_PLAY_DIFFERS:
        agpu_check_true(test, false, play->text, AGPU_HERE);
        agpu_result_set(test, AGPU_FAIL, play->text);
        return;
    case AGPU_PLAY_IMPOSSIBLE:
        agpu_error(test, play->text);
        return;
    case AGPU_PLAY_GOES_ON:
        break;
    }
    if (wrong != NULL) {
        agpu_error(test, wrong);
    } else if (play->submissions == 0) {
        agpu_error(test, "the capture has no submission");
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_format(&text,
                "replay: %ju cases, %ju submissions, %ju bytes compared, %ju differences that the "
                "specification allows",
                play->cases, play->submissions, play->compared_bytes, play->tolerated);
    if (play->cases_left_out != 0) {
        agpu_format(&text, "; %ju cases not to their end, the last: %s", play->cases_left_out, play->text);
    }
    test->platform->log(test->platform->ctx, AGPU_LOG_INFO, buffer);
    agpu_metric(test, "replay_submissions", play->submissions, "submissions");
}

/* Sends pending records while a long capture is replayed. Returns whether to continue. */
static bool goes_on(struct agpu_test *test, uint64_t records)
{
    if (records % 256 != 0) {
        return true;
    }
    test->env->platform->relax(test->env->platform->ctx, AGPU_RELAX_IDLE);
    return agpu_time_left(test);
}

static void replay_capture(struct agpu_test *test)
{
    const struct agpu_function *function = &test->env->function;
    const struct agpu_platform *platform = test->env->platform;
    struct agpu_play *play = platform->heap_alloc(platform->ctx, sizeof *play);
    const char *wrong;
    struct agpu_capture_item item;
    uint64_t records = 0;

    if (play == NULL) {
        agpu_error(test, "no memory to play a capture with");
        return;
    }
    agpu_play_init(play, platform, &function->found.ref, agpu_aperture_index(function));
    wrong = played->open(played->ctx);
    if (wrong == NULL) {
        while (played->next(played->ctx, &item, &wrong)) {
            if (played->until != 0 && item.type == AGPU_CAPTURE_SUBMISSION &&
                item.submission->number > played->until) {
                break;
            }
            if (agpu_play_record(play, &item) != AGPU_PLAY_GOES_ON || !goes_on(test, ++records)) {
                break;
            }
        }
        played->close(played->ctx);
    }
    agpu_play_end(play);
    agpu_function_restore(function);
    judge_play(test, play, wrong);
    platform->heap_free(platform->ctx, play);
}

const struct agpu_case_table *const *agpu_replay_catalogue(const struct agpu_replay_source *source,
                                                           size_t *count)
{
    static const struct agpu_case cases[] = {
        {.id = "replay.capture", .spec = "device.md 4", .needs = AGPU_NEED_FUNCTION, .run = replay_capture}};
    static const struct agpu_case_table table = {cases, 1};
    static const struct agpu_case_table *const tables[] = {&table};

    played = source;
    *count = 1;
    return tables;
}
