/* artifacts.h: assembles the pieces of files that the image sends (in artifact records, or beside them in the
 * lossless stream) under artifacts/. */
#ifndef AGPU_HOST_REPORT_ARTIFACTS_H
#define AGPU_HOST_REPORT_ARTIFACTS_H

#include "tests/host/wire/record.h"

#define AGPU_ARTIFACT_MAX       (UINT64_C(64) << 20)  /* bytes of one file */
#define AGPU_ARTIFACT_FILES_MAX 1024                  /* files of one run */
#define AGPU_ARTIFACTS_MAX      (UINT64_C(512) << 20) /* bytes of all files */

/* Zero-initialised, with folder set, is empty. */
struct agpu_artifacts {
    int folder;     /* the result folder; the first piece creates artifacts/ in it */
    uint64_t bytes; /* total received */
    uint64_t files; /* created */
};

/* Decodes base64 (RFC 4648, padding required) into out, which has room for length / 4 * 3 bytes. Returns the number
 * of bytes, or -1. */
long agpu_base64_decode(const char *text, size_t length, unsigned char *out);

/* Writes "<id>-<name>" to out, with every character replaced that could lead out of the folder; returns false when
 * it does not fit. */
bool agpu_artifact_file_name(const char *id, const char *name, char *out, size_t size);

/* Writes the piece in the record's data at its offset in the file. Returns NULL on success, else the error. */
const char *agpu_artifacts_add(struct agpu_artifacts *artifacts, const struct agpu_parsed_record *record);

/* Writes the given bytes as the piece that a record without data announces. Returns as agpu_artifacts_add(). */
const char *agpu_artifacts_put(struct agpu_artifacts *artifacts, const struct agpu_parsed_record *record,
                               const void *bytes, size_t length);

#endif
