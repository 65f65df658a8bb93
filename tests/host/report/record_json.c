/* record_json.c: a record as a line of results.jsonl, and back. */
#include "tests/host/report/record_json.h"
#include "tests/host/report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *agpu_json_text(const char *text, size_t length)
{
    size_t size;
    char *utf8 = agpu_text_utf8(text, length, &size);

    if (utf8 == NULL) {
        return NULL;
    }
    json_t *made = json_stringn(utf8, size);
    free(utf8);
    return made;
}

/* A line that is written; at is NULL once something did not fit. */
struct line_writer {
    char *at;
    const char *end;
};

static void put_bytes(struct line_writer *w, const char *bytes, size_t size)
{
    if (w->at == NULL || (size_t)(w->end - w->at) < size) {
        w->at = NULL;
        return;
    }
    memcpy(w->at, bytes, size);
    w->at += size;
}

static void put_word(struct line_writer *w, const char *word)
{
    put_bytes(w, word, strlen(word));
}

static void put_count(struct line_writer *w, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put_bytes(w, digits + at, sizeof digits - at);
}

static void put_number(struct line_writer *w, int64_t value)
{
    if (value < 0) {
        put_bytes(w, "-", 1);
    }
    put_count(w, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void put_unit(struct line_writer *w, unsigned unit)
{
    static const char digits[] = "0123456789ABCDEF";
    const char text[] = {'\\',
                         'u',
                         digits[unit >> 12 & 15],
                         digits[unit >> 8 & 15],
                         digits[unit >> 4 & 15],
                         digits[unit & 15]};

    put_bytes(w, text, sizeof text);
}

/* As an escape of UTF-16: what is not ASCII, and control characters, of which some have names. */
static void put_escaped(struct line_writer *w, uint32_t c)
{
    static const char named[] = "\"\\\b\f\n\r\t";
    const char *name = c != 0 && c < 0x80 ? strchr(named, (int)c) : NULL;

    if (name != NULL) {
        const char text[] = {'\\', "\"\\bfnrt"[name - named]};

        put_bytes(w, text, sizeof text);
    } else if (c == 0x7F) {
        put_word(w, "\\u007f"); /* as json_out.c has it */
    } else if (c < 0x10000) {
        put_unit(w, c);
    } else {
        put_unit(w, 0xD800 | (c - 0x10000) >> 10);
        put_unit(w, 0xDC00 | ((c - 0x10000) & 0x3FF));
    }
}

static uint32_t code_point(const char *text, size_t length)
{
    uint32_t c = (uint8_t)text[0] & (0xFFu >> (length + 1));

    for (size_t i = 1; i < length; i++) {
        c = c << 6 | ((uint8_t)text[i] & 0x3Fu);
    }
    return c;
}

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

/* As agpu_json_text(), quoted. */
static void put_text(struct line_writer *w, const char *text, size_t length)
{
    static const char hex[] = "0123456789abcdef";

    put_bytes(w, "\"", 1);
    while (length > 0 && w->at != NULL) {
        size_t n = 0;

        while (n < length && is_plain(text[n])) {
            n++;
        }
        if (n != 0) {
            put_bytes(w, text, n);
        } else if ((uint8_t)*text < 0x80) {
            put_escaped(w, (uint8_t)*text);
            n = 1;
        } else if ((n = agpu_utf8_length(text, length)) != 0) {
            put_escaped(w, code_point(text, n));
        } else {
            const char byte[] = {'\\', '\\', 'x', hex[(uint8_t)*text >> 4], hex[(uint8_t)*text & 15]};

            put_bytes(w, byte, sizeof byte);
            n = 1;
        }
        text += n;
        length -= n;
    }
    put_bytes(w, "\"", 1);
}

size_t agpu_record_line(const struct agpu_received *received, uint64_t epoch_us,
                        char line[AGPU_RECORD_LINE_MAX])
{
    const struct agpu_parsed_record *record = received->record;
    struct line_writer w = {line, line + AGPU_RECORD_LINE_MAX};

    put_word(&w, "{\"seq\":");
    put_count(&w, received->seq);
    put_word(&w, ",\"t_us\":");
    put_count(&w, received->t_us);
    put_word(&w, ",\"type\":\"");
    put_word(&w, agpu_record_type_name(record->type));
    put_word(&w, "\",\"id\":");
    put_text(&w, record->id, strlen(record->id));
    for (size_t i = 0; i < record->field_count; i++) {
        const struct agpu_field *field = &record->fields[i];

        put_word(&w, ",\""); /* a key is [a-z_0-9]: it was parsed */
        put_word(&w, field->key);
        put_word(&w, "\":");
        if (field->is_number) {
            put_number(&w, field->number);
        } else {
            put_text(&w, field->text, field->length);
        }
    }
    if (received->boot > 0) {
        put_word(&w, ",\"boot\":");
        put_count(&w, received->boot);
    }
    put_word(&w, ",\"via\":\"");
    put_word(&w, agpu_source_name(received->source));
    put_word(&w, "\",\"host_us\":");
    put_count(&w, received->host_us > epoch_us ? received->host_us - epoch_us : 0);
    put_word(&w, "}\n");
    return w.at != NULL ? (size_t)(w.at - line) : 0;
}

static uint64_t key_is_integer(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));

    return value > 0 ? (uint64_t)value : 0;
}

static bool is_part(const char *key)
{
    static const char *const parts[] = {"seq", "t_us", "type", "id", "boot", "via", "host_us"};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(parts[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static const char *add_field(struct agpu_parsed_record *out, struct agpu_record_scratch *scratch,
                             const char *key, const json_t *value)
{
    if (out->field_count == AGPU_RECEIVED_FIELDS_MAX) {
        return "more keys than a record may have";
    }
    struct agpu_field *field = &out->fields[out->field_count];
    *field = (struct agpu_field){.key = key};
    if (json_is_integer(value)) {
        field->is_number = true;
        field->number = json_integer_value(value);
        char *text = scratch->numbers[out->field_count];
        field->length = (size_t)snprintf(text, sizeof scratch->numbers[0], "%" PRId64, field->number);
        field->text = text;
    } else if (json_is_string(value)) {
        field->text = json_string_value(value);
        field->length = json_string_length(value);
    } else {
        return "a value is neither a string nor an integer";
    }
    out->field_count++;
    return NULL;
}

const char *agpu_record_from_json(const json_t *object, struct agpu_received *received,
                                  struct agpu_parsed_record *out, struct agpu_record_scratch *scratch)
{
    const char *type = json_string_value(json_object_get(object, "type"));

    out->id = json_string_value(json_object_get(object, "id"));
    out->field_count = 0;
    if (type == NULL || !agpu_record_type_parse(type, &out->type)) {
        return "no known \"type\"";
    }
    if (out->id == NULL || strlen(out->id) > AGPU_RECEIVED_ID_MAX ||
        !json_is_integer(json_object_get(object, "seq"))) {
        return "no \"id\" or no \"seq\"";
    }
    *received = (struct agpu_received){.boot = (uint32_t)key_is_integer(object, "boot"),
                                       .seq = key_is_integer(object, "seq"),
                                       .t_us = key_is_integer(object, "t_us"),
                                       .host_us = key_is_integer(object, "host_us"),
                                       .record = out};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        const char *wrong = is_part(key) ? NULL : add_field(out, scratch, key, value);

        if (wrong != NULL) {
            return wrong;
        }
    }
    return agpu_record_check(out);
}
