/* run_timeline.h: the submissions of a run from its captures, for report.html. */
#ifndef AGPU_HOST_RUN_TIMELINE_H
#define AGPU_HOST_RUN_TIMELINE_H

#include "tests/host/report/timeline.h"

/* Of each case, and of all together; the rest is counted. */
#define AGPU_TIMELINE_CASE_MAX 256u
#define AGPU_TIMELINE_MAX      20000u

/* Reads folder/capture.agpucap, the guest's view, and device_path, the device's view of the same run (NULL: none; then
 * folder/device.agpucap if it is there). NULL when there is no capture of the guest, or, with a line on stderr, when one cannot be
 * read; a view of the device that cannot be read is left out. To be freed. */
struct agpu_timeline *agpu_run_timeline(const char *folder, const char *device_path);
void agpu_run_timeline_free(struct agpu_timeline *timeline); /* may be NULL */

#endif
