/* legacy_private.h: the legacy device as its own files use it (legacy.md 2, 3). */
#ifndef VGPU_TESTS_DEVICE_LEGACY_LEGACY_PRIVATE_H
#define VGPU_TESTS_DEVICE_LEGACY_LEGACY_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/bus.h"

struct vgpu_trace;

/* Entries accepted by one doorbell, with the registers at that time. */
struct vgpu_legacy_batch {
    bool active;
    uint64_t base;
    uint32_t count;
    uint32_t head;
    uint32_t tail;
    uint32_t left; /* maximum number of entries still to process */
    bool advanced; /* the completed fence has advanced */
};

struct vgpu_legacy_ring {
    uint64_t base;
    uint32_t entry_count;
    uint32_t head;
    uint32_t tail;
    bool doorbell; /* rung while Bus Master was set, not yet consumed */
    struct vgpu_legacy_batch batch;
};

struct vgpu_legacy {
    struct vgpu_bus *bus;
    struct vgpu_trace *trace;
    struct vgpu_legacy_ring ring;
    uint32_t fence_completed;
};

#endif
