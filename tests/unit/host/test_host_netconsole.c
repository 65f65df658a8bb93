/* test_host_netconsole.c: the wire format: header, fragments, lines, and records inside firmware noise. */
#include <stdio.h>
#include <string.h>
#include "tests/host/wire/line_stream.h"
#include "tests/host/wire/reassembly.h"
#include "tests/unit/test.h"

static struct agpu_packet packet;

static const char *parse(const char *line)
{
    return agpu_packet_parse(line, strlen(line), &packet);
}

TEST(takes_headers)
{
    assert_null(parse("6,12,3456,-;plan - a=1\n"));
    assert_int_equal(packet.seq, 12);
    assert_int_equal(packet.t_us, 3456);
    assert_int_equal(packet.length, 10);
    assert_memory_equal(packet.text, "plan - a=1", 10);
    assert_true(packet.newline);
    assert_null(parse("6.18.44-amd64+,6,12,3456,-;x")); /* with the kernel release */
    assert_int_equal(packet.seq, 12);
    assert_false(packet.newline);
    assert_null(parse("6,12,3456,-,caller=T1;x\n SUBSYSTEM=net\n")); /* dictionary lines are not text */
    assert_int_equal(packet.length, 1);
    assert_null(parse("6,12,3456,c;"));
    assert_int_equal(packet.length, 0);
    assert_null(parse("6,12,3456,-,ncfrag=0/20;abc"));
    assert_true(packet.fragment);
    assert_int_equal(packet.total, 20);
}

TEST(refuses_headers)
{
    static const char *const bad[] = {
        "",
        "text",
        "6;",
        "6,1,2;x",
        "6,1,2,x;y",
        "6,,2,-;x",
        "-6,1,2,-;x",
        "6,1,2,-x",
        "6 ,1,2,-;x",
        "9999,1,2,-;x",
        "6,281474976710656,2,-;x",      /* above the largest sequence number */
        "6,99999999999999999999,2,-;x", /* more than 64 bits */
        "6,1,2,-,ncfrag=0;x",
        "6,1,2,-,ncfrag=5/5;x",
        "6,1,2,-,ncfrag=0/0;x",
        "6,1,2,-,ncfrag=0/8193;x",
        "6,1,2,-,ncfrag=4/5;xy",
        "6,1,2,-,ncfrag=0/5;",
        "6,1,2,-,ncfrag=0/5/6;x",
        "two words,6,1,2,-;x",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (parse(bad[i]) == NULL) {
            fail_msg("accepted: %s", bad[i]);
        }
    }
}

static struct agpu_reassembly pieces;
static struct agpu_packet whole;

static enum agpu_reassembly_result add(unsigned seq, size_t offset, size_t total, const char *text)
{
    char line[200];

    snprintf(line, sizeof line, "6,%u,5,-,ncfrag=%zu/%zu;%s", seq, offset, total, text);
    assert_null(parse(line));
    return agpu_reassembly_add(&pieces, &packet, &whole);
}

TEST(assembles_in_any_order)
{
    memset(&pieces, 0, sizeof pieces);
    assert_int_equal(add(1, 4, 8, "5678"), AGPU_REASSEMBLY_PENDING);
    assert_int_equal(add(2, 0, 4, "ab"), AGPU_REASSEMBLY_PENDING);   /* another record in between */
    assert_int_equal(add(1, 4, 8, "5678"), AGPU_REASSEMBLY_PENDING); /* a copy */
    assert_int_equal(add(1, 2, 8, "3456"), AGPU_REASSEMBLY_PENDING); /* an overlap */
    assert_int_equal(add(1, 0, 8, "12\n"), AGPU_REASSEMBLY_COMPLETE);
    assert_int_equal(whole.length, 8);
    assert_memory_equal(whole.text, "12345678", 8);
    assert_int_equal(whole.seq, 1);
    assert_int_equal(add(2, 2, 4, "cd"), AGPU_REASSEMBLY_COMPLETE);
    assert_memory_equal(whole.text, "abcd", 4);
    assert_int_equal(pieces.abandoned, 0);
}

TEST(counts_linux_newlines)
{
    memset(&pieces, 0, sizeof pieces);
    assert_int_equal(add(1, 0, 6, "12345\n"), AGPU_REASSEMBLY_COMPLETE); /* the total includes the newline */
    assert_int_equal(whole.length, 5);
}

TEST(refuses_contradictions)
{
    memset(&pieces, 0, sizeof pieces);
    assert_int_equal(add(1, 0, 8, "1234"), AGPU_REASSEMBLY_PENDING);
    assert_int_equal(add(1, 2, 8, "XX"), AGPU_REASSEMBLY_CONFLICT);
    assert_int_equal(add(1, 4, 8, "5678"), AGPU_REASSEMBLY_PENDING); /* the earlier fragments are dropped */
    assert_int_equal(pieces.abandoned, 1);
}

TEST(gives_up_the_oldest)
{
    memset(&pieces, 0, sizeof pieces);
    for (unsigned i = 0; i <= AGPU_REASSEMBLY_SLOTS; i++) {
        assert_int_equal(add(i, 0, 4, "ab"), AGPU_REASSEMBLY_PENDING);
    }
    assert_int_equal(pieces.abandoned, 1);
    assert_int_equal(add(1, 2, 4, "cd"), AGPU_REASSEMBLY_COMPLETE);
    assert_int_equal(add(0, 2, 4, "cd"), AGPU_REASSEMBLY_PENDING); /* number 0 was the oldest */
}

static bool only_plan(void *ctx, const struct agpu_packet *found)
{
    (void)ctx;
    return found->length >= 4 && memcmp(found->text, "plan", 4) == 0;
}

static bool find(const char *line)
{
    return agpu_packet_find(line, strlen(line), only_plan, NULL, &packet);
}

TEST(finds_records_in_noise)
{
    assert_true(find("6,0,12,-;plan"));
    assert_true(find("BdsDxe: starting 6,0,12,-;plan"));
    assert_true(find("\x1b[2J\x1b[01;01H6,0,12,-;plan"));
    assert_true(find("7,6,0,12,-;plan") && packet.seq == 0);
    assert_true(find("1,2,3,-;4,5,6,-;plan") && packet.seq == 5); /* the second cuts the first one short */
    assert_false(find("6,0,12,-;pla"));
    assert_false(find("6,0,banana,-;plan"));
}

static struct agpu_line_stream stream;

TEST(cuts_lines)
{
    static const char input[] = "one\r\n\rtwo\n\nth";
    char got[64] = "";
    for (size_t piece = 1; piece < sizeof input; piece++) { /* cut at any byte */
        got[0] = '\0';
        stream.length = 0;
        for (size_t at = 0; at < sizeof input - 1;) {
            size_t left = sizeof input - 1 - at;
            const char *line;
            size_t length;

            at += agpu_line_stream_take(&stream, input + at, left < piece ? left : piece, &line, &length);
            if (line != NULL) {
                snprintf(got + strlen(got), sizeof got - strlen(got), "[%.*s]", (int)length, line);
            }
        }
        size_t length;
        const char *rest = agpu_line_stream_rest(&stream, &length);
        assert_non_null(rest);
        snprintf(got + strlen(got), sizeof got - strlen(got), "<%.*s>", (int)length, rest);
        assert_string_equal(got, "[one][two][]<th>");
    }
    size_t length;
    assert_null(agpu_line_stream_rest(&stream, &length));
}

TEST(bounds_lines)
{
    static char flood[AGPU_LINE_MAX + 100];
    memset(flood, 'x', sizeof flood);
    const char *line;
    size_t length;
    stream.length = 0;
    assert_int_equal(agpu_line_stream_take(&stream, flood, sizeof flood, &line, &length), AGPU_LINE_MAX);
    assert_non_null(line);
    assert_int_equal(length, AGPU_LINE_MAX);
}
