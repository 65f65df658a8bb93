/* run_capture.h: packs the capture of a run into its result folder, and decodes its last submissions as evidence. */
#ifndef AGPU_HOST_RUN_CAPTURE_H
#define AGPU_HOST_RUN_CAPTURE_H

#include "tests/host/decode/side.h"
#include "tests/host/run/session.h"

struct agpu_run_capture;

/* Starts a thread that packs a running machine's capture, as the image writes it to the disk in the directory of
 * working files, into capture.agpucap of the result folder (later boots: capture-N.agpucap). list, initialised as a
 * single side, receives the records as they pass; NULL: none. Returns NULL: the capture is packed after the machine
 * has ended. */
struct agpu_run_capture *agpu_run_capture_follow(struct agpu_session *session, const char *disk,
                                                 unsigned boot, struct agpu_side *list);

/* Packs the rest after the machine has ended. Prints a note on the terminal about incomplete captures and errors.
 * For a few of the failed cases, writes the last submissions, decoded, to artifacts/<case>-submissions.txt. Frees
 * capture, which may be NULL. Returns true when its list has all records. */
bool agpu_run_capture_collect(struct agpu_session *session, struct agpu_run_capture *capture,
                              const char *disk, unsigned boot);

/* The same for the captures that arrived over the stream, complete or not: packs each file in place. list as for
 * agpu_run_capture_follow(). A file that cannot be packed stays as it arrived. */
bool agpu_run_capture_streamed(struct agpu_session *session, struct agpu_side *list);

#endif
