/* test_record.c: record text, stream framing, filters, statuses (tests/cases/README.md). */
#include <stdio.h>
#include <string.h>

#include "tests/cases/choice/filter.h"
#include "tests/cases/harness/status.h"
#include "tests/cases/harness/stream.h"
#include "tests/unit/test.h"

static struct agpu_record record;

TEST(quotes_what_needs_it)
{
    agpu_record_begin(&record, AGPU_RECORD_CHECK, "ring.a.b");
    agpu_record_string(&record, "plain", "a=b;c,d");
    agpu_record_string(&record, "space", "a b");
    agpu_record_string(&record, "special", "q\"b\\n\n\x7f\xc3");
    agpu_record_string(&record, "empty", "");
    agpu_record_string(&record, "number", "12");
    agpu_record_string(&record, "negative", "-12");
    agpu_record_string(&record, "dash", "-");
    agpu_record_string(&record, "almost", "12x");
    agpu_record_u64(&record, "u", UINT64_MAX);
    agpu_record_hex(&record, "h", 0x1F);
    agpu_record_finish(&record);
    assert_string_equal(
        record.buffer,
        "check ring.a.b plain=a=b;c,d space=\"a b\" special=\"q\\\"b\\\\n\\x0A\\x7F\\xC3\" empty=\"\" "
        "number=\"12\" negative=\"-12\" dash=- almost=12x u=18446744073709551615 h=0x1f");
}

TEST(names_every_type)
{
    for (int type = 0; type < AGPU_RECORD_TYPE_COUNT; type++) {
        agpu_record_begin(&record, (enum agpu_record_type)type, NULL);
        assert_true(strlen(record.buffer) > 4);
        assert_string_equal(record.buffer + strlen(record.buffer) - 2, " -");
    }
}

TEST(long_records_are_marked)
{
    char text[3 * AGPU_RECORD_TEXT_MAX];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    for (int escape = 0; escape < 2; escape++) {
        if (escape) {
            memset(text, '\n', sizeof text - 1);
        }
        agpu_record_begin(&record, AGPU_RECORD_LOG, NULL);
        agpu_record_string(&record, "text", text);
        agpu_record_u64(&record, "later", 1);
        agpu_record_finish(&record);
        agpu_record_finish(&record);
        assert_true(record.text.length <= AGPU_RECORD_TEXT_MAX);
        assert_true(record.text.length > AGPU_RECORD_TEXT_MAX - 8);
        assert_null(strstr(record.buffer, "later"));
        /* The quotation mark of the value is still closed. */
        assert_string_equal(record.buffer + record.text.length - 13, "\" truncated=1");
    }
}

TEST(exact_fit_is_not_truncated)
{
    for (size_t length = AGPU_RECORD_TEXT_MAX - 60; length < AGPU_RECORD_TEXT_MAX; length++) {
        char text[AGPU_RECORD_TEXT_MAX + 1];

        memset(text, 'y', length);
        text[length] = '\0';
        agpu_record_begin(&record, AGPU_RECORD_LOG, NULL);
        agpu_record_string(&record, "t", text);
        agpu_record_finish(&record);
        assert_true(record.text.length <= AGPU_RECORD_TEXT_MAX);
        assert_false(record.text.truncated);
        if (strstr(record.buffer, " truncated=1") != NULL) {
            assert_non_null(strchr(record.buffer, '"'));
        } else {
            assert_int_equal(record.text.length, strlen("log - t=") + length);
        }
    }
}

#define CAPTURED 64

struct capture {
    char packets[CAPTURED][2200];
    size_t lengths[CAPTURED];
    unsigned count;
    struct agpu_stream *reenter;
};

static void capture(void *ctx, const char *packet, size_t length)
{
    struct capture *to = ctx;

    assert_true(to->count < CAPTURED && length < sizeof to->packets[0]);
    memcpy(to->packets[to->count], packet, length);
    to->packets[to->count][length] = '\0';
    to->lengths[to->count++] = length;
    if (to->reenter != NULL) {
        agpu_stream_log(to->reenter, AGPU_LOG_WARNING, "from inside a sink");
    }
}

static uint64_t fake_now;

static uint64_t now(void *ctx)
{
    (void)ctx;
    return fake_now;
}

static struct capture lines, packets;

static void open_stream(struct agpu_stream *stream, size_t max_packet)
{
    struct agpu_sink line_sink = {.name = "line", .ctx = &lines, .packet = capture};
    struct agpu_sink packet_sink = {
        .name = "udp", .ctx = &packets, .max_packet = max_packet, .packet = capture};

    memset(&lines, 0, sizeof lines);
    memset(&packets, 0, sizeof packets);
    fake_now = 5000;
    agpu_stream_init(stream, now, NULL, 2000);
    assert_true(agpu_stream_add_sink(stream, &line_sink));
    assert_true(agpu_stream_add_sink(stream, &packet_sink));
}

TEST(frames_and_numbers)
{
    struct agpu_stream stream;

    open_stream(&stream, 1000);
    agpu_stream_log(&stream, AGPU_LOG_WARNING, "hello you");
    fake_now = 1002000;
    agpu_record_begin(&record, AGPU_RECORD_START, "a.b");
    agpu_record_u64(&record, "index", 1);
    agpu_stream_send(&stream, &record);
    assert_string_equal(lines.packets[0], "4,0,3,-;log - level=warning text=\"hello you\"\n");
    assert_string_equal(lines.packets[1], "6,1,1000,-;start a.b index=1\n");
    assert_string_equal(packets.packets[0], lines.packets[0]);
    assert_string_equal(packets.packets[1], lines.packets[1]);
}

TEST(splits_long_records)
{
    static const size_t sizes[] = {128, 200, 500, 999, 1000};

    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct agpu_stream stream;
        char text[AGPU_RECORD_TEXT_MAX + 1] = "";
        char whole[AGPU_RECORD_TEXT_MAX + 1];
        size_t total = 0;

        open_stream(&stream, sizes[i]);
        memset(text, 'z', AGPU_RECORD_TEXT_MAX - 100);
        agpu_stream_log(&stream, AGPU_LOG_INFO, text);
        assert_int_equal(lines.count, 1);
        assert_true(packets.count > 1);
        for (unsigned p = 0; p < packets.count; p++) {
            const char *packet = packets.packets[p];
            const char *body = strchr(packet, ';') + 1;
            size_t offset, size;

            assert_true(packets.lengths[p] <= sizes[i]);
            assert_int_equal(strncmp(packet, "6,0,3,-,ncfrag=", 15), 0);
            assert_int_equal(sscanf(packet + 15, "%zu/%zu;", &offset, &size), 2);
            assert_int_equal(offset, total);
            memcpy(whole + offset, body, strlen(body));
            total += strlen(body);
            assert_true(total <= size);
        }
        whole[total] = '\0';
        assert_memory_equal(strchr(lines.packets[0], ';') + 1, whole, total);
        assert_int_equal(lines.lengths[0], strlen("6,0,3,-;") + total + 1);
    }
}

TEST(sinks_may_log)
{
    struct agpu_stream stream;

    open_stream(&stream, 1000);
    lines.reenter = &stream;
    agpu_stream_log(&stream, AGPU_LOG_INFO, "outer");
    /* The stream does not enter the sink that logged again. The other sink gets both records. */
    assert_int_equal(lines.count, 1);
    assert_int_equal(packets.count, 2);
    assert_int_equal(stream.sinks[0].missed, 1);
    assert_int_equal(stream.seq, 2);
}

TEST(refuses_unusable_sinks)
{
    struct agpu_stream stream;
    struct agpu_sink bad = {.name = "bad", .max_packet = 127, .packet = capture};

    agpu_stream_init(&stream, now, NULL, 0);
    assert_false(agpu_stream_add_sink(&stream, &bad));
    bad.max_packet = 1001;
    assert_false(agpu_stream_add_sink(&stream, &bad));
    bad.max_packet = 0;
    bad.packet = NULL;
    assert_false(agpu_stream_add_sink(&stream, &bad));
    bad.packet = capture;
    for (unsigned i = 0; i < AGPU_STREAM_SINKS_MAX; i++) {
        assert_true(agpu_stream_add_sink(&stream, &bad));
    }
    assert_false(agpu_stream_add_sink(&stream, &bad));
}

TEST(filters)
{
    static const struct {
        const char *filter, *id;
        bool match;
    } rows[] = {
        {NULL, "a.b", true},
        {"", "a.b", true},
        {" , ", "a.b", true},
        {"*", "a.b", true},
        {"ring.*", "ring.x", true},
        {"ring.*", "fence.x", false},
        {"ring", "ring.x", false},
        {"?ing.x", "ring.x", true},
        {"r*g*x", "ring.x", true},
        {"*x*", "ring.x", true},
        {"*y", "ring.x", false},
        {"a,ring.x", "ring.x", true},
        {"a, ring.* ,b", "ring.x", true},
        {"[rf]ing.x", "ring.x", true},
        {"[!r]ing.x", "ring.x", false},
        {"[^r]ing.x", "sing.x", true},
        {"[a-s]ing.x", "ring.x", true},
        {"[a-c]ing.x", "ring.x", false},
        {"[]r]ing.x", "ring.x", true},
        {"[ring.x", "ring.x", false},
        {"ring.x[", "ring.x[", false},
        {"[r-]ing.x", "-ing.x", true},
        {"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaa", false},
        {"ring.x?", "ring.x", false},
        {"ring.x*", "ring.x", true},
        {"**", "", true},
        {"!ring.*", "ring.x", false},
        {"!ring.*", "fence.x", true},
        {"*,!*.x", "ring.x", false},
        {"!*.x,ring.*", "ring.y", true},
        {"!*.x,ring.*", "fence.y", false},
        {"ring.*,!ring.x,ring.x", "ring.x", false},
        {"!", "ring.x", true},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (agpu_filter_match(rows[i].filter, rows[i].id) != rows[i].match) {
            fail_msg("filter \"%s\" on \"%s\": expected %d", rows[i].filter, rows[i].id, rows[i].match);
        }
    }
}

TEST(worst_wins)
{
    static const enum agpu_result order[] = {AGPU_PASS, AGPU_SKIP,    AGPU_ERROR,
                                             AGPU_FAIL, AGPU_TIMEOUT, AGPU_CRASH};

    for (unsigned i = 0; i < 6; i++) {
        for (unsigned j = 0; j < 6; j++) {
            assert_int_equal(agpu_result_worse(order[i], order[j]), order[i > j ? i : j]);
        }
        assert_true(strlen(agpu_result_name(order[i])) >= 4);
    }
    assert_string_equal(agpu_result_name((enum agpu_result)17), "?");
}
