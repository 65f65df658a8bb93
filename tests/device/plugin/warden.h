/* warden.h: the tool that a device of somebody else runs in has a parent: whatever such a device does to the process, there is
 * somebody left who says so. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_WARDEN_H
#define VGPU_TESTS_DEVICE_PLUGIN_WARDEN_H

#include <stdbool.h>

/* Returns in a copy of the process. The original waits, and ends as the copy does when that said vgpu_warden_dismiss() before or
 * its guard has told why; else it says on standard error how the process ended and in which call, and ends by the same signal or
 * with status 1. Nobody waits in a debugger, which would follow the original. Before there are threads and vgpu_guard_install().
 * False with errno when there can be no copy. */
bool vgpu_warden_set(void);

/* The tool is through: its exit status is its own. False, with a message, when not all that went to standard output could be
 * written: what a device does to descriptors may cost the records. */
bool vgpu_warden_dismiss(void);

#endif
