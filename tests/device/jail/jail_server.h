/* jail_server.h: what the process that serves the device model gives up. */
#ifndef VGPU_TESTS_DEVICE_JAIL_JAIL_SERVER_H
#define VGPU_TESTS_DEVICE_JAIL_JAIL_SERVER_H

#include <stdbool.h>

/* What the process that serves the device model keeps: it starts the helpers, so that nothing here may be in their way. */
struct vgpu_jail_server {
    const char *const *
        folders; /* below which files are written, made and removed; one that is not there counts for nothing */
    unsigned folder_count;
    const char *const *programs; /* that it starts */
    unsigned program_count;
    /* A device of somebody else runs in this process: it may do what its user may, but gains no privileges. */
    bool stranger;
};

/* Once, before the first thread: no new privileges; none but those that files need; system's files to read, the folders to
 * write, the programs to start (Landlock); no network, no looking into other processes, nothing of the system's administration
 * (seccomp: such calls fail with EPERM). */
void vgpu_jail_server(const struct vgpu_jail_server *places);

#endif
