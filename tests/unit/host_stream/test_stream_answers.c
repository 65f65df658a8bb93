/* test_stream_answers.c: each end of the stream against a wrong peer, and against time. */
#include <string.h>

#include "tests/unit/host_stream/stream_world.h"
#include "tests/unit/test.h"

#define SECOND UINT64_C(1000000000)

static struct stream_world w;

/* The collector takes nothing that the image sends, and the image knows the reason. */
static void nothing_is_taken(const char *why)
{
    for (unsigned i = 0; i < 20; i++) {
        world_put(&w);
    }
    for (unsigned i = 0; i < 20000; i++) {
        world_step(&w);
    }
    assert_int_equal(w.run.next, 0);
    assert_int_equal(w.uplink.backlog.acked, 0);
    assert_int_equal(w.opened, 0);
    assert_non_null(strstr(w.uplink.reason, why));
    assert_true(w.connections >= 2);
}

TEST(another_key_is_refused_by_the_image)
{
    world_begin(&w, 1, true, 0);
    w.credentials.key[3] ^= 1;
    nothing_is_taken("another key");
}

TEST(a_missing_key_is_refused_by_the_collector)
{
    world_begin(&w, 1, true, 0);
    w.uplink.config.hash = NULL;
    nothing_is_taken("key= in agpu.cfg is missing");
    assert_true(w.connections < 30); /* not in every step */
    world_begin(&w, 1, true, 0);
    w.credentials.keyed = false;
    nothing_is_taken("agpu listen --key is missing");
}

TEST(another_token_is_refused_by_the_collector)
{
    world_begin(&w, 1, false, 0);
    strcpy(w.credentials.token, "other");
    nothing_is_taken("token");
}

/* ---- the image's end ---- */

static uint64_t at_greeting(bool keyed)
{
    const uint8_t nonce[AGPU_WIRE_NONCE] = {7};

    world_begin(&w, 1, keyed, 0);
    world_put(&w);
    assert_int_equal(agpu_uplink_poll(&w.uplink, SECOND), AGPU_UPLINK_CONNECT);
    agpu_uplink_connecting(&w.uplink, SECOND);
    agpu_uplink_connected(&w.uplink, nonce, SECOND);
    return SECOND;
}

/* Reads all output of the image. */
static size_t take_output(uint8_t *to, size_t room, uint64_t now)
{
    const uint8_t *bytes;
    size_t size, all = 0;

    while ((size = agpu_uplink_output(&w.uplink, &bytes, now)) != 0) {
        assert_true(all + size <= room);
        memcpy(to + all, bytes, size);
        all += size;
        agpu_uplink_sent(&w.uplink, size);
    }
    return all;
}

static void welcome(uint64_t resume, uint64_t now)
{
    uint8_t frame[AGPU_WIRE_ANSWER_MAX] = {0};

    frame[AGPU_WIRE_HEADER] = AGPU_WIRE_VERSION;
    agpu_put_u64(frame + AGPU_WIRE_HEADER + 20, resume);
    agpu_uplink_input(&w.uplink, frame,
                      agpu_wire_finish(frame, AGPU_WIRE_WELCOME, AGPU_WIRE_WELCOME_SIZE, NULL), now);
}

static void acknowledge(uint64_t upto, uint64_t now)
{
    uint8_t frame[AGPU_WIRE_ANSWER_MAX];

    agpu_put_u64(frame + AGPU_WIRE_HEADER, upto);
    agpu_uplink_input(&w.uplink, frame, agpu_wire_finish(frame, AGPU_WIRE_ACK, AGPU_WIRE_ACK_SIZE, NULL),
                      now);
}

TEST(the_greeting_is_as_it_is_written)
{
    static const uint8_t expected[] = {60,  0,   1,   0,   'A', 'G', 'P', 'S', 1,   0,   16,  4,   7,
                                       0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                       0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   1,   0,   0,
                                       0,   0,   0,   0,   0,   '0', '1', '2', '3', '4', '5', '6', '7',
                                       '8', '9', 'a', 'b', 'c', 'd', 'e', 'f', 'w', 'o', 'r', 'd'};
    uint8_t got[200];

    assert_int_equal(take_output(got, sizeof got, at_greeting(false)), sizeof expected);
    assert_memory_equal(got, expected, sizeof expected);
    welcome(0, SECOND);
    assert_int_equal(take_output(got, sizeof got, SECOND), 4 + 4 + 12 + 30);
    assert_memory_equal(got, "\0\0\3\0\52\0\4\0\0\0\0\0\0\0\0\0\1\0\0\0006,0,0,-;log", 31);
}

TEST(what_does_not_come_in_time_ends_the_connection)
{
    uint8_t got[2000];
    uint64_t now;

    world_begin(&w, 1, false, 0);
    agpu_uplink_connecting(&w.uplink, SECOND);
    assert_int_equal(agpu_uplink_deadline(&w.uplink), 6 * SECOND);
    assert_int_equal(agpu_uplink_poll(&w.uplink, 6 * SECOND - 1), AGPU_UPLINK_NOTHING);
    assert_int_equal(agpu_uplink_poll(&w.uplink, 6 * SECOND), AGPU_UPLINK_CLOSE);
    now = at_greeting(false) + 5 * SECOND;
    assert_int_equal(agpu_uplink_poll(&w.uplink, now - 1), AGPU_UPLINK_NOTHING);
    assert_int_equal(agpu_uplink_poll(&w.uplink, now), AGPU_UPLINK_CLOSE);
    now = at_greeting(false);
    welcome(0, now);
    assert_true(agpu_uplink_deadline(&w.uplink) == UINT64_MAX);
    now += 100 * SECOND; /* no answer is due before something was sent */
    assert_true(take_output(got, sizeof got, now) > 0);
    assert_int_equal(agpu_uplink_deadline(&w.uplink), now + 4 * SECOND);
    acknowledge(1, now);
    assert_true(agpu_uplink_deadline(&w.uplink) == UINT64_MAX);
    assert_true(agpu_uplink_drained(&w.uplink));
}

/* A case uses the processor for longer than an answer may take. The answer waits in the card meanwhile. */
TEST(unsent_answer_is_waited_for)
{
    uint8_t got[2000];
    uint64_t now;

    world_begin(&w, 1, false, 0);
    now = at_greeting(false);
    welcome(0, now);
    assert_int_equal(agpu_uplink_poll(&w.uplink, now), AGPU_UPLINK_NOTHING);
    assert_true(take_output(got, sizeof got, now) > 0);
    now += 9 * SECOND;
    assert_int_equal(agpu_uplink_poll(&w.uplink, now), AGPU_UPLINK_NOTHING);
    assert_int_equal(agpu_uplink_deadline(&w.uplink), now + SECOND / 2);
    assert_int_equal(agpu_uplink_poll(&w.uplink, now + SECOND / 2 - 1), AGPU_UPLINK_NOTHING);
    assert_int_equal(agpu_uplink_poll(&w.uplink, now + SECOND / 2), AGPU_UPLINK_CLOSE);
}

TEST(the_pauses_grow_to_their_bound)
{
    static const unsigned pauses_ms[] = {250, 500, 1000, 2000, 4000, 4000};

    world_begin(&w, 1, false, 0);
    for (unsigned i = 0; i < sizeof pauses_ms / sizeof pauses_ms[0]; i++) {
        agpu_uplink_connecting(&w.uplink, SECOND);
        agpu_uplink_broken(&w.uplink, SECOND);
        assert_int_equal(agpu_uplink_deadline(&w.uplink) - SECOND, pauses_ms[i] * UINT64_C(1000000));
    }
}

TEST(wrong_answers_end_the_connection)
{
    static const uint8_t unknown[] = {0, 0, 9, 0};
    static const uint8_t long_one[] = {0xFF, 0xFF, AGPU_WIRE_ACK, 0};
    uint8_t got[2000];
    uint64_t now = at_greeting(false);

    acknowledge(0, now); /* before the welcome */
    assert_int_equal(agpu_uplink_poll(&w.uplink, now), AGPU_UPLINK_CLOSE);
    now = at_greeting(false);
    welcome(2, now); /* more items than there are */
    assert_int_equal(agpu_uplink_poll(&w.uplink, now), AGPU_UPLINK_CLOSE);
    now = at_greeting(false);
    welcome(0, now);
    acknowledge(1, now); /* an item that was not sent */
    assert_int_equal(agpu_uplink_poll(&w.uplink, now), AGPU_UPLINK_CLOSE);
    assert_int_equal(take_output(got, sizeof got, now), 0);
    now = at_greeting(false);
    agpu_uplink_input(&w.uplink, unknown, sizeof unknown, now);
    assert_int_equal(agpu_uplink_poll(&w.uplink, now), AGPU_UPLINK_CLOSE);
    now = at_greeting(false);
    agpu_uplink_input(&w.uplink, long_one, sizeof long_one, now);
    assert_int_equal(agpu_uplink_poll(&w.uplink, now), AGPU_UPLINK_CLOSE);
    now = at_greeting(true);
    welcome(0, now); /* without a key, although the image has one */
    assert_int_equal(agpu_uplink_poll(&w.uplink, now), AGPU_UPLINK_CLOSE);
    assert_non_null(strstr(w.uplink.reason, "key"));
}

/* ---- the collector's end ---- */

/* Feeds the collector only these bytes. */
static enum agpu_intake_event feed(const uint8_t *bytes, size_t size, uint8_t nonce_byte)
{
    const uint8_t nonce[AGPU_WIRE_NONCE] = {nonce_byte};
    struct agpu_intake_item item;
    enum agpu_intake_event event = AGPU_INTAKE_NOTHING;

    agpu_intake_begin(&w.intake, &w.credentials, nonce, 0);
    while (event != AGPU_INTAKE_OVER && size > 0) {
        uint8_t *to;
        size_t part = agpu_intake_room(&w.intake, &to);

        assert_true(part > 0);
        part = part < size ? part : size;
        part = part < 61 ? part : 61;
        memcpy(to, bytes, part);
        bytes += part;
        size -= part;
        agpu_intake_came(&w.intake, part);
        while ((event = agpu_intake_next(&w.intake, &item, 0)) != AGPU_INTAKE_NOTHING &&
               event != AGPU_INTAKE_OVER) {
            if (event == AGPU_INTAKE_HELLO) {
                agpu_intake_welcome(&w.intake, 0);
            }
            w.opened += event == AGPU_INTAKE_OPEN;
            w.put += event == AGPU_INTAKE_ITEM;
        }
    }
    return event;
}

TEST(a_recorded_connection_says_nothing_a_second_time)
{
    uint8_t recorded[20000];
    const uint8_t *bytes;
    size_t hello, size;
    uint64_t now = at_greeting(true);

    size = hello = take_output(recorded, sizeof recorded, now);
    feed(recorded, hello, 1);
    const size_t answer = agpu_intake_output(&w.intake, &bytes);
    agpu_uplink_input(&w.uplink, bytes, answer, now);
    size += take_output(recorded + hello, sizeof recorded - hello, now);
    w.opened = 0;
    w.put = 0;
    feed(recorded, size, 1); /* the nonce does not match */
    assert_int_equal(w.opened, 1);
    assert_int_equal(w.put, 1);
    assert_int_equal(feed(recorded, size, 2), AGPU_INTAKE_OVER);
    assert_int_equal(w.opened, 1);
    assert_int_equal(w.put, 1);
}

TEST(noise_opens_nothing)
{
    static uint8_t noise[4000];

    for (int keyed = 0; keyed < 2; keyed++) {
        for (uint64_t seed = 0; seed < 500; seed++) {
            world_begin(&w, seed, keyed, 0);
            for (size_t i = 0; i < sizeof noise; i++) {
                noise[i] = (uint8_t)world_random(&w);
            }
            if (seed % 2) { /* a header that announces a greeting */
                memcpy(noise, (uint8_t[]){(uint8_t)(seed % 90), 0, AGPU_WIRE_HELLO, 0, 'A', 'G', 'P', 'S', 1},
                       9);
            }
            feed(noise, sizeof noise, 1);
            assert_int_equal(w.opened, 0);
            assert_int_equal(w.intake.state, AGPU_INTAKE_ENDED);
            at_greeting(keyed);
            agpu_uplink_input(&w.uplink, noise, sizeof noise, SECOND);
            assert_int_equal(agpu_uplink_poll(&w.uplink, SECOND), AGPU_UPLINK_CLOSE);
        }
    }
}

TEST(silent_sender_is_dropped)
{
    const uint8_t nonce[AGPU_WIRE_NONCE] = {1};
    struct agpu_intake_item item;

    world_begin(&w, 1, false, 0);
    agpu_intake_begin(&w.intake, &w.credentials, nonce, 5);
    assert_int_equal(agpu_intake_deadline(&w.intake), 5 + AGPU_INTAKE_GREETING_US);
    assert_int_equal(agpu_intake_next(&w.intake, &item, 4 + AGPU_INTAKE_GREETING_US), AGPU_INTAKE_NOTHING);
    assert_int_equal(agpu_intake_next(&w.intake, &item, 5 + AGPU_INTAKE_GREETING_US), AGPU_INTAKE_OVER);
}
