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

#endif
