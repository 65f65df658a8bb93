/* record.h: one result record on the host, and the strict parser of its text (tests/cases/README.md). */
#ifndef AGPU_HOST_WIRE_RECORD_H
#define AGPU_HOST_WIRE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/cases/protocol/records.h"

#define AGPU_RECEIVED_TEXT_MAX   8192 /* bytes of one record's text, reassembled */
#define AGPU_RECEIVED_ID_MAX     127
#define AGPU_RECEIVED_UNIT_MAX   16
#define AGPU_RECEIVED_KEY_MAX    63
#define AGPU_DEVICE_NAME_MAX     63 /* for one of several devices */
#define AGPU_CASE_NAME_MAX       (AGPU_DEVICE_NAME_MAX + 1 + AGPU_RECEIVED_ID_MAX) /* DEVICE/ID */
#define AGPU_RECEIVED_FIELDS_MAX 48

/* text is NUL-terminated after length bytes, and may contain any byte (a quoted \x00 too). */
struct agpu_field {
    const char *key;
    const char *text;
    size_t length;
    bool is_number; /* written as an unquoted decimal integer that fits number */
    int64_t number;
};

/* The pointers point into storage, or, when made from JSON, into that document. Do not copy. */
struct agpu_parsed_record {
    enum agpu_record_type type;
    const char *id; /* "-" where the record belongs to no case */
    size_t field_count;
    struct agpu_field fields[AGPU_RECEIVED_FIELDS_MAX];
    char storage[AGPU_RECEIVED_TEXT_MAX + 1];
};

/* "plan" ...; never NULL. */
const char *agpu_record_type_name(enum agpu_record_type type);
bool agpu_record_type_parse(const char *name, enum agpu_record_type *out);

/* Parses the text of one record (no newline). Returns NULL on success; else a static error message, and *out is
 * unspecified. Refuses unknown types, missing or duplicate keys, and everything beyond the limits above. */
const char *agpu_record_parse(const char *text, size_t length, struct agpu_parsed_record *out);

/* Parses a line that is not a record, "name key=value ...": the name becomes the id; the type is meaningless. */
const char *agpu_row_parse(const char *text, size_t length, struct agpu_parsed_record *out);

/* The last step of agpu_record_parse(): checks for a usable id and the keys that the type needs. */
const char *agpu_record_check(const struct agpu_parsed_record *record);

/* Returns the field with this key, or NULL. */
const struct agpu_field *agpu_record_field(const struct agpu_parsed_record *record, const char *key);
/* Returns the text of the field, or fallback. */
const char *agpu_record_text(const struct agpu_parsed_record *record, const char *key, const char *fallback);
/* Returns the value of the field if it is a non-negative number, or fallback. */
uint64_t agpu_record_count(const struct agpu_parsed_record *record, const char *key, uint64_t fallback);

/* Returns true when text is `-?[0-9]+` and fits: the wire's definition of a number. A value beyond int64_t stays
 * text, because JSON readers would round it. */
bool agpu_number_parse(const char *text, size_t length, int64_t *out);

#endif
