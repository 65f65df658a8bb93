/* test_ctl_serial.c: control over a serial port (tests/handbook/control.md 5): lines, both ends of a link over a bad
 * line, and foreign traffic on the line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "efi/control/serial_sessions.h"
#include "tests/host/ctl/client.h"
#include "tests/host/wire/line_stream.h"
#include "tests/unit/test.h"

#define MS UINT64_C(1000000)

static const uint8_t key[AGPU_KEY_SIZE] = {1, 2, 3}, other_key[AGPU_KEY_SIZE] = {1, 2, 4};
static struct agpu_ctl_server server;
static struct agpu_serial_sessions sessions;
static struct agpu_ctl_client client;
static struct agpu_serial_link link;
static struct agpu_line_stream lines;
static uint64_t now_ns;
static uint8_t nonces;
static unsigned records_seen;

static void next_nonce(uint8_t out[AGPU_WIRE_NONCE])
{
    memset(out, ++nonces, AGPU_WIRE_NONCE);
}

static int begin(void **state)
{
    struct agpu_ctl_config config = {
        .hash = agpu_credentials_hash, .nonce = next_nonce, .welcome = "welcome build=x"};

    (void)state;
    memcpy(config.key, key, sizeof key);
    agpu_ctl_init(&server, &config);
    agpu_serial_sessions_init(&sessions, &server);
    now_ns += 100000 * MS;
    lines.length = 0;
    records_seen = 0;
    srand(5);
    return 0;
}

/* ---- lines ---- */

FIXTURE(begin, NULL);

TEST(a_line_comes_back_as_it_was)
{
    struct agpu_serial_line line = {.to_image = true,
                                    .kind = AGPU_SERIAL_DATA,
                                    .connection = UINT64_C(0x0123456789ABCDEF),
                                    .at = 0xFFFFFFF0,
                                    .wanted = 77};
    struct agpu_serial_line back;
    char text[AGPU_SERIAL_OUTPUT_MAX + 1];

    for (size_t size = 0; size <= AGPU_SERIAL_PIECE_MAX; size++) {
        line.size = size;
        if (size != 0) {
            line.bytes[size - 1] = (uint8_t)(size * 37);
        }
        const size_t length = agpu_serial_line_write(&line, text);
        assert_true(length <= AGPU_SERIAL_OUTPUT_MAX);
        assert_true(text[0] == '\n' && text[length - 1] == '\n');
        assert_true(agpu_serial_line_read(text + 1, length - 2, &back));
        assert_true(back.to_image && back.kind == AGPU_SERIAL_DATA && back.connection == line.connection);
        assert_int_equal(back.at, line.at);
        assert_int_equal(back.wanted, 77);
        assert_int_equal(back.size, size);
        assert_memory_equal(back.bytes, line.bytes, size);
    }
    /* Terminals add CR and blanks around a line. */
    text[AGPU_SERIAL_OUTPUT_MAX - 1] = '\r';
    assert_true(agpu_serial_line_read(text + 1, AGPU_SERIAL_OUTPUT_MAX - 1, &back));
}

/* The CRC is the usual CRC-32; this value is zlib's. */
TEST(a_line_is_written_as_the_page_says)
{
    const struct agpu_serial_line line = {
        .kind = AGPU_SERIAL_END, .connection = 0x3837363534333231, .at = 0x39, .wanted = 0};
    char text[AGPU_SERIAL_OUTPUT_MAX + 1] = "";

    text[agpu_serial_line_write(&line, text)] = '\0';
    assert_string_equal(text, "\n~agpu<02313233343536373839000000000000000830e4ff\n");
}

/* Any byte is changed or doubled or lost, or the line is cut after it. */
TEST(a_damaged_line_is_none)
{
    struct agpu_serial_line line = {.to_image = true, .kind = AGPU_SERIAL_DATA, .connection = 5, .size = 20};
    struct agpu_serial_line back;
    char text[AGPU_SERIAL_OUTPUT_MAX], bad[AGPU_SERIAL_OUTPUT_MAX + 1];
    const size_t length = agpu_serial_line_write(&line, text) - 2;

    for (size_t at = 0; at < length; at++) {
        memcpy(bad, text + 1, length);
        bad[at] = (char)(bad[at] ^ 1);
        if (bad[at] != '=' && bad[at] != '?') { /* the direction mark, which the CRC does not cover */
            assert_false(agpu_serial_line_read(bad, length, &back));
        }
        memcpy(bad, text + 1, at);
        memcpy(bad + at, text + 1 + at + 1, length - at - 1);
        assert_false(agpu_serial_line_read(bad, length - 1, &back));
        memcpy(bad, text + 1, at + 1);
        memcpy(bad + at + 1, text + 1 + at, length - at);
        assert_false(agpu_serial_line_read(bad, length + 1, &back));
        assert_false(agpu_serial_line_read(text + 1, at, &back));
    }
    assert_true(agpu_serial_line_is_meant(text + 1, length));
    assert_false(agpu_serial_line_is_meant("6,24,4341288,-;metric", 21));
}

/* ---- both ends ---- */

/* Damages about one byte in one_in: it is lost, doubled or changed. 0: no damage. */
static size_t spoil(char *to, const char *from, size_t size, unsigned one_in)
{
    size_t length = 0;

    for (size_t i = 0; i < size; i++) {
        const int what = one_in != 0 && (unsigned)rand() % one_in == 0 ? rand() % 3 : 3;

        if (what == 0) {
            continue;
        }
        to[length++] = what == 2 ? (char)rand() : from[i];
        if (what == 1) {
            to[length++] = from[i];
        }
    }
    return length;
}

/* Input of the client: its lines, with records among them. */
static void client_hears(const char *bytes, size_t size)
{
    while (size != 0) {
        struct agpu_serial_line line;
        const char *text;
        size_t length;
        const size_t taken = agpu_line_stream_take(&lines, bytes, size, &text, &length);
        uint8_t *to;

        bytes += taken;
        size -= taken;
        if (text != NULL && length == 25 && memcmp(text, "6,24,4341288,-;metric x=1", 25) == 0) {
            records_seen++;
        }
        if (text == NULL || !agpu_serial_line_read(text, length, &line) || line.to_image ||
            line.connection != link.connection) {
            continue;
        }
        const size_t room = agpu_ctl_client_room(&client, &to);
        const size_t fresh = agpu_serial_link_take(&link, &line);

        assert_true(fresh <= room);
        memcpy(to, line.bytes + line.size - fresh, fresh);
        agpu_ctl_client_came(&client, fresh);
    }
}

/* One millisecond of both ends. */
static void pass_time(unsigned one_in, bool records)
{
    char text[AGPU_SERIAL_OUTPUT_MAX], bad[2 * AGPU_SERIAL_OUTPUT_MAX];
    struct agpu_serial_line line;
    const uint8_t *bytes;
    size_t size;

    now_ns += MS;
    while ((size = agpu_ctl_client_output(&client, &bytes)) != 0) {
        const size_t taken = agpu_serial_link_put(&link, bytes, size);

        if (taken == 0) {
            break;
        }
        agpu_ctl_client_sent(&client, taken);
    }
    while (agpu_serial_link_next(&link, now_ns, &line)) {
        size = agpu_serial_line_write(&line, text);
        agpu_serial_sessions_input(&sessions, bad, spoil(bad, text, size, one_in), now_ns);
    }
    while ((size = agpu_serial_sessions_output(&sessions, now_ns, text)) != 0) {
        if (records) {
            client_hears("6,24,4341288,-;metric x=1\n", 26);
        }
        client_hears(bad, spoil(bad, text, size, one_in));
    }
}

static enum agpu_ctl_event next_event(unsigned one_in, bool records)
{
    enum agpu_ctl_event event = AGPU_CTL_NOTHING;

    for (unsigned i = 0; i < 100000 && event == AGPU_CTL_NOTHING; i++) {
        pass_time(one_in, records);
        event = agpu_ctl_client_next(&client);
        if (link.state != AGPU_SERIAL_OPEN) {
            return AGPU_CTL_ENDED;
        }
    }
    return event;
}

static enum agpu_ctl_event greet(const uint8_t *with, unsigned one_in)
{
    const uint8_t nonce[AGPU_WIRE_NONCE] = {++nonces};

    agpu_serial_link_begin(&link, (uint64_t)rand() << 31 ^ (uint64_t)rand() ^ nonces, false);
    agpu_ctl_client_begin(&client, with, nonce, false);
    return next_event(one_in, true);
}

static void answer_request(const uint8_t *bytes, size_t size)
{
    struct agpu_ctl_asked asked;

    for (unsigned i = 0; i < 300000 && !agpu_ctl_request(&server, &asked); i++) {
        pass_time(i == 0 ? 0 : 600, true);
        assert_int_equal(link.state, AGPU_SERIAL_OPEN);
    }
    assert_true(agpu_ctl_request(&server, &asked));
    assert_int_equal(asked.size, size);
    assert_memory_equal(asked.bytes, bytes, size);
}

/* The longest request and the longest answer arrive over a line that damages one byte in 600. */
TEST(all_arrives_over_a_bad_line)
{
    static uint8_t stream[AGPU_CTL_STREAM_MAX], memory[AGPU_CTL_DATA_MAX];
    static char text[AGPU_CTL_TEXT_MAX];
    struct agpu_ctl_asked asked;

    for (size_t i = 0; i < sizeof stream; i++) {
        stream[i] = (uint8_t)rand();
    }
    memset(text, 'x', sizeof text);
    memcpy(memory, stream, sizeof memory);
    assert_int_equal(greet(key, 600), AGPU_CTL_WELCOMED);
    for (int i = 0; i < 2; i++) {
        assert_true(agpu_ctl_client_ask(&client, "submit", stream, sizeof stream));
        answer_request(stream, sizeof stream);
        assert_true(agpu_ctl_request(&server, &asked));
        agpu_ctl_note(&server, asked.client, "half", 4);
        agpu_ctl_reply(&server, asked.client, true, text, sizeof text, memory, sizeof memory);
        assert_int_equal(next_event(600, true), AGPU_CTL_NOTED);
        assert_int_equal(next_event(600, true), AGPU_CTL_ANSWERED);
        assert_int_equal(client.text_size, sizeof text);
        assert_int_equal(client.size, sizeof memory);
        assert_memory_equal(client.bytes, memory, sizeof memory);
    }
    assert_true(sessions.damaged > 100); /* the line did damage them */
    assert_true(records_seen > 700);     /* and the control lines damaged no line of a record */
}

TEST(another_key_is_answered)
{
    assert_int_equal(greet(other_key, 0), AGPU_CTL_ENDED);
    assert_non_null(strstr(client.reason, "the key differs"));
    assert_int_equal(server.owner, -1);
}

/* All lines of a connection again, in another order, while the connection is open. */
TEST(repeated_lines_change_nothing)
{
    static char kept[64][AGPU_SERIAL_OUTPUT_MAX];
    static size_t sizes[64];
    struct agpu_ctl_asked asked;
    struct agpu_serial_line line;
    const uint8_t *bytes;
    unsigned count = 0;

    assert_int_equal(greet(key, 0), AGPU_CTL_WELCOMED);
    assert_true(agpu_ctl_client_ask(&client, "reboot", NULL, 0));
    const size_t size = agpu_ctl_client_output(&client, &bytes);
    agpu_ctl_client_sent(&client, agpu_serial_link_put(&link, bytes, size));
    while (agpu_serial_link_next(&link, now_ns, &line)) {
        sizes[count] = agpu_serial_line_write(&line, kept[count]);
        agpu_serial_sessions_input(&sessions, kept[count], sizes[count], now_ns);
        count++;
    }
    assert_true(agpu_ctl_request(&server, &asked));
    agpu_ctl_reply(&server, asked.client, true, "done\n", 5, NULL, 0);
    for (unsigned i = 0; i < 3 * count; i++) {
        agpu_serial_sessions_input(&sessions, kept[i % count], sizes[i % count], now_ns);
        assert_false(agpu_ctl_request(&server, &asked));
    }
    assert_true(server.owner >= 0); /* the connection stays open */
    assert_int_equal(next_event(0, true), AGPU_CTL_ANSWERED);
    /* In the next connection they belong to none. */
    agpu_ctl_gone(&server, sessions.all[0].session);
    agpu_serial_sessions_init(&sessions, &server);
    for (unsigned i = 0; i < count; i++) {
        agpu_serial_sessions_input(&sessions, kept[i], sizes[i], now_ns);
        assert_false(agpu_ctl_request(&server, &asked));
    }
    assert_int_equal(sessions.foreign, count);
}

/* Noise, and valid lines of other connections, cost the client neither its connection nor memory. */
TEST(strangers_on_the_line)
{
    char noise[600], text[AGPU_SERIAL_OUTPUT_MAX];
    struct agpu_serial_line line = {.to_image = true, .kind = AGPU_SERIAL_DATA, .size = 40};

    assert_int_equal(greet(key, 0), AGPU_CTL_WELCOMED);
    for (unsigned i = 0; i < 5000; i++) {
        for (size_t n = 0; n < sizeof noise; n++) {
            noise[n] = (char)(rand() % 20 == 0 ? '\n' : rand());
        }
        agpu_serial_sessions_input(&sessions, noise, (size_t)rand() % sizeof noise, now_ns);
        line.connection = (uint64_t)rand();
        line.at = rand() % 2 == 0 ? 0 : (uint32_t)rand();
        line.bytes[0] = (uint8_t)rand();
        agpu_serial_sessions_input(&sessions, text, agpu_serial_line_write(&line, text), now_ns);
        pass_time(0, false);
        assert_int_equal(link.state, AGPU_SERIAL_OPEN);
    }
    agpu_serial_sessions_input(&sessions, "\n", 1, now_ns);
    assert_true(agpu_ctl_client_ask(&client, "id", NULL, 0));
    answer_request((const uint8_t *)"", 0);
    /* Another client can connect among them. */
    agpu_ctl_gone(&server, server.owner);
    agpu_serial_sessions_init(&sessions, &server);
    assert_int_equal(greet(key, 0), AGPU_CTL_WELCOMED);
}

/* Half a line of a client that was switched off does not swallow the next line. */
TEST(half_a_line_costs_itself)
{
    agpu_serial_sessions_input(&sessions, "~agpu>0112", 10, now_ns);
    assert_int_equal(greet(key, 0), AGPU_CTL_WELCOMED);
    assert_int_equal(sessions.damaged, 1);
}

/* The first line of a closed connection does not open it again: the client's next lines would be taken for
 * another's. */
TEST(what_is_over_does_not_begin_again)
{
    struct agpu_serial_line line = {.to_image = true, .kind = AGPU_SERIAL_DATA, .connection = 77, .size = 28},
                            back;
    char text[AGPU_SERIAL_OUTPUT_MAX], first_line[AGPU_SERIAL_OUTPUT_MAX];
    const size_t length = agpu_serial_line_write(&line, first_line);

    memcpy(line.bytes, "\x18\0\x11\0", 4);
    agpu_serial_sessions_input(&sessions, first_line, length, now_ns);
    assert_true(sessions.all[0].session >= 0);
    line.kind = AGPU_SERIAL_END;
    agpu_serial_sessions_input(&sessions, text, agpu_serial_line_write(&line, text), now_ns);
    while (agpu_serial_sessions_output(&sessions, now_ns, text) != 0) {
    }
    assert_int_equal(sessions.all[0].session, -1);
    agpu_serial_sessions_input(&sessions, first_line, length, now_ns);
    assert_int_equal(sessions.all[0].session, -1);
    const size_t size = agpu_serial_sessions_output(&sessions, now_ns, text);
    assert_true(size > 2 && agpu_serial_line_read(text + 1, size - 2, &back));
    assert_true(back.kind == AGPU_SERIAL_END && back.connection == 77);
}

/* Each request to end a connection is answered, also a repeated one, and frees its place. */
TEST(an_end_is_answered)
{
    struct agpu_serial_line line = {.to_image = true, .kind = AGPU_SERIAL_END}, back;
    char text[AGPU_SERIAL_OUTPUT_MAX];

    assert_int_equal(greet(key, 0), AGPU_CTL_WELCOMED);
    line.connection = link.connection;
    for (int i = 0; i < 3; i++) {
        agpu_serial_sessions_input(&sessions, text, agpu_serial_line_write(&line, text), now_ns);
        const size_t size = agpu_serial_sessions_output(&sessions, now_ns, text);
        assert_true(size > 2 && agpu_serial_line_read(text + 1, size - 2, &back));
        assert_true(back.kind == AGPU_SERIAL_END && back.connection == line.connection);
        assert_int_equal(server.owner, -1);
    }
    assert_int_equal(agpu_serial_sessions_output(&sessions, now_ns, text), 0);
}

/* Without an answer the link gives up after a bounded number of tries. */
TEST(nobody_answers)
{
    struct agpu_serial_line line;
    unsigned sent = 0;

    agpu_serial_link_begin(&link, 1, false);
    agpu_serial_link_put(&link, "abc", 3);
    for (unsigned i = 0; i < 100000 && link.state == AGPU_SERIAL_OPEN; i++) {
        now_ns += MS;
        sent += agpu_serial_link_next(&link, now_ns, &line);
    }
    assert_int_equal(link.state, AGPU_SERIAL_BROKEN);
    assert_int_equal(sent, AGPU_SERIAL_TRIES + 1);
    assert_true(agpu_serial_link_deadline(&link) == UINT64_MAX);
}
