/* legacy.h: the retired "ARGP" device behind device.h (legacy.md): its ring, fences and interrupt block
 * beside the blocks that it shares with the versioned device. Names no protocol header: those of the two
 * generations must not meet in one translation unit. */
#ifndef AGPU_TESTS_DEVICE_LEGACY_LEGACY_H
#define AGPU_TESTS_DEVICE_LEGACY_LEGACY_H

#include <stdint.h>

#include "tests/device/inspect.h"

struct agpu_config_space;
struct agpu_device;
struct agpu_irq;
struct agpu_legacy;
struct agpu_scanout;
struct agpu_vblank;

/* What both generations have, all of one device; outlives the legacy part. */
struct agpu_legacy_shared {
    struct agpu_device *device;
    struct agpu_config_space *config;
    struct agpu_irq *irq;
    struct agpu_vblank *vblank;
    struct agpu_scanout *scanout;
    struct agpu_device_stats *stats;
    int64_t *budget; /* of the service point (device_private.h) */
};

/* Its state at power-on; gives the configuration space the legacy identity. NULL when memory is exhausted. */
struct agpu_legacy *agpu_legacy_create(const struct agpu_legacy_shared *shared);
void agpu_legacy_destroy(struct agpu_legacy *legacy);

/* The legacy part of a device that has one; device.c knows. */
struct agpu_legacy *agpu_device_legacy(const struct agpu_device *device);

#endif
