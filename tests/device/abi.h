/* abi.h: what the two generations of the device do differently behind device.h (device.md 0 to 5, legacy.md 1
 * to 5). What they share: configuration space, access rules of BAR0, vblank clock, scanout, interrupt line,
 * DMA. */
#ifndef VGPU_TESTS_DEVICE_ABI_H
#define VGPU_TESTS_DEVICE_ABI_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_device;

struct vgpu_abi {
    const char *name;
    /* Registers, by dword. register_name is NULL where none is. */
    const char *(*register_name)(uint64_t offset);
    uint32_t (*read)(struct vgpu_device *device, uint64_t offset);
    void (*write)(struct vgpu_device *device, uint64_t offset, uint32_t value);
    /* DMA work is due, and its service point. Only called with Bus Master. */
    bool (*pending)(const struct vgpu_device *device);
    void (*service)(struct vgpu_device *device);
    /* The part of a device reset that is its own. */
    void (*reset)(struct vgpu_device *device);
    /* The vblank clock had an edge; it stopped. NULL where nothing waits for it. */
    void (*vblank_edge)(struct vgpu_device *device);
    void (*vblank_stopped)(struct vgpu_device *device);
};

extern const struct vgpu_abi vgpu_abi_versioned; /* versioned/versioned.c */
extern const struct vgpu_abi vgpu_abi_legacy;    /* legacy/legacy.c */

#endif
