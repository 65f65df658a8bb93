/* test_host_verdict.c: the verdict of each way in which a run can end, and the time limits. */
#include <stdio.h>
#include <string.h>
#include "tests/unit/host/collector_fixture.h"
#include "tests/host/wire/run_verdict.h"
#include "tests/unit/test.h"

static void half_a_run(void)
{
    dbg(0, PLAN2);
    dbg(1, START_A);
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

FIXTURE(NULL, teardown);

TEST(every_ending_has_its_verdict)
{
    ending(AGPU_ENDING_STOPPED, AGPU_VERDICT_CRASH, AGPU_VERDICT_CRASH);
    ending(AGPU_ENDING_MACHINE_DIED, AGPU_VERDICT_CRASH, AGPU_VERDICT_CRASH);
    ending(AGPU_ENDING_DEVICE_DIED, AGPU_VERDICT_CRASH, AGPU_VERDICT_CRASH);
    ending(AGPU_ENDING_EXCEPTION, AGPU_VERDICT_CRASH, AGPU_VERDICT_CRASH);
    ending(AGPU_ENDING_SILENCE, AGPU_VERDICT_TIMEOUT, AGPU_VERDICT_TIMEOUT);
    ending(AGPU_ENDING_CASE_TIMEOUT, AGPU_VERDICT_TIMEOUT, AGPU_VERDICT_TIMEOUT);
    ending(AGPU_ENDING_RUN_TIMEOUT, AGPU_VERDICT_TIMEOUT, AGPU_VERDICT_TIMEOUT);
    ending(AGPU_ENDING_INTERRUPTED, AGPU_VERDICT_INTERRUPTED, AGPU_VERDICT_INTERRUPTED);
}

TEST(records_that_stop_are_a_crash)
{
    begin(NULL);
    half_a_run();
    expect(finish(), "ring.a", AGPU_VERDICT_CRASH);
}

/* Several rounds in one boot: a case counts once, with its worst verdict; the summary counts each end. */
static void rounds(const char *second_end, const char *summary, enum agpu_verdict verdict)
{
    begin(NULL);
    dbg(0, PLAN2);
    dbg(1, START_A);
    dbg(2, second_end);
    dbg(3, START_B);
    dbg(4, PASS_B);
    dbg(5, "start ring.b index=1 round=2");
    dbg(6, PASS_B);
    dbg(7, "start ring.a index=2 round=2");
    dbg(8, PASS_A);
    dbg(9, summary);
    struct agpu_run *run = finish();
    expect(run, "ring.a", verdict);
    expect(run, "ring.b", AGPU_VERDICT_PASS);
    assert_int_equal(run->verdict, verdict);
    assert_int_equal(agpu_run_counts(run).total, 2);
    assert_int_equal(agpu_run_counts(run).not_run, 0);
    teardown(NULL);
}

TEST(rounds_are_one_run)
{
    rounds(PASS_A,
           "summary - status=PASS passed=4 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=4 us=9",
           AGPU_VERDICT_PASS);
    rounds("end ring.a status=FAIL us=5 reason=once",
           "summary - status=FAIL passed=3 failed=1 errors=0 skipped=0 timeouts=0 crashed=0 total=4 us=9",
           AGPU_VERDICT_FAIL);
}

TEST(nothing_at_all_is_an_error)
{
    begin(NULL);
    agpu_collector_end(fx.collector, AGPU_ENDING_BOOT_TIMEOUT, "no plan");
    assert_int_equal(finish()->verdict, AGPU_VERDICT_ERROR);
}

TEST(an_empty_plan_is_an_error)
{
    begin(NULL);
    dbg(0, "plan - count=0 format=2 build=b device=none");
    dbg(1, "summary - status=PASS passed=0 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=0 us=9");
    assert_int_equal(finish()->verdict, AGPU_VERDICT_ERROR);
}

TEST(a_skipped_run_is_complete)
{
    begin(NULL);
    dbg(0, "plan - count=1 format=2 build=b device=d");
    dbg(1, START_A);
    dbg(2, "end ring.a status=SKIP us=1 reason=\"no FENCE_PAGE\"");
    dbg(3, "summary - status=SKIP passed=0 failed=0 errors=0 skipped=1 timeouts=0 crashed=0 total=1 us=9");
    assert_int_equal(finish()->verdict, AGPU_VERDICT_SKIP); /* no case was run: no PASS */
}

TEST(missing_cases_fail_the_run)
{
    begin(NULL);
    dbg(0, PLAN2);
    dbg(1, START_A);
    dbg(2, PASS_A);
    dbg(3, "summary - status=PASS passed=1 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=1 us=9");
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_ERROR);
    assert_int_equal(agpu_run_counts(run).not_run, 1);
}

TEST(what_no_device_may_do_is_an_error_of_a_run_that_passed)
{
    begin(NULL);
    dbg(0, PLAN2);
    dbg(1, START_A);
    dbg(2, PASS_A);
    agpu_run_device_fault(agpu_collector_run(fx.collector), "asked for absurd DMA");
    dbg(3, START_B);
    dbg(4, PASS_B);
    dbg(5, "summary - status=PASS passed=2 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=2 us=9");
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_ERROR);
    assert_int_equal(agpu_run_counts(run).by_verdict[AGPU_VERDICT_PASS], 2);
    assert_string_equal(run->problems[0], "asked for absurd DMA");
    assert_int_equal(run->problem_count, 1);
    assert_int_equal(run->ending, AGPU_ENDING_DEVICE_FAULT);
    assert_string_equal(run->ending_text, "asked for absurd DMA");
}

TEST(the_image_is_believed_when_it_is_worse)
{
    begin(NULL);
    dbg(0, PLAN2);
    dbg(1, START_A);
    dbg(2, PASS_A);
    dbg(3, START_B);
    dbg(4, PASS_B);
    dbg(5, "summary - status=ERROR passed=2 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=2 us=9");
    assert_int_equal(finish()->verdict, AGPU_VERDICT_ERROR);
}

TEST(counts_that_differ_are_an_error)
{
    begin(NULL);
    dbg(0, PLAN2);
    dbg(1, START_A);
    dbg(2, PASS_A);
    dbg(3, START_B);
    dbg(4, PASS_B);
    dbg(5, "summary - status=PASS passed=1 failed=1 errors=0 skipped=0 timeouts=0 crashed=0 total=2 us=9");
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_ERROR);
    assert_true(has_problem(run, "the image counted 2 cases, 1 of them passed"));
}

TEST(a_failed_check_outweighs_pass)
{
    begin(NULL);
    half_a_run();
    dbg(2, "check ring.a expr=\"a == b\" file=f.c line=3 expected=1 actual=2");
    dbg(3, PASS_A);
    expect(finish(), "ring.a", AGPU_VERDICT_FAIL);
}

TEST(an_unknown_status_is_an_error)
{
    begin(NULL);
    half_a_run();
    dbg(2, "end ring.a status=FINE us=1");
    expect(finish(), "ring.a", AGPU_VERDICT_ERROR);
}

TEST(the_echo_of_a_dead_device_is_its_crash)
{
    begin(NULL);
    half_a_run();
    agpu_collector_end(fx.collector, AGPU_ENDING_DEVICE_DIED, "device model ended: signal 9");
    dbg(2, "check ring.a expr=x file=f.c line=3 expected=0 actual=0xffffffff");
    dbg(3, "end ring.a status=FAIL us=9");
    dbg(4, START_B);
    struct agpu_run *run = finish();
    expect(run, "ring.a", AGPU_VERDICT_CRASH);
    assert_int_equal(agpu_run_counts(run).by_verdict[AGPU_VERDICT_FAIL], 0);
    assert_int_equal(agpu_run_counts(run).by_verdict[AGPU_VERDICT_CRASH], 1);
}

TEST(what_ended_before_the_death_counts)
{
    begin(NULL);
    half_a_run();
    agpu_collector_end(fx.collector, AGPU_ENDING_DEVICE_DIED, "device model ended: signal 9");
    dbg(2, PASS_A);
    dbg(3, START_B);
    struct agpu_run *run = finish();
    expect(run, "ring.a", AGPU_VERDICT_PASS);
    expect(run, "ring.b", AGPU_VERDICT_CRASH);
}

/* ---- time limits ---- */

static const struct agpu_collector_config bounds = {.boot_timeout_us = 60 * SECOND,
                                                    .silence_us = 15 * SECOND,
                                                    .case_timeout_us = 40 * SECOND,
                                                    .run_timeout_us = 600 * SECOND};

/* Nothing happens before the deadline. At the deadline the run ends for this reason. */
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

TEST(bounds_the_boot)
{
    begin(&bounds);
    dbg(0, "log - level=info text=entry");
    at_deadline(70 * SECOND, AGPU_ENDING_BOOT_TIMEOUT);
}

TEST(bounds_silence)
{
    begin(&bounds);
    half_a_run();
    at_deadline(fx.now + 15 * SECOND, AGPU_ENDING_SILENCE);
    expect(finish(), "ring.a", AGPU_VERDICT_TIMEOUT);
}

TEST(bounds_a_case_that_lives)
{
    begin(&bounds);
    half_a_run();
    uint64_t started = fx.now;
    for (unsigned i = 2; i < 5; i++) {
        fx.now += 10 * SECOND;
        dbg(i, "heartbeat ring.a elapsed_us=1");
    }
    at_deadline(started + 40 * SECOND, AGPU_ENDING_CASE_TIMEOUT);
}

TEST(bounds_the_run)
{
    begin(&(struct agpu_collector_config){.run_timeout_us = 20 * SECOND});
    half_a_run();
    at_deadline(30 * SECOND, AGPU_ENDING_RUN_TIMEOUT);
}

TEST(a_finished_run_has_no_bounds)
{
    begin(&bounds);
    a_good_run(dbg);
    assert_true(agpu_collector_deadline(fx.collector) == UINT64_MAX);
}

TEST(sees_exceptions)
{
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

TEST(sees_the_images_own_exception_record)
{
    begin(&bounds);
    half_a_run();
    dbg(2, "log ring.a level=error text=\"exception: page fault\" vector=14 rip=0x7e2a11c7 offset=0x11c7");
    agpu_collector_end(fx.collector, AGPU_ENDING_STOPPED, "the machine powered off before the summary");
    assert_string_equal(find(finish(), "ring.a")->reason,
                        "CPU exception: page fault; rip 0x7e2a11c7, offset 0x11c7");
}

TEST(evidence_is_bounded)
{
    begin(NULL);
    dbg(0, PLAN2);
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

TEST(metrics_are_summed_up)
{
    begin(NULL);
    dbg(0, PLAN2);
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
    assert_true(has_problem(run, "metric broken has the value \"x\", which is not a number"));
}
