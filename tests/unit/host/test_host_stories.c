/* test_host_stories.c: two senders report one run, and one of them is not the machine: the verdict is never PASS. */
#include <stdio.h>
#include <string.h>
#include "tests/host/wire/run_verdict.h"
#include "tests/unit/host/collector_fixture.h"
#include "tests/unit/test.h"

/* Feeds one datagram whose header has run=. */
static bool by(const char *run, unsigned seq, const char *text)
{
    char line[600];
    int n = snprintf(line, sizeof line, "6,%u,%u,-,run=%s;%s\n", seq, seq * 1000, run, text);

    fx.now += 10;
    return agpu_collector_packet(fx.collector, line, (size_t)n, fx.now);
}

static void run_of(const char *run)
{
    by(run, 0, PLAN2);
    by(run, 1, START_A);
    by(run, 2, PASS_A);
    by(run, 3, START_B);
    by(run, 4, PASS_B);
    by(run, 5, ALL_2);
}

static void is_contradicted(const struct agpu_run *run)
{
    assert_int_equal(run->verdict, AGPU_VERDICT_ERROR);
    assert_int_equal(run->ending, AGPU_ENDING_CONTRADICTED);
    assert_true(has_problem(run, "contradict each other"));
}

FIXTURE(NULL, teardown);

TEST(another_text_for_one_number)
{
    begin(NULL);
    a_good_run(udp);
    from(AGPU_SOURCE_UDP, 4, "end ring.b status=FAIL us=5");
    is_contradicted(finish());
}

/* The machine hangs in ring.b, another sender reports that the case ended, and a heartbeat of the machine follows. */
TEST(a_forged_end_before_the_real_one)
{
    begin(NULL);
    udp(0, PLAN2);
    udp(1, START_A);
    udp(2, PASS_A);
    udp(3, START_B);
    udp(4, PASS_B);
    udp(5, ALL_2);
    udp(4, "heartbeat ring.b elapsed_us=1000000");
    is_contradicted(finish());
}

TEST(pieces_that_differ)
{
    static const char first[] = "6,6,6000,-,ncfrag=0/40;log - level=info text=";
    static const char other[] = "6,6,6000,-,ncfrag=0/40;log - level=warn text=";

    begin(NULL);
    a_good_run(udp);
    agpu_collector_packet(fx.collector, first, sizeof first - 1, fx.now);
    agpu_collector_packet(fx.collector, other, sizeof other - 1, fx.now);
    is_contradicted(finish());
}

/* Noise on a serial line does not count as a second sender. */
TEST(noise_on_a_serial_line_is_no_story)
{
    begin(NULL);
    a_good_run(udp);
    from(AGPU_SOURCE_SERIAL, 4, "end ring.b status=PASS us=7");
    assert_int_equal(finish()->verdict, AGPU_VERDICT_PASS);
    assert_int_equal(agpu_collector_stats(fx.collector)->conflicts, 1);
}

TEST(a_boot_is_known_by_its_id)
{
    begin(NULL);
    by("b1", 0, PLAN2);
    by("b1", 1, START_A);
    fx.now += 3 * SECOND;
    by("b1", 0, PLAN2); /* a late copy */
    by("b2", 0, PLAN2);
    by("b1", 1, START_A); /* a delayed record */
    by("b2", 1, START_B);
    by("b2", 2, PASS_B);
    struct agpu_run *run = finish();
    assert_int_equal(run->boot, 1);
    assert_true(has_problem(run, "the machine started again during ring.a"));
    assert_int_not_equal(run->ending, AGPU_ENDING_CONTRADICTED);
    expect(run, "ring.a", AGPU_VERDICT_CRASH);
}

TEST(two_boots_at_once)
{
    begin(NULL);
    run_of("b1");
    run_of("b2");
    fx.now += 3 * SECOND;
    by("b1", 6, "heartbeat - elapsed_us=1");
    is_contradicted(finish());
}

TEST(only_the_token_counts)
{
    const struct agpu_collector_config config = {.credentials = {.token = "t1"}};

    begin(&config);
    by("b9", 0, "plan - count=7 format=2 build=x device=x");
    by("t2.b9", 2, "end ring.a status=FAIL us=1");
    udp(0, "plan - count=9 format=2 build=x device=x");
    run_of("t1.b1");
    by("t2.b1", 4, "end ring.b status=FAIL us=5");
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_int_equal(agpu_collector_stats(fx.collector)->strangers, 4);
    assert_true(has_problem(run, "another sender: 4 datagrams without this run's token"));
}

/* Records that are sent again add nothing, even after the run itself started to count anew. */
TEST(a_replay_adds_nothing)
{
    begin(NULL);
    run_of("b1");
    fx.now += 5 * SECOND;
    run_of("b1");
    struct agpu_run *run = finish();
    assert_int_equal(run->verdict, AGPU_VERDICT_PASS);
    assert_int_equal(run->boot, 0);
    assert_int_equal(agpu_collector_stats(fx.collector)->copies, 6);
}

TEST(a_run_may_fill_its_memory)
{
    const struct agpu_collector_config config = {.memory_max = 100000};
    char text[300];

    begin(&config);
    udp(0, "plan - count=5000 format=2 build=b device=d");
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(text, sizeof text, "end ring.c%u status=FAIL us=1 reason=\"%0200u\"", i, i);
        agpu_collector_stream(fx.collector, AGPU_SOURCE_DEBUGCON, "", 0, fx.now);
        from(AGPU_SOURCE_UDP, i + 1, text);
    }
    struct agpu_run *run = finish();
    assert_true(run->memory <= 100000);
    assert_true(run->case_count < 1000);
    assert_true(has_problem(run, "more text than the 97 KiB that agpu holds"));
    assert_int_not_equal(run->verdict, AGPU_VERDICT_PASS);
}
