/* rows.c: parses rows of text strictly, and prints them. */
#include "tests/host/ctl/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/json_out.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/record.h"

/* Numbers that are too large for JSON remain text. */
static json_t *read_row(const char *line, size_t size)
{
    static struct agpu_parsed_record row;
    json_t *object = agpu_row_parse(line, size, &row) == NULL ? json_object() : NULL;

    if (object != NULL) {
        json_object_set_new(object, "row", json_string(row.id));
    }
    for (size_t i = 0; object != NULL && i < row.field_count; i++) {
        const struct agpu_field *field = &row.fields[i];

        json_object_set_new(object, field->key,
                            field->is_number ? json_integer((json_int_t)field->number)
                                             : agpu_json_text(field->text, field->length));
    }
    return object;
}

bool agpu_ctl_rows_read(const char *text, size_t size, json_t *array)
{
    while (size != 0) {
        const char *end = memchr(text, '\n', size);
        const size_t length = end != NULL ? (size_t)(end - text) : size;
        json_t *row = read_row(text, length);

        if (row == NULL || json_array_append_new(array, row) != 0) {
            return false;
        }
        text += length + (end != NULL);
        size -= length + (end != NULL);
    }
    return true;
}

static bool is_hex(const char *hex, const char *key)
{
    char word[80];

    snprintf(word, sizeof word, " %s ", key);
    return strstr(hex, word) != NULL;
}

static void format_value(const json_t *value, bool hex, char *to, size_t size)
{
    if (json_is_integer(value)) {
        snprintf(to, size, hex ? "0x%" PRIx64 : "%" PRId64, (int64_t)json_integer_value(value));
    } else if (hex && json_is_string(value) && json_string_value(value)[0] >= '0' &&
               json_string_value(value)[0] <= '9') {
        snprintf(to, size, "0x%" PRIx64, (uint64_t)strtoull(json_string_value(value), NULL, 10));
    } else {
        snprintf(to, size, "%s", json_is_string(value) ? json_string_value(value) : "");
    }
}

static void print_value(const json_t *value, bool hex, int width, FILE *out)
{
    char text[600];
    size_t length;

    format_value(value, hex, text, sizeof text);
    length = strlen(text);
    agpu_text_write_line(out, text, length);
    for (; (int)length < width; length++) {
        putc(' ', out);
    }
}

static void print_one(json_t *object, const char *hex, FILE *out)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        if (strcmp(key, "row") != 0) {
            fprintf(out, "%-16s ", key);
            print_value(value, is_hex(hex, key), 0, out);
            putc('\n', out);
        }
    }
}

static int width_of(const json_t *array, const char *key, const char *hex)
{
    size_t width = strlen(key), i;
    char text[600];
    json_t *object;

    json_array_foreach(array, i, object)
    {
        format_value(json_object_get(object, key), is_hex(hex, key), text, sizeof text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

/* Columns are separated by two blanks; the last is not padded. */
static void print_cells(const json_t *array, json_t *object, json_t *first, const char *hex, FILE *out)
{
    const size_t keys = json_object_size(first) - (json_object_get(first, "row") != NULL);
    const char *key;
    json_t *value;
    size_t done = 0;

    json_object_foreach(first, key, value)
    {
        if (strcmp(key, "row") != 0) {
            done++;
            print_value(json_object_get(object, key), is_hex(hex, key),
                        done < keys ? width_of(array, key, hex) : 0, out);
            fputs(done < keys ? "  " : "\n", out);
        }
    }
}

void agpu_ctl_rows_print(const json_t *array, const char *hex, FILE *out)
{
    json_t *first = json_array_get(array, 0), *object;
    size_t i;

    if (json_array_size(array) == 1) {
        print_one(first, hex, out);
        return;
    }
    json_array_foreach(array, i, object)
    {
        print_cells(array, object, first, hex, out);
    }
}

void agpu_ctl_note_print(const char *text, size_t size, FILE *out)
{
    static struct agpu_parsed_record record;
    const char *status, *reason;

    if (agpu_record_parse(text, size, &record) != NULL || record.type != AGPU_RECORD_END) {
        return;
    }
    status = agpu_record_text(&record, "status", "?");
    reason = agpu_record_text(&record, "reason", "");
    agpu_text_write_line(out, status, strlen(status));
    fprintf(out, "%*s%s  %" PRIu64 " us  ", strlen(status) < 8 ? (int)(8 - strlen(status)) : 1, "", record.id,
            agpu_record_count(&record, "us", 0));
    agpu_text_write_line(out, reason, strlen(reason));
    putc('\n', out);
    fflush(out);
}
