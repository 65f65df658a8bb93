/* jail_server.h: restricts the process that serves the device model. */
#ifndef VGPU_TESTS_DEVICE_JAIL_JAIL_SERVER_H
#define VGPU_TESTS_DEVICE_JAIL_JAIL_SERVER_H

#include <stdbool.h>

/* Permissions of the server process. It starts the helpers, so they must include everything that the helpers
 * need. */
struct vgpu_jail_server {
    const char *const *
        folders; /* directories in which the server writes, creates and removes files; missing ones are ignored */
    unsigned folder_count;
    const char *const *programs; /* programs that it starts */
    unsigned program_count;
    /* A plug-in runs in this process: it may do what its user may, but gains no privileges. */
    bool stranger;
};

/* Call once, before the first thread. Drops all privileges except those that files need. Landlock: system
 * files are readable, the directories writable, the programs executable. seccomp: no network, no access to
 * other processes, no system administration (such calls fail with EPERM). */
void vgpu_jail_server(const struct vgpu_jail_server *places);

#endif
