/* test_rounds.c: several rounds of the catalogue: each verdict counts, each round has another order, and growth is
 * detected. */
#include <stdio.h>
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/harness/rounds.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/rounds.h"
#include "tests/host_platform/host_platform.h"
#include "tests/unit/test.h"

static char log_text[2000000];
static size_t log_length;
static unsigned body_runs, fail_at;
static uint64_t gauge_step, gauge_reads;

static void collect(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    assert_true(log_length + length < sizeof log_text);
    memcpy(log_text + log_length, packet, length);
    log_length += length;
    log_text[log_length] = '\0';
}

static void rounds_body(struct agpu_test *t)
{
    agpu_check(t, true);
    agpu_check_drop(t, 0); /* checks=1 in the end record */
    agpu_check(t, ++body_runs != fail_at);
}

/* Varies by two around its trend. */
static unsigned wandering_gauge(void *ctx, struct agpu_gauge *out, unsigned max)
{
    (void)ctx;
    (void)max;
    gauge_reads++;
    out[0] = (struct agpu_gauge){"round.test", "things", 100 + gauge_reads % 3 + gauge_reads * gauge_step, 0};
    return 1;
}

static struct agpu_runner_config choice; /* further settings of a test */

static enum agpu_result run(unsigned count, uint64_t shuffle, uint64_t step, struct agpu_summary *summary)
{
    static struct agpu_case cases[] = {
        {.id = "a.one", .spec = "none", .needs = AGPU_NEED_MACHINE, .run = rounds_body},
        {.id = "b.two", .spec = "none", .needs = AGPU_NEED_MACHINE, .run = rounds_body},
        {.id = "c.three", .spec = "none", .needs = AGPU_NEED_MACHINE, .run = rounds_body},
        {.id = "d.four", .spec = "none", .needs = AGPU_NEED_MACHINE, .run = rounds_body},
    };
    const struct agpu_case_table table = {cases, sizeof cases / sizeof cases[0]};
    const struct agpu_case_table *tables[] = {&table};
    struct agpu_sink sink = {.name = "test", .packet = collect};
    struct agpu_host *host =
        agpu_host_create(&(struct agpu_host_config){.clock = AGPU_HOST_CLOCK_MANUAL}, NULL, 0);
    struct agpu_stream stream;
    struct agpu_runner_config config = {
        .stream = &stream, .fixture = &agpu_device_fixture, .tables = tables, .table_count = 1};
    const struct agpu_rounds_config rounds = {.count = count, .shuffle = shuffle, .gauges = wandering_gauge};
    enum agpu_result worst;

    assert_non_null(host);
    cases[3].flags = shuffle != 0 ? AGPU_CASE_LAST : 0; /* skipped in each round, at its own place */
    log_length = 0;
    body_runs = 0;
    gauge_reads = 0;
    gauge_step = step;
    config.platform = agpu_host_platform(host);
    config.tags = choice.tags;
    config.shard = choice.shard;
    config.cases_max = choice.cases_max;
    config.until_failure = choice.until_failure;
    config.quarantine = choice.quarantine;
    agpu_stream_init(&stream, config.platform->now_ns, config.platform->ctx, 0);
    agpu_stream_add_sink(&stream, &sink);
    worst = agpu_run_rounds(&config, &rounds, summary);
    agpu_host_destroy(host);
    return worst;
}

static unsigned times(const char *text)
{
    unsigned count = 0;

    for (const char *at = log_text; (at = strstr(at, text)) != NULL; at++) {
        count++;
    }
    return count;
}

TEST(every_round_counts)
{
    struct agpu_summary summary;

    fail_at = 0;
    assert_int_equal(run(20, 0, 0, &summary), AGPU_PASS);
    assert_int_equal(body_runs, 80);
    assert_int_equal(summary.counts[AGPU_PASS], 81);
    assert_int_equal(times(";plan "), 1);
    assert_non_null(strstr(log_text, ";plan - count=5 "));
    assert_int_equal(times(";summary "), 1);
    assert_non_null(strstr(log_text, ";end stress.rounds.nothing_grows status=PASS"));
    assert_int_equal(times("name=round.test"), 20);

    assert_int_equal(run(7, 0, 0, &summary),
                     AGPU_PASS); /* too few rounds: growth is not checked, and there is no PASS for it */
    assert_non_null(
        strstr(log_text, ";end stress.rounds.nothing_grows status=SKIP us=0 checks=0 skip=few_rounds"));

    fail_at = 50; /* fails once, in the middle */
    assert_int_equal(run(20, 0, 0, &summary), AGPU_FAIL);
    assert_int_equal(summary.counts[AGPU_FAIL], 1);
    assert_int_equal(summary.counts[AGPU_PASS], 80);
}

TEST(stops_at_the_requested_case)
{
    struct agpu_summary summary;

    choice = (struct agpu_runner_config){.until_failure = true};
    fail_at = 42; /* the second case of round 11; rounds are unlimited */
    assert_int_equal(run(0, 0, 0, &summary), AGPU_FAIL);
    assert_int_equal(body_runs, 42);
    assert_int_equal(summary.left, 2);
    assert_non_null(strstr(log_text, "stopped at the first failure: 2 cases were not begun"));
    fail_at = 0;
    assert_int_equal(run(5, 0, 0, &summary), AGPU_PASS);
    assert_int_equal(body_runs, 20);
    choice = (struct agpu_runner_config){.cases_max = 3};
    assert_int_equal(run(0, 0, 0, &summary), AGPU_PASS);
    assert_int_equal(body_runs, 3);
    assert_non_null(strstr(log_text, " left=1"));
    choice = (struct agpu_runner_config){.shard = {2, 3}};
    assert_int_equal(run(0, 0, 0, &summary), AGPU_PASS);
    assert_int_equal(body_runs, 1);
    assert_non_null(strstr(log_text, "end b.two "));
    choice = (struct agpu_runner_config){.tags = {.unwanted = 1u << AGPU_TAG_full}};
    assert_int_equal(run(0, 0, 0, &summary), AGPU_ERROR);
    choice = (struct agpu_runner_config){0};
}

TEST(known_failures_make_nothing_worse)
{
    static struct agpu_quarantine known;
    struct agpu_summary summary;

    assert_true(agpu_quarantine_add(&known, "b.*,c.* 2026-12-31 of old", 25));
    choice = (struct agpu_runner_config){.quarantine = &known, .until_failure = true};
    fail_at = 2;
    assert_int_equal(run(1, 0, 0, &summary), AGPU_PASS);
    assert_int_equal(body_runs, 4);
    assert_int_equal(summary.counts[AGPU_FAIL], 1);
    assert_int_equal(summary.known, 1);
    assert_non_null(
        strstr(log_text, "quarantine=known quarantine_until=20261231 quarantine_reason=\"of old\""));
    assert_non_null(strstr(log_text, "end c.three status=PASS us=0 checks=1 quarantine=passed "));
    known.today = 20270101;
    assert_int_equal(run(1, 0, 0, &summary), AGPU_FAIL);
    assert_int_equal(body_runs, 2);
    assert_non_null(strstr(log_text, " quarantine=expired "));
    choice = (struct agpu_runner_config){0};
}

static unsigned loops;

static void loops_body(struct agpu_test *t)
{
    struct agpu_rounds each;

    loops = 0;
    for (agpu_rounds_begin(&each, t, 3); agpu_rounds_next(&each) && agpu_time_left(t);) {
        loops++;
    }
    agpu_rounds_report(&each, t);
}

/* A chosen duration applies to the cases with the tag only, and extends their time limits. */
TEST(stress_goes_on)
{
    static const struct agpu_case cases[] = {
        {.id = "stress.a.loops", .spec = "none", .needs = AGPU_NEED_MACHINE, .run = loops_body},
        {.id = "a.loops", .spec = "none", .needs = AGPU_NEED_MACHINE, .run = loops_body},
    };
    struct agpu_sink sink = {.name = "test", .packet = collect};
    struct agpu_host *host =
        agpu_host_create(&(struct agpu_host_config){.clock = AGPU_HOST_CLOCK_REAL}, NULL, 0);
    const struct agpu_platform *platform;
    struct agpu_stream stream;
    uint64_t began;

    assert_non_null(host);
    platform = agpu_host_platform(host);
    for (unsigned i = 0; i < 2; i++) {
        const struct agpu_case_table table = {&cases[i], 1};
        const struct agpu_case_table *const tables[] = {&table};
        const struct agpu_runner_config config = {.platform = platform,
                                                  .stream = &stream,
                                                  .fixture = &agpu_device_fixture,
                                                  .tables = tables,
                                                  .table_count = 1,
                                                  .case_bound_ns = 1000000,
                                                  .total_bound_ns = 1000000000,
                                                  .stress_ns = 60000000};

        log_length = 0;
        agpu_stream_init(&stream, platform->now_ns, platform->ctx, 0);
        agpu_stream_add_sink(&stream, &sink);
        began = platform->now_ns(platform->ctx);
        agpu_run(&config, NULL);
        if (i == 0) {
            assert_true(loops > 3 && platform->now_ns(platform->ctx) - began >= 60000000);
            assert_non_null(strstr(log_text, "name=stress_rounds"));
        } else {
            assert_int_equal(loops, 3);
        }
    }
    agpu_host_destroy(host);
}

TEST(growth_is_a_failure)
{
    struct agpu_summary summary;

    fail_at = 0;
    assert_int_equal(run(20, 0, 1, &summary), AGPU_FAIL);
    assert_non_null(strstr(log_text, "grew over the rounds: round.test from at most "));
    /* More rounds than the history holds. */
    assert_int_equal(run(1500, 0, 1, &summary), AGPU_FAIL);
    assert_int_equal(run(1500, 0, 0, &summary), AGPU_PASS);
}

/* Reads the start records of a run, in their order. */
static void read_order(char *order, size_t size)
{
    size_t used = 0;

    for (const char *at = log_text; (at = strstr(at, ";start ")) != NULL; at++) {
        if (used + 1 < size) {
            order[used++] = at[7];
        }
    }
    order[used] = '\0';
}

TEST(orders_differ_and_can_be_had_again)
{
    struct agpu_summary summary;
    char first[64], again[64], other[64];

    fail_at = 0;
    run(6, 7, 0, &summary);
    assert_int_equal(summary.counts[AGPU_SKIP], 7);
    read_order(first, sizeof first);
    run(6, 7, 0, &summary);
    read_order(again, sizeof again);
    run(6, 8, 0, &summary);
    read_order(other, sizeof other);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
    assert_true(memcmp(first, first + 4, 4) != 0 || memcmp(first, first + 8, 4) != 0);
    for (unsigned i = 3; i < 24; i += 4) {
        assert_int_equal(first[i], 'd'); /* AGPU_CASE_LAST */
    }
}
