/* follower_put.h: writes the records of a follower. */
#ifndef AGPU_CAPTURE_FOLLOWER_PUT_H
#define AGPU_CAPTURE_FOLLOWER_PUT_H

#include "tests/capture/follower_state.h"

/* Reads the clock for the following records: records of one event have the same time. */
void agpu_follower_tick(struct agpu_follower *follower);

/* Writes the accesses that are held back: call it before others use the encoder. */
void agpu_follower_settle(struct agpu_follower *follower);

/* Writes a record with the current time, after all accesses so far. */
void agpu_follower_put(struct agpu_follower *follower, enum agpu_capture_type type, const void *structure,
                       uint32_t size, const void *tail, uint32_t tail_size);
void agpu_follower_put_text(struct agpu_follower *follower, enum agpu_capture_type type,
                            const void *structure, uint32_t size, const char *text);
void agpu_follower_put_map(struct agpu_follower *follower, enum agpu_capture_type type,
                           const struct agpu_shadow_region *region);

/* Holds the access back while equal ones may follow. */
void agpu_follower_put_access(struct agpu_follower *follower, const struct agpu_capture_access *access);

/* Selects the registers to read for the record; each read is a round trip to the device. */
enum agpu_follower_registers {
    AGPU_FOLLOWER_BASE,      /* baseline at the start of the case: error count; fence of a retired device */
    AGPU_FOLLOWER_SOMETIMES, /* registers that change; none if reading them has used up its share of the time */
    AGPU_FOLLOWER_COUNTED, /* the error count; interrupts if time allows; everything if errors were counted */
    AGPU_FOLLOWER_MOVED, /* registers that change: error count, interrupts, and the others if the first has changed */
};

/* Records error information and interrupts. Writes the record even if none could be read. */
void agpu_follower_put_registers(struct agpu_follower *follower, enum agpu_follower_registers which);

/* Reports a value of ERROR_COUNT that was read: it stays valid while nothing is in flight, and until something is
 * written. */
void agpu_follower_count_seen(struct agpu_follower *follower, uint32_t value);

/* Records the memory that was not recorded yet, with this type. */
void agpu_follower_compare(struct agpu_follower *follower, enum agpu_capture_type type, uint64_t address,
                           uint64_t size);

/* Like agpu_follower_compare(), but skips memory that was compared at this moment already. Returns false if a part of
 * it is not memory. */
bool agpu_follower_compare_once(struct agpu_follower *follower, enum agpu_capture_type type, uint64_t address,
                                uint64_t size);

/* Callback for struct agpu_shadow; ctx is the follower. */
void agpu_follower_record_difference(void *ctx, uint64_t address, const uint8_t *bytes, uint32_t size);
void agpu_follower_record_met(void *ctx, const struct agpu_shadow_region *region);

#endif
