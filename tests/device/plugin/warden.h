/* warden.h: the parent of the process that runs a device under test. Whatever the device does to its process,
 * the parent reports it. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_WARDEN_H
#define VGPU_TESTS_DEVICE_PLUGIN_WARDEN_H

#include <stdbool.h>

/* Forks, and returns in the child. The parent waits and ends with the status of the child if that called
 * vgpu_warden_dismiss() or its guard has reported the reason. Otherwise the parent reports on standard error
 * how the child ended and in which call, and ends by the same signal or with status 1. Does not fork in a
 * debugger, which would follow the parent. Call before there are threads and before vgpu_guard_install().
 * Returns false with errno when it cannot fork. */
bool vgpu_warden_set(void);

/* End of a child. */
struct vgpu_warden_end {
    bool finished; /* it called vgpu_warden_dismiss() */
    int status;    /* its exit status, when it exited */
    int signal;    /* the signal that ended it; 0: none */
};

/* Forks as vgpu_warden_set() does, also in a debugger, and returns in the parent, too. *child is 0 in the child. */
bool vgpu_warden_fork(int *child);

/* Returns true in a debugger. */
bool vgpu_warden_is_traced(void);

/* Returns true when the child has ended, after vgpu_guard_say() if its own guard has not reported the reason. A child
 * that the device has stopped is ended. options: 0, or WNOHANG. Returns false when it still runs. */
bool vgpu_warden_ended(int child, int options, struct vgpu_warden_end *end);

/* The tool has finished: its exit status is its own. Returns false, with a message, when some standard output
 * could not be written: a device may have damaged the descriptors. */
bool vgpu_warden_dismiss(void);

#endif
