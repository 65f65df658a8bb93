/* run_timeline.h: the submissions of a run from its captures, for report.html. */
#ifndef AGPU_HOST_RUN_TIMELINE_H
#define AGPU_HOST_RUN_TIMELINE_H

#include "tests/host/decode/side.h"
#include "tests/host/report/timeline.h"

/* Of each case, and of all together; the rest is counted. */
#define AGPU_TIMELINE_CASE_MAX 256u
#define AGPU_TIMELINE_MAX      20000u

/* Reads folder/capture.agpucap, the guest's view, and device_path, the device's view of the same run (NULL: none; then
 * folder/device.agpucap if it is there). NULL when there is no capture of the guest, or, with a line on stderr, when one cannot be
 * read; a view of the device that cannot be read is left out. To be freed.
 * listed: the guest's view where somebody has listed it already (agpu_run_capture_collect()), which saves reading it; NULL: nobody
 * has. It is the caller's. */
struct agpu_timeline *agpu_run_timeline(const char *folder, const char *device_path,
                                        const struct agpu_side *listed);

/* What a guest's view begins as that is listed for a timeline without a view of the device. */
struct agpu_side agpu_run_timeline_list(void);
void agpu_run_timeline_free(struct agpu_timeline *timeline); /* may be NULL */

#endif
