/* record.h: one result record as a line of text, "type id key=value ..." (the format is in README.md). */
#ifndef AGPU_CASES_HARNESS_RECORD_H
#define AGPU_CASES_HARNESS_RECORD_H

#include "pci/machine/platform.h"
#include "pci/machine/text.h"
#include "tests/cases/protocol/records.h"

/* Maximum length of a record's text in bytes, without terminator. Longer ones are cut and end in " truncated=1". */
#define AGPU_RECORD_TEXT_MAX 2000

/* A record under construction: call begin, add keys (the important ones first, because the end may be cut), then
 * agpu_stream_send(). */
struct agpu_record {
    enum agpu_log_level level; /* netconsole level; begin() picks INFO, callers may change it */
    struct agpu_text text;
    bool truncated; /* a key did not fit; no more keys are added */
    char buffer[AGPU_RECORD_TEXT_MAX + 1];
};

/* Starts a record. id is the name of the case; NULL if the record belongs to no case ("-"). */
void agpu_record_begin(struct agpu_record *record, enum agpu_record_type type, const char *id);

/* Starts a line of the same syntax that is not a record: a name, and keys. */
void agpu_record_begin_row(struct agpu_record *record, const char *name);

/* Each adds " key=value"; key is AGPU_KEY() of a record. Strings are quoted and escaped if readers would otherwise
 * take them for another type. Hex is written as 0x..., which readers take as a string. */
void agpu_record_string(struct agpu_record *record, const char *key, const char *value);
void agpu_record_u64(struct agpu_record *record, const char *key, uint64_t value);
void agpu_record_hex(struct agpu_record *record, const char *key, uint64_t value);

/* Completes the record: adds the truncation marker if needed. Called by agpu_stream_send(); idempotent. */
void agpu_record_finish(struct agpu_record *record);

#endif
