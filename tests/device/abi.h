/* abi.h: what the two generations of the device do differently behind device.h (device.md, legacy.md). What
 * they share: configuration space, access rules of BAR0, vblank clock, scanout, interrupt line, DMA. */
#ifndef AGPU_TESTS_DEVICE_ABI_H
#define AGPU_TESTS_DEVICE_ABI_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_device;

struct agpu_abi {
    const char *name;
    /* Registers, by dword. register_name is NULL where none is. */
    const char *(*register_name)(uint64_t offset);
    uint32_t (*read)(struct agpu_device *device, uint64_t offset);
    void (*write)(struct agpu_device *device, uint64_t offset, uint32_t value);
    /* DMA work is due, and its service point. Only called with Bus Master. */
    bool (*pending)(const struct agpu_device *device);
    void (*service)(struct agpu_device *device);
    /* The part of a device reset that is its own. */
    void (*reset)(struct agpu_device *device);
};

extern const struct agpu_abi agpu_abi_versioned; /* versioned.c */
extern const struct agpu_abi agpu_abi_legacy;    /* legacy/legacy.c */

#endif
