/* guest_memory.h: maps the guest RAM that a client shares by file descriptor into this process, and out
 * again. */
#ifndef VGPU_TESTS_DEVICE_VFIO_GUEST_MEMORY_H
#define VGPU_TESTS_DEVICE_VFIO_GUEST_MEMORY_H

#include "tests/device/vfio/dma.h"
#include "tests/device/vfio/wire.h"

/* Maps [offset, offset + size) of fd as the request says and fills host, readable and writable of *map; fd
 * may be closed afterwards. Returns 0 or an errno value with *why a constant sentence for the log: EINVAL not
 * page aligned, or beyond the end of the file; EPERM the file could shrink under us (not a memfd sealed
 * against it): a later access would kill this process. The client may know such memory, the device must not
 * touch it; ENOMEM huge pages that cannot be reserved. */
int vgpu_vfio_guest_memory_map(const struct vgpu_vfio_dma_map *request, int fd, struct vgpu_vfio_map *map,
                               const char **why);

/* For the handler of SIGBUS: true when address lies in guest memory that is mapped now. A page of zeros of our own is
 * there from then on, the access goes on, and vgpu_vfio_guest_memory_missing() has counted it: the client took the page
 * away, or its memory is full. */
bool vgpu_vfio_guest_memory_mend(const void *address);
uint64_t vgpu_vfio_guest_memory_missing(void);

/* Undoes vgpu_vfio_guest_memory_map(); nothing to do for a map without host pointer. */
void vgpu_vfio_guest_memory_unmap(const struct vgpu_vfio_map *map);

#endif
