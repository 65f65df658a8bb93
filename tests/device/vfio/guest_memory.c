/* guest_memory.c: mmap of guest RAM, the checks that the memory cannot vanish, and what is done when a page of it is not
 * there all the same. */
#include "tests/device/vfio/guest_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The mappings that live, for a signal handler: host address, size and page size. A slot is free while host is 0. */
static struct {
    atomic_uintptr_t host;
    atomic_size_t size, page;
} mapped[VGPU_VFIO_MAX_MAPS];

static atomic_uint_fast64_t pages_missing;

static bool remember(uintptr_t host, size_t size, size_t page)
{
    for (size_t i = 0; i < VGPU_VFIO_MAX_MAPS; i++) {
        uintptr_t empty = 0;

        if (atomic_compare_exchange_strong(&mapped[i].host, &empty, host)) {
            atomic_store(&mapped[i].page, page);
            atomic_store(&mapped[i].size, size);
            return true;
        }
    }
    return false;
}

static void forget(uintptr_t host)
{
    for (size_t i = 0; i < VGPU_VFIO_MAX_MAPS; i++) {
        if (atomic_load(&mapped[i].host) == host) {
            atomic_store(&mapped[i].size, 0);
            atomic_store(&mapped[i].host, 0);
        }
    }
}

bool vgpu_vfio_guest_memory_mend(const void *address)
{
    for (size_t i = 0; i < VGPU_VFIO_MAX_MAPS; i++) {
        const uintptr_t host = atomic_load(&mapped[i].host);
        const size_t page = atomic_load(&mapped[i].page);

        if (host != 0 && (uintptr_t)address - host < atomic_load(&mapped[i].size)) {
            void *at = (char *)address - ((uintptr_t)address - host) % page;

            atomic_fetch_add(&pages_missing, 1);
            return mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
                   at;
        }
    }
    return false;
}

uint64_t vgpu_vfio_guest_memory_missing(void)
{
    return atomic_load(&pages_missing);
}

int vgpu_vfio_guest_memory_map(const struct vgpu_vfio_dma_map *request, int fd, struct vgpu_vfio_map *map,
                               const char **why)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    struct statfs system;
    struct stat status;
    int seals, protection;
    bool huge;
    void *host;

    *why = "the file of guest memory cannot be examined";
    if (fstat(fd, &status) != 0 || fstatfs(fd, &system) != 0) {
        return errno;
    }
    huge = system.f_type == HUGETLBFS_MAGIC;
    if (huge) {
        page = (uint64_t)system.f_bsize;
    }
    *why = "offset, address and size must be multiples of the page size and size not 0";
    if (request->size == 0 || (request->address & ((uint64_t)sysconf(_SC_PAGESIZE) - 1)) != 0 ||
        ((request->offset | request->size) & (page - 1)) != 0) {
        return EINVAL;
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
    /* Huge pages come from a pool that may be empty: they are reserved now, or there is no map. */
    *why = huge ? "the pool of huge pages has too few free for this guest memory"
                : "mmap of guest memory failed";
    host = mmap(NULL, (size_t)request->size, protection, MAP_SHARED | (huge ? 0 : MAP_NORESERVE), fd,
                (off_t)request->offset);
    if (host == MAP_FAILED) {
        return errno;
    }
    *why = "more maps than a client may have";
    if (!remember((uintptr_t)host, (size_t)request->size, (size_t)page)) {
        munmap(host, (size_t)request->size);
        return ENOSPC;
    }
    map->host = host;
    *why = NULL;
    return 0;
}

void vgpu_vfio_guest_memory_unmap(const struct vgpu_vfio_map *map)
{
    if (map->host != NULL) {
        forget((uintptr_t)map->host);
        munmap(map->host, (size_t)map->size);
    }
}
