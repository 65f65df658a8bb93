/* The collector: merging sources, holes, restarts, and the verdict of every way a run can end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/host/collector.h"

#define SECOND UINT64_C(1000000)

/* What came out. */
struct fixture {
    struct agpu_collector *collector;
    uint64_t now;
    char order[400]; /* sequence numbers as they came out */
    char done[200];  /* cases announced */
    char noise[200];
};

static struct fixture fx;

static void on_record(void *ctx, const struct agpu_received *received)
{
    struct fixture *f = ctx;
    size_t used = strlen(f->order);
    snprintf(f->order + used, sizeof f->order - used, "%u:%d ", received->boot, (int)received->seq);
}

static void on_console(void *ctx, enum agpu_source source, const char *line, size_t length, bool is_record)
{
    struct fixture *f = ctx;
    size_t used = strlen(f->noise);
    if (!is_record && source == AGPU_SOURCE_DEBUGCON) {
        snprintf(f->noise + used, sizeof f->noise - used, "[%.*s]", (int)length, line);
    }
}

static void on_case(void *ctx, const struct agpu_case_result *c)
{
    struct fixture *f = ctx;
    size_t used = strlen(f->done);
    snprintf(f->done + used, sizeof f->done - used, "%s=%s ", c->id, agpu_verdict_name(agpu_case_verdict(c)));
}

static void begin(const struct agpu_collector_config *bounds)
{
    struct agpu_collector_config config = bounds ? *bounds : (struct agpu_collector_config){0};
    memset(&fx, 0, sizeof fx);
    fx.now = 10 * SECOND;
    config.start_us = fx.now;
    config.output = (struct agpu_collector_output){
        .ctx = &fx, .record = on_record, .console = on_console, .case_done = on_case};
    fx.collector = agpu_collector_create(&config);
    assert_non_null(fx.collector);
}

static int teardown(void **state)
{
    (void)state;
    agpu_collector_destroy(fx.collector);
    fx.collector = NULL;
    return 0;
}

/* One record, stamped seq ms, on a source. */
static bool from(enum agpu_source source, unsigned seq, const char *text)
{
    char line[600];
    int n = snprintf(line, sizeof line, "6,%u,%u,-;%s\n", seq, seq * 1000, text);
    fx.now += 10;
    if (source == AGPU_SOURCE_UDP) {
        return agpu_collector_packet(fx.collector, line, (size_t)n, fx.now);
    }
    agpu_collector_stream(fx.collector, source, line, (size_t)n, fx.now);
    return true;
}

static void udp(unsigned seq, const char *text)
{
    assert_true(from(AGPU_SOURCE_UDP, seq, text));
}

static void dbg(unsigned seq, const char *text)
{
    from(AGPU_SOURCE_DEBUGCON, seq, text);
}

static const char plan2[] = "plan - count=2 build=b device=d";
static const char start_a[] = "start ring.a index=1";
static const char pass_a[] = "end ring.a status=PASS us=5";
static const char start_b[] = "start ring.b index=2";
static const char pass_b[] = "end ring.b status=PASS us=5";
static const char all_2[] =
    "summary - status=PASS passed=2 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=2 us=9";

static struct agpu_run *finish(void)
{
    agpu_collector_finish(fx.collector, fx.now);
    return agpu_collector_run(fx.collector);
}

static const struct agpu_case_result *find(const struct agpu_run *run, const char *id)
{
    for (size_t i = 0; i < run->case_count; i++) {
        if (strcmp(run->cases[i]->id, id) == 0) {
            return run->cases[i];
        }
    }
    fail_msg("case %s is not known", id);
    return NULL;
}

static void expect(const struct agpu_run *run, const char *id, enum agpu_verdict verdict)
{
    assert_string_equal(agpu_verdict_name(agpu_case_verdict(find(run, id))), agpu_verdict_name(verdict));
}

static bool has_problem(const struct agpu_run *run, const char *part)
{
    for (size_t i = 0; i < run->problem_count; i++) {
        if (strstr(run->problems[i], part)) {
            return true;
        }
    }
    return false;
}

static void a_good_run(void (*say)(unsigned seq, const char *text))
{
    say(0, plan2);
    say(1, start_a);
    say(2, pass_a);
    say(3, start_b);
    say(4, pass_b);
    say(5, all_2);
}

static void passes(void **state)
{
    (void)state;
    begin(NULL);
    a_good_run(udp);
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_string_equal(fx.done, "ring.a=PASS ring.b=PASS ");
    assert_int_equal(run->problem_count, 0);
}

static void merges_copies(void **state)
{
    (void)state;
    begin(NULL);
    a_good_run(dbg);
    a_good_run(udp);
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_string_equal(fx.order, "0:0 0:1 0:2 0:3 0:4 0:5 ");
    assert_int_equal(agpu_collector_stats(fx.collector)->copies, 6);
    assert_int_equal(run->boot, 0);
}

static void fills_holes(void **state)
{
    (void)state;
    begin(NULL);
    udp(0, plan2);
    udp(1, start_a);
    udp(4, pass_b);
    udp(5, all_2);
    assert_string_equal(fx.done, ""); /* ring.b ended, but something before it is missing */
    dbg(0, plan2);
    dbg(1, start_a);
    dbg(2, pass_a);
    dbg(3, start_b);
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_int_equal(agpu_collector_stats(fx.collector)->filled, 2);
    assert_int_equal(agpu_collector_gaps(fx.collector)->missing, 0);
}

static void reports_holes(void **state)
{
    (void)state;
    begin(NULL);
    udp(0, plan2);
    udp(1, start_a);
    udp(2, pass_a);
    udp(3, start_b); /* 4 and 5: heartbeats, say */
    udp(6, pass_b);
    udp(8, all_2);
    struct agpu_run *run = finish();
    const struct agpu_gaps *gaps = agpu_collector_gaps(fx.collector);
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS); /* nothing that a verdict needs was lost */
    assert_int_equal(gaps->missing, 3);
    assert_int_equal(gaps->count, 2);
    assert_int_equal(gaps->list[0].first, 4);
    assert_int_equal(gaps->list[0].last, 5);
    assert_true(has_problem(run, "3 records are missing on every source: seq 4-5, 7"));
}

static void a_lost_end_is_an_error(void **state)
{
    (void)state;
    begin(NULL);
    udp(0, plan2);
    udp(1, start_a);
    udp(3, start_b);
    udp(4, pass_b);
    udp(5, all_2);
    struct agpu_run *run = finish();
    expect(run, "ring.a", AGPU_VERDICT_ERROR);
    expect(run, "ring.b", AGPU_VERDICT_PASS);
    assert_int_equal(run->verdict, AGPU_VERDICT_ERROR);
}

static void disorder_is_put_right(void **state)
{
    (void)state;
    begin(NULL);
    udp(5, all_2);
    udp(4, pass_b);
    udp(1, start_a);
    udp(0, plan2);
    udp(3, start_b);
    udp(2, pass_a);
    assert_int_equal(finish()->verdict, AGPU_VERDICT_PASS);
}

static void waits_for_stragglers_a_moment(void **state)
{
    (void)state;
    begin(NULL);
    udp(0, plan2);
    udp(1, start_a);
    udp(3, pass_a); /* 2 is on its way, or lost */
    assert_string_equal(fx.done, "");
    uint64_t deadline = agpu_collector_deadline(fx.collector);
    assert_int_equal(deadline, fx.now + 300000);
    agpu_collector_tick(fx.collector, deadline - 1);
    assert_string_equal(fx.done, "");
    agpu_collector_tick(fx.collector, deadline);
    assert_string_equal(fx.done, "ring.a=PASS ");
}

static void noise_is_not_a_record(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, plan2);
    static const char noise[] = "hello\n6,1,1000,-;what is this\nBdsDxe 6,1,1000,-;start ring.a index=1\n";
    agpu_collector_stream(fx.collector, AGPU_SOURCE_DEBUGCON, noise, sizeof noise - 1, fx.now);
    assert_string_equal(fx.noise, "[hello][6,1,1000,-;what is this]");
    assert_string_equal(fx.order, "0:0 0:1 ");
    udp(2, "banana - a=1"); /* on the network nobody else speaks: worth a word */
    assert_int_equal(agpu_collector_stats(fx.collector)->malformed, 1);
    assert_true(has_problem(finish(), "udp: seq 2 is not a record: unknown record type"));
}

static void a_conflicting_copy_is_counted(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, plan2);
    dbg(1, start_a);
    udp(1, "start ring.c index=1");
    assert_int_equal(agpu_collector_stats(fx.collector)->conflicts, 1);
    assert_string_equal(fx.order, "0:0 0:1 ");
}

static void notices_a_restart(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, plan2);
    dbg(1, start_a);
    dbg(2, pass_a);
    dbg(3, start_b);
    udp(0, plan2);
    dbg(0, plan2);   /* it booted again */
    udp(1, start_a); /* a straggler of the boot before */
    dbg(1, start_a);
    dbg(2, pass_a);
    dbg(3, start_b);
    dbg(4, pass_b);
    dbg(5, all_2);
    udp(0, plan2);
    struct agpu_run *run = finish();
    assert_int_equal(run->boot, 1);
    expect(run, "ring.a", AGPU_VERDICT_PASS);
    expect(run, "ring.b", AGPU_VERDICT_CRASH); /* worst wins, though it passed the second time */
    assert_int_equal(run->verdict, AGPU_VERDICT_CRASH);
    assert_true(has_problem(run, "the machine started again during ring.b"));
    assert_int_equal(agpu_collector_gaps(fx.collector)->missing, 0);
}

static void udp_alone_notices_a_restart(void **state)
{
    (void)state;
    begin(NULL);
    udp(0, plan2);
    udp(1, start_a);
    udp(0, plan2); /* a second copy right away */
    assert_int_equal(agpu_collector_run(fx.collector)->boot, 0);
    fx.now += 3 * SECOND;
    udp(0, plan2);
    assert_int_equal(agpu_collector_run(fx.collector)->boot, 1);
}

static void the_next_run_is_another_run(void **state)
{
    (void)state;
    begin(&(struct agpu_collector_config){.run_per_summary = true});
    a_good_run(udp);
    fx.now += 3 * SECOND;
    assert_false(from(AGPU_SOURCE_UDP, 0, plan2));
    assert_int_equal(finish()->verdict, AGPU_VERDICT_PASS);
}

/* --- bad endings
 * -------------------------------------------------------------------------------------------------- */

static void half_a_run(void)
{
    dbg(0, plan2);
    dbg(1, start_a);
}

static void ending(enum agpu_ending why, enum agpu_verdict case_verdict, enum agpu_verdict run_verdict)
{
    begin(NULL);
    half_a_run();
    agpu_collector_end(fx.collector, why, "because");
    struct agpu_run *run = finish();
    expect(run, "ring.a", case_verdict);
    assert_string_equal(find(run, "ring.a")->reason, "because");
    assert_int_equal(run->verdict, run_verdict);
    assert_int_equal(agpu_run_counts(run).not_run, 1);
    assert_int_equal(agpu_run_counts(run).total, 1);
    teardown(NULL);
}

static void every_ending_has_its_verdict(void **state)
{
    (void)state;
    ending(AGPU_ENDING_STOPPED, AGPU_VERDICT_CRASH, AGPU_VERDICT_CRASH);
    ending(AGPU_ENDING_MACHINE_DIED, AGPU_VERDICT_CRASH, AGPU_VERDICT_CRASH);
    ending(AGPU_ENDING_DEVICE_DIED, AGPU_VERDICT_CRASH, AGPU_VERDICT_CRASH);
    ending(AGPU_ENDING_EXCEPTION, AGPU_VERDICT_CRASH, AGPU_VERDICT_CRASH);
    ending(AGPU_ENDING_SILENCE, AGPU_VERDICT_TIMEOUT, AGPU_VERDICT_TIMEOUT);
    ending(AGPU_ENDING_CASE_TIMEOUT, AGPU_VERDICT_TIMEOUT, AGPU_VERDICT_TIMEOUT);
    ending(AGPU_ENDING_RUN_TIMEOUT, AGPU_VERDICT_TIMEOUT, AGPU_VERDICT_TIMEOUT);
    ending(AGPU_ENDING_INTERRUPTED, AGPU_VERDICT_TIMEOUT, AGPU_VERDICT_TIMEOUT);
}

static void records_that_stop_are_a_crash(void **state)
{
    (void)state;
    begin(NULL);
    half_a_run();
    expect(finish(), "ring.a", AGPU_VERDICT_CRASH);
}

static void nothing_at_all_is_an_error(void **state)
{
    (void)state;
    begin(NULL);
    agpu_collector_end(fx.collector, AGPU_ENDING_BOOT_TIMEOUT, "no plan");
    assert_int_equal(finish()->verdict, AGPU_VERDICT_ERROR);
}

static void an_empty_plan_is_an_error(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, "plan - count=0 build=b device=none");
    dbg(1, "summary - status=PASS passed=0 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=0 us=9");
    assert_int_equal(finish()->verdict, AGPU_VERDICT_ERROR);
}

static void a_skipped_run_is_complete(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, "plan - count=1 build=b device=d");
    dbg(1, start_a);
    dbg(2, "end ring.a status=SKIP us=1 reason=\"no FENCE_PAGE\"");
    dbg(3, "summary - status=SKIP passed=0 failed=0 errors=0 skipped=1 timeouts=0 crashed=0 total=1 us=9");
    assert_true(finish()->verdict <= AGPU_VERDICT_SKIP);
}

static void missing_cases_fail_the_run(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, plan2);
    dbg(1, start_a);
    dbg(2, pass_a);
    dbg(3, "summary - status=PASS passed=1 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=1 us=9");
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_ERROR);
    assert_int_equal(agpu_run_counts(run).not_run, 1);
}

static void the_image_is_believed_when_it_is_worse(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, plan2);
    dbg(1, start_a);
    dbg(2, pass_a);
    dbg(3, start_b);
    dbg(4, pass_b);
    dbg(5, "summary - status=ERROR passed=2 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=2 us=9");
    assert_int_equal(finish()->verdict, AGPU_VERDICT_ERROR);
}

static void counts_that_differ_are_an_error(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, plan2);
    dbg(1, start_a);
    dbg(2, pass_a);
    dbg(3, start_b);
    dbg(4, pass_b);
    dbg(5, "summary - status=PASS passed=1 failed=1 errors=0 skipped=0 timeouts=0 crashed=0 total=2 us=9");
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_ERROR);
    assert_true(has_problem(run, "the image counted 2 cases, 1 of them passed"));
}

static void a_failed_check_outweighs_pass(void **state)
{
    (void)state;
    begin(NULL);
    half_a_run();
    dbg(2, "check ring.a expr=\"a == b\" file=f.c line=3 expected=1 actual=2");
    dbg(3, pass_a);
    expect(finish(), "ring.a", AGPU_VERDICT_FAIL);
}

static void an_unknown_status_is_an_error(void **state)
{
    (void)state;
    begin(NULL);
    half_a_run();
    dbg(2, "end ring.a status=FINE us=1");
    expect(finish(), "ring.a", AGPU_VERDICT_ERROR);
}

static void the_echo_of_a_dead_device_is_its_crash(void **state)
{
    (void)state;
    begin(NULL);
    half_a_run();
    agpu_collector_end(fx.collector, AGPU_ENDING_DEVICE_DIED, "device model ended: signal 9");
    dbg(2, "check ring.a expr=x file=f.c line=3 expected=0 actual=0xffffffff");
    dbg(3, "end ring.a status=FAIL us=9");
    dbg(4, start_b);
    struct agpu_run *run = finish();
    expect(run, "ring.a", AGPU_VERDICT_CRASH);
    assert_int_equal(agpu_run_counts(run).by_verdict[AGPU_VERDICT_FAIL], 0);
    assert_int_equal(agpu_run_counts(run).by_verdict[AGPU_VERDICT_CRASH], 1);
}

static void what_ended_before_the_death_counts(void **state)
{
    (void)state;
    begin(NULL);
    half_a_run();
    agpu_collector_end(fx.collector, AGPU_ENDING_DEVICE_DIED, "device model ended: signal 9");
    dbg(2, pass_a);
    dbg(3, start_b);
    struct agpu_run *run = finish();
    expect(run, "ring.a", AGPU_VERDICT_PASS);
    expect(run, "ring.b", AGPU_VERDICT_CRASH);
}

/* --- bounds
 * ------------------------------------------------------------------------------------------------------- */

static const struct agpu_collector_config bounds = {.boot_timeout_us = 60 * SECOND,
                                                    .silence_us = 15 * SECOND,
                                                    .case_timeout_us = 40 * SECOND,
                                                    .run_timeout_us = 600 * SECOND};

/* Nothing may happen before the deadline, and this must at it. */
static void at_deadline(uint64_t expected, enum agpu_ending why)
{
    uint64_t deadline = agpu_collector_deadline(fx.collector);
    assert_int_equal(deadline, expected);
    agpu_collector_tick(fx.collector, deadline - 1);
    assert_int_equal(agpu_collector_run(fx.collector)->ending, AGPU_ENDING_NONE);
    agpu_collector_tick(fx.collector, deadline);
    assert_int_equal(agpu_collector_run(fx.collector)->ending, why);
    assert_true(agpu_collector_deadline(fx.collector) == UINT64_MAX);
}

static void bounds_the_boot(void **state)
{
    (void)state;
    begin(&bounds);
    dbg(0, "log - level=info text=entry");
    at_deadline(70 * SECOND, AGPU_ENDING_BOOT_TIMEOUT);
}

static void bounds_silence(void **state)
{
    (void)state;
    begin(&bounds);
    half_a_run();
    at_deadline(fx.now + 15 * SECOND, AGPU_ENDING_SILENCE);
    expect(finish(), "ring.a", AGPU_VERDICT_TIMEOUT);
}

static void bounds_a_case_that_lives(void **state)
{
    (void)state;
    begin(&bounds);
    half_a_run();
    uint64_t started = fx.now;
    for (unsigned i = 2; i < 5; i++) {
        fx.now += 10 * SECOND;
        dbg(i, "heartbeat ring.a elapsed_us=1");
    }
    at_deadline(started + 40 * SECOND, AGPU_ENDING_CASE_TIMEOUT);
}

static void bounds_the_run(void **state)
{
    (void)state;
    begin(&(struct agpu_collector_config){.run_timeout_us = 20 * SECOND});
    half_a_run();
    at_deadline(30 * SECOND, AGPU_ENDING_RUN_TIMEOUT);
}

static void a_finished_run_has_no_bounds(void **state)
{
    (void)state;
    begin(&bounds);
    a_good_run(dbg);
    assert_true(agpu_collector_deadline(fx.collector) == UINT64_MAX);
}

static void sees_exceptions(void **state)
{
    (void)state;
    begin(&bounds);
    half_a_run();
    static const char dump[] =
        "!!!! X64 Exception Type - 0D(#GP - General Protection)  CPU Apic ID - 00000000 !!!!\r\n"
        "RIP  - 0000000006A1B2C3, CS  - 0038\r\n";
    agpu_collector_stream(fx.collector, AGPU_SOURCE_SERIAL, dump, sizeof dump - 1, fx.now);
    at_deadline(fx.now + SECOND / 2, AGPU_ENDING_EXCEPTION);
    assert_string_equal(
        find(finish(), "ring.a")->reason,
        "CPU exception: X64 Exception Type - 0D(#GP - General Protection)  CPU Apic ID - 00000000; "
        "RIP  - 0000000006A1B2C3");
}

static void sees_the_images_own_exception_record(void **state)
{
    (void)state;
    begin(&bounds);
    half_a_run();
    dbg(2, "log ring.a level=error text=\"exception: page fault\" vector=14 rip=0x7e2a11c7 offset=0x11c7");
    agpu_collector_end(fx.collector, AGPU_ENDING_STOPPED, "the machine powered off before the summary");
    assert_string_equal(find(finish(), "ring.a")->reason,
                        "CPU exception: page fault; rip 0x7e2a11c7, offset 0x11c7");
}

static void evidence_is_bounded(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, plan2);
    for (unsigned i = 1; i <= 200; i++) {
        char line[200];
        if (i <= 100) {
            snprintf(line, sizeof line, "check ring.a expr=x%u file=f.c line=%u", i, i);
        } else {
            snprintf(line, sizeof line, "log - level=warning text=w%u", i);
        }
        dbg(i, line);
    }
    const struct agpu_run *run = finish();
    assert_int_equal(run->problem_count, AGPU_PROBLEMS_MAX);
    assert_int_equal(find(run, "ring.a")->checks_kept, AGPU_CHECKS_PER_CASE);
    assert_int_equal(find(run, "ring.a")->checks_failed, 100);
}

static void metrics_are_summed_up(void **state)
{
    (void)state;
    begin(NULL);
    dbg(0, plan2);
    for (unsigned i = 1; i <= 100; i++) {
        char line[100];
        snprintf(line, sizeof line, "metric ring.a name=latency value=%u unit=us", 101 - i);
        dbg(i, line);
    }
    dbg(101, "metric ring.a name=broken value=x unit=us");
    struct agpu_run *run = finish();
    assert_int_equal(run->metrics.count, 1);
    assert_true(agpu_metric_percentile(&run->metrics.items[0], 50) == 50);
    assert_true(agpu_metric_percentile(&run->metrics.items[0], 99) == 99);
    assert_true(agpu_metric_percentile(&run->metrics.items[0], 100) == 100);
    assert_true(agpu_metric_percentile(&run->metrics.items[0], 0) == 1);
    assert_true(has_problem(run, "metric broken has the value \"x\", which is no number"));
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(passes),
        TEST(merges_copies),
        TEST(fills_holes),
        TEST(reports_holes),
        TEST(a_lost_end_is_an_error),
        TEST(disorder_is_put_right),
        TEST(waits_for_stragglers_a_moment),
        TEST(noise_is_not_a_record),
        TEST(a_conflicting_copy_is_counted),
        TEST(notices_a_restart),
        TEST(udp_alone_notices_a_restart),
        TEST(the_next_run_is_another_run),
        TEST(every_ending_has_its_verdict),
        TEST(records_that_stop_are_a_crash),
        TEST(nothing_at_all_is_an_error),
        TEST(an_empty_plan_is_an_error),
        TEST(a_skipped_run_is_complete),
        TEST(missing_cases_fail_the_run),
        TEST(the_image_is_believed_when_it_is_worse),
        TEST(counts_that_differ_are_an_error),
        TEST(a_failed_check_outweighs_pass),
        TEST(an_unknown_status_is_an_error),
        TEST(the_echo_of_a_dead_device_is_its_crash),
        TEST(what_ended_before_the_death_counts),
        TEST(bounds_the_boot),
        TEST(bounds_silence),
        TEST(bounds_a_case_that_lives),
        TEST(bounds_the_run),
        TEST(a_finished_run_has_no_bounds),
        TEST(sees_exceptions),
        TEST(sees_the_images_own_exception_record),
        TEST(evidence_is_bounded),
        TEST(metrics_are_summed_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
