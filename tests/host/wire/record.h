/* record.h: one result record as the host sees it, and the strict parser of its text
 * (tests/cases/README.md). */
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
#define AGPU_DEVICE_NAME_MAX     63 /* of one of several devices */
#define AGPU_CASE_NAME_MAX       (AGPU_DEVICE_NAME_MAX + 1 + AGPU_RECEIVED_ID_MAX) /* DEVICE/ID */
#define AGPU_RECEIVED_FIELDS_MAX 48

/* text is NUL-terminated after length bytes, and may hold any byte (a quoted \x00 too). */
struct agpu_field {
    const char *key;
    const char *text;
    size_t length;
    bool is_number; /* written as an unquoted decimal integer that fits number */
    int64_t number;
};

/* The pointers lead into storage, or, when made from JSON, into that document. Not copyable. */
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

/* Parses the text of one record (no newline). NULL on success; else a static sentence that says what is
 * wrong, and *out is unspecified. Refuses unknown types, missing or duplicate keys, and everything past the
 * bounds above. */
const char *agpu_record_parse(const char *text, size_t length, struct agpu_parsed_record *out);

/* The same for a line that is no record, "name key=value ...": its name becomes the id, its type says nothing. */
const char *agpu_row_parse(const char *text, size_t length, struct agpu_parsed_record *out);

/* The part of the above that looks at the finished record: a usable id and the keys its type needs. */
const char *agpu_record_check(const struct agpu_parsed_record *record);

/* The field called key, or NULL. */
const struct agpu_field *agpu_record_field(const struct agpu_parsed_record *record, const char *key);
/* Its text, or fallback. */
const char *agpu_record_text(const struct agpu_parsed_record *record, const char *key, const char *fallback);
/* Its value if it is a number and not negative, or fallback. */
uint64_t agpu_record_count(const struct agpu_parsed_record *record, const char *key, uint64_t fallback);

/* True when text is `-?[0-9]+` and fits: the wire's rule for what is a number. A value beyond int64_t stays
 * text, because JSON readers would round it. */
bool agpu_number_parse(const char *text, size_t length, int64_t *out);

#endif
