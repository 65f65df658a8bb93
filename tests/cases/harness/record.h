/* record.h: one result record as a line of text, "type id key=value ..." (the format is in README.md). */
#ifndef AGPU_CASES_HARNESS_RECORD_H
#define AGPU_CASES_HARNESS_RECORD_H

#include "pci/machine/platform.h"
#include "pci/machine/text.h"

/* format= of the plan record. One more when who reads records has to know of a change: a kind or a needed key that is new, gone or means
 * something else. Records before 2 do not say theirs. */
#define AGPU_RECORD_VERSION 2

/* Bytes of text in the longest record, terminator excluded. Longer ones are cut and end in " truncated=1". */
#define AGPU_RECORD_TEXT_MAX 2000

enum agpu_record_type {
    AGPU_RECORD_PLAN,
    AGPU_RECORD_START,
    AGPU_RECORD_CHECK,
    AGPU_RECORD_END,
    AGPU_RECORD_METRIC,
    AGPU_RECORD_CHOICE,
    AGPU_RECORD_HEARTBEAT,
    AGPU_RECORD_LOG,
    AGPU_RECORD_ARTIFACT,
    AGPU_RECORD_SUMMARY,
    AGPU_RECORD_TYPE_COUNT,
};

/* A record under construction: begin, add keys (the important ones first: the tail is what is cut), then
 * agpu_stream_send(). */
struct agpu_record {
    enum agpu_log_level level; /* netconsole level; begin() picks INFO, callers may change it */
    struct agpu_text text;
    bool truncated; /* a key did not fit whole; nothing more is added after it */
    char buffer[AGPU_RECORD_TEXT_MAX + 1];
};

/* Starts a record. id is the case's name, NULL where the record belongs to no case ("-"). */
void agpu_record_begin(struct agpu_record *record, enum agpu_record_type type, const char *id);

/* Starts a line of the same syntax that is no record: a name, and keys. */
void agpu_record_begin_row(struct agpu_record *record, const char *name);

/* Each adds " key=value". A string is quoted and escaped where a reader would need it, so it stays a string;
 * hex is written as 0x..., which readers take as a string. */
void agpu_record_string(struct agpu_record *record, const char *key, const char *value);
void agpu_record_u64(struct agpu_record *record, const char *key, uint64_t value);
void agpu_record_hex(struct agpu_record *record, const char *key, uint64_t value);

/* Completes the record: adds the truncation marker if it needs one. Called by agpu_stream_send();
 * idempotent. */
void agpu_record_finish(struct agpu_record *record);

#endif
