/* streams.h: the command streams that failed cases left, as text for people. */
#ifndef AGPU_HOST_REPORT_STREAMS_H
#define AGPU_HOST_REPORT_STREAMS_H

#include "tests/host/report/artifact_list.h"

/* Ends the names of both files, behind the case's id. */
#define AGPU_STREAM_BYTES "stream.bin"
#define AGPU_STREAM_TEXT  "stream.txt"

/* Writes FOLDER/artifacts/ID-stream.txt for each ID-stream.bin there: what agpu decode prints of it, packet by packet with names,
 * what handles name, and which rule a wrong packet breaks. Files larger than a stream in evidence are left alone. Returns how many
 * were written. */
size_t agpu_streams_decode(const char *folder, const struct agpu_artifact_list *files);

#endif
