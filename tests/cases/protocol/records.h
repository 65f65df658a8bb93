/* records.h: types and keys of records (records.def), the same for the image and the host. Freestanding. */
#ifndef AGPU_CASES_PROTOCOL_RECORDS_H
#define AGPU_CASES_PROTOCOL_RECORDS_H

/* format= of the plan record. Increase it for changes that readers must know: a type or a needed key that is new,
 * removed or has another meaning. Records before version 2 have no format=. */
#define AGPU_RECORD_VERSION 2

/* Most bytes of the file stream.bin of a case; the start of a longer stream fills it. */
#define AGPU_STREAM_FILE_MAX 8192u

enum agpu_record_type {
#define RECORD(NAME, ...) AGPU_RECORD_##NAME,
#include "tests/cases/protocol/records.def"
    AGPU_RECORD_TYPE_COUNT,
    AGPU_RECORD_EVERY = AGPU_RECORD_TYPE_COUNT,
};

enum agpu_record_key {
#define FIELD(NAME, key, ...) AGPU_KEY_##NAME##_##key,
#include "tests/cases/protocol/records.def"
    AGPU_RECORD_KEY_COUNT,
};

/* The text of a key, which must be in records.def. */
#define AGPU_KEY(NAME, key) (&#key[0 * AGPU_KEY_##NAME##_##key])

#endif
