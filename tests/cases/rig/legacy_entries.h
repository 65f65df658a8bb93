/* legacy_entries.h: writes legacy ring entries, valid or malformed, and checks the device's fences for them
 * (legacy.md 3, 4). */
#ifndef AGPU_CASES_RIG_LEGACY_ENTRIES_H
#define AGPU_CASES_RIG_LEGACY_ENTRIES_H

#include "tests/cases/rig/legacy_rig.h"

/* The contents of an entry; the descriptor is valid unless the case is about that. */
struct agpu_legacy_raw {
    uint32_t type;
    uint32_t number;
    uint32_t desc_size; /* 0 = a header */
    uint32_t version;   /* 0 = 1 */
    bool no_descriptor; /* desc_gpa 0 */
};

/* Writes the entry at the tail and advances the tail; does not ring the doorbell. */
void agpu_legacy_push_raw(const struct agpu_test *t, struct agpu_legacy_raw raw);
/* Like agpu_legacy_push_raw(), for a valid entry with this fence number. */
void agpu_legacy_push_fence(const struct agpu_test *t, uint32_t number);
void agpu_legacy_ring_doorbell(const struct agpu_test *t);

/* Reads the register with the last completed fence. */
uint32_t agpu_legacy_completed_register(const struct agpu_test *t);

/* Posts an empty submission like the driver, with checks; does not ring the doorbell. */
bool agpu_legacy_post_empty(struct agpu_test *t, uint64_t fence);

#endif
