/* test_host_boards.c: decides which machine's stream becomes a run, and when. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>

#include "tests/host/listen/boards.h"
#include "tests/host/listen/unbelieved.h"
#include "tests/host/run/session.h"
#include "tests/unit/remove_tree.h"
#include "tests/unit/test.h"

#define RACK       100u
#define RUNS_MAX   32u /* per address at a time */
#define SILENCE_US UINT64_C(60000000)

static char folder[] = "/tmp/agpu-boards-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return remove_tree(folder);
}

static struct agpu_boards *begin(void)
{
    const struct agpu_boards_config config = {.out = folder,
                                              .silence_us = SILENCE_US,
                                              .boards_max = 128,
                                              .runs_max = 4096,
                                              .bytes_max = UINT64_C(64) << 20,
                                              .settle_us = 1000};
    struct agpu_boards *boards = agpu_boards_create(&config);

    assert_non_null(boards);
    return boards;
}

static struct agpu_sender address(unsigned number)
{
    struct agpu_sender sender = {.ip = {.s6_addr = {[10] = 0xFF, [11] = 0xFF, 192, 0, 2}}, .port = 4000};

    sender.ip.s6_addr[15] = (uint8_t)number;
    return sender;
}

/* Feeds a record of a boot, over a connection from an address. Returns whether it was taken. */
static bool is_record_taken(struct agpu_boards *boards, unsigned from, unsigned boot, const char *record,
                            uint64_t number, uint64_t now_us)
{
    const struct agpu_streams_user user = agpu_boards_streams(boards);
    const struct agpu_sender sender = address(from);
    char id[16];

    snprintf(id, sizeof id, "boot%u", boot);
    return user.item(user.ctx, &sender, id,
                     &(struct agpu_intake_item){
                         .kind = AGPU_ITEM_RECORD, .number = number, .bytes = record, .size = strlen(record)},
                     now_us);
}

static bool is_taken(struct agpu_boards *boards, unsigned from, unsigned boot, uint64_t now_us)
{
    return is_record_taken(boards, from, boot, "6,0,0,-;plan - count=1 format=2 build=b device=d", 0, now_us);
}

GROUP_FIXTURE(make_folder, remove_folder);

TEST(a_rack_that_is_switched_on_is_there_at_once)
{
    struct agpu_boards *boards = begin();
    const uint64_t now = agpu_now_us();

    for (unsigned i = 0; i < RACK; i++) {
        assert_true(is_taken(boards, i + 1, i, now));
    }
    assert_int_equal(agpu_boards_busy(boards), RACK);
    agpu_boards_end(boards, "the test is over");
}

TEST(one_address_gets_no_run_for_each_name)
{
    struct agpu_boards *boards = begin();
    const uint64_t now = agpu_now_us();
    unsigned taken = 0;

    for (unsigned i = 0; i < RACK; i++) {
        taken += is_taken(boards, 1, 1000 + i, now);
    }
    assert_int_equal(taken, RUNS_MAX);
    assert_true(is_taken(boards, 2, 5000, now)); /* other addresses are not affected */
    assert_false(is_taken(boards, 1, 6000, now));
    assert_true(is_taken(boards, 1, 6000, now + 600000)); /* a place is free after some time */
    agpu_boards_end(boards, "the test is over");
}

/* An item arrives after the end of its run, over a connection that was made during the run. */
TEST(a_late_item_starts_no_run)
{
    static const char summary[] = "6,1,1,-;summary - status=PASS total=1 pass=1";
    struct agpu_boards *boards = begin();
    const uint64_t now = agpu_now_us();

    assert_true(is_taken(boards, 1, 0, now));
    assert_true(is_record_taken(boards, 1, 0, summary, 1, now));
    for (uint64_t later = now + SILENCE_US; agpu_boards_finished(boards) == 0; later += 1000000) {
        struct pollfd written = {.fd = agpu_boards_fd(boards), .events = POLLIN};

        agpu_boards_tick(boards, later);
        assert_int_equal(poll(&written, 1, 60000), 1);
        agpu_boards_tick(boards, later + 500000);
    }
    assert_false(is_record_taken(boards, 1, 0, summary, 1, now + 100 * SILENCE_US));
    assert_int_equal(agpu_boards_busy(boards), 0);
    assert_int_equal(agpu_boards_counters(boards).of_old_items, 1);
    assert_true(is_taken(boards, 1, 1, now + 100 * SILENCE_US)); /* its next boot */
    agpu_boards_end(boards, "the test is over");
}

/* A flood of forged addresses does not become a flood of log lines. */
TEST(refused_sender_is_named_once)
{
    char text[AGPU_UNBELIEVED_TEXT_MAX];
    struct agpu_unbelieved unbelieved = {.count = 0};
    struct agpu_sender from = {.port = 1};
    unsigned lines = 0;

    for (unsigned i = 0; i < 300; i++) {
        from.ip.s6_addr[15] = (uint8_t)(i / 3);
        from.port++;
        lines += agpu_unbelieved_text(&unbelieved, &from, AGPU_CREDENTIALS_FORGED, text);
        if (i == 0) {
            assert_non_null(
                strstr(text, ":: sends records with no keyed hash, or one of another key than --key: "));
        }
    }
    assert_int_equal(lines, AGPU_UNBELIEVED_MAX + 1);
    unbelieved = (struct agpu_unbelieved){.count = 0};
    assert_true(agpu_unbelieved_text(&unbelieved, &from, AGPU_CREDENTIALS_FORGED, text));
    from.port++; /* all ports of an address are one machine */
    assert_false(agpu_unbelieved_text(&unbelieved, &from, AGPU_CREDENTIALS_FORGED, text));
    unbelieved = (struct agpu_unbelieved){.count = 0};
    assert_true(agpu_unbelieved_text(&unbelieved, &from, AGPU_CREDENTIALS_FORGED, text));
    assert_true(agpu_unbelieved_text(&unbelieved, &from, AGPU_CREDENTIALS_NO_TOKEN, text));
    assert_false(agpu_unbelieved_text(&unbelieved, &from, AGPU_CREDENTIALS_NO_TOKEN, text));
}
