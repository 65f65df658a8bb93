/* dma.h: the table of guest memory that the client lets the device reach, looked up on every DMA access.
 * Pure: it neither maps nor unmaps anything. */
#ifndef VGPU_TESTS_DEVICE_VFIO_DMA_H
#define VGPU_TESTS_DEVICE_VFIO_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the protocol has when nothing is said of max_dma_maps. A machine has some dozens; one whose IOMMU translates has a map for
 * each page that a driver has mapped. A client that wants more is refused with ENOSPC. */
#define VGPU_VFIO_MAX_MAPS 65535u

/* Guest memory [address, address + size), size > 0, not wrapping. host == NULL: known, but out of reach (a
 * ROM, the BAR of a device). */
struct vgpu_vfio_map {
    uint64_t address;
    uint64_t size;
    uint8_t *host;
    bool readable;
    bool writable;
};

/* Sorted by address, no two overlap. */
struct vgpu_vfio_dma {
    size_t count;
    uint64_t reach;  /* bytes of the maps that can be reached */
    size_t last_hit; /* index of the map that served the last lookup: DMA is local */
    struct vgpu_vfio_map maps[VGPU_VFIO_MAX_MAPS];
};

void vgpu_vfio_dma_init(struct vgpu_vfio_dma *dma);

/* Adds a map. Returns 0; EINVAL for an empty or wrapping range; EEXIST when it overlaps another one;
 * ENOSPC. */
int vgpu_vfio_dma_add(struct vgpu_vfio_dma *dma, const struct vgpu_vfio_map *map);

/* Removes every map in [address, address + size), and hands each to taken (ctx is its own); there may be none: a client whose
 * IOMMU has changed takes away whole ranges of addresses. Returns 0; EINVAL, with nothing removed, for an empty or wrapping range,
 * and when a map lies in it in part. */
int vgpu_vfio_dma_remove(struct vgpu_vfio_dma *dma, uint64_t address, uint64_t size,
                         void (*taken)(void *ctx, const struct vgpu_vfio_map *map), void *ctx);

/* Removes any one map. False when the table is empty. */
bool vgpu_vfio_dma_pop(struct vgpu_vfio_dma *dma, struct vgpu_vfio_map *removed);

/* As vgpu_device_machine.dma_pointer and dma_extent (tests/device/device.h). */
void *vgpu_vfio_dma_pointer(struct vgpu_vfio_dma *dma, uint64_t address, uint64_t size, bool write);
uint64_t vgpu_vfio_dma_extent(struct vgpu_vfio_dma *dma, uint64_t address, bool write);

#endif
