/* follower_put.h: the records of a follower. */
#ifndef AGPU_CAPTURE_FOLLOWER_PUT_H
#define AGPU_CAPTURE_FOLLOWER_PUT_H

#include "tests/capture/follower_state.h"

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

/* Error information and interrupts as they are: only what moves, unless all is asked for, since each is a trip to the
 * device. */
void agpu_follower_put_registers(struct agpu_follower *follower, bool all);

/* What of the memory was not told yet, as records of the type. */
void agpu_follower_compare(struct agpu_follower *follower, enum agpu_capture_type type, uint64_t address,
                           uint64_t size);

/* For struct agpu_shadow; ctx is the follower. */
void agpu_follower_tell_difference(void *ctx, uint64_t address, const uint8_t *bytes, uint32_t size);
void agpu_follower_tell_met(void *ctx, const struct agpu_shadow_region *region);

#endif
