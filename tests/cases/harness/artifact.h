/* artifact.h: sends a file to the host as artifact records (README.md); the host stores it in artifacts/ of the
 * result folder. */
#ifndef AGPU_CASES_HARNESS_ARTIFACT_H
#define AGPU_CASES_HARNESS_ARTIFACT_H

#include "tests/cases/harness/case.h"

/* Total size limit for the artifacts of one case, in bytes. */
#define AGPU_ARTIFACT_CASE_MAX 65536u

/* Sends size bytes as file "<case>-<name>". If a sink is lossless (agpu_stream_takes_pieces()) the others only get a
 * notice, otherwise each gets the whole file. Returns false, and sends nothing, if the limit of the case would be
 * exceeded. */
bool agpu_artifact_send(struct agpu_test *test, const char *name, const void *bytes, size_t size);

#endif
