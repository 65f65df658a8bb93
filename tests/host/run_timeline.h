/* run_timeline.h: builds the timeline of submissions for report.html from the captures of a run. */
#ifndef AGPU_HOST_RUN_TIMELINE_H
#define AGPU_HOST_RUN_TIMELINE_H

#include "tests/host/decode/side.h"
#include "tests/host/report/timeline.h"

/* Limits per case, and for all cases; submissions beyond them are only counted. */
#define AGPU_TIMELINE_CASE_MAX 256u
#define AGPU_TIMELINE_MAX      20000u

/* Reads folder/capture.agpucap, the guest's view, and device_path, the device's view of the same run (NULL:
 * folder/device.agpucap if present). Returns NULL when there is no capture of the guest, or, with a line on stderr,
 * when one cannot be read; a device's view that cannot be read is ignored. The caller frees the result. listed: the
 * guest's view if it was already read (agpu_run_capture_collect()), which saves reading it again; NULL: it was not.
 * It remains the caller's. */
struct agpu_timeline *agpu_run_timeline(const char *folder, const char *device_path,
                                        const struct agpu_side *listed);

/* Returns the initial state of a guest's view that is to be listed for a timeline without a device's view. */
struct agpu_side agpu_run_timeline_list(void);
void agpu_run_timeline_free(struct agpu_timeline *timeline); /* may be NULL */

#endif
