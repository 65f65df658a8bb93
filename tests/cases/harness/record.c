/* record.c: builds record lines. */
#include "tests/cases/harness/record.h"

#include <string.h>

static const char *const type_names[AGPU_RECORD_TYPE_COUNT] = {
#define RECORD(NAME, name, ...) #name,
#include "tests/cases/protocol/records.def"
};

static const char marker[] = " truncated=1";

static bool is_printable(char c)
{
    return c >= 0x20 && c < 0x7F;
}

/* Readers take an unquoted decimal integer as a number, so a string that looks like one must be quoted. */
static bool looks_like_number(const char *value)
{
    if (*value == '-') {
        value++;
    }
    if (*value == '\0') {
        return false;
    }
    for (; *value; value++) {
        if (*value < '0' || *value > '9') {
            return false;
        }
    }
    return true;
}

static bool needs_quotes(const char *value)
{
    if (*value == '\0' || looks_like_number(value)) {
        return true;
    }
    for (; *value; value++) {
        if (!is_printable(*value) || *value == ' ' || *value == '"' || *value == '\\') {
            return true;
        }
    }
    return false;
}

static size_t record_room(const struct agpu_record *record)
{
    return AGPU_RECORD_TEXT_MAX - (sizeof marker - 1) - record->text.length;
}

/* Appends one byte of a quoted value; false if the byte, the closing quote and the marker do not fit. */
static bool put_quoted(struct agpu_record *record, char c)
{
    size_t width = !is_printable(c) ? 4 : c == '"' || c == '\\' ? 2 : 1;

    if (record_room(record) < width + 1) {
        return false;
    }
    if (!is_printable(c)) {
        agpu_format(&record->text, "\\x%02X", (unsigned char)c);
        return true;
    }
    if (width == 2) {
        agpu_text_char(&record->text, '\\');
    }
    agpu_text_char(&record->text, c);
    return true;
}

/* Appends " key=" if that and at least `extra` more bytes fit. */
static bool put_key(struct agpu_record *record, const char *key, size_t extra)
{
    if (record->truncated || record_room(record) < strlen(key) + 2 + extra) {
        record->truncated = true;
        return false;
    }
    agpu_format(&record->text, " %s=", key);
    return true;
}

void agpu_record_begin(struct agpu_record *record, enum agpu_record_type type, const char *id)
{
    record->level = AGPU_LOG_INFO;
    record->truncated = false;
    agpu_text_begin(&record->text, record->buffer, sizeof record->buffer);
    agpu_format(&record->text, "%s %s", (unsigned)type < AGPU_RECORD_TYPE_COUNT ? type_names[type] : "log",
                id != NULL && *id ? id : "-");
}

void agpu_record_begin_row(struct agpu_record *record, const char *name)
{
    record->level = AGPU_LOG_INFO;
    record->truncated = false;
    agpu_text_begin(&record->text, record->buffer, sizeof record->buffer);
    agpu_text_string(&record->text, name);
}

static void put_plain(struct agpu_record *record, const char *key, const char *value)
{
    if (put_key(record, key, strlen(value))) {
        agpu_text_string(&record->text, value);
    }
}

void agpu_record_string(struct agpu_record *record, const char *key, const char *value)
{
    if (value == NULL) {
        value = "(null)";
    }
    if (!needs_quotes(value) && record_room(record) >= strlen(key) + 2 + strlen(value)) {
        put_plain(record, key, value);
        return;
    }
    if (!put_key(record, key,
                 2)) { /* a cut value has its closing quote too, so a reader sees where it ends */
        return;
    }
    agpu_text_char(&record->text, '"');
    for (; *value; value++) {
        if (!put_quoted(record, *value)) {
            record->truncated = true;
            break;
        }
    }
    agpu_text_char(&record->text, '"');
}

void agpu_record_u64(struct agpu_record *record, const char *key, uint64_t value)
{
    char digits[24];

    agpu_format_line(digits, sizeof digits, "%ju", value);
    put_plain(record, key, digits);
}

void agpu_record_hex(struct agpu_record *record, const char *key, uint64_t value)
{
    char digits[24];

    agpu_format_line(digits, sizeof digits, "0x%jx", value);
    put_plain(record, key, digits);
}

void agpu_record_finish(struct agpu_record *record)
{
    if (!record->truncated) {
        return;
    }
    agpu_text_string(&record->text, marker);
    record->truncated = false; /* idempotent: the marker is added only once */
}
