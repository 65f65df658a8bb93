/* report.c: plan, start, end and summary (tests/cases/README.md). */
#include "tests/cases/harness/report.h"

#include "tests/cases/choice/digest.h"
#include "tests/cases/harness/check.h"

static void add_stated(struct agpu_record *record, const char *key, const char *value)
{
    if (value != NULL && *value != '\0') {
        agpu_record_string(record, key, value);
    }
}

void agpu_send_plan(const struct agpu_runner_config *config, const struct agpu_plan *plan)
{
    const bool rounds = config->round.number != 0; /* one more case: the check over all rounds (rounds.h) */
    struct agpu_record record;

    if (config->round.number > 1) {
        return;
    }
    agpu_record_begin(&record, AGPU_RECORD_PLAN, NULL);
    agpu_record_u64(&record, AGPU_KEY(PLAN, count), plan->count + rounds);
    agpu_record_u64(&record, AGPU_KEY(PLAN, digest),
                    rounds ? agpu_digest_add(plan->digest, AGPU_ROUNDS_CASE) : plan->digest);
    agpu_record_string(&record, AGPU_KEY(PLAN, build), config->build != NULL ? config->build : "unknown");
    add_stated(&record, AGPU_KEY(PLAN, run), config->run);
    agpu_record_string(&record, AGPU_KEY(PLAN, device), plan->device);
    /* The configuration that the verdicts below depend on. */
    agpu_record_string(&record, AGPU_KEY(PLAN, judged), config->fixture_config.model ? "model" : "any");
    /* Every submission of a case is checked (rig/submit.h); there is no other level. */
    agpu_record_string(&record, AGPU_KEY(PLAN, checks), "each");
    agpu_record_string(&record, AGPU_KEY(PLAN, require),
                       config->fixture_config.require != NULL && *config->fixture_config.require
                           ? config->fixture_config.require
                           : "default");
    add_stated(&record, AGPU_KEY(PLAN, missing), plan->missing);
    add_stated(&record, AGPU_KEY(PLAN, expect), plan->expect);
    add_stated(&record, AGPU_KEY(PLAN, allow_skips), config->allow_skips);
    agpu_record_u64(&record, AGPU_KEY(PLAN, format), AGPU_RECORD_VERSION);
    add_stated(&record, AGPU_KEY(PLAN, after), config->after);
    add_stated(&record, AGPU_KEY(PLAN, config), config->configured);
    agpu_stream_send(config->stream, &record);
}

static enum agpu_quarantine_verdict judge_known(const struct agpu_runner_config *config,
                                                const struct agpu_test *test,
                                                const struct agpu_quarantine_entry **entry)
{
    return agpu_quarantine_judge(config->quarantine, test->test_case->id, test->result > AGPU_SKIP,
                                 test->result == AGPU_PASS, entry);
}

bool agpu_case_is_known(const struct agpu_runner_config *config, const struct agpu_test *test)
{
    const struct agpu_quarantine_entry *entry;

    return judge_known(config, test, &entry) == AGPU_QUARANTINE_KNOWN;
}

static void add_quarantine(struct agpu_record *record, const struct agpu_runner_config *config,
                           const struct agpu_test *test)
{
    const struct agpu_quarantine_entry *entry;
    const enum agpu_quarantine_verdict verdict = judge_known(config, test, &entry);

    if (verdict != AGPU_QUARANTINE_NOTHING) {
        agpu_record_string(record, AGPU_KEY(END, quarantine), agpu_quarantine_word(verdict));
        agpu_record_u64(record, AGPU_KEY(END, quarantine_until), entry->until);
        agpu_record_string(record, AGPU_KEY(END, quarantine_reason), entry->reason);
    }
}

void agpu_report_stopped(const struct agpu_runner_config *config, const struct agpu_summary *summary)
{
    if (summary->left == 0) {
        return;
    }
    agpu_stream_format(config->stream, AGPU_LOG_INFO, "stopped%s: %u cases were not begun",
                       config->until_failure ? " at the first failure" : ", the limit of cases_max",
                       summary->left);
}

void agpu_report_unjudged(const struct agpu_runner_config *config)
{
    for (unsigned i = 0; config->budgets != NULL && i < config->budgets->count; i++) {
        const struct agpu_budget *budget = &config->budgets->entries[i];

        if (budget->judged) {
            continue;
        }
        agpu_stream_format(config->stream, AGPU_LOG_WARNING,
                           "budget of %s: not checked, %s did not measure it: the filter left the case out, "
                           "or it was skipped or failed",
                           budget->name, agpu_budget_case(budget));
    }
}

void agpu_send_start(const struct agpu_runner_config *config, const struct agpu_case *item, unsigned index)
{
    struct agpu_record record;

    agpu_record_begin(&record, AGPU_RECORD_START, item->id);
    agpu_record_u64(&record, AGPU_KEY(START, index), index);
    if (config->round.number != 0) {
        agpu_record_u64(&record, AGPU_KEY(START, round), config->round.number);
    }
    agpu_stream_send(config->stream, &record);
}

void agpu_send_end(const struct agpu_runner_config *config, const struct agpu_test *test, uint64_t us)
{
    struct agpu_record record;

    agpu_record_begin(&record, AGPU_RECORD_END, test->test_case->id);
    if (test->result > AGPU_SKIP) {
        record.level = AGPU_LOG_ERROR;
    }
    agpu_record_string(&record, AGPU_KEY(END, status), agpu_result_name(test->result));
    agpu_record_u64(&record, AGPU_KEY(END, us), us);
    agpu_record_u64(&record, AGPU_KEY(END, checks), test->checks);
    if (test->failed_checks != 0) {
        agpu_record_u64(&record, AGPU_KEY(END, failed_checks), test->failed_checks);
    }
    if (test->result == AGPU_SKIP) {
        agpu_record_string(&record, AGPU_KEY(END, skip), agpu_skip_word(test->skip));
    }
    if (test->blocked_by != NULL) {
        agpu_record_string(&record, AGPU_KEY(END, blocked_by), test->blocked_by);
    }
    if (test->cause != NULL) {
        agpu_record_string(&record, AGPU_KEY(END, cause), test->cause);
    }
    if (test->result != AGPU_PASS) {
        agpu_record_string(&record, AGPU_KEY(END, reason), test->reason);
    }
    add_quarantine(&record, config, test);
    agpu_cost_append(&record, &test->cost);
    agpu_stream_send(config->stream, &record);
}

void agpu_send_result(const struct agpu_runner_config *config, const struct agpu_case *item, unsigned index,
                      enum agpu_result result, enum agpu_skip_code skip, const char *reason)
{
    struct agpu_test test = {.test_case = item, .stream = config->stream, .skip = skip};

    agpu_send_start(config, item, index);
    if (result != AGPU_PASS) {
        agpu_result_set(&test, result, reason);
    }
    agpu_send_end(config, &test, 0);
}

void agpu_send_summary(struct agpu_stream *stream, const struct agpu_summary *summary)
{
    struct agpu_record record;

    agpu_record_begin(&record, AGPU_RECORD_SUMMARY, NULL);
    agpu_record_string(&record, AGPU_KEY(SUMMARY, status), agpu_result_name(summary->worst));
    for (enum agpu_result i = AGPU_PASS; i < AGPU_RESULT_COUNT; i++) {
        agpu_record_u64(&record, agpu_result_count_key(i), summary->counts[i]);
    }
    agpu_record_u64(&record, AGPU_KEY(SUMMARY, total), summary->ended);
    agpu_record_u64(&record, AGPU_KEY(SUMMARY, us), summary->elapsed_us);
    agpu_record_u64(&record, AGPU_KEY(SUMMARY, untried), summary->skips.untried);
    agpu_record_u64(&record, AGPU_KEY(SUMMARY, blocked), summary->blocked);
    agpu_record_u64(&record, AGPU_KEY(SUMMARY, unsent), agpu_stream_lost(stream));
    if (summary->known != 0) {
        agpu_record_u64(&record, AGPU_KEY(SUMMARY, known), summary->known);
    }
    if (summary->left != 0) {
        agpu_record_u64(&record, AGPU_KEY(SUMMARY, left), summary->left);
    }
    agpu_stream_send(stream, &record);
}

void agpu_ask_for_fault(const struct agpu_runner_config *config, struct agpu_summary *summary)
{
    char buffer[400];
    struct agpu_text what;

    agpu_text_begin(&what, buffer, sizeof buffer);
    if (config->at_fault == NULL || !config->at_fault(config->at_fault_ctx, &what)) {
        return;
    }
    summary->worst = agpu_result_worse(summary->worst, AGPU_ERROR);
    if (what.length != 0) {
        agpu_stream_log(config->stream, AGPU_LOG_ERROR, buffer);
    }
}
