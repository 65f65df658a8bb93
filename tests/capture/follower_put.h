/* follower_put.h: the records of a follower. */
#ifndef AGPU_CAPTURE_FOLLOWER_PUT_H
#define AGPU_CAPTURE_FOLLOWER_PUT_H

#include "tests/capture/follower_state.h"

/* Takes the time of the records that follow: what is told at once has one time. */
void agpu_follower_tick(struct agpu_follower *follower);

/* Writes out the accesses that are held back: before the encoder is used by others. */
void agpu_follower_settle(struct agpu_follower *follower);

/* A record of this moment, behind all accesses so far. */
void agpu_follower_put(struct agpu_follower *follower, enum agpu_capture_type type, const void *structure,
                       uint32_t size, const void *tail, uint32_t tail_size);
void agpu_follower_put_text(struct agpu_follower *follower, enum agpu_capture_type type,
                            const void *structure, uint32_t size, const char *text);
void agpu_follower_put_map(struct agpu_follower *follower, enum agpu_capture_type type,
                           const struct agpu_shadow_region *region);

/* Held back as long as more of the same may come. */
void agpu_follower_put_access(struct agpu_follower *follower, const struct agpu_capture_access *access);

/* Which registers are read for the record; each is a trip to the device. */
enum agpu_follower_registers {
    AGPU_FOLLOWER_BASE, /* what is judged by how it stood when the case began: errors counted; the fence of a retired device */
    AGPU_FOLLOWER_SOMETIMES, /* what moves; none when reading them has taken its share of the time */
    AGPU_FOLLOWER_COUNTED,   /* what moves; interrupts likewise, unless errors were counted */
    AGPU_FOLLOWER_MOVED, /* what moves: the number of errors, interrupts, and when the first has changed the rest */
};

/* Error information and interrupts as they are. The record is there even where none could be read. */
void agpu_follower_put_registers(struct agpu_follower *follower, enum agpu_follower_registers which);

/* Somebody has read ERROR_COUNT: as long as nothing is under way, and until something is written, that is what it is. */
void agpu_follower_count_seen(struct agpu_follower *follower, uint32_t value);

/* What of the memory was not told yet, as records of the type. */
void agpu_follower_compare(struct agpu_follower *follower, enum agpu_capture_type type, uint64_t address,
                           uint64_t size);

/* The same, unless it was looked at in this moment already. False when a part of it is no memory. */
bool agpu_follower_compare_once(struct agpu_follower *follower, enum agpu_capture_type type, uint64_t address,
                                uint64_t size);

/* For struct agpu_shadow; ctx is the follower. */
void agpu_follower_tell_difference(void *ctx, uint64_t address, const uint8_t *bytes, uint32_t size);
void agpu_follower_tell_met(void *ctx, const struct agpu_shadow_region *region);

#endif
