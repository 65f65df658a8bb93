/* run_capture.h: the capture that a run left, packed into its result folder, and its last submissions as evidence. */
#ifndef AGPU_HOST_RUN_CAPTURE_H
#define AGPU_HOST_RUN_CAPTURE_H

#include "tests/host/decode/side.h"
#include "tests/host/run/session.h"

struct agpu_run_capture;

/* Packs the capture of a machine that was started, from the disk in its folder of working files, as the image writes it, into
 * capture.agpucap of the result folder, for later boots capture-N.agpucap; a thread does. list, begun as one that is alone, gets
 * the records as they go by; NULL: nobody wants them. NULL: it is packed when the machine has ended. */
struct agpu_run_capture *agpu_run_capture_follow(struct agpu_session *session, const char *disk,
                                                 unsigned boot, struct agpu_side *list);

/* The machine has ended: packs what is left. What is not complete, and what failed, becomes a note on the terminal. For each
 * failed case, at most a few, artifacts/<case>-submissions.txt gets its last submissions decoded. capture is freed; NULL is
 * allowed. True when its list has all records. */
bool agpu_run_capture_collect(struct agpu_session *session, struct agpu_run_capture *capture,
                              const char *disk, unsigned boot);

#endif
