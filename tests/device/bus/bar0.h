/* bar0.h: accesses of any width to the registers of either ABI (device.md 3), and counters of accesses that
 * hit no register. */
#ifndef VGPU_BUS_BAR0_H
#define VGPU_BUS_BAR0_H

#include <stdint.h>

#include "tests/device/bus/bus.h"

#define VGPU_BAR0_DWORDS (0x10000u / 4)

/* Number of accesses to each dword without a register; saturating. */
struct vgpu_bar0_misses {
    uint32_t reads[VGPU_BAR0_DWORDS];
    uint32_t writes[VGPU_BAR0_DWORDS];
};

/* Accesses of 1, 2, 4 or 8 bytes with Memory space enabled. Any offset is allowed. */
uint64_t vgpu_bar0_read(struct vgpu_bus *bus, uint64_t offset, uint32_t size);
void vgpu_bar0_write(struct vgpu_bus *bus, uint64_t offset, uint32_t size, uint64_t value);

#endif
