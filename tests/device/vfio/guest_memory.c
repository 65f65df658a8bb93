/* guest_memory.c: mmap of guest RAM, and the checks that the memory cannot vanish. */
#include "tests/device/vfio/guest_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int vgpu_vfio_guest_memory_map(const struct vgpu_vfio_dma_map *request, int fd, struct vgpu_vfio_map *map,
                               const char **why)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    struct stat status;
    int seals, protection;
    void *host;

    *why = "offset, address and size must be multiples of the page size and size not 0";
    if (request->size == 0 || ((request->offset | request->address | request->size) & (page - 1)) != 0) {
        return EINVAL;
    }
    *why = "the file of guest memory cannot be examined";
    if (fstat(fd, &status) != 0) {
        return errno;
    }
    *why = "the map reaches beyond the end of its file";
    if (status.st_size < 0 || request->offset > (uint64_t)status.st_size ||
        request->size > (uint64_t)status.st_size - request->offset) {
        return EINVAL;
    }
    *why = "guest memory is not sealed against shrinking (use memory-backend-memfd,share=on): no DMA there";
    seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
        return EPERM;
    }

    map->readable = (request->flags & VGPU_VFIO_DMA_READ) != 0;
    map->writable = (request->flags & VGPU_VFIO_DMA_WRITE) != 0;
    protection = (map->readable ? PROT_READ : 0) | (map->writable ? PROT_WRITE : 0);
    *why = "mmap of guest memory failed";
    host =
        mmap(NULL, (size_t)request->size, protection, MAP_SHARED | MAP_NORESERVE, fd, (off_t)request->offset);
    if (host == MAP_FAILED) {
        return errno;
    }
    map->host = host;
    *why = NULL;
    return 0;
}

void vgpu_vfio_guest_memory_unmap(const struct vgpu_vfio_map *map)
{
    if (map->host != NULL) {
        munmap(map->host, (size_t)map->size);
    }
}
