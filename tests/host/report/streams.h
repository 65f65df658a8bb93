/* streams.h: converts the command streams that failed cases left to text for people. */
#ifndef AGPU_HOST_REPORT_STREAMS_H
#define AGPU_HOST_REPORT_STREAMS_H

#include "tests/host/report/artifact_list.h"

/* Suffixes of the two file names, after the case's id. */
#define AGPU_STREAM_BYTES "stream.bin"
#define AGPU_STREAM_TEXT  "stream.txt"

/* Writes FOLDER/artifacts/ID-stream.txt for each ID-stream.bin there, as agpu decode prints it: packet by packet
 * with names, the objects of handles, and the rule that a wrong packet breaks. Ignores files larger than a stream in
 * evidence. Returns how many were written. */
size_t agpu_streams_decode(int folder, const struct agpu_artifact_list *files);

#endif
