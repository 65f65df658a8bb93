/* legacy_private.h: the legacy device as its own files see it (legacy.md 2, 3). */
#ifndef VGPU_TESTS_DEVICE_LEGACY_LEGACY_PRIVATE_H
#define VGPU_TESTS_DEVICE_LEGACY_LEGACY_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/bus.h"

struct vgpu_trace;

/* Entries accepted at one doorbell: everything as it was then. */
struct vgpu_legacy_batch {
    bool active;
    uint64_t base;
    uint32_t count;
    uint32_t head;
    uint32_t tail;
    uint32_t left; /* entries that it may still look at */
    bool advanced; /* a fence has */
};

struct vgpu_legacy_ring {
    uint64_t base;
    uint32_t entry_count;
    uint32_t head;
    uint32_t tail;
    bool doorbell; /* rung with Bus Master set, not yet consumed */
    struct vgpu_legacy_batch batch;
};

struct vgpu_legacy {
    struct vgpu_bus *bus;
    struct vgpu_trace *trace;
    struct vgpu_legacy_ring ring;
    uint32_t fence_completed;
};

#endif
