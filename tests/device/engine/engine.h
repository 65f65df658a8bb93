/* engine.h: state of the versioned device's engine, block by block. The functions of each block are in its own
 * header. */
#ifndef VGPU_ENGINE_ENGINE_H
#define VGPU_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/bus/bus.h"
#include "tests/device/engine/alloc_table.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/stream.h"

/* Error information registers (device.md 4.6). */
struct vgpu_errors {
    uint32_t code;
    uint64_t fence;
    uint32_t count; /* saturates */
};

/* Queue of fences that are not complete. When it is full the ring waits, so no fence is ever dropped (ring.md
 * 3.1). */
#define VGPU_FENCE_QUEUE_LENGTH 4096u

struct vgpu_fence_entry {
    uint64_t value;
    bool wants_irq;
    bool held; /* waits for its own vblank edge */
};

struct vgpu_fences {
    uint64_t completed;
    uint64_t page_gpa;
    void *page;                      /* mapping, valid in this service point */
    struct aerogpu_fence_page image; /* contents of the page apart from the value */
    uint32_t first;
    uint32_t count;
    struct vgpu_fence_entry queue[VGPU_FENCE_QUEUE_LENGTH];
};

/* Entries accepted by one doorbell, with the geometry and count at that time. */
struct vgpu_ring_batch {
    uint64_t gpa;
    uint32_t head; /* index of the next entry, free-running */
    uint32_t remaining;
    uint32_t entry_count;
    uint32_t stride;
    bool vsync_paces; /* scanout was on: presents with VSYNC hold their fence */
};

struct vgpu_ring {
    uint64_t gpa;
    uint32_t size_bytes;
    bool enabled;
    bool doorbell;     /* rung, not yet consumed */
    bool reset_memory; /* the memory part of a reset is due */
    struct vgpu_ring_batch batch;
    uint8_t *mapped; /* header and slots of the batch, in this service point only */
};

/* One submission from its descriptor to its fence (ring.md 3). */
struct vgpu_submission {
    bool active;                     /* begun, not ended */
    bool failed;                     /* its error has been recorded */
    bool early;                      /* the error was found before execution: never held for vsync */
    uint32_t error;                  /* of the last execution step; AEROGPU_ERROR_NONE: none */
    struct aerogpu_submit_desc desc; /* private copy, read once */
    struct vgpu_alloc_table table;
    struct vgpu_stream stream;
};

struct vgpu_engine {
    struct vgpu_bus *bus;
    struct vgpu_trace *trace;
    struct vgpu_errors errors;
    struct vgpu_ring ring;
    struct vgpu_fences fences;
    struct vgpu_submission submission;
    struct vgpu_exec exec;
};

#endif
