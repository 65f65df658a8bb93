/* legacy_private.h: the legacy device as its own files see it (legacy.md 2, 3). */
#ifndef VGPU_TESTS_DEVICE_LEGACY_LEGACY_PRIVATE_H
#define VGPU_TESTS_DEVICE_LEGACY_LEGACY_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/legacy/legacy.h"

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

/* Registers (registers.c), with the meaning of struct vgpu_abi. */
const char *vgpu_legacy_register_name(uint64_t offset);
uint32_t vgpu_legacy_register_read(void *generation, uint64_t offset);
void vgpu_legacy_register_write(void *generation, uint64_t offset, uint32_t value);

/* Ring (ring.c). Writing ENTRY_COUNT also sets head = tail = 0 and ends what is in progress. */
void vgpu_legacy_ring_set_entry_count(struct vgpu_legacy *legacy, uint32_t count);
void vgpu_legacy_ring_doorbell(struct vgpu_legacy *legacy);
bool vgpu_legacy_ring_pending(const struct vgpu_legacy *legacy);
/* The doorbell and its entries, as far as the work budget goes. Needs Bus Master. */
void vgpu_legacy_ring_service(struct vgpu_legacy *legacy);

/* Interrupt block (irq.c). INT_STATUS always drives the line, the extension behind its mask too. */
void vgpu_legacy_irq_fence(struct vgpu_legacy *legacy);
void vgpu_legacy_irq_int_ack(struct vgpu_legacy *legacy, uint32_t value);
void vgpu_legacy_irq_ack(struct vgpu_legacy *legacy, uint32_t value);
void vgpu_legacy_irq_set_enable(struct vgpu_legacy *legacy, uint32_t value);
void vgpu_legacy_irq_power_on(struct vgpu_legacy *legacy);

#endif
