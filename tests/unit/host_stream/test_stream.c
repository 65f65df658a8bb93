/* test_stream.c: everything that the image sends arrives once, whole and in order, whatever the link does. */
#include <string.h>

#include "tests/unit/host_stream/stream_world.h"
#include "tests/unit/test.h"

static struct stream_world w;

/* Puts count items, some per step, then steps until all are acknowledged. */
static void say_and_drain(unsigned count)
{
    const uint64_t end = w.put + count;

    while (w.put < end) {
        for (unsigned some = world_random(&w) % 4; some > 0 && w.put < end; some--) {
            world_put(&w);
        }
        world_step(&w);
    }
    assert_true(world_drain(&w, 2000000));
}

static void all_arrived_once(void)
{
    for (uint64_t n = 0; n < w.put; n++) {
        assert_int_equal(w.arrived[n], 1);
    }
    assert_int_equal(w.run.skipped, 0);
    assert_int_equal(w.uplink.backlog.overwritten, 0);
}

TEST(all_arrives_over_a_good_link)
{
    for (int keyed = 0; keyed < 2; keyed++) {
        world_begin(&w, 1, keyed, 0);
        say_and_drain(2000);
        all_arrived_once();
        assert_int_equal(w.connections, 1);
        assert_int_equal(w.run.copies, 0);
    }
}

TEST(all_arrives_though_the_link_is_cut_and_stalls)
{
    unsigned opened = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        world_begin(&w, seed, seed % 2, 0);
        w.faults = (struct world_faults){.cut = 30, .stall = 2, .refused = 300};
        say_and_drain(1500);
        all_arrived_once();
        opened += w.opened;
    }
    assert_true(opened > 100); /* connections were cut, and the stream continued */
}

TEST(with_a_key_no_damage_is_taken_for_a_record)
{
    unsigned over = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        world_begin(&w, seed, true, 0);
        w.faults = (struct world_faults){
            .cut = 2, .damage = 5, .repeated = 5, .missing = 5, .swapped = 5, .refused = 100};
        say_and_drain(800);
        all_arrived_once();
        over += w.over;
    }
    assert_true(over > 20); /* damage was detected, and the stream continued */
}

TEST(a_collector_without_memory_gets_all_again)
{
    world_begin(&w, 3, true, 0);
    say_and_drain(500);
    memset(&w.run, 0, sizeof w.run);
    memset(w.arrived, 0, sizeof w.arrived);
    w.last = 0;
    w.intake.state = AGPU_INTAKE_ENDED;
    say_and_drain(100);
    all_arrived_once();
}

TEST(a_collector_that_remembers_gets_what_it_missed)
{
    world_begin(&w, 4, false, 0);
    say_and_drain(500);
    w.intake.state = AGPU_INTAKE_ENDED;
    for (unsigned i = 0; i < 300; i++) { /* no collector */
        world_put(&w);
    }
    say_and_drain(100);
    all_arrived_once();
    assert_int_equal(w.run.copies, 0);
}

TEST(what_finds_no_room_is_counted_on_both_sides)
{
    uint64_t arrived = 0;

    world_begin(&w, 5, true, 20000);
    say_and_drain(50);
    w.stalled_until_ns = w.now_ns + UINT64_C(60000000000);
    for (unsigned i = 0; i < 1000; i++) { /* the image does not wait for the network */
        world_put(&w);
        world_step(&w);
    }
    assert_true(w.uplink.backlog.overwritten > 100);
    assert_true(world_drain(&w, 100000));
    for (uint64_t n = 0; n < w.put; n++) {
        assert_true(w.arrived[n] <= 1);
        arrived += w.arrived[n];
    }
    assert_int_equal(w.arrived[w.put - 1], 1);
    assert_int_equal(arrived + w.run.skipped, w.put);
    /* An item that arrived without its acknowledgement may have been overwritten too. */
    assert_true(w.run.skipped > 0 && w.run.skipped <= w.uplink.backlog.overwritten);
}

TEST(an_item_counts_once)
{
    struct agpu_intake_run run = {0};

    assert_true(agpu_intake_run_take(&run, 0));
    assert_true(agpu_intake_run_take(&run, 1));
    assert_false(agpu_intake_run_take(&run, 1));
    assert_false(agpu_intake_run_take(&run, 0));
    assert_true(agpu_intake_run_take(&run, 5));
    assert_int_equal(run.copies, 2);
    assert_int_equal(run.skipped, 3);
}
