/* jail.h: what the processes of the device model give up before they look at what a guest sent. A translator or a
 * Vulkan driver that a shader takes over can then compute, and answer its socket, and nothing else. */
#ifndef VGPU_TESTS_DEVICE_JAIL_JAIL_H
#define VGPU_TESTS_DEVICE_JAIL_JAIL_H

#include <stdbool.h>
#include <stdint.h>

enum vgpu_jail_kind {
    VGPU_JAIL_TRANSLATOR, /* reads, writes and computes, in one thread; any other system call kills it */
    VGPU_JAIL_ENGINE, /* also threads, and what a Vulkan driver needs of its devices; another call fails (EPERM) */
};

/* At the start of the process, before a second thread: no new privileges, no core, an address space of memory_bytes (0: no
 * limit), namespaces of its own for users, network, mounts and System V IPC. */
void vgpu_jail_begin(uint64_t memory_bytes);

/* When all files are open, for good: no path can be opened any more but below folder (NULL: none) (Landlock), and the system
 * calls are those of the kind, in every thread (seccomp). Where there is no Landlock, nothing can be opened at all. */
void vgpu_jail_close(enum vgpu_jail_kind kind, const char *folder);

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

/* Says on standard error what this kernel, or what we run in, did not give, unless all was had or AGPU_HELPER_AGAIN says that
 * it was said. */
void vgpu_jail_report(const char *program);
/* What it says is missing, empty when nothing is. */
const char *vgpu_jail_missing(void);

#endif
