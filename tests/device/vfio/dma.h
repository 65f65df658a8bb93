/* dma.h: table of the guest memory that the device may access, searched on every DMA access. It maps and
 * unmaps nothing. */
#ifndef VGPU_TESTS_DEVICE_VFIO_DMA_H
#define VGPU_TESTS_DEVICE_VFIO_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Default of the protocol's max_dma_maps. A machine has some dozens of maps; with a translating IOMMU there is
 * one for each page that a driver has mapped. More maps are refused with ENOSPC. */
#define VGPU_VFIO_MAX_MAPS 65535u

/* Guest memory [address, address + size), size > 0, not wrapping. host == NULL: known but not accessible (a
 * ROM, the BAR of a device). */
struct vgpu_vfio_map {
    uint64_t address;
    uint64_t size;
    uint8_t *host;
    bool readable;
    bool writable;
};

/* Sorted by address, without overlap. */
struct vgpu_vfio_dma {
    size_t count;
    uint64_t reach;  /* total bytes of accessible maps */
    size_t last_hit; /* index of the map of the last lookup: DMA has locality */
    struct vgpu_vfio_map maps[VGPU_VFIO_MAX_MAPS];
};

void vgpu_vfio_dma_init(struct vgpu_vfio_dma *dma);

/* Adds a map. Returns 0; EINVAL for an empty or wrapping range; EEXIST when it overlaps another map; ENOSPC
 * when the table is full. */
int vgpu_vfio_dma_add(struct vgpu_vfio_dma *dma, const struct vgpu_vfio_map *map);

/* Removes every map in [address, address + size) and calls taken(ctx, map) for each. There may be none: a
 * client whose IOMMU changed unmaps whole ranges. Returns 0; EINVAL, with nothing removed, for an empty or
 * wrapping range or when a map lies only partly in it. */
int vgpu_vfio_dma_remove(struct vgpu_vfio_dma *dma, uint64_t address, uint64_t size,
                         void (*taken)(void *ctx, const struct vgpu_vfio_map *map), void *ctx);

/* Removes any one map. Returns false when the table is empty. */
bool vgpu_vfio_dma_pop(struct vgpu_vfio_dma *dma, struct vgpu_vfio_map *removed);

/* Implement dma_pointer and dma_extent of vgpu_device_machine (tests/device/device.h). */
void *vgpu_vfio_dma_pointer(struct vgpu_vfio_dma *dma, uint64_t address, uint64_t size, bool write);
uint64_t vgpu_vfio_dma_extent(struct vgpu_vfio_dma *dma, uint64_t address, bool write);

#endif
