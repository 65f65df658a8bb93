/* guest_memory.h: maps guest RAM, shared by file descriptor, into this process, and unmaps it. */
#ifndef VGPU_TESTS_DEVICE_VFIO_GUEST_MEMORY_H
#define VGPU_TESTS_DEVICE_VFIO_GUEST_MEMORY_H

#include "tests/device/vfio/dma.h"
#include "tests/device/vfio/wire.h"

/* Maps [offset, offset + size) of fd as requested and fills host, readable and writable of *map. fd may be
 * closed afterwards. Returns 0, or an errno value with a constant sentence for the log in *why: EINVAL: not
 * page aligned, or beyond the end of the file. EPERM: the file could shrink (not a memfd sealed against it),
 * and a later access would kill this process; the client may map such memory, but the device must not access
 * it. ENOMEM: huge pages could not be reserved. */
int vgpu_vfio_guest_memory_map(const struct vgpu_vfio_dma_map *request, int fd, struct vgpu_vfio_map *map,
                               const char **why);

/* For the handler of SIGBUS: returns true when address lies in mapped guest memory. It then maps a page of
 * zeros there, so that the access can be retried, and counts the page in vgpu_vfio_guest_memory_missing(): the
 * client removed the page, or its memory is full. */
bool vgpu_vfio_guest_memory_mend(const void *address);
uint64_t vgpu_vfio_guest_memory_missing(void);

/* Undoes vgpu_vfio_guest_memory_map(); no effect on a map without a host pointer. */
void vgpu_vfio_guest_memory_unmap(const struct vgpu_vfio_map *map);

#endif
