/* test_host_collector.c: the collector: merging of sources, gaps, restarts. */
#include <stdio.h>
#include <string.h>
#include "tests/host/wire/run_verdict.h"
#include "tests/unit/host/collector_fixture.h"
#include "tests/unit/test.h"

FIXTURE(NULL, teardown);

TEST(passes)
{
    begin(NULL);
    a_good_run(udp);
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_string_equal(fx.done, "ring.a=PASS ring.b=PASS ");
    assert_int_equal(run->problem_count, 0);
}

TEST(merges_copies)
{
    begin(NULL);
    a_good_run(dbg);
    a_good_run(udp);
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_string_equal(fx.order, "0:0 0:1 0:2 0:3 0:4 0:5 ");
    assert_int_equal(agpu_collector_stats(fx.collector)->copies, 6);
    assert_int_equal(run->boot, 0);
}

TEST(fills_holes)
{
    begin(NULL);
    udp(0, PLAN2);
    udp(1, START_A);
    udp(4, PASS_B);
    udp(5, ALL_2);
    assert_string_equal(fx.done, ""); /* ring.b has ended, but an earlier record is missing */
    dbg(0, PLAN2);
    dbg(1, START_A);
    dbg(2, PASS_A);
    dbg(3, START_B);
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_int_equal(agpu_collector_stats(fx.collector)->filled, 2);
    assert_int_equal(agpu_collector_gaps(fx.collector)->missing, 0);
}

TEST(reports_holes)
{
    begin(NULL);
    udp(0, PLAN2);
    udp(1, START_A);
    udp(2, PASS_A);
    udp(3, START_B); /* 4 and 5 may be heartbeats */
    udp(6, PASS_B);
    udp(8, ALL_2);
    struct agpu_run *run = finish();
    const struct agpu_gaps *gaps = agpu_collector_gaps(fx.collector);
    assert_int_equal(run->verdict, AGPU_VERDICT_ERROR); /* their contents are not known */
    assert_int_equal(gaps->missing, 3);
    assert_int_equal(gaps->count, 2);
    assert_int_equal(gaps->list[0].first, 4);
    assert_int_equal(gaps->list[0].last, 5);
    assert_true(has_problem(run, "3 records are missing on every source: seq 4-5, 7"));
}

/* The stream is lossless, so a record that is missing everywhere makes the verdict ERROR, whatever the cases report. */
TEST(a_hole_in_a_stream_is_an_error)
{
    static const struct {
        unsigned seq;
        const char *text;
    } items[] = {{0, PLAN2}, {1, START_A}, {2, PASS_A}, {3, START_B}, {6, PASS_B}, {8, ALL_2}};

    for (int filled = 0; filled < 2; filled++) {
        begin(NULL);
        for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
            stream(items[i].seq, items[i].text);
        }
        for (unsigned seq = 4; filled && seq < 8; seq++) {
            udp(seq, seq == 6 ? PASS_B : "log - level=info text=kept");
        }
        const struct agpu_run *run = finish();
        assert_int_equal(run->verdict, filled ? AGPU_VERDICT_PASS : AGPU_VERDICT_ERROR);
        assert_int_equal(has_problem(run, "3 records were lost on the network"), !filled);
        teardown(NULL);
    }
}

TEST(a_lost_end_is_an_error)
{
    begin(NULL);
    udp(0, PLAN2);
    udp(1, START_A);
    udp(3, START_B);
    udp(4, PASS_B);
    udp(5, ALL_2);
    struct agpu_run *run = finish();
    expect(run, "ring.a", AGPU_VERDICT_ERROR);
    expect(run, "ring.b", AGPU_VERDICT_PASS);
    assert_int_equal(run->verdict, AGPU_VERDICT_ERROR);
}

TEST(disorder_is_put_right)
{
    begin(NULL);
    udp(5, ALL_2);
    udp(4, PASS_B);
    udp(1, START_A);
    udp(0, PLAN2);
    udp(3, START_B);
    udp(2, PASS_A);
    const struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_string_equal(run->cases[0]->id, "ring.a"); /* reports use this order */
    assert_string_equal(run->cases[1]->id, "ring.b");
}

/* Records of several rounds are lost or late: a case has ended once the end of its last round is here. */
TEST(rounds_in_disorder_have_their_ends)
{
    static const unsigned orders[][4] = {{3, 4, 1, 2}, {4, 3, 2, 1}, {1, 3, 4, 2}, {1, 3, 2, 4},
                                         {2, 4, 1, 3}, {4, 1, 2, 3}, {3, 2, 1, 4}, {3, 4, 2, 1}};
    static const char *const records[] = {"start ring.a index=1 round=1", PASS_A,
                                          "start ring.a index=1 round=2", PASS_A};

    for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        begin(NULL);
        udp(0, "plan - count=1 format=2 build=b device=d");
        for (unsigned k = 0; k < 4; k++) {
            udp(orders[i][k], records[orders[i][k] - 1]);
            fx.now += SECOND; /* longer than the collector waits for the missing record */
            agpu_collector_tick(fx.collector, fx.now);
        }
        udp(5,
            "summary - status=PASS passed=1 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=1 us=9");
        const char *found = agpu_verdict_name(agpu_case_verdict(find(finish(), "ring.a")));
        if (strcmp(found, "PASS") != 0) {
            fail_msg(
                "starts 1 and 3 and ends 2 and 4 of two rounds came as %u %u %u %u: expected PASS, found %s",
                orders[i][0], orders[i][1], orders[i][2], orders[i][3], found);
        }
        teardown(NULL);
    }
    begin(NULL);
    udp(0, "plan - count=1 format=2 build=b device=d");
    udp(1, records[0]);
    udp(3, records[2]);
    udp(2, records[1]); /* of the first round; the second round has none */
    udp(5, "summary - status=PASS passed=1 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=1 us=9");
    expect(finish(), "ring.a", AGPU_VERDICT_ERROR);
}

TEST(waits_for_stragglers_a_moment)
{
    begin(NULL);
    udp(0, PLAN2);
    udp(1, START_A);
    udp(3, PASS_A); /* 2 is late or lost */
    assert_string_equal(fx.done, "");
    uint64_t deadline = agpu_collector_deadline(fx.collector);
    assert_int_equal(deadline, fx.now + 300000);
    agpu_collector_tick(fx.collector, deadline - 1);
    assert_string_equal(fx.done, "");
    agpu_collector_tick(fx.collector, deadline);
    assert_string_equal(fx.done, "ring.a=PASS ");
}

TEST(noise_is_not_a_record)
{
    begin(NULL);
    dbg(0, PLAN2);
    static const char noise[] = "hello\n6,1,1000,-;what is this\nBdsDxe 6,1,1000,-;start ring.a index=1\n";
    agpu_collector_stream(fx.collector, AGPU_SOURCE_DEBUGCON, noise, sizeof noise - 1, fx.now);
    assert_string_equal(fx.noise, "[hello][6,1,1000,-;what is this]");
    assert_string_equal(fx.order, "0:0 0:1 ");
    udp(2, "what is this"); /* a network source has no other text: worth a warning */
    assert_int_equal(agpu_collector_stats(fx.collector)->malformed, 1);
    assert_true(has_problem(finish(), "udp: seq 2 is not a record: unknown record type"));
}

FIXTURE(NULL, NULL);

/* An image of another build causes one warning, and none of its records is lost. */
TEST(another_version_is_reported)
{
    static const struct {
        const char *plan, *said;
    } plans[] = {
        {"plan - count=2 build=b device=d",
         "records of an older version: expected format=2 in the plan record, found none (image build b)"},
        {"plan - count=2 format=1 build=b device=d",
         "records of an older version: expected format=2 in the plan record, found 1 (image build b)"},
        {"plan - count=2 format=3 build=b device=d",
         "records of a newer version: expected format=2 in the plan record, found 3 (image build b)"},
        {PLAN2, NULL},
    };

    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        begin(NULL);
        udp(0, plans[i].plan);
        stream(0, plans[i].plan);
        dbg(0, plans[i].plan);
        udp(1, START_A);
        udp(2, PASS_A);
        udp(3, START_B);
        udp(4, PASS_B);
        udp(5, ALL_2);
        struct agpu_run *run = finish();
        assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
        assert_int_equal(run->problem_count, plans[i].said != NULL);
        assert_true(plans[i].said == NULL || has_problem(run, plans[i].said));
        teardown(NULL);
    }
}

FIXTURE(NULL, teardown);

TEST(unreadable_records_are_stored)
{
    begin(NULL);
    udp(0, "plan - count=2 format=3 build=b device=d");
    udp(1, START_A);
    udp(2, "temperature ring.a celsius=50 where=\"the chip\"");
    udp(3, "end ring.a status=PASS"); /* without us= */
    udp(4, "end ring.a status=PASS us=1 new=key");
    udp(5, START_B);
    udp(6, PASS_B);
    udp(7, ALL_2);
    struct agpu_run *run = finish();
    assert_string_equal(fx.order, "0:0 0:1 0:2 0:3 0:4 0:5 0:6 0:7 ");
    assert_int_equal(agpu_collector_stats(fx.collector)->unread, 2);
    assert_int_equal(agpu_collector_stats(fx.collector)->malformed, 0);
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_int_equal(run->problem_count, 2);
    assert_true(has_problem(run, "cannot read, the first is seq 2: unknown record type: temperature ring.a"));
}

/* A console that stalls may repeat a byte, and so change a number: that is neither a restart nor a loss of records. */
TEST(a_doubled_digit_is_no_restart)
{
    static const char lines[] = "6,0,0,-;log - level=info text=entry\n6,1,1000,-;" PLAN2
                                "\n6,22,2000,-;start ring.a index=11\n6,3,3000,-;" PASS_A "\n";
    struct agpu_collector_config bounds = {.restart_ends = true};

    begin(&bounds);
    dbg(0, "log - level=info text=entry");
    dbg(1, PLAN2);
    dbg(2, START_A);
    dbg(3, PASS_A);
    agpu_collector_stream(fx.collector, AGPU_SOURCE_SERIAL, lines, sizeof lines - 1, fx.now);
    dbg(4, START_B);
    dbg(5, PASS_B);
    dbg(6, ALL_2);
    assert_int_equal(agpu_collector_run(fx.collector)->ending, AGPU_ENDING_NONE);
    assert_int_equal(agpu_collector_run(fx.collector)->boot, 0);
    assert_int_equal(finish()->verdict, AGPU_VERDICT_PASS);
    assert_string_equal(fx.order, "0:0 0:1 0:2 0:3 0:4 0:5 0:6 ");
}

TEST(a_conflicting_copy_is_counted)
{
    begin(NULL);
    dbg(0, PLAN2);
    dbg(1, START_A);
    udp(1, "start ring.c index=1");
    assert_int_equal(agpu_collector_stats(fx.collector)->conflicts, 1);
    assert_string_equal(fx.order, "0:0 0:1 ");
}

TEST(notices_a_restart)
{
    begin(NULL);
    dbg(0, PLAN2);
    dbg(1, START_A);
    dbg(2, PASS_A);
    dbg(3, START_B);
    udp(0, PLAN2);
    dbg(0, PLAN2);   /* the machine has booted again */
    udp(1, START_A); /* a late record of the previous boot */
    dbg(1, START_A);
    dbg(2, PASS_A);
    dbg(3, START_B);
    dbg(4, PASS_B);
    dbg(5, ALL_2);
    udp(0, PLAN2);
    struct agpu_run *run = finish();
    assert_int_equal(run->boot, 1);
    expect(run, "ring.a", AGPU_VERDICT_PASS);
    expect(run, "ring.b", AGPU_VERDICT_CRASH); /* worst wins, although the second attempt passed */
    assert_int_equal(run->verdict, AGPU_VERDICT_CRASH);
    assert_true(has_problem(run, "the machine started again during ring.b"));
    assert_int_equal(agpu_collector_gaps(fx.collector)->missing, 0);
}

/* The image continues by itself after a crash, and first reports the case in which the machine died. */
TEST(image_continues_after_a_case)
{
    begin(NULL);
    udp(0, PLAN2);
    udp(1, "log - level=info text=ready");
    udp(2, START_A);
    fx.now += 5 * SECOND;
    udp(0, "plan - count=2 format=2 build=b device=d after=ring.a");
    udp(1, "end ring.a status=CRASH us=0 reason=power");
    udp(2, START_B);
    udp(3, PASS_B);
    udp(4, "summary - status=CRASH passed=1 failed=0 errors=0 skipped=0 timeouts=0 crashed=1 total=2 us=9");
    struct agpu_run *run = finish();
    assert_int_equal(run->boot, 1);
    expect(run, "ring.a", AGPU_VERDICT_CRASH);
    expect(run, "ring.b", AGPU_VERDICT_PASS);
    assert_string_equal(find(run, "ring.a")->reason, "power");
    assert_string_equal(fx.done, "ring.a=CRASH ring.b=PASS ");
    assert_int_equal(run->verdict, AGPU_VERDICT_CRASH);
}

TEST(udp_alone_notices_a_restart)
{
    begin(NULL);
    udp(0, PLAN2);
    udp(1, START_A);
    udp(0, PLAN2); /* a second copy at once */
    assert_int_equal(agpu_collector_run(fx.collector)->boot, 0);
    fx.now += 3 * SECOND;
    udp(0, PLAN2);
    assert_int_equal(agpu_collector_run(fx.collector)->boot, 1);
}

TEST(the_next_run_is_another_run)
{
    begin(&(struct agpu_collector_config){.run_per_summary = true});
    a_good_run(udp);
    fx.now += 3 * SECOND;
    assert_false(from(AGPU_SOURCE_UDP, 0, PLAN2));
    assert_int_equal(finish()->verdict, AGPU_VERDICT_PASS);
}

/* A restarted machine counts from 0 again, and may send the same first record. */
TEST(continues_after_a_case)
{
    struct agpu_collector_config bounds = {.boot_timeout_us = 5 * SECOND, .silence_us = 2 * SECOND};

    begin(&bounds);
    assert_null(agpu_collector_resume(fx.collector, fx.now)); /* the run has not ended */
    dbg(0, PLAN2);
    agpu_collector_end(fx.collector, AGPU_ENDING_DEVICE_DIED, "gone");
    assert_null(agpu_collector_resume(fx.collector, fx.now)); /* no case has started */
    teardown(NULL);

    begin(&bounds);
    dbg(0, "log - level=info text=entry");
    dbg(1, PLAN2);
    dbg(2, START_A);
    fx.now += 2 * SECOND;
    agpu_collector_tick(fx.collector, fx.now);
    struct agpu_run *run = agpu_collector_run(fx.collector);
    assert_int_equal(run->ending, AGPU_ENDING_SILENCE);
    assert_string_equal(agpu_collector_resume(fx.collector, fx.now), "ring.a");
    assert_string_equal(fx.done, "ring.a=TIMEOUT ");
    assert_int_equal(run->ending, AGPU_ENDING_NONE);
    /* Time limits count from the new start. */
    assert_int_equal(agpu_collector_deadline(fx.collector), fx.now + 5 * SECOND);
    dbg(0, "log - level=info text=entry");
    dbg(1, PLAN2);
    dbg(2, START_B);
    dbg(3, PASS_B);
    dbg(4, "summary - status=PASS passed=1 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=1 us=9");
    run = finish();
    expect(run, "ring.a", AGPU_VERDICT_TIMEOUT);
    expect(run, "ring.b", AGPU_VERDICT_PASS);
    assert_int_equal(run->verdict, AGPU_VERDICT_TIMEOUT);
    assert_int_equal(agpu_run_counts(run).not_run, 0);
    assert_int_equal(agpu_collector_gaps(fx.collector)->missing, 0);
    assert_int_equal(run->restart_count, 1);
}

/* A machine that restarts by itself would run into the same case again and again. */
TEST(own_restart_ends)
{
    struct agpu_collector_config bounds = {.restart_ends = true};

    begin(&bounds);
    dbg(0, PLAN2);
    dbg(1, START_A);
    dbg(0, PLAN2);
    dbg(1, START_A);
    struct agpu_run *run = agpu_collector_run(fx.collector);
    assert_int_equal(run->ending, AGPU_ENDING_STOPPED);
    assert_string_equal(agpu_collector_resume(fx.collector, fx.now), "ring.a");
    dbg(0, PLAN2);
    dbg(1, START_B);
    dbg(2, PASS_B);
    dbg(3, "summary - status=PASS passed=1 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=1 us=9");
    dbg(0, PLAN2); /* after its end another boot does not matter */
    run = finish();
    expect(run, "ring.a", AGPU_VERDICT_CRASH);
    expect(run, "ring.b", AGPU_VERDICT_PASS);
    assert_int_equal(run->ending, AGPU_ENDING_NONE);
    assert_int_equal(run->boot, 1);
}

/* A machine that dies between two cases makes no case fail, but the run is no PASS. After the last case there is
 * nothing to resume. */
TEST(dies_between_cases)
{
    begin(NULL);
    dbg(0, PLAN2);
    dbg(1, START_A);
    dbg(2, PASS_A);
    agpu_collector_end(fx.collector, AGPU_ENDING_MACHINE_DIED, "gone");
    assert_string_equal(agpu_collector_resume(fx.collector, fx.now), "ring.a");
    dbg(0, PLAN2);
    dbg(1, START_B);
    agpu_collector_end(fx.collector, AGPU_ENDING_MACHINE_DIED, "gone again");
    assert_null(agpu_collector_resume(fx.collector, fx.now));
    struct agpu_run *run = finish();
    expect(run, "ring.a", AGPU_VERDICT_PASS);
    expect(run, "ring.b", AGPU_VERDICT_CRASH);
    assert_int_equal(run->verdict, AGPU_VERDICT_CRASH);
    assert_true(has_problem(run, "behind ring.a: gone"));
}
