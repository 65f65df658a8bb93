/* memory.h: memory as a capture tells of it: what was mapped, and what its bytes were at each record. */
#ifndef AGPU_HOST_CAPTURE_MEMORY_H
#define AGPU_HOST_CAPTURE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/capture/reader.h"

/* One mapping. The bytes are in one piece and stay where they are until it is unmapped. */
struct agpu_capture_region {
    uint64_t address, size;
    enum agpu_capture_map_kind kind;
    uint32_t bar;
    uint8_t *bytes;
    uint64_t *known; /* one bit for each 64 bytes, one word for each 4 KiB: something was said of them */
};

struct agpu_capture_memory;

/* Bytes that may be mapped at a time, which costs little before they are written, and the usual bound of those that are. */
#define AGPU_CAPTURE_MAPPED_MOST  (UINT64_C(2) << 30)
#define AGPU_CAPTURE_TOUCHED_MOST (UINT64_C(1) << 30)

/* touched_most: bytes, in pages of 4 KiB, that may have contents at a time, so that a hostile file costs no more than that.
 * NULL when memory is exhausted. */
struct agpu_capture_memory *agpu_capture_memory_create(uint64_t touched_most);
void agpu_capture_memory_destroy(struct agpu_capture_memory *memory);

/* Forgets everything, as DEVICE and CASE records ask. */
void agpu_capture_memory_clear(struct agpu_capture_memory *memory);

/* Does what the record says of memory; nothing for others. NULL, or why it cannot be: the file contradicts itself, or is too
 * large. The text is valid until the next call. */
const char *agpu_capture_memory_apply(struct agpu_capture_memory *memory,
                                      const struct agpu_capture_item *item);

/* The mapping that address lies in; NULL when none. */
struct agpu_capture_region *agpu_capture_memory_find(const struct agpu_capture_memory *memory,
                                                     uint64_t address);
/* Where [address, address + size) lies in one piece; NULL when nowhere. size > 0. */
uint8_t *agpu_capture_memory_pointer(const struct agpu_capture_memory *memory, uint64_t address,
                                     uint64_t size);
/* Copies it out. False when a part was never mapped or, where memory is unknown at first, never told: those bytes are 0. */
bool agpu_capture_memory_read(const struct agpu_capture_memory *memory, uint64_t address, void *to,
                              uint64_t size);

/* All mappings, by address. */
const struct agpu_capture_region *agpu_capture_memory_regions(const struct agpu_capture_memory *memory,
                                                              size_t *count);

#endif
