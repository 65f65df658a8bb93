/* legacy_private.h: the legacy device as its own files see it (legacy.md 2, 3). */
#ifndef AGPU_TESTS_DEVICE_LEGACY_LEGACY_PRIVATE_H
#define AGPU_TESTS_DEVICE_LEGACY_LEGACY_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/legacy/legacy.h"

/* Entries accepted at one doorbell: everything as it was then. */
struct agpu_legacy_batch {
    bool active;
    uint64_t base;
    uint32_t count;
    uint32_t head;
    uint32_t tail;
    uint32_t left; /* entries that it may still look at */
    bool advanced; /* a fence has */
};

struct agpu_legacy_ring {
    uint64_t base;
    uint32_t entry_count;
    uint32_t head;
    uint32_t tail;
    bool doorbell; /* rung with Bus Master set, not yet consumed */
    struct agpu_legacy_batch batch;
};

struct agpu_legacy {
    struct agpu_legacy_shared shared;
    struct agpu_legacy_ring ring;
    uint32_t fence_completed;
};

/* Registers (registers.c), with the meaning of struct agpu_abi. */
const char *agpu_legacy_register_name(uint64_t offset);
uint32_t agpu_legacy_register_read(struct agpu_device *device, uint64_t offset);
void agpu_legacy_register_write(struct agpu_device *device, uint64_t offset, uint32_t value);

/* Ring (ring.c). Writing ENTRY_COUNT also sets head = tail = 0 and ends what is in progress. */
void agpu_legacy_ring_set_entry_count(struct agpu_legacy *legacy, uint32_t count);
void agpu_legacy_ring_doorbell(struct agpu_legacy *legacy);
bool agpu_legacy_ring_pending(const struct agpu_legacy *legacy);
/* The doorbell and its entries, as far as the work budget goes. Needs Bus Master. */
void agpu_legacy_ring_service(struct agpu_legacy *legacy);

/* Interrupt block (irq.c). INT_STATUS always drives the line, the extension behind its mask too. */
void agpu_legacy_irq_fence(struct agpu_legacy *legacy);
void agpu_legacy_irq_int_ack(struct agpu_legacy *legacy, uint32_t value);
void agpu_legacy_irq_ack(struct agpu_legacy *legacy, uint32_t value);
void agpu_legacy_irq_set_enable(struct agpu_legacy *legacy, uint32_t value);
void agpu_legacy_irq_power_on(struct agpu_legacy *legacy);

#endif
