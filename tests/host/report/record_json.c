/* record_json.c: converts a record to a line of results.jsonl, and back. */
#include "tests/host/report/record_json.h"
#include "tests/host/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns false when memory is exhausted. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool set_fields(json_t *object, const struct agpu_parsed_record *record)
{
    bool good = true;

    for (size_t i = 0; i < record->field_count && good; i++) {
        const struct agpu_field *field = &record->fields[i];

        good =
            set(object, field->key,
                field->is_number ? json_integer(field->number) : agpu_json_text(field->text, field->length));
    }
    return good;
}

size_t agpu_record_line(const struct agpu_received *received, uint64_t epoch_us,
                        char line[AGPU_RECORD_LINE_MAX])
{
    const struct agpu_parsed_record *record = received->record;
    const uint64_t host_us = received->host_us > epoch_us ? received->host_us - epoch_us : 0;
    json_t *object = json_object();
    const bool good = set(object, "seq", agpu_json_count(received->seq)) &&
                      set(object, "t_us", agpu_json_count(received->t_us)) &&
                      set(object, "type", json_string(agpu_record_type_name(record->type))) &&
                      set(object, "id", agpu_json_string(record->id)) && set_fields(object, record) &&
                      (received->boot == 0 || set(object, "boot", agpu_json_count(received->boot))) &&
                      set(object, "via", json_string(agpu_source_name(received->source))) &&
                      set(object, "host_us", agpu_json_count(host_us));
    const size_t length = good ? agpu_json_put(object, line, AGPU_RECORD_LINE_MAX - 1) : 0;

    json_decref(object);
    if (length == 0) {
        return 0;
    }
    line[length] = '\n';
    return length + 1;
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
