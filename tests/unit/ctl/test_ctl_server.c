/* test_ctl_server.c: access to the image (tests/handbook/control.md 2, 3): both ends of a connection, and strangers in
 * between. */
#include <stdlib.h>
#include <string.h>

#include "efi/control/server.h"
#include "tests/host/ctl/client.h"
#include "tests/unit/test.h"

#define MS UINT64_C(1000000)

static const uint8_t key[AGPU_KEY_SIZE] = {1, 2, 3}, other_key[AGPU_KEY_SIZE] = {1, 2, 4};
static struct agpu_ctl_server server;
static struct agpu_ctl_client first, second;
static uint64_t now_ns;
static uint8_t nonces;
static unsigned hashes;

static void next_nonce(uint8_t out[AGPU_WIRE_NONCE])
{
    memset(out, ++nonces, AGPU_WIRE_NONCE);
}

static bool count_hash(const uint8_t with[AGPU_WIRE_KEY], const void *head, size_t head_size,
                       const void *body, size_t body_size, uint8_t hash[32])
{
    hashes++;
    return agpu_credentials_hash(with, head, head_size, body, body_size, hash);
}

static int begin(void **state)
{
    struct agpu_ctl_config config = {.hash = count_hash, .nonce = next_nonce, .welcome = "welcome build=x"};

    (void)state;
    memcpy(config.key, key, sizeof key);
    agpu_ctl_init(&server, &config);
    now_ns += 100000 * MS;
    hashes = 0;
    return 0;
}

/* Moves the output of one end to the other, and appends it to the log if there is one. */
static uint8_t log_bytes[65536];
static size_t log_size;

static void to_server(struct agpu_ctl_client *client, int session, size_t step)
{
    const uint8_t *bytes;
    size_t size;

    while ((size = agpu_ctl_client_output(client, &bytes)) != 0) {
        size = size < step ? size : step;
        assert_true(log_size + size <= sizeof log_bytes);
        memcpy(log_bytes + log_size, bytes, size);
        log_size += size;
        agpu_ctl_input(&server, session, bytes, size, now_ns);
        agpu_ctl_client_sent(client, size);
    }
}

static void to_client(struct agpu_ctl_client *client, int session)
{
    const uint8_t *bytes;
    uint8_t *to;
    size_t size;

    while ((size = agpu_ctl_output(&server, session, &bytes)) != 0) {
        const size_t room = agpu_ctl_client_room(client, &to);

        size = size < room ? size : room;
        memcpy(to, bytes, size);
        agpu_ctl_client_came(client, size);
        agpu_ctl_sent(&server, session, size);
    }
}

/* Greets as far as possible. Returns the last event. */
static enum agpu_ctl_event greet(struct agpu_ctl_client *client, int session, const uint8_t *with,
                                 size_t step)
{
    const uint8_t nonce[AGPU_WIRE_NONCE] = {++nonces};
    enum agpu_ctl_event event = AGPU_CTL_NOTHING;

    agpu_ctl_client_begin(client, with, nonce, false);
    for (int i = 0; i < 4 && event == AGPU_CTL_NOTHING; i++) {
        to_server(client, session, step);
        to_client(client, session);
        event = agpu_ctl_client_next(client);
    }
    return event;
}

static int connect_client(struct agpu_ctl_client *client)
{
    const int session = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns);

    assert_true(session >= 0);
    assert_int_equal(greet(client, session, key, SIZE_MAX), AGPU_CTL_WELCOMED);
    return session;
}

FIXTURE(begin, NULL);

TEST(a_client_asks_and_is_answered)
{
    static const uint8_t bytes[3] = {7, 8, 9};
    struct agpu_ctl_asked asked;

    for (size_t step = 1; step < 200; step += 37) { /* the stream is cut at any place */
        const int session = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns);

        assert_int_equal(greet(&first, session, key, step), AGPU_CTL_WELCOMED);
        assert_string_equal(first.text, "welcome build=x");
        for (int i = 0; i < 3; i++) {
            assert_true(agpu_ctl_client_ask(&first, "reg read 0", bytes, sizeof bytes));
            to_server(&first, session, step);
            assert_true(agpu_ctl_request(&server, &asked));
            assert_int_equal(asked.text_size, 10);
            assert_memory_equal(asked.text, "reg read 0", 10);
            assert_int_equal(asked.size, sizeof bytes);
            assert_memory_equal(asked.bytes, bytes, sizeof bytes);
            agpu_ctl_note(&server, asked.client, "half", 4);
            agpu_ctl_reply(&server, asked.client, true, "register value=1\n", 17, bytes, 2);
            assert_false(agpu_ctl_request(&server, &asked));
            to_client(&first, session);
            assert_int_equal(agpu_ctl_client_next(&first), AGPU_CTL_NOTED);
            assert_string_equal(first.text, "half");
            assert_int_equal(agpu_ctl_client_next(&first), AGPU_CTL_ANSWERED);
            assert_true(first.good);
            assert_int_equal(first.size, 2);
        }
        agpu_ctl_gone(&server, session);
        now_ns += 1000 * MS;
        log_size = 0;
    }
}

TEST(another_key_gets_nothing)
{
    struct agpu_ctl_asked asked;
    const int session = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns);

    assert_int_equal(greet(&first, session, other_key, SIZE_MAX), AGPU_CTL_ENDED);
    assert_non_null(strstr(first.reason, "key"));
    assert_true(agpu_ctl_is_over(&server, session, now_ns));
    assert_false(agpu_ctl_request(&server, &asked));
    assert_int_equal(server.owner, -1);
    assert_int_equal(server.forged, 1);
    log_size = 0;
}

/* The client believes no image with another key, whatever it sends. */
TEST(an_image_with_another_key_is_not_believed)
{
    const uint8_t nonce[AGPU_WIRE_NONCE] = {0};
    uint8_t frame[100] = {0}, *to;
    size_t size;

    agpu_ctl_client_begin(&first, key, nonce, false);
    agpu_ctl_client_sent(&first, first.out_size);
    frame[AGPU_WIRE_HEADER] = AGPU_CTL_VERSION;
    size = agpu_wire_finish(frame, AGPU_CTL_CHALLENGE, AGPU_CTL_CHALLENGE_SIZE, NULL);
    agpu_ctl_client_room(&first, &to);
    memcpy(to, frame, size);
    agpu_ctl_client_came(&first, size);
    assert_int_equal(agpu_ctl_client_next(&first), AGPU_CTL_NOTHING);
    memset(frame, 0, sizeof frame);
    size = agpu_wire_finish(frame, AGPU_CTL_WELCOME, 10, NULL) + AGPU_WIRE_MAC;
    agpu_ctl_client_room(&first, &to);
    memcpy(to, frame, size);
    agpu_ctl_client_came(&first, size);
    assert_int_equal(agpu_ctl_client_next(&first), AGPU_CTL_ENDED);
}

/* Replays everything that a client sent, in the same connection and in a new one. */
TEST(replayed_requests_are_refused)
{
    struct agpu_ctl_asked asked;
    int session;
    size_t once;

    log_size = 0;
    session = connect_client(&first);
    assert_true(agpu_ctl_client_ask(&first, "reboot", NULL, 0));
    once = log_size;
    to_server(&first, session, SIZE_MAX);
    assert_true(agpu_ctl_request(&server, &asked));
    agpu_ctl_reply(&server, asked.client, true, "done\n", 5, NULL, 0);
    /* The same request again. */
    agpu_ctl_input(&server, session, log_bytes + once, log_size - once, now_ns);
    assert_false(agpu_ctl_request(&server, &asked));
    assert_true(server.sessions[session].state == AGPU_CTL_OVER);
    agpu_ctl_gone(&server, session);
    /* The whole connection again. */
    session = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns);
    agpu_ctl_input(&server, session, log_bytes, log_size, now_ns);
    assert_false(agpu_ctl_request(&server, &asked));
    assert_true(server.sessions[session].state == AGPU_CTL_OVER);
    assert_int_equal(server.owner, -1);
    assert_int_equal(server.forged, 2);
    log_size = 0;
}

/* Each single bit of a request is protected. */
TEST(a_damaged_request_is_none)
{
    struct agpu_ctl_asked asked;
    const uint8_t *bytes;
    uint8_t copy[200];

    for (size_t at = 0; at < 30; at++) {
        const int session = connect_client(&first);

        assert_true(agpu_ctl_client_ask(&first, "quit", NULL, 0));
        const size_t size = agpu_ctl_client_output(&first, &bytes);
        memcpy(copy, bytes, size);
        copy[at % size] ^= 1;
        agpu_ctl_input(&server, session, copy, size, now_ns);
        assert_false(agpu_ctl_request(&server, &asked));
        agpu_ctl_gone(&server, session);
        now_ns += 1000 * MS;
        log_size = 0;
    }
}

TEST(one_client_at_a_time)
{
    struct agpu_ctl_asked asked;
    const int session = connect_client(&first);
    int late = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns);

    assert_int_equal(greet(&second, late, key, SIZE_MAX), AGPU_CTL_ENDED);
    assert_non_null(strstr(second.reason, "another client"));
    agpu_ctl_gone(&server, late);
    /* A client that is silent for long gives way, */
    now_ns += 11000 * MS;
    late = connect_client(&second);
    assert_int_equal(server.owner, late);
    assert_true(agpu_ctl_client_ask(&first, "id", NULL, 0));
    to_server(&first, session, SIZE_MAX);
    assert_false(agpu_ctl_request(&server, &asked));
    to_client(&first, session);
    assert_int_equal(agpu_ctl_client_next(&first), AGPU_CTL_ENDED);
    assert_true(agpu_ctl_is_over(&server, session, now_ns));
    agpu_ctl_gone(&server, session);
    /* but not while it waits for an answer. */
    assert_true(agpu_ctl_client_ask(&second, "run *", NULL, 0));
    to_server(&second, late, SIZE_MAX);
    now_ns += 60000 * MS;
    const int third = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns);
    assert_int_equal(greet(&first, third, key, SIZE_MAX), AGPU_CTL_ENDED);
    assert_int_equal(server.owner, late);
    log_size = 0;
}

/* Any client with the key may stop what another one waits for. The other one still gets its answer. */
TEST(another_may_halt)
{
    const uint8_t nonce[AGPU_WIRE_NONCE] = {99};
    struct agpu_ctl_asked asked;
    const int session = connect_client(&first);
    int other = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "10.0.2.9", now_ns);

    assert_true(agpu_ctl_client_ask(&first, "run *", NULL, 0));
    to_server(&first, session, SIZE_MAX);
    assert_int_equal(greet(&second, other, key, SIZE_MAX), AGPU_CTL_ENDED);
    assert_non_null(strstr(second.reason, "a peer"));
    assert_non_null(strstr(second.reason, "stop"));
    agpu_ctl_gone(&server, other);
    for (size_t step = 1; step < 100; step += 13) {
        other = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "10.0.2.9", now_ns);
        agpu_ctl_client_begin(&second, key, nonce, true);
        to_server(&second, other, step);
        to_client(&second, other);
        assert_int_equal(agpu_ctl_client_next(&second), AGPU_CTL_NOTHING);
        assert_false(agpu_ctl_take_halt(&server));
        to_server(&second, other, step);
        assert_true(agpu_ctl_take_halt(&server));
        assert_false(agpu_ctl_take_halt(&server));
        agpu_ctl_answer_halt(&server, true, "done\n", 5);
        to_client(&second, other);
        assert_int_equal(agpu_ctl_client_next(&second), AGPU_CTL_ANSWERED);
        assert_true(second.good);
        assert_string_equal(second.text, "done\n");
        assert_true(agpu_ctl_is_over(&server, other, now_ns));
        agpu_ctl_gone(&server, other);
        assert_int_equal(server.owner, session);
        now_ns += 1000 * MS;
    }
    /* Two that ask at the same time are both answered. */
    static struct agpu_ctl_client third;
    const int both[] = {agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "10.0.2.9", now_ns),
                        agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "10.0.2.10", now_ns)};
    struct agpu_ctl_client *const clients[] = {&second, &third};
    for (size_t i = 0; i < 2; i++) {
        agpu_ctl_client_begin(clients[i], key, nonce, true);
        to_server(clients[i], both[i], SIZE_MAX);
        to_client(clients[i], both[i]);
        assert_int_equal(agpu_ctl_client_next(clients[i]), AGPU_CTL_NOTHING);
        to_server(clients[i], both[i], SIZE_MAX);
    }
    assert_true(agpu_ctl_take_halt(&server));
    agpu_ctl_answer_halt(&server, true, "done\n", 5);
    for (size_t i = 0; i < 2; i++) {
        to_client(clients[i], both[i]);
        assert_int_equal(agpu_ctl_client_next(clients[i]), AGPU_CTL_ANSWERED);
        agpu_ctl_gone(&server, both[i]);
    }
    now_ns += 1000 * MS;
    /* The client itself stops while it waits. Its answer arrives, and it can ask again. */
    agpu_ctl_client_halt(&first);
    to_server(&first, session, 3);
    assert_true(agpu_ctl_take_halt(&server));
    agpu_ctl_answer_halt(&server, true, "done\n", 5); /* there is no client to answer */
    assert_true(agpu_ctl_request(&server, &asked));
    agpu_ctl_reply(&server, asked.client, true, "run\n", 4, NULL, 0);
    to_client(&first, session);
    assert_int_equal(agpu_ctl_client_next(&first), AGPU_CTL_ANSWERED);
    /* A stop that arrives after the answer has no effect. */
    assert_true(agpu_ctl_client_ask(&first, "run *", NULL, 0));
    to_server(&first, session, SIZE_MAX);
    assert_true(agpu_ctl_request(&server, &asked));
    agpu_ctl_reply(&server, asked.client, true, "run\n", 4, NULL, 0);
    agpu_ctl_client_halt(&first);
    to_server(&first, session, 5);
    assert_false(agpu_ctl_take_halt(&server));
    to_client(&first, session);
    assert_int_equal(agpu_ctl_client_next(&first), AGPU_CTL_ANSWERED);
    assert_true(agpu_ctl_client_ask(&first, "id", NULL, 0));
    to_server(&first, session, SIZE_MAX);
    assert_true(agpu_ctl_request(&server, &asked));
    log_size = 0;
}

TEST(halt_needs_the_key)
{
    const uint8_t nonce[AGPU_WIRE_NONCE] = {98};
    struct agpu_ctl_asked asked;
    const int session = connect_client(&first);
    const int other = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "10.0.2.9", now_ns);

    assert_true(agpu_ctl_client_ask(&first, "run *", NULL, 0));
    to_server(&first, session, SIZE_MAX);
    agpu_ctl_client_begin(&second, other_key, nonce, true);
    for (int i = 0; i < 3; i++) {
        to_server(&second, other, SIZE_MAX);
        to_client(&second, other);
        agpu_ctl_client_next(&second);
    }
    assert_non_null(strstr(second.reason, "the key differs"));
    assert_false(agpu_ctl_take_halt(&server));
    assert_int_equal(server.forged, 1);
    assert_true(agpu_ctl_request(&server, &asked));
    /* A stop that the image does not take up is answered with the reason. */
    const int late = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "10.0.2.9", now_ns);
    agpu_ctl_client_begin(&second, key, nonce, true);
    to_server(&second, late, SIZE_MAX);
    to_client(&second, late);
    agpu_ctl_client_next(&second);
    to_server(&second, late, SIZE_MAX);
    now_ns += 11000 * MS;
    assert_false(agpu_ctl_is_over(&server, late, now_ns)); /* its last answer is pending */
    to_client(&second, late);
    assert_int_equal(agpu_ctl_client_next(&second), AGPU_CTL_ENDED);
    assert_non_null(strstr(second.reason, "was not processed in time"));
    log_size = 0;
}

/* At the end each client gets the reason, and no further one is accepted. */
TEST(dropped_client_is_notified)
{
    const int session = connect_client(&first);
    const int other = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns);

    agpu_ctl_leave(&server, "the image is exiting");
    assert_true(server.sessions[other].state == AGPU_CTL_OVER);
    to_client(&first, session);
    assert_int_equal(agpu_ctl_client_next(&first), AGPU_CTL_ENDED);
    assert_string_equal(first.reason, "the image is exiting");
    assert_int_equal(agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns), -1);
    log_size = 0;
}

/* The answer for a client that has gone does not reach another. */
TEST(answer_goes_to_its_client)
{
    struct agpu_ctl_asked asked, next;
    int session = connect_client(&first);

    assert_true(agpu_ctl_client_ask(&first, "run *", NULL, 0));
    to_server(&first, session, SIZE_MAX);
    assert_true(agpu_ctl_request(&server, &asked));
    agpu_ctl_gone(&server, session);
    session = connect_client(&second);
    assert_true(agpu_ctl_client_ask(&second, "id", NULL, 0));
    to_server(&second, session, SIZE_MAX);
    agpu_ctl_note(&server, asked.client, "note", 4);
    agpu_ctl_reply(&server, asked.client, true, "run\n", 4, NULL, 0);
    to_client(&second, session);
    assert_int_equal(agpu_ctl_client_next(&second), AGPU_CTL_NOTHING);
    assert_true(agpu_ctl_request(&server, &next));
    assert_true(next.client != asked.client);
    log_size = 0;
}

/* Strangers cost a bounded number of connections and hashes, and bounded time. */
static void close_what_is_over(void)
{
    const uint8_t *bytes;

    for (int s = 0; s < AGPU_CTL_SESSIONS; s++) {
        if (server.sessions[s].state == AGPU_CTL_FREE) {
            continue;
        }
        agpu_ctl_sent(&server, s, agpu_ctl_output(&server, s, &bytes)); /* as if a cable had sent it */
        if (agpu_ctl_is_over(&server, s, now_ns)) {
            agpu_ctl_gone(&server, s);
        }
    }
}

TEST(strangers_cost_little)
{
    uint8_t noise[4096];
    unsigned taken = 0;
    struct agpu_ctl_asked asked;

    srand(1);
    for (unsigned i = 0; i < 20000; i++) { /* ten per millisecond, for two seconds */
        const int session = agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns);

        now_ns += MS / 10;
        for (size_t n = 0; n < sizeof noise; n++) {
            noise[n] = (uint8_t)rand();
        }
        if (session >= 0) {
            taken++;
            if (i % 3 == 0) { /* a valid greeting without proof of the key */
                const uint8_t nonce[AGPU_WIRE_NONCE] = {1};

                agpu_ctl_client_begin(&first, other_key, nonce, false);
                to_server(&first, session, SIZE_MAX);
                log_size = 0;
                agpu_put_u16(noise, 0);
                noise[2] = AGPU_CTL_PROOF;
            }
            agpu_ctl_input(&server, session, noise, sizeof noise, now_ns);
        }
        close_what_is_over();
    }
    assert_true(taken > 100 && taken <= 460);
    assert_true(hashes <= 2 * taken);
    assert_false(agpu_ctl_request(&server, &asked));
    assert_int_equal(server.owner, -1);
    /* After them a client is still served. */
    now_ns += 1000 * MS;
    close_what_is_over();
    connect_client(&first);
    log_size = 0;
}

/* More strangers than the server accepts: the client at the serial port connects at once, and stays connected. */
TEST(a_flood_keeps_out_nobody_at_the_serial_port)
{
    unsigned refused = 0;

    for (unsigned i = 0; i < 1000; i++) {
        refused += agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "10.0.2.9", now_ns) < 0;
    }
    assert_true(refused >= 900);
    const int session = agpu_ctl_connect(&server, AGPU_CTL_SERIAL, "the serial port", now_ns);
    assert_true(session >= 0);
    assert_int_equal(server.sessions[session].state, AGPU_CTL_GREETED);
    now_ns += 500 * MS; /* strangers gave way to each other; the serial port does not */
    assert_false(agpu_ctl_is_over(&server, session, now_ns));
    assert_int_equal(greet(&first, session, key, SIZE_MAX), AGPU_CTL_WELCOMED);
    for (unsigned i = 0; i < 1000; i++) {
        agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "10.0.2.9", now_ns);
    }
    assert_int_equal(server.owner, session);
    log_size = 0;
}

TEST(silent_client_gives_way)
{
    for (int i = 0; i < AGPU_CTL_WAY_SESSIONS; i++) {
        assert_true(agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns) >= 0);
    }
    assert_int_equal(agpu_ctl_connect(&server, AGPU_CTL_NETWORK, "a peer", now_ns), -1);
    now_ns += 400 * MS;
    assert_true(agpu_ctl_is_over(&server, 0, now_ns));
    agpu_ctl_gone(&server, 0);
    assert_false(agpu_ctl_is_over(&server, 1, now_ns)); /* there is room again */
    connect_client(&first);
    now_ns += 3100 * MS;
    assert_true(agpu_ctl_is_over(&server, 1, now_ns));
    assert_false(agpu_ctl_is_over(&server, 0, now_ns));
    log_size = 0;
}

/* A client that asks and does not read. */
TEST(answers_are_bounded)
{
    static char text[AGPU_CTL_TEXT_MAX + 1];
    static uint8_t bytes[AGPU_CTL_DATA_MAX];
    struct agpu_ctl_asked asked;
    const int session = connect_client(&first);

    memset(text, 'x', sizeof text);
    for (unsigned i = 0; i < 5 && server.owner >= 0; i++) {
        assert_true(agpu_ctl_client_ask(&first, "mem read 0 16384", NULL, 0));
        to_server(&first, session, SIZE_MAX);
        assert_true(agpu_ctl_request(&server, &asked));
        for (unsigned n = 0; n < 100; n++) {
            agpu_ctl_note(&server, asked.client, text, AGPU_CTL_NOTE_MAX);
        }
        agpu_ctl_reply(&server, asked.client, true, text, sizeof text, bytes, sizeof bytes);
        assert_true(server.out_size <= sizeof server.out);
    }
    assert_int_equal(server.owner, -1);
    log_size = 0;
}
