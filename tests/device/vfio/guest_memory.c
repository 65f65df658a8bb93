/* guest_memory.c: mmap of guest RAM, checks that the memory cannot disappear, and recovery when a page is
 * missing anyway. */
#include "tests/device/vfio/guest_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* A client with a translating IOMMU maps memory page by page: tens of thousands of pieces of one file, more
 * than the mappings that a process may have. A file is therefore mapped once as a whole, and a map is a part
 * of that mapping. */
#define MAPPINGS_MAX 1024u

/* Current mappings. A slot is free while host is 0. A signal handler also reads host, size and page. */
static struct host_mapping {
    atomic_uintptr_t host;
    atomic_size_t size, page;
    size_t maps;  /* number of maps in this mapping */
    dev_t device; /* device and inode of the file */
    ino_t inode;
    int protection;
    bool whole; /* covers the first size bytes of the file, for all of its maps */
} mapped[MAPPINGS_MAX];

static pthread_mutex_t mapped_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint_fast64_t pages_missing;

static struct host_mapping *free_slot(void)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        if (atomic_load(&mapped[i].host) == 0) {
            return &mapped[i];
        }
    }
    return NULL;
}

/* Returns the existing mapping that contains [offset, end) of the file; NULL when there is none. */
static struct host_mapping *find_whole(const struct stat *file, int protection, uint64_t end)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        struct host_mapping *mapping = &mapped[i];

        if (atomic_load(&mapping->host) != 0 && mapping->whole && mapping->device == file->st_dev &&
            mapping->inode == file->st_ino && mapping->protection == protection &&
            end <= atomic_load(&mapping->size)) {
            return mapping;
        }
    }
    return NULL;
}

bool vgpu_vfio_guest_memory_mend(const void *address)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
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

static int protection_of(const struct vgpu_vfio_map *map)
{
    return (map->readable ? PROT_READ : 0) | (map->writable ? PROT_WRITE : 0);
}

/* Maps [offset, offset + size) in a free slot. Returns NULL with *error and *why on failure. */
static struct host_mapping *map_file(int fd, uint64_t offset, uint64_t size, int protection, bool huge,
                                     int *error, const char **why)
{
    struct host_mapping *slot = free_slot();
    void *host;

    if (slot == NULL) {
        *why = "more files, or pieces of them, than a client may have";
        *error = ENOSPC;
        return NULL;
    }
    /* The pool of huge pages may be empty, so huge pages are reserved now or the map is refused. */
    *why = huge ? "the pool of huge pages has too few free for this guest memory"
                : "mmap of guest memory failed";
    host = mmap(NULL, (size_t)size, protection, MAP_SHARED | (huge ? 0 : MAP_NORESERVE), fd, (off_t)offset);
    if (host == MAP_FAILED) {
        *error = errno;
        return NULL;
    }
    *why = NULL;
    atomic_store(&slot->size, (size_t)size);
    atomic_store(&slot->host, (uintptr_t)host);
    slot->maps = 0;
    slot->protection = protection;
    return slot;
}

/* Creates a separate mapping: mapping the whole file would reserve huge pages that the client did not
 * request. */
static int map_range(const struct vgpu_vfio_dma_map *request, int fd, uint64_t page,
                     struct vgpu_vfio_map *map, const char **why)
{
    int error = 0;
    struct host_mapping *slot =
        map_file(fd, request->offset, request->size, protection_of(map), true, &error, why);

    if (slot == NULL) {
        return error;
    }
    atomic_store(&slot->page, (size_t)page);
    slot->whole = false;
    slot->maps = 1;
    map->host = (uint8_t *)atomic_load(&slot->host);
    return 0;
}

/* Uses a part of the mapping of the whole file. */
static int map_place(const struct vgpu_vfio_dma_map *request, int fd, const struct stat *file,
                     struct vgpu_vfio_map *map, const char **why)
{
    int error = 0;
    struct host_mapping *slot = find_whole(file, protection_of(map), request->offset + request->size);

    if (slot == NULL) {
        slot = map_file(fd, 0, (uint64_t)file->st_size, protection_of(map), false, &error, why);
        if (slot == NULL) {
            return error;
        }
        atomic_store(&slot->page, (size_t)sysconf(_SC_PAGESIZE));
        slot->whole = true;
        slot->device = file->st_dev;
        slot->inode = file->st_ino;
    }
    *why = NULL;
    slot->maps++;
    map->host = (uint8_t *)atomic_load(&slot->host) + request->offset;
    return 0;
}

int vgpu_vfio_guest_memory_map(const struct vgpu_vfio_dma_map *request, int fd, struct vgpu_vfio_map *map,
                               const char **why)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    struct statfs system;
    struct stat status;
    int seals;
    bool huge;

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
    pthread_mutex_lock(&mapped_lock);
    const int error =
        huge ? map_range(request, fd, page, map, why) : map_place(request, fd, &status, map, why);
    pthread_mutex_unlock(&mapped_lock);
    return error;
}

void vgpu_vfio_guest_memory_unmap(const struct vgpu_vfio_map *map)
{
    if (map->host == NULL) {
        return;
    }
    pthread_mutex_lock(&mapped_lock);
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        const uintptr_t host = atomic_load(&mapped[i].host);
        const size_t size = atomic_load(&mapped[i].size);

        if (host != 0 && (uintptr_t)map->host - host < size) {
            if (--mapped[i].maps == 0) {
                atomic_store(&mapped[i].size, 0);
                atomic_store(&mapped[i].host, 0);
                munmap((void *)host, size);
            }
            break;
        }
    }
    pthread_mutex_unlock(&mapped_lock);
}
