/* memory.h: guest memory as described by a capture: the mappings, and their contents at each record. */
#ifndef AGPU_HOST_CAPTURE_MEMORY_H
#define AGPU_HOST_CAPTURE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/capture/reader.h"

/* One mapping. The bytes are contiguous and do not move until it is unmapped. */
struct agpu_capture_region {
    uint64_t address, size;
    enum agpu_capture_map_kind kind;
    uint32_t bar;
    uint8_t *bytes;
    uint64_t *known; /* one bit per 64 bytes, one word per 4 KiB: the capture has contents for it */
};

struct agpu_capture_memory;

/* Limit for bytes mapped at a time, which cost little until they are written, and the default limit for written
 * bytes. */
#define AGPU_CAPTURE_MAPPED_MOST  (UINT64_C(2) << 30)
#define AGPU_CAPTURE_TOUCHED_MOST (UINT64_C(1) << 30)

/* touched_most: limit for bytes with contents, in pages of 4 KiB, so that a hostile file cannot use more memory.
 * Returns NULL when memory is exhausted. */
struct agpu_capture_memory *agpu_capture_memory_create(uint64_t touched_most);
void agpu_capture_memory_destroy(struct agpu_capture_memory *memory);

/* Discards everything, as DEVICE and CASE records require. */
void agpu_capture_memory_clear(struct agpu_capture_memory *memory);

/* Applies a record about memory; ignores others. Returns NULL, or the error: the file contradicts itself, or is too
 * large. The text is valid until the next call. */
const char *agpu_capture_memory_apply(struct agpu_capture_memory *memory,
                                      const struct agpu_capture_item *item);

/* Returns the mapping that contains address; NULL when none. */
struct agpu_capture_region *agpu_capture_memory_find(const struct agpu_capture_memory *memory,
                                                     uint64_t address);
/* Returns a pointer to [address, address + size) if it is contiguous; NULL otherwise. size > 0. */
uint8_t *agpu_capture_memory_pointer(const struct agpu_capture_memory *memory, uint64_t address,
                                     uint64_t size);
/* Copies bytes out. Returns false when a part was never mapped or, for memory whose initial contents are unknown,
 * not in the capture: those bytes are 0. */
bool agpu_capture_memory_read(const struct agpu_capture_memory *memory, uint64_t address, void *to,
                              uint64_t size);

/* Returns all mappings, sorted by address. */
const struct agpu_capture_region *agpu_capture_memory_regions(const struct agpu_capture_memory *memory,
                                                              size_t *count);

#endif
