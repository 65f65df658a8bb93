/* runner.c: the test loop. */
#include "tests/cases/harness/runner.h"

#include <string.h>

#include "pci/machine/status.h"
#include "pci/machine/wait.h"
#include "tests/cases/harness/tracker.h"
#include "tests/cases/harness/attempts.h"
#include "tests/cases/choice/digest.h"
#include "tests/cases/choice/expect.h"
#include "tests/cases/choice/filter.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/harness/judge.h"
#include "tests/cases/harness/leak_check.h"
#include "tests/cases/harness/order.h"
#include "tests/cases/harness/report.h"
#include "tests/cases/harness/selection.h"

#define SECOND         UINT64_C(1000000000)
#define CASE_BOUND_NS  (20 * SECOND)
#define TOTAL_BOUND_NS (300 * SECOND)
#define HEARTBEAT_NS   SECOND

/* A case without a body, which reports why nothing can run. */
static const struct agpu_case no_device = {.id = "discovery.function.usable", .spec = "device.md 1"};
static const struct agpu_case no_selection = {.id = "discovery.filter.selects",
                                              .spec = "tests/cases/README.md"};
/* Reported if after= does not name a selected case: otherwise all cases would be skipped. */
static const struct agpu_case no_such_place = {.id = "discovery.filter.after",
                                               .spec = "tests/cases/README.md"};

struct runner {
    const struct agpu_runner_config *config;
    const struct agpu_fixture *fixture;
    struct agpu_stream *stream;
    struct agpu_tracker tracker;
    struct agpu_fixture_device found;
    struct agpu_summary summary;
    struct agpu_cost cost; /* of all cases so far */
    const char *running;
    uint64_t start_ns;
    uint64_t deadline_ns;
    uint64_t last_beat_ns;
    bool ticking;
    bool passing_over;    /* the case of config->after has not been reached */
    unsigned passed_over; /* cases up to it */
    char device[200];
    char expect[AGPU_EXPECT_MAX];
    _Alignas(16) uint8_t env[]; /* the fixture's struct agpu_env */
};

static struct agpu_env *env_of(struct runner *runner)
{
    return (struct agpu_env *)(void *)runner->env;
}

static uint64_t runner_now(const struct runner *runner)
{
    return runner->config->platform->now_ns(runner->config->platform->ctx);
}

static void enter_phase(struct runner *runner, struct agpu_test *test, enum agpu_phase phase)
{
    agpu_cost_enter(&test->cost, phase, runner->tracker.accesses, runner_now(runner));
}

static uint64_t elapsed_us(const struct runner *runner)
{
    return (runner_now(runner) - runner->start_ns) / 1000;
}

static void report_progress(struct runner *runner)
{
    struct agpu_progress report = {runner->device, runner->running, &runner->summary};

    runner->summary.elapsed_us = elapsed_us(runner);
    if (runner->config->progress != NULL) {
        runner->config->progress(runner->config->progress_ctx, &report);
    }
}

/* Called in each round of a wait. */
static void beat_when_due(void *ctx)
{
    struct runner *runner = ctx;
    struct agpu_record record;

    /* Sinks and screens may call relax() while they work: do not nest heartbeats. */
    if (runner->ticking || runner_now(runner) - runner->last_beat_ns < HEARTBEAT_NS) {
        return;
    }
    runner->ticking = true;
    runner->last_beat_ns = runner_now(runner);
    agpu_record_begin(&record, AGPU_RECORD_HEARTBEAT, runner->running);
    agpu_record_u64(&record, AGPU_KEY(HEARTBEAT, elapsed_us), elapsed_us(runner));
    agpu_stream_send(runner->stream, &record);
    report_progress(runner);
    runner->ticking = false;
}

static void plan_case(void *ctx, const struct agpu_case *item)
{
    struct agpu_plan *plan = ctx;

    plan->count++;
    plan->digest = agpu_digest_add(plan->digest, item->id);
}

static void announce(struct runner *runner, const struct agpu_plan *plan)
{
    runner->summary.planned = plan->count;
    agpu_send_plan(runner->config, plan);
}

/* Stress times do not apply to simulated time, which does not measure how often something was tested. */
static uint64_t stress_of(const struct runner *runner, const struct agpu_case *item)
{
    const bool stress = (agpu_tags_of(item->id) >> AGPU_TAG_stress & 1) != 0;

    if ((item->flags & AGPU_CASE_ON_REQUEST) != 0) {
        return runner->config->pattern_ns;
    }
    return stress && !runner->tracker.test.simulated_time ? runner->config->stress_ns : 0;
}

static void begin_test(struct runner *runner, struct agpu_test *test, const struct agpu_case *item)
{
    const uint64_t bound = runner->config->case_bound_ns ? runner->config->case_bound_ns : CASE_BOUND_NS;
    const uint64_t stress = stress_of(runner, item);
    const unsigned round = runner->config->round.number;

    runner->deadline_ns += stress;
    *test = (struct agpu_test){
        .stress_ns = stress,
        .explore_seed = runner->config->explore_seed + (round > 0 ? round - 1 : 0),
        .env = env_of(runner),
        .platform = &runner->tracker.platform,
        .test_case = item,
        .stream = runner->stream,
        .deadline_ns = runner_now(runner) + bound + stress,
        .budgets = runner->config->budgets,
        .show_state = runner->fixture->show_state,
    };
}

static void begin_case(struct runner *runner, struct agpu_test *test, const struct agpu_case *item)
{
    begin_test(runner, test, item);
    if (runner->config->case_comes != NULL) {
        runner->config->case_comes(runner->config->cases_ctx, item);
    }
    agpu_cost_begin(&test->cost, runner->tracker.accesses, runner_now(runner));
    runner->running = runner->stream->running = item->id;
    agpu_send_start(runner->config, item, runner->passed_over + runner->summary.ended + 1);
    report_progress(runner);
    if (runner->config->case_begins != NULL) {
        runner->config->case_begins(runner->config->cases_ctx, item, runner->summary.ended + 1);
    }
}

static void count_skip(struct runner *runner, enum agpu_skip_code code)
{
    if (!agpu_skip_acceptable(code, runner->config->allow_skips, agpu_expect_states(runner->expect))) {
        runner->summary.skips.of[code]++;
        runner->summary.skips.untried++;
    }
}

static void end_case(struct runner *runner, struct agpu_test *test, uint64_t started_ns)
{
    const uint64_t now_ns = runner_now(runner);

    if (runner->config->case_ends != NULL) {
        runner->config->case_ends(runner->config->cases_ctx, test->result);
    }
    agpu_cost_enter(&test->cost, AGPU_PHASE_DOWN, runner->tracker.accesses, now_ns);
    agpu_cost_add(&runner->cost, &test->cost);
    agpu_ask_for_fault(runner->config, &runner->summary);
    agpu_send_end(runner->config, test, (now_ns - started_ns) / 1000);
    runner->summary.ended++;
    runner->summary.counts[test->result]++;
    if (test->result == AGPU_SKIP) {
        count_skip(runner, test->skip);
    } else if (agpu_case_is_known(runner->config, test)) {
        runner->summary.known++;
    } else {
        runner->summary.worst = agpu_result_worse(runner->summary.worst, test->result);
        runner->summary.stopped = runner->config->until_failure && test->result > AGPU_SKIP;
    }
    runner->summary.stopped = runner->summary.stopped || (runner->config->cases_max != 0 &&
                                                          runner->summary.ended == runner->config->cases_max);
    runner->summary.blocked += test->blocked_by != NULL;
    if (runner->summary.first_cause == NULL) {
        runner->summary.first_cause = test->cause != NULL ? test->cause : test->blocked_by;
    }
    runner->running = runner->stream->running = NULL;
    report_progress(runner);
}

/* Maps a status to the result: the device timed out, is gone, or the machine had no memory. */
static enum agpu_result result_of_status(enum agpu_status status)
{
    if (status == AGPU_ERR_TIMEOUT) {
        return AGPU_TIMEOUT;
    }
    return status == AGPU_ERR_LOST ? AGPU_FAIL : AGPU_ERROR;
}

static void status_error(struct agpu_test *test, const char *what, enum agpu_status status)
{
    char buffer[sizeof test->reason];

    agpu_format_line(buffer, sizeof buffer, "%s%s", what, agpu_status_name(status));
    agpu_result_set(test, result_of_status(status), buffer);
}

static bool missing_feature(struct runner *runner, struct agpu_test *test)
{
    const bool stack = test->test_case->needs >= AGPU_NEED_UMD;
    uint64_t missing = test->test_case->features & ~(stack ? runner->found.reported : runner->found.features);
    char buffer[sizeof test->reason];
    struct agpu_text text;
    enum agpu_skip_code code;

    if (test->test_case->needs < AGPU_NEED_FUNCTION || missing == 0) {
        return false;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    code = runner->fixture->lacks(env_of(runner), missing, &text);
    if (code == AGPU_SKIP_NONE) {
        agpu_result_set(test, AGPU_FAIL, buffer);
    } else {
        agpu_skip_because(test, code, buffer);
    }
    return true;
}

static bool prepare_case(struct runner *runner, struct agpu_test *test)
{
    struct agpu_obstacle why = {.result = AGPU_ERROR};

    if (test->test_case->needs < AGPU_NEED_FUNCTION) {
        return true;
    }
    agpu_text_begin(&why.text, why.buffer, sizeof why.buffer);
    if (runner->fixture->number_fences != NULL) {
        runner->fixture->number_fences(env_of(runner), test->test_case, runner->config->round.first_fence);
    }
    if (runner->fixture->prepare(env_of(runner), test->test_case, &why)) {
        return true;
    }
    if (why.known) {
        agpu_blocked(test, why.cause, why.buffer);
    } else {
        test->cause = why.cause;
        agpu_result_set(test, why.result, why.buffer);
    }
    return false;
}

static void run_body(struct runner *runner, struct agpu_test *test)
{
    const struct agpu_runner_config *config = runner->config;
    const struct agpu_leak_counts before = agpu_leak_counts(&runner->tracker);
    struct agpu_leak_counts after;
    char kept[200];
    struct agpu_text leaks;
    enum agpu_status status;

    enter_phase(runner, test, AGPU_PHASE_UP);
    if (!prepare_case(runner, test)) {
        return;
    }
    enter_phase(runner, test, AGPU_PHASE_BODY);
    /* On simulated time a case may wait as long as it wants. */
    agpu_wait_until(test->platform, test->platform->test->simulated_time ? UINT64_MAX : test->deadline_ns);
    if (config->instead == NULL || !config->instead(config->instead_ctx, test)) {
        test->test_case->run(test);
    }
    agpu_part_end(test);
    runner->fixture->finish(test);
    agpu_wait_until(test->platform, UINT64_MAX);
    enter_phase(runner, test, AGPU_PHASE_DOWN);
    agpu_text_begin(&leaks, kept, sizeof kept);
    status = runner->fixture->restore(env_of(runner), test->test_case->needs, &leaks);
    if (leaks.length != 0) {
        agpu_error(test, kept);
    }
    if (status != AGPU_OK) {
        status_error(test, "device could not be restored after the case: ", status);
    }
    after = agpu_leak_counts(&runner->tracker);
    agpu_leak_check(test, &before, &after);
    agpu_leak_check_redzones(test, &runner->tracker);
}

/* Returns true if nothing was found yet and the machine stood still, so that all failures may be due to that. */
static bool is_to_begin_anew(const struct agpu_test *test)
{
    return test->attempts_left != 0 && test->excused_checks != 0 && test->failed_checks == 0 &&
           (test->result == AGPU_FAIL || test->result == AGPU_TIMEOUT);
}

static void begin_case_anew(struct runner *runner, struct agpu_test *test)
{
    agpu_stream_format(runner->stream, AGPU_LOG_WARNING,
                       "the machine stood still for %ju ms, so this is repeated: %s",
                       runner->tracker.still_ns / 1000000, test->reason);
    test->attempts_left--;
    test->excused_checks = 0;
    test->checks = 0;
    test->result = AGPU_PASS;
    test->reason[0] = '\0';
    test->cause = NULL;
}

static void run_attempts(struct runner *runner, struct agpu_test *test)
{
    if (!runner->tracker.test.simulated_time && runner->fixture->timed != NULL &&
        agpu_filter_match(runner->fixture->timed, test->test_case->id)) {
        test->attempts_left = AGPU_TIMED_ATTEMPTS - 1;
        test->stood_still_ns = &runner->tracker.still_ns;
    }
    agpu_tracker_forget(&runner->tracker);
    run_body(runner, test);
    while (is_to_begin_anew(test)) {
        begin_case_anew(runner, test);
        agpu_tracker_forget(&runner->tracker);
        run_body(runner, test);
    }
}

static void run_guarded_body(void *arg)
{
    struct agpu_test *test = ((void **)arg)[1];

    run_attempts(((void **)arg)[0], test);
}

/* Takes the memory from the device first, then frees it. */
static void abandon_case(struct runner *runner, struct agpu_test *test, uint64_t numbered)
{
    agpu_wait_until(test->platform, UINT64_MAX);
    enter_phase(runner, test, AGPU_PHASE_DOWN);
    runner->ticking = false;
    runner->fixture->abandon(env_of(runner), test->test_case->needs);
    agpu_stream_format(runner->stream, AGPU_LOG_INFO, "allocations taken back from the case: %u",
                       agpu_tracker_take_back(&runner->tracker, numbered));
}

static void run_guarded(struct runner *runner, struct agpu_test *test)
{
    const struct agpu_guard *guard = &runner->config->guard;
    const uint64_t numbered = runner->tracker.numbered;
    void *body[] = {runner, test};
    char buffer[sizeof test->reason];
    struct agpu_text why;
    enum agpu_guard_end end;

    if (guard->call == NULL) {
        run_attempts(runner, test);
        return;
    }
    agpu_text_begin(&why, buffer, sizeof buffer);
    end = guard->call(guard->ctx, run_guarded_body, body, test->deadline_ns - runner_now(runner), &why);
    if (end != AGPU_GUARD_RETURNED) {
        agpu_result_set(test, end == AGPU_GUARD_LATE ? AGPU_TIMEOUT : AGPU_CRASH, buffer);
        abandon_case(runner, test, numbered);
    }
}

/* Sends no start record: the earlier boot did. */
static void report_death(struct runner *runner, const struct agpu_case *item)
{
    struct agpu_test test = {.test_case = item, .stream = runner->stream};

    agpu_result_set(&test, AGPU_CRASH, runner->config->died);
    agpu_send_end(runner->config, &test, 0);
    runner->summary.ended++;
    runner->summary.counts[AGPU_CRASH]++;
    runner->summary.worst = agpu_result_worse(runner->summary.worst, AGPU_CRASH);
}

static void run_case(void *ctx, const struct agpu_case *item)
{
    struct runner *runner = ctx;
    struct agpu_test test;
    uint64_t started_ns = runner_now(runner);

    if (runner->passing_over) {
        runner->passing_over = strcmp(item->id, runner->config->after) != 0;
        if (runner->passing_over || runner->config->died == NULL) {
            runner->passed_over++;
            return;
        }
        report_death(runner, item);
        return;
    }
    if (runner->summary.stopped) {
        runner->summary.left++;
        return;
    }
    begin_case(runner, &test, item);
    if (runner->config->give_up != NULL) {
        agpu_skip_because(&test, AGPU_SKIP_GAVE_UP, runner->config->give_up);
    } else if (started_ns >= runner->deadline_ns) {
        agpu_timeout(&test, "the run's time was used up before this case");
    } else if ((item->flags & AGPU_CASE_LAST) != 0 && runner->config->round.number != 0) {
        agpu_skip(&test, AGPU_SKIP_LAST);
    } else if ((item->flags & AGPU_CASE_MODEL_CHOICE) && !runner->config->fixture_config.model) {
        agpu_skip(&test, AGPU_SKIP_MODEL_CHOICE);
    } else if (!missing_feature(runner, &test)) {
        run_guarded(runner, &test);
        runner->fixture->ended(&test);
    }
    end_case(runner, &test, started_ns);
}

static void run_error(struct runner *runner, const struct agpu_case *item, const char *reason)
{
    struct agpu_test test;
    uint64_t started_ns = runner_now(runner);

    agpu_stream_log(runner->stream, AGPU_LOG_ERROR, reason);
    announce(runner, &(struct agpu_plan){
                         .device = runner->device, .count = 1, .digest = agpu_digest_add(0, item->id)});
    begin_case(runner, &test, item);
    agpu_error(&test, reason);
    end_case(runner, &test, started_ns);
}

/* The selected cases, to change their order. */
struct case_list {
    const struct agpu_case **items;
    unsigned count;
};

static void collect_case(void *ctx, const struct agpu_case *item)
{
    struct case_list *list = ctx;

    list->items[list->count++] = item;
}

static void run_in_order(struct runner *runner, const struct agpu_runner_config *selection, unsigned count)
{
    const struct agpu_platform *platform = runner->config->platform;
    struct case_list list = {0};
    unsigned moved;

    if (runner->config->round.shuffle != 0) {
        list.items = platform->heap_alloc(platform->ctx, count * sizeof list.items[0]);
    }
    if (list.items == NULL) {
        agpu_list(selection, run_case, runner);
        return;
    }
    agpu_list(selection, collect_case, &list);
    for (moved = list.count; moved != 0 && (list.items[moved - 1]->flags & AGPU_CASE_LAST) != 0; moved--) {
        ;
    }
    agpu_order_shuffle(list.items, moved, runner->config->round.shuffle);
    for (unsigned i = 0; i < list.count; i++) {
        run_case(runner, list.items[i]);
    }
    platform->heap_free(platform->ctx, list.items);
}

/* "A3A0:0001 00:04.0 + 1AED:0001 00:05.0". */
static void describe_functions(const struct agpu_functions *functions, struct agpu_text *text)
{
    for (unsigned i = 0; i < functions->count; i++) {
        agpu_text_string(text, i != 0 ? " + " : "");
        agpu_pci_describe(text, &functions->all[i]);
    }
}

struct place {
    const char *id;
    bool found;
};

static void look_for_place(void *ctx, const struct agpu_case *item)
{
    struct place *place = ctx;

    place->found = place->found || strcmp(item->id, place->id) == 0;
}

/* Finds the case where the run begins; false if config->after is not a selected case. */
static bool find_start(struct runner *runner, const struct agpu_runner_config *selection)
{
    struct place place = {.id = runner->config->after};

    if (place.id == NULL || *place.id == '\0' || runner->config->round.number > 1) {
        return true;
    }
    agpu_list(selection, look_for_place, &place);
    runner->passing_over = place.found;
    return place.found;
}

/* Returns true for the group of cases about all functions at once: each function has had its own run. */
static bool about_all(const struct runner *runner)
{
    return runner->config->fixture_config.functions != NULL &&
           runner->config->fixture_config.functions->together;
}

/* Tests required abilities that no case of the run has tested: a filter does not change what the
 * device must support. */
static void run_untested(struct runner *runner)
{
    const struct agpu_summary *summary = &runner->summary;
    const struct agpu_case *item = NULL;
    struct agpu_test test;

    if (summary->worst <= AGPU_SKIP && summary->left == 0 && runner->config->instead == NULL &&
        agpu_judge_enough_tried(runner->config, summary) && runner->config->give_up == NULL &&
        !about_all(runner) && runner->fixture->untested != NULL) {
        item = runner->fixture->untested(env_of(runner));
    }
    if (item == NULL) {
        return;
    }
    begin_test(runner, &test, item);
    test.unplanned = true;
    agpu_cost_begin(&test.cost, runner->tracker.accesses, runner_now(runner));
    run_guarded(runner, &test);
    runner->fixture->ended(&test);
    if (test.result != AGPU_PASS) {
        agpu_judge_ability(runner->config, test.result == AGPU_SKIP ? AGPU_FAIL : test.result, test.reason,
                           &runner->summary);
    }
}

static void run_selection(struct runner *runner)
{
    struct agpu_runner_config selection = *runner->config;
    struct agpu_plan plan = {.device = runner->device};
    struct agpu_text device, why;
    char reason[sizeof(((struct agpu_test *)0)->reason)];

    agpu_text_begin(&device, runner->device, sizeof runner->device);
    if (about_all(runner)) {
        describe_functions(runner->config->fixture_config.functions, &device);
    } else {
        runner->fixture->describe(env_of(runner), &device);
    }
    selection.device = runner->found.device;
    agpu_list(&selection, plan_case, &plan);
    if (plan.count == 0) {
        agpu_text_begin(&why, reason, sizeof reason);
        agpu_report_empty_selection(&selection, runner->device, &why);
        run_error(runner, &no_selection, reason);
        return;
    }
    if (!find_start(runner, &selection)) {
        run_error(runner, &no_such_place, "after= names no case that the filter selects");
        return;
    }
    plan.expect = runner->expect;
    plan.missing = about_all(runner) ? NULL : runner->found.missing;
    announce(runner, &plan);
    if (!about_all(runner)) {
        agpu_judge_device(runner->config, &runner->found, runner->expect, &runner->summary);
    }
    run_in_order(runner, &selection, plan.count);
    run_untested(runner);
    agpu_report_stopped(runner->config, &runner->summary);
    agpu_report_unjudged(runner->config);
}

/* Sends the records of a run that could not start. */
static enum agpu_result report_no_memory(const struct agpu_runner_config *config, struct agpu_summary *out)
{
    static const char reason[] = "no heap memory for the test runner: nothing was run";
    struct agpu_summary summary = {
        .worst = AGPU_ERROR, .counts = {[AGPU_ERROR] = 1}, .ended = 1, .planned = 1};

    agpu_stream_log(config->stream, AGPU_LOG_ERROR, reason);
    agpu_send_plan(config, &(struct agpu_plan){
                               .device = "none", .count = 1, .digest = agpu_digest_add(0, no_device.id)});
    agpu_send_result(config, &no_device, 1, AGPU_ERROR, AGPU_SKIP_NONE, reason);
    if (config->round.number == 0) {
        agpu_send_summary(config->stream, &summary);
    }
    if (out != NULL) {
        *out = summary;
    }
    return AGPU_ERROR;
}

enum agpu_result agpu_run(const struct agpu_runner_config *config, struct agpu_summary *out)
{
    uint64_t bound = config->total_bound_ns ? config->total_bound_ns : TOTAL_BOUND_NS;
    const struct agpu_platform *platform = config->platform;
    struct agpu_fixture_config fixture_config = config->fixture_config;
    struct runner *runner = platform->heap_alloc(platform->ctx, sizeof *runner + config->fixture->env_bytes);
    enum agpu_result worst;
    char reason[sizeof(((struct agpu_test *)0)->reason)];
    struct agpu_text why;

    if (runner == NULL) {
        return report_no_memory(config, out);
    }
    *runner = (struct runner){
        .config = config, .fixture = config->fixture, .stream = config->stream, .device = "none"};
    runner->start_ns = runner_now(runner);
    runner->last_beat_ns = runner->start_ns;
    runner->deadline_ns = runner->start_ns + bound;
    agpu_expect_of(config->expect,
                   config->fixture_config.functions != NULL ? config->fixture_config.functions->number : 0,
                   runner->expect);
    agpu_tracker_init(&runner->tracker, platform, beat_when_due, runner);
    runner->tracker.keeps = config->guard.call != NULL;
    fixture_config.platform = &runner->tracker.platform;

    agpu_text_begin(&why, reason, sizeof reason);
    if (runner->fixture->open(env_of(runner), &fixture_config, &runner->found, &why) == AGPU_OK) {
        run_selection(runner);
        runner->fixture->close(env_of(runner));
        agpu_cost_send(runner->stream, &runner->cost);
    } else {
        run_error(runner, &no_device, reason);
    }
    runner->summary.elapsed_us = elapsed_us(runner);
    agpu_ask_for_fault(runner->config, &runner->summary);
    agpu_judge_tried(runner->config, &runner->summary);
    if (config->round.number == 0) {
        agpu_send_summary(config->stream, &runner->summary);
    }
    if (out != NULL) {
        *out = runner->summary;
    }
    worst = runner->summary.worst;
    platform->heap_free(platform->ctx, runner);
    return worst;
}
