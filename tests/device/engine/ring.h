/* ring.h: the submission ring: control register, doorbell, batches of entries, reset (ring.md 1, 2;
 * device.md 4.2). */
#ifndef VGPU_ENGINE_RING_H
#define VGPU_ENGINE_RING_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_device;

/* Entries accepted at one doorbell: geometry and count as they were then. */
struct vgpu_ring_batch {
    uint64_t gpa;
    uint32_t head; /* index of the next entry, free-running */
    uint32_t remaining;
    uint32_t entry_count;
    uint32_t stride;
    bool vsync_paces; /* scanout was on: vsync presents hold their fence */
};

struct vgpu_ring {
    uint64_t gpa;
    uint32_t size_bytes;
    bool enabled;
    bool doorbell;      /* rung, not yet consumed */
    bool reset_memory;  /* memory part of a reset is due */
    uint32_t doorbells; /* counted for the faults doorbell_lost and hangs */
    bool hung;          /* by VGPU_FAULT_HANGS */
    struct vgpu_ring_batch batch;
    uint8_t *mapped; /* header and slots of the batch, this service point only */
};

/* Writes of RING_CONTROL and DOORBELL. */
void vgpu_ring_control(struct vgpu_device *device, uint32_t value);
void vgpu_ring_doorbell(struct vgpu_device *device);

/* True when vgpu_ring_service() has something to do. */
bool vgpu_ring_pending(const struct vgpu_device *device);

/* Memory part of a reset, the doorbell, the entries of the batch, as far as the work budget and the room for
 * fences go. Needs Bus Master. */
void vgpu_ring_service(struct vgpu_device *device);

/* Device reset: power-on state. */
void vgpu_ring_power_on(struct vgpu_ring *ring);

#endif
