/* dma.h: accesses of the model to guest memory: ranges that may be partly unmapped, and single published
 * words. Callers have checked Bus Master and that gpa + size does not wrap. */
#ifndef VGPU_BUS_DMA_H
#define VGPU_BUS_DMA_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/bus.h"

/* True when start + length >= 2^64 (device.md 0: a range that ends exactly there wraps too). */
static inline bool vgpu_range_wraps(uint64_t start, uint64_t length)
{
    return length > UINT64_MAX - start;
}

/* Returns the host pointer to [gpa, gpa + size), or NULL when the range is not one mapped piece. Valid for the
 * rest of the current call into the device. The range may lie in guest RAM or in BAR1 of this device. size >
 * 0. */
void *vgpu_dma_map(struct vgpu_bus *bus, uint64_t gpa, uint64_t size, bool write);

/* Reads size bytes; unmapped bytes read as FF (ring.md 3.1). Each byte is read once. */
void vgpu_dma_read(struct vgpu_bus *bus, uint64_t gpa, void *out, uint64_t size);

/* Writes size bytes; bytes for unmapped memory are dropped. */
void vgpu_dma_write(struct vgpu_bus *bus, uint64_t gpa, const void *data, uint64_t size);

/* Publishes one word: it becomes visible after all earlier writes, by one access when it is aligned and
 * mapped. */
void vgpu_dma_publish32(struct vgpu_bus *bus, uint64_t gpa, uint32_t value);
void vgpu_dma_publish64(struct vgpu_bus *bus, uint64_t gpa, uint64_t value);

#endif
