/* run_capture.h: the capture that a run left, packed into its result folder, and its last submissions as evidence. */
#ifndef AGPU_HOST_RUN_CAPTURE_H
#define AGPU_HOST_RUN_CAPTURE_H

#include "tests/host/decode/side.h"
#include "tests/host/run/session.h"

/* Takes the capture off the disk in the machine's folder of working files, to capture.agpucap of the result folder, for later
 * boots capture-N.agpucap. What is not complete, and what failed, becomes a note on the terminal. For each failed case, at most a
 * few, artifacts/<case>-submissions.txt gets its last submissions decoded. The machine must have ended.
 * list, begun as one that is alone, gets the records as they go by; NULL: nobody wants them. True when it has all of them. */
bool agpu_run_capture_collect(struct agpu_session *session, const char *disk, unsigned boot,
                              struct agpu_side *list);

#endif
