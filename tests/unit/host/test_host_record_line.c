/* test_host_record_line.c: agpu_record_line() writes what jansson writes of the same record, byte for byte: for every code point,
 * every byte, records made by chance, and all that fuzzing the collector has kept. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fuzz/pack.h"
#include "tests/host/json_out.h"
#include "tests/host/report/record_json.h"

#define SEPARATOR 0x1E /* of the items of an input (tests/fuzz/collector) */

static struct agpu_parsed_record record;
static char made[AGPU_RECORD_LINE_MAX];
static uint64_t compared;

/* ---- the slow way ---- */

static json_t *count_json(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *document_of(const struct agpu_received *received, uint64_t epoch_us)
{
    json_t *object = json_object();

    json_object_set_new(object, "seq", count_json(received->seq));
    json_object_set_new(object, "t_us", count_json(received->t_us));
    json_object_set_new(object, "type", json_string(agpu_record_type_name(received->record->type)));
    json_object_set_new(object, "id", json_string(received->record->id));
    for (size_t i = 0; i < received->record->field_count; i++) {
        const struct agpu_field *field = &received->record->fields[i];

        json_object_set_new(object, field->key,
                            field->is_number ? json_integer((json_int_t)field->number)
                                             : agpu_json_text(field->text, field->length));
    }
    if (received->boot > 0) {
        json_object_set_new(object, "boot", count_json(received->boot));
    }
    json_object_set_new(object, "via", json_string(agpu_source_name(received->source)));
    json_object_set_new(object, "host_us",
                        count_json(received->host_us > epoch_us ? received->host_us - epoch_us : 0));
    return object;
}

static void compare_received(const struct agpu_received *received, uint64_t epoch_us)
{
    json_t *document = document_of(received, epoch_us);
    char *right = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&right, &size);

    assert_true(agpu_json_out(document, out, JSON_COMPACT));
    putc('\n', out);
    assert_int_equal(fclose(out), 0);
    json_decref(document);
    const size_t length = agpu_record_line(received, epoch_us, made);
    if (length != size || memcmp(made, right, size) != 0) {
        print_error("jansson: %.*sours:    %.*s", (int)size, right, (int)length, made);
    }
    assert_int_equal(length, size);
    assert_memory_equal(made, right, size);
    free(right);
    compared++;
}

/* The record of this text, if it is one. */
static bool compare_text(const char *text, size_t length)
{
    if (agpu_record_parse(text, length, &record) != NULL) {
        return false;
    }
    compare_received(&(struct agpu_received){.seq = compared * 7919 % AGPU_SEQ_LIMIT,
                                             .t_us = compared << compared % 40,
                                             .boot = (uint32_t)(compared % 3),
                                             .host_us = 1000 + compared % 5 * 1000,
                                             .source = (enum agpu_source)(compared % AGPU_SOURCE_COUNT),
                                             .record = &record},
                     2000);
    return true;
}

/* ---- texts ---- */

/* As UTF-8 has it, and as it must not be: surrogates, and what is behind the last one. */
static size_t encode(uint32_t c, char *to)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    const size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; c >>= 6) {
        to[i] = (char)(0x80 | (c & 0x3F));
    }
    to[0] = (char)(0xF00 >> length | c);
    return length;
}

static size_t escape(const char *bytes, size_t size, char *to)
{
    size_t length = 0;

    for (size_t i = 0; i < size; i++) {
        length += (size_t)sprintf(to + length, "\\x%02x", (unsigned char)bytes[i]);
    }
    return length;
}

static void every_code_point(void **state)
{
    static char text[AGPU_RECEIVED_TEXT_MAX];

    (void)state;
    for (uint32_t c = 0; c < 0x110400;) {
        size_t used = (size_t)sprintf(text, "log - level=info text=\"");

        for (uint32_t stop = c + 400; c < stop; c++) {
            char bytes[4];

            used += escape(bytes, encode(c, bytes), text + used);
        }
        text[used++] = '"';
        assert_true(compare_text(text, used));
    }
}

static void every_pair_of_bytes(void **state)
{
    static char text[AGPU_RECEIVED_TEXT_MAX];

    (void)state;
    for (unsigned first = 0; first < 256; first++) {
        size_t used = (size_t)sprintf(text, "log - level=info text=\"");

        for (unsigned second = 0; second < 256; second++) {
            used += escape((const char[]){(char)first, (char)second, 'a'}, 3, text + used);
        }
        text[used++] = '"';
        assert_true(compare_text(text, used));
    }
}

static void numbers_and_longest_records(void **state)
{
    static char text[AGPU_RECEIVED_TEXT_MAX];
    size_t used = (size_t)sprintf(text, "log - level=info n=-9223372036854775808 m=9223372036854775807 "
                                        "z=-0 o=9223372036854775808 q=\"5\" e= text=\"");

    (void)state;
    memset(text + used, 1, sizeof text - used);
    for (size_t at = used; at + 5 <= sizeof text;
         at += 4) { /* each byte of the four becomes one and a half */
        memcpy(text + at, "\\x01", 4);
        used = at + 4;
    }
    text[used++] = '"';
    assert_true(compare_text(text, used));
    used = (size_t)sprintf(text, "log - level=info text=");
    memset(text + used, 0xFF, sizeof text - used); /* the most that one may become: five for one */
    assert_true(compare_text(text, sizeof text));
    used = (size_t)sprintf(text, "log - level=a text=b");
    for (char a = 'a'; used + 5 < sizeof text && a <= 'z'; a++) {
        used += (size_t)sprintf(text + used, " %c1=\"%c\"", a, a);
    }
    assert_true(compare_text(text, used));
}

/* What does not fit is no line, and nothing is written behind the room for one. */
static void a_record_that_was_not_parsed(void **state)
{
    static char text[2 * AGPU_RECORD_LINE_MAX], room[AGPU_RECORD_LINE_MAX + 16];

    (void)state;
    memset(text, '\n', sizeof text);
    memset(room, 'x', sizeof room);
    record = (struct agpu_parsed_record){.type = AGPU_RECORD_LOG, .id = "-", .field_count = 1};
    record.fields[0] = (struct agpu_field){.key = "text", .text = text, .length = sizeof text};
    assert_int_equal(agpu_record_line(&(struct agpu_received){.record = &record}, 0, room), 0);
    for (size_t i = AGPU_RECORD_LINE_MAX; i < sizeof room; i++) {
        assert_int_equal(room[i], 'x');
    }
}

static uint32_t randomness = 1;

static uint32_t by_chance(uint32_t below)
{
    randomness = randomness * 1664525u + 1013904223u;
    return (randomness >> 8) % below;
}

static void made_by_chance(void **state)
{
    static const char *const types[] = {"log - level=info text=\"", "check a.b expr=\"",
                                        "metric - name=n value=1 unit=us t=\""};
    static const char pieces[] =
        "aZ09 =\"\\/<>&\x01\x7f\x80\xc2\xc3\xa4\xe2\x82\xac\xed\xa0\xf0\x9f\x98\x80\xf4\x90\xff\n\t";
    static char text[AGPU_RECEIVED_TEXT_MAX];
    unsigned good = 0;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        size_t used = (size_t)sprintf(text, "%s", types[i % 3]);

        for (uint32_t n = by_chance(40); n > 0; n--) {
            const char c = pieces[by_chance(sizeof pieces - 1)];

            if (by_chance(4) != 0) {
                used += escape(&c, 1, text + used);
            } else {
                text[used++] = c;
            }
        }
        used += (size_t)sprintf(text + used, "\" file=f line=%d", (int)by_chance(1000) - 500);
        good += compare_text(text, used);
    }
    assert_true(good > 1000);
}

/* ---- what the fuzzer of the collector has kept ---- */

static unsigned compare_input(const char *bytes, size_t size)
{
    unsigned records = 0;

    for (size_t at = 0, end; at < size; at = end + 1) {
        struct agpu_packet packet;
        size_t begin = at;

        for (end = at; end < size && bytes[end] != SEPARATOR && bytes[end] != '\n'; end++) {
        }
        for (; begin < end; begin++) { /* wherever a record may begin */
            if (agpu_packet_parse(bytes + begin, end - begin, &packet) == NULL) {
                records += compare_text(packet.text, packet.length);
                break;
            }
        }
    }
    return records;
}

static void the_corpus(void **state)
{
    FILE *pack = fopen(AGPU_SOURCE_DIR "/tests/fuzz/collector/corpus.pack", "re");
    unsigned records = 0, inputs = 0;
    uint8_t *bytes;
    size_t size;
    int got;

    (void)state;
    assert_non_null(pack);
    while ((got = agpu_pack_next(pack, &bytes, &size)) == 1) {
        records += compare_input((const char *)bytes, size);
        inputs++;
        free(bytes);
    }
    assert_int_equal(got, 0);
    fclose(pack);
    print_message("%u records in %u inputs\n", records, inputs);
    assert_true(records > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point),
        cmocka_unit_test(every_pair_of_bytes),
        cmocka_unit_test(numbers_and_longest_records),
        cmocka_unit_test(a_record_that_was_not_parsed),
        cmocka_unit_test(made_by_chance),
        cmocka_unit_test(the_corpus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
