/* artifact.h: sends a file to the host as artifact records (README.md); it lands in artifacts/ of the result
 * folder. */
#ifndef AGPU_CASES_HARNESS_ARTIFACT_H
#define AGPU_CASES_HARNESS_ARTIFACT_H

#include "tests/cases/harness/case.h"

/* Bytes that the artifacts of one case may have together. */
#define AGPU_ARTIFACT_CASE_MAX 65536u

/* Sends size bytes under "<case>-<name>". Where a sink brings all (agpu_stream_takes_pieces()) the others only hear of it, else
 * each has the whole file. What would pass the bound of the case is not sent; false then. */
bool agpu_artifact_send(struct agpu_test *test, const char *name, const void *bytes, size_t size);

#endif
