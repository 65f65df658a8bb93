/* record.c: the strict parser of a record (tests/cases/README.md). */
#include "tests/host/wire/record.h"

#include <string.h>

static const struct {
    const char *name;
    bool needs_case; /* its id is the name of a case */
} types[AGPU_RECORD_TYPE_COUNT] = {
#define CASE                        true
#define ANY                         false
#define RECORD(NAME, name, id, ...) {#name, id},
#include "tests/cases/protocol/records.def"
};

static const struct {
    enum agpu_record_type type;
    const char *key;
    bool number, needed;
} keys[AGPU_RECORD_KEY_COUNT] = {
#define COUNT                             true
#define TEXT                              false
#define NEEDED                            true
#define OPTIONAL                          false
#define FIELD(NAME, key, kind, need, ...) {AGPU_RECORD_##NAME, #key, kind, need},
#include "tests/cases/protocol/records.def"
};

/* Keys in results.jsonl for the parts of a record that are not fields; a field with that name would hide them. */
static const char *const reserved[] = {"seq", "t_us", "type", "id", "boot", "via", "host_us"};

const char *agpu_record_type_name(enum agpu_record_type type)
{
    return (unsigned)type < AGPU_RECORD_TYPE_COUNT ? types[type].name : "log";
}

bool agpu_record_type_parse(const char *name, enum agpu_record_type *out)
{
    for (size_t i = 0; i < AGPU_RECORD_TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *out = (enum agpu_record_type)i;
            return true;
        }
    }
    return false;
}

bool agpu_number_parse(const char *text, size_t length, int64_t *out)
{
    size_t at = 0;
    bool negative = length > 0 && text[0] == '-';

    if (negative) {
        at = 1;
    }
    if (at == length) {
        return false;
    }
    int64_t value = 0; /* built downwards: -INT64_MIN does not fit */
    for (; at < length; at++) {
        if (text[at] < '0' || text[at] > '9') {
            return false;
        }
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_sub_overflow(value, (int64_t)(text[at] - '0'), &value)) {
            return false;
        }
    }
    if (!negative && value == INT64_MIN) {
        return false;
    }
    *out = negative ? value : -value;
    return true;
}

struct text_cursor {
    const char *at;
    const char *end;
    /* next free byte of storage; never overtakes the input, so the limit on the input is sufficient */
    char *out;
};

static bool is_id_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == '/' || c == ':';
}

static bool is_key_char(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || c == '_' || (!first && c >= '0' && c <= '9');
}

/* Copies the word up to a space or the end; NULL when it is empty, too long or contains a character that ids do not
 * have. */
static const char *take_word(struct text_cursor *c, size_t max)
{
    const char *word = c->out;
    size_t length = 0;

    while (c->at < c->end && *c->at != ' ') {
        if (!is_id_char(*c->at) || ++length > max) {
            return NULL;
        }
        *c->out++ = *c->at++;
    }
    if (length == 0) {
        return NULL;
    }
    *c->out++ = '\0';
    if (c->at < c->end) {
        c->at++;
    }
    return word;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

static const char *take_escape(struct text_cursor *c)
{
    if (c->at == c->end) {
        return "a quoted value ends inside an escape";
    }
    char kind = *c->at++;
    if (kind == '"' || kind == '\\') {
        *c->out++ = kind;
        return NULL;
    }
    if (kind != 'x') {
        return "an escape is not one of \\\" \\\\ \\xNN";
    }
    if (c->end - c->at < 2 || hex_digit(c->at[0]) < 0 || hex_digit(c->at[1]) < 0) {
        return "\\x is not followed by two hexadecimal digits";
    }
    *c->out++ = (char)(hex_digit(c->at[0]) << 4 | hex_digit(c->at[1]));
    c->at += 2;
    return NULL;
}

static const char *take_quoted(struct text_cursor *c)
{
    c->at++;
    for (;;) {
        if (c->at == c->end) {
            return "a quoted value has no closing quote";
        }
        char next = *c->at++;
        if (next == '"') {
            return NULL;
        }
        if (next == '\\') {
            const char *wrong = take_escape(c);

            if (wrong != NULL) {
                return wrong;
            }
        } else if ((unsigned char)next < 0x20 || next == 0x7f) {
            return "a control character is not escaped";
        } else {
            *c->out++ = next;
        }
    }
}

static const char *take_bare(struct text_cursor *c)
{
    while (c->at < c->end && *c->at != ' ') {
        if ((unsigned char)*c->at < 0x20 || *c->at == 0x7f || *c->at == '"' || *c->at == '\\') {
            return "a value with a quote, backslash or control character is not quoted";
        }
        *c->out++ = *c->at++;
    }
    return NULL;
}

static const char *take_field(struct text_cursor *c, struct agpu_parsed_record *record)
{
    if (record->field_count == AGPU_RECEIVED_FIELDS_MAX) {
        return "more fields than a record may have";
    }
    struct agpu_field *field = &record->fields[record->field_count];
    field->key = c->out;
    size_t key_length = 0;
    while (c->at < c->end && *c->at != '=') {
        if (!is_key_char(*c->at, key_length == 0) || ++key_length > AGPU_RECEIVED_KEY_MAX) {
            return "a key is not [a-z_][a-z0-9_]* of at most 63 bytes";
        }
        *c->out++ = *c->at++;
    }
    if (c->at == c->end || key_length == 0) {
        return "a field is not key=value";
    }
    c->at++;
    *c->out++ = '\0';
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcmp(reserved[i], field->key) == 0) {
            return "a key has the name of a record part (seq t_us type id boot via host_us)";
        }
    }
    if (agpu_record_field(record, field->key) != NULL) {
        return "a key appears twice";
    }
    field->text = c->out;
    bool quoted = c->at < c->end && *c->at == '"';
    const char *wrong = quoted ? take_quoted(c) : take_bare(c);
    if (wrong != NULL) {
        return wrong;
    }
    field->length = (size_t)(c->out - field->text);
    *c->out++ = '\0';
    field->is_number = !quoted && agpu_number_parse(field->text, field->length, &field->number);
    if (c->at < c->end && *c->at++ != ' ') {
        return "a quoted value is followed by more than a space";
    }
    record->field_count++;
    return NULL;
}

static const char *take_fields(struct text_cursor *c, struct agpu_parsed_record *out)
{
    const char *wrong = NULL;

    while (wrong == NULL && c->at < c->end) {
        wrong = take_field(c, out);
    }
    return wrong;
}

const char *agpu_record_parse(const char *text, size_t length, struct agpu_parsed_record *out)
{
    if (length > AGPU_RECEIVED_TEXT_MAX) {
        return "longer than a record may be (8192 bytes)";
    }
    struct text_cursor c = {.at = text, .end = text + length, .out = out->storage};
    out->field_count = 0;
    const char *type = take_word(&c, 16);
    if (type == NULL || !agpu_record_type_parse(type, &out->type)) {
        return "unknown record type";
    }
    out->id = take_word(&c, AGPU_RECEIVED_ID_MAX);
    if (out->id == NULL) {
        return "no id, or an id that is not [A-Za-z0-9_.:/-] of at most 127 bytes";
    }
    const char *wrong = take_fields(&c, out);
    return wrong != NULL ? wrong : agpu_record_check(out);
}

const char *agpu_row_parse(const char *text, size_t length, struct agpu_parsed_record *out)
{
    struct text_cursor c = {.at = text, .end = text + length, .out = out->storage};

    if (length > AGPU_RECEIVED_TEXT_MAX) {
        return "longer than a row may be (8192 bytes)";
    }
    out->type = AGPU_RECORD_LOG;
    out->field_count = 0;
    out->id = take_word(&c, AGPU_RECEIVED_ID_MAX);
    return out->id != NULL ? take_fields(&c, out) : "a row without a name";
}

/* Checks a unit, since reports print it unescaped. */
static bool is_unit(const struct agpu_field *field)
{
    for (size_t i = 0; i < field->length; i++) {
        const char c = field->text[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '%' ||
              c == '/')) {
            return false;
        }
    }
    return field->length >= 1 && field->length <= AGPU_RECEIVED_UNIT_MAX;
}

const char *agpu_record_check(const struct agpu_parsed_record *record)
{
    if (types[record->type].needs_case && strcmp(record->id, "-") == 0) {
        return "start, check, choice and end need the id of a case";
    }
    for (size_t i = 0; i < AGPU_RECORD_KEY_COUNT; i++) {
        if (keys[i].type != record->type || !keys[i].needed) {
            continue;
        }
        const struct agpu_field *field = agpu_record_field(record, keys[i].key);

        if (field == NULL) {
            return "a key that its type needs is missing (tests/cases/protocol/records.def has the table)";
        }
        if (keys[i].number && !(field->is_number && field->number >= 0)) {
            return "a count, line, size, offset or time is not a number from 0 up";
        }
    }
    if (record->type == AGPU_RECORD_ARTIFACT && agpu_record_field(record, AGPU_KEY(ARTIFACT, data)) == NULL &&
        agpu_record_count(record, AGPU_KEY(ARTIFACT, bytes), 0) == 0) {
        return "an artifact has neither data= nor bytes=, which come beside it";
    }
    if (record->type == AGPU_RECORD_METRIC && !is_unit(agpu_record_field(record, AGPU_KEY(METRIC, unit)))) {
        return "a unit is not [A-Za-z0-9%/] of at most 16 bytes";
    }
    return NULL;
}

const struct agpu_field *agpu_record_field(const struct agpu_parsed_record *record, const char *key)
{
    for (size_t i = 0; i < record->field_count; i++) {
        if (strcmp(record->fields[i].key, key) == 0) {
            return &record->fields[i];
        }
    }
    return NULL;
}

const char *agpu_record_text(const struct agpu_parsed_record *record, const char *key, const char *fallback)
{
    const struct agpu_field *field = agpu_record_field(record, key);

    return field != NULL ? field->text : fallback;
}

uint64_t agpu_record_count(const struct agpu_parsed_record *record, const char *key, uint64_t fallback)
{
    const struct agpu_field *field = agpu_record_field(record, key);

    return field != NULL && field->is_number && field->number >= 0 ? (uint64_t)field->number : fallback;
}
