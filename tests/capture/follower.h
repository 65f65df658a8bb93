/* follower.h: follows the accesses to a device, and the ring that they set up, and records what passed (format.h). It
 * runs between driver and device, or in front of the device, and belongs to neither: it only observes memory and
 * accesses. Freestanding. */
#ifndef AGPU_CAPTURE_FOLLOWER_H
#define AGPU_CAPTURE_FOLLOWER_H

#include "tests/capture/follower_state.h"

size_t agpu_follower_bytes(uint32_t pages);
void agpu_follower_init(struct agpu_follower *follower, const struct agpu_follower_config *config);
/* Frees what came from the heap; storage stays the caller's. */
void agpu_follower_close(struct agpu_follower *follower);

/* Report the start and the end of a case. Between two cases nothing is recorded. */
void agpu_follower_case_begin(struct agpu_follower *follower, const char *id, uint32_t index);
void agpu_follower_case_end(struct agpu_follower *follower, uint32_t result, const char *name, bool failed);
/* Starts one case without an end, for callers that have no cases: at the start, and after a reset of the function. */
void agpu_follower_begin(struct agpu_follower *follower);

/* Reports zeroed memory for the device; cpu is its address here. */
void agpu_follower_map(struct agpu_follower *follower, const struct agpu_shadow_region *region);
void agpu_follower_unmap(struct agpu_follower *follower, uint64_t address);

/* To be called before a write reaches the device: records the memory that the write shows to the device. */
void agpu_follower_show(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                        uint64_t value);
/* To be called after it, before progress is polled: records the access. */
void agpu_follower_wrote(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                         uint64_t value);
/* Both, before the write reaches the device. */
void agpu_follower_write(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                         uint64_t value);
/* Reports an access to BAR0 that an interrupt handler has made: does not poll for progress. */
void agpu_follower_was_accessed(struct agpu_follower *follower, bool write, uint64_t offset, uint32_t size,
                                uint64_t value);
/* To be called after a read. */
void agpu_follower_read(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                        uint64_t value);
/* Reports that configuration space may differ from what it was at the start of the last case. */
void agpu_follower_config_written(struct agpu_follower *follower);
/* Reports the current level of the line (source 0), or a message. */
void agpu_follower_line(struct agpu_follower *follower, uint32_t source, bool level);
/* Reports how interrupts are delivered from here on. */
void agpu_follower_way(struct agpu_follower *follower, enum agpu_capture_way_of way);
void agpu_follower_note(struct agpu_follower *follower, const char *text);

#endif
