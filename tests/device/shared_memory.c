/* shared_memory.c: see shared_memory.h. */
#include "tests/device/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int vgpu_shared_memory_create(const char *name, uint64_t size)
{
    const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && (ftruncate(fd, (off_t)size) != 0 ||
                    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}
