/* jail.h: restricts the helper processes of the device model before they read guest data. If a shader takes
 * over a translator or a Vulkan driver, the process can only compute and answer its socket. */
#ifndef VGPU_TESTS_DEVICE_JAIL_JAIL_H
#define VGPU_TESTS_DEVICE_JAIL_JAIL_H

#include <stdbool.h>
#include <stdint.h>

enum vgpu_jail_kind {
    VGPU_JAIL_TRANSLATOR, /* may read, write and compute in one thread; any other system call kills it */
    VGPU_JAIL_ENGINE,     /* also threads, and the calls of a Vulkan driver; another call fails (EPERM) */
};

/* Call at the start of the process, before a second thread. Afterwards the process gets no new privileges, no
 * core file, and at most memory_bytes of address space (0: no limit). Its namespaces for users, network, mounts
 * and System V IPC are private. */
void vgpu_jail_begin(uint64_t memory_bytes);

/* Call when all files are open; irreversible. A terminal among the standard descriptors is replaced by /dev/null;
 * only missing restrictions are still reported on it, under the name of the program. Landlock then permits opening
 * paths only below folder (NULL: none), and seccomp only the system calls of the kind, in every thread. Without
 * Landlock nothing can be opened at all. */
void vgpu_jail_close(enum vgpu_jail_kind kind, const char *folder, const char *program);

#endif
