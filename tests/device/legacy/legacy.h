/* legacy.h: the retired "ARGP" device behind device.h (legacy.md 1 to 4): its ring, fences and interrupt block
 * beside the blocks that it shares with the versioned device. */
#ifndef VGPU_TESTS_DEVICE_LEGACY_LEGACY_H
#define VGPU_TESTS_DEVICE_LEGACY_LEGACY_H

#include <stdint.h>

#include "tests/device/bus/stats.h"

struct vgpu_config_space;
struct vgpu_device;
struct vgpu_irq;
struct vgpu_legacy;
struct vgpu_scanout;
struct vgpu_vblank;

/* What both generations have, all of one device; outlives the legacy part. */
struct vgpu_legacy_shared {
    struct vgpu_device *device;
    struct vgpu_config_space *config;
    struct vgpu_irq *irq;
    struct vgpu_vblank *vblank;
    struct vgpu_scanout *scanout;
    struct vgpu_device_stats *stats;
    int64_t *budget; /* of the service point (device_private.h) */
};

/* Its state at power-on; gives the configuration space the legacy identity. NULL when memory is exhausted. */
struct vgpu_legacy *vgpu_legacy_create(const struct vgpu_legacy_shared *shared);
void vgpu_legacy_destroy(struct vgpu_legacy *legacy);

#endif
