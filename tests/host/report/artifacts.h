/* artifacts.h: puts the pieces of files that the image sends (artifact records, and what comes beside them in the lossless
 * stream) together under artifacts/. */
#ifndef AGPU_HOST_REPORT_ARTIFACTS_H
#define AGPU_HOST_REPORT_ARTIFACTS_H

#include "tests/host/wire/record.h"

#define AGPU_ARTIFACT_MAX       (UINT64_C(64) << 20)  /* bytes of one file */
#define AGPU_ARTIFACT_FILES_MAX 1024                  /* of one run */
#define AGPU_ARTIFACTS_MAX      (UINT64_C(512) << 20) /* bytes of all */

/* Zero-initialised, with folder set, is empty. */
struct agpu_artifacts {
    const char *folder; /* the result folder; artifacts/ appears in it with the first piece */
    uint64_t bytes;     /* received in all */
    uint64_t files;     /* made */
};

/* Decodes base64 (RFC 4648, padding required) into out, which has room for length / 4 * 3 bytes. The number
 * of bytes, or -1. */
long agpu_base64_decode(const char *text, size_t length, unsigned char *out);

/* "<id>-<name>" with every character that could lead out of the folder replaced; false when it does not
 * fit. */
bool agpu_artifact_file_name(const char *id, const char *name, char *out, size_t size);

/* Writes the record's piece, which is in its data, at its place. NULL on success, else what is wrong. */
const char *agpu_artifacts_add(struct agpu_artifacts *artifacts, const struct agpu_parsed_record *record);

/* The same of the piece that a record without data announces: these bytes. */
const char *agpu_artifacts_put(struct agpu_artifacts *artifacts, const struct agpu_parsed_record *record,
                               const void *bytes, size_t length);

#endif
