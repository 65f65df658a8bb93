/* test_host_record.c: the record parser accepts all that the image writes, and refuses anything else with a reason. */
#include <stdio.h>
#include <string.h>
#include "tests/host/wire/record.h"
#include "tests/unit/test.h"

static struct agpu_parsed_record record;

static const char *parse(const char *text)
{
    return agpu_record_parse(text, strlen(text), &record);
}

TEST(takes_every_type)
{
    assert_null(parse("plan - count=58 build=0e5c+ device=\"A3A0:0001 00:03.0 abi=1.4\""));
    assert_int_equal(record.type, AGPU_RECORD_PLAN);
    assert_int_equal(agpu_record_count(&record, "count", 0), 58);
    assert_string_equal(agpu_record_text(&record, "device", ""), "A3A0:0001 00:03.0 abi=1.4");
    assert_null(parse("start ring.wrap.index_past_2_32 index=3"));
    assert_string_equal(record.id, "ring.wrap.index_past_2_32");
    assert_null(
        parse("check ring.a expr=\"a == b\" file=tests/cases/x.c line=12 expected=5 actual=-4 note=x"));
    assert_int_equal(agpu_record_field(&record, "actual")->number, -4);
    assert_null(parse("end ring.a status=PASS us=12"));
    assert_null(parse("metric - name=latency value=1.5 unit=us"));
    assert_false(agpu_record_field(&record, "value")->is_number);
    assert_null(parse("heartbeat - elapsed_us=5"));
    assert_null(parse("log - level=info text=entry"));
    assert_null(parse("artifact ring.a name=dump size=3 offset=0 data=AAAA"));
    assert_null(parse(
        "summary - status=PASS passed=1 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=1 us=9"));
}

TEST(decodes_quotes)
{
    assert_null(parse("log - level=info text=\"a \\\"b\\\" \\\\ \\x0a\\x00z\""));
    const struct agpu_field *text = agpu_record_field(&record, "text");
    assert_int_equal(text->length, 11);
    assert_memory_equal(text->text, "a \"b\" \\ \n\0z", 12);
    assert_null(parse("log - level=\"7\" text="));
    assert_false(agpu_record_field(&record, "level")->is_number);
    assert_int_equal(agpu_record_field(&record, "text")->length, 0);
}

TEST(knows_what_a_number_is)
{
    int64_t n = 0;
    assert_true(agpu_number_parse("-9223372036854775808", 20, &n) && n == INT64_MIN);
    assert_true(agpu_number_parse("9223372036854775807", 19, &n) && n == INT64_MAX);
    assert_false(agpu_number_parse("9223372036854775808", 19, &n));
    assert_false(agpu_number_parse("-9223372036854775809", 20, &n));
    assert_false(agpu_number_parse("-", 1, &n));
    assert_false(agpu_number_parse("", 0, &n));
    assert_false(agpu_number_parse("+1", 2, &n));
    assert_false(agpu_number_parse("0x10", 4, &n));
    assert_true(agpu_number_parse("007", 3, &n) && n == 7);
}

TEST(refuses_the_rest)
{
    static const char *const bad[] = {
        "",
        "plan",
        "plan ",
        "boot - a=1",
        "PLAN - count=1 build=b device=d",
        "start - index=1",              /* no case */
        "start ring.a",                 /* a required key is missing */
        "start ring.a index=x",         /* not a number */
        "start ring.a index=-1",        /* negative */
        "start ring.a  index=1",        /* two spaces */
        "start ring.a index=1 index=2", /* twice */
        "start ring.a index=1 seq=2",   /* would hide a key of the host */
        "start ring.a index=1 =2",
        "start ring.a index=1 2a=2",
        "start ring.a index=1 A=2",
        "start ring.a index=1 a",
        "start ring.a index=1 a=b\"c",   /* quote inside a bare value */
        "start ring.a index=1 a=\"b",    /* no closing quote */
        "start ring.a index=1 a=\"b\"c", /* text after the quote */
        "start ring.a index=1 a=\"\\n\"",
        "start ring.a index=1 a=\"\\x4\"",
        "start ring.a index=1 a=\"\\",
        "start ring.a index=1 a=\"\t\"",
        "start ring.a index=1 a=\x01",
        "start ri<g index=1",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (parse(bad[i]) == NULL) {
            fail_msg("accepted: %s", bad[i]);
        }
    }
}

TEST(is_bounded)
{
    static char text[AGPU_RECEIVED_TEXT_MAX + 64];
    int n = snprintf(text, sizeof text, "log - level=info text=");
    memset(text + n, 'a', sizeof text - (size_t)n);
    assert_null(agpu_record_parse(text, AGPU_RECEIVED_TEXT_MAX, &record));
    assert_int_equal(agpu_record_field(&record, "text")->length, AGPU_RECEIVED_TEXT_MAX - n);
    assert_non_null(agpu_record_parse(text, AGPU_RECEIVED_TEXT_MAX + 1, &record));
    n = snprintf(text, sizeof text, "log - level=info text=t");
    for (int i = 0; i < 46; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, " k%d=%d", i, i);
    }
    assert_null(agpu_record_parse(text, (size_t)n, &record));
    n += snprintf(text + n, sizeof text - (size_t)n, " more=1");
    assert_non_null(agpu_record_parse(text, (size_t)n, &record));
    n = snprintf(text, sizeof text, "heartbeat %0128d elapsed_us=1", 0);
    assert_non_null(agpu_record_parse(text, (size_t)n, &record));
    n = snprintf(text, sizeof text, "heartbeat %0127d elapsed_us=1", 0);
    assert_null(agpu_record_parse(text, (size_t)n, &record));
}
