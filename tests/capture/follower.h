/* follower.h: follows the accesses to a device, and the ring that they lead to, and writes down what passed (format.h). It
 * stands between driver and device, or before the device, and is neither: it reads memory and what goes by. Freestanding. */
#ifndef AGPU_CAPTURE_FOLLOWER_H
#define AGPU_CAPTURE_FOLLOWER_H

#include "tests/capture/follower_state.h"

size_t agpu_follower_bytes(uint32_t pages);
void agpu_follower_init(struct agpu_follower *follower, const struct agpu_follower_config *config);
/* Gives back what came from the heap; storage stays the caller's. */
void agpu_follower_close(struct agpu_follower *follower);

/* A case starts or ends. Between two cases nothing is written. */
void agpu_follower_case_begin(struct agpu_follower *follower, const char *id, uint32_t index);
void agpu_follower_case_end(struct agpu_follower *follower, uint32_t result, const char *name, bool failed);
/* For who knows of no cases: one without end. */
void agpu_follower_begin(struct agpu_follower *follower);

/* Memory for the device, all zero: cpu is where it lies. */
void agpu_follower_map(struct agpu_follower *follower, const struct agpu_shadow_region *region);
void agpu_follower_unmap(struct agpu_follower *follower, uint64_t address);

/* Before a write goes to the device: what it is about to be shown is written down, then the access. */
void agpu_follower_write(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                         uint64_t value);
/* An access to BAR0 that was made before this call, by an interrupt's handler: nothing is looked at for it. */
void agpu_follower_was_accessed(struct agpu_follower *follower, bool write, uint64_t offset, uint32_t size,
                                uint64_t value);
/* After a read. */
void agpu_follower_read(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                        uint64_t value);
/* Configuration space may be otherwise than it was when the last case began. */
void agpu_follower_config_written(struct agpu_follower *follower);
/* The line as it is now (source 0), or a message. */
void agpu_follower_line(struct agpu_follower *follower, uint32_t source, bool level);
/* How interrupts are taken from here on. */
void agpu_follower_way(struct agpu_follower *follower, enum agpu_capture_way_of way);
void agpu_follower_note(struct agpu_follower *follower, const char *text);

#endif
