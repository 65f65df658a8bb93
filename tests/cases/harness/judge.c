/* judge.c: required features, the expected ABI, and skips that are not acceptable. */
#include "tests/cases/harness/judge.h"

#include "tests/cases/choice/expect.h"

static void found_wrong(struct agpu_summary *summary, enum agpu_result result, const char *what)
{
    if (summary->device_wrong == NULL || result > summary->worst) {
        summary->device_wrong = what;
    }
    summary->worst = agpu_result_worse(summary->worst, result);
}

void agpu_judge_device(const struct agpu_runner_config *config, const struct agpu_fixture_device *found,
                       const char *expect, struct agpu_summary *summary)
{
    if (found->missing[0] != '\0') {
        found_wrong(summary, AGPU_FAIL, "required features are missing");
        agpu_stream_format(config->stream, AGPU_LOG_ERROR,
                           "required features are missing: %s; a device that is meant to lack them is run "
                           "with require=default,-WORD",
                           found->missing);
    }
    switch (agpu_expect_judge(expect, found->abi)) {
    case AGPU_EXPECT_WRONG:
        found_wrong(summary, AGPU_FAIL, "the device has another ABI than expect= states");
        agpu_stream_format(
            config->stream, AGPU_LOG_ERROR,
            "the device differs from expect=: found ABI %s; check the device, or state its ABI with expect=",
            found->abi[0] != '\0' ? found->abi : "unknown");
        break;
    case AGPU_EXPECT_UNSTATED:
        found_wrong(summary, AGPU_SKIP, "the device has an old ABI, which expect= does not state");
        agpu_stream_format(config->stream, AGPU_LOG_WARNING,
                           "the device has ABI %s, which exempts it from cases; if it is meant to be that "
                           "old, state it with expect=abi=",
                           found->abi);
        break;
    case AGPU_EXPECT_MET:
        break;
    }
}

void agpu_judge_ability(const struct agpu_runner_config *config, enum agpu_result result, const char *reason,
                        struct agpu_summary *summary)
{
    found_wrong(summary, result, "a required ability is missing");
    agpu_stream_log(config->stream, AGPU_LOG_ERROR, reason);
}

static bool all_may_be_skipped(const struct agpu_skip_tally *skips)
{
    for (unsigned i = 0; i < AGPU_SKIP_COUNT; i++) {
        if (skips->of[i] != 0 && agpu_skip_is_never_acceptable((enum agpu_skip_code)i)) {
            return false;
        }
    }
    return true;
}

bool agpu_judge_enough_tried(const struct agpu_runner_config *config, const struct agpu_summary *summary)
{
    return (summary->counts[AGPU_PASS] + summary->known != 0 || config->cases_max != 0) &&
           summary->skips.untried <= agpu_skip_quota(config->allow_skips) &&
           all_may_be_skipped(&summary->skips);
}

/* "passed, but 562 cases could not be run: 560 because: ...; 2 because: ...". */
void agpu_judge_describe_untried(const struct agpu_skip_tally *skips, struct agpu_text *text)
{
    const char *before = ": ";

    agpu_format(text, "passed, but %u case%s could not be run", skips->untried,
                skips->untried == 1 ? "" : "s");
    for (unsigned i = 0; i < AGPU_SKIP_COUNT; i++) {
        if (skips->of[i] != 0) {
            agpu_format(text, "%s%u because: %s", before, skips->of[i],
                        agpu_skip_text((enum agpu_skip_code)i));
            before = "; ";
        }
    }
}

static void log_untried(const struct agpu_runner_config *config, const struct agpu_summary *summary)
{
    char buffer[600];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    if (summary->counts[AGPU_PASS] == 0) {
        agpu_text_string(&text, "no case could be run");
    } else {
        agpu_judge_describe_untried(&summary->skips, &text);
    }
    agpu_stream_log(config->stream, AGPU_LOG_WARNING, buffer);
}

static void log_blocked(const struct agpu_runner_config *config, const struct agpu_summary *summary)
{
    agpu_stream_format(config->stream, AGPU_LOG_ERROR,
                       "cause: %s (%u cases could not be run because a basic thing is broken)",
                       summary->first_cause != NULL ? summary->first_cause : "?", summary->blocked);
}

void agpu_judge_tried(const struct agpu_runner_config *config, struct agpu_summary *summary)
{
    if (summary->worst <= AGPU_SKIP && !agpu_judge_enough_tried(config, summary)) {
        summary->worst = AGPU_SKIP;
        log_untried(config, summary);
    }
    if (summary->blocked != 0) {
        log_blocked(config, summary);
    }
}
