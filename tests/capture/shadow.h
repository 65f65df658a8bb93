/* shadow.h: the memory contents that a capture has recorded so far, page by page, to find what has changed since.
 * Freestanding. */
#ifndef AGPU_CAPTURE_SHADOW_H
#define AGPU_CAPTURE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/capture/format.h"
#include "tests/capture/heap.h"

#define AGPU_SHADOW_PAGE 4096u

/* Number of page copies allocated at once, on demand, so that following little memory takes little. */
#define AGPU_SHADOW_CHUNK_PAGES 256u

/* Maximum number of mappings; further ones are not followed, only counted. */
#define AGPU_SHADOW_REGIONS 8192u

/* Memory that the device may use. */
struct agpu_shadow_region {
    uint64_t address, size;
    const uint8_t *cpu; /* its CPU address; NULL: ask the shadow's piece() */
    bool zeroed;        /* the reader takes unrecorded pages as zero */
    uint8_t kind, bar;  /* as in struct agpu_capture_map */
};

/* A page of which something is recorded. */
struct agpu_shadow_page {
    uint64_t number;   /* address / AGPU_SHADOW_PAGE */
    uint64_t recorded; /* recorded parts, one bit for each 64 bytes */
    uint8_t *copy;     /* NULL: not needed yet */
    uint32_t place;    /* in the hash table */
};

struct agpu_shadow {
    /* Records a difference: new bytes at address. Valid during the call. */
    void (*record)(void *ctx, uint64_t address, const uint8_t *bytes, uint32_t size);
    /* Returns the CPU address for an address outside of all mappings, and the size of the contiguous memory there;
     * returns NULL where there is no memory. A NULL pointer in place of the function: no memory outside of the mappings
     * exists. */
    const uint8_t *(*piece)(void *ctx, uint64_t address, uint64_t *size);
    /* Called when memory known to piece() is first used: report the mapping to the reader. */
    void (*met)(void *ctx, const struct agpu_shadow_region *region);
    void *ctx;

    /* The caller's memory, divided by agpu_shadow_init(). */
    struct agpu_shadow_region *regions;
    struct agpu_shadow_page *pages;
    uint8_t **chunks; /* copies; the first chunk is in the caller's memory too */
    uint32_t *table;  /* hash of page numbers: 1 + page, 0 is free */
    uint32_t table_mask;
    uint32_t *free_pages;
    uint32_t capacity, free_count, region_count, chunk_count;
    struct agpu_capture_heap heap;
    uint32_t taken_most; /* pages from here on were not used since all were free */
    uint32_t join; /* maximum gap in equal bytes between differences of a page that are recorded as one */
    uint32_t hints[16];  /* the mappings of the last pages */
    uint64_t generation; /* changes with the mappings */
    uint64_t unfollowed; /* mappings that did not fit */
    uint64_t forgotten;  /* number of times that everything was recorded again because pages ran out */
};

/* Returns the initial size of the storage for a shadow of this many pages. */
size_t agpu_shadow_bytes(uint32_t pages);

/* Starts an empty shadow in storage of agpu_shadow_bytes(pages), aligned to 16, which the caller owns. More memory
 * comes from the heap, up to this many pages; when that runs out, everything is recorded again. The caller sets the
 * callbacks. */
void agpu_shadow_init(struct agpu_shadow *shadow, void *storage, uint32_t pages,
                      const struct agpu_capture_heap *heap);
/* Frees what came from the heap. */
void agpu_shadow_close(struct agpu_shadow *shadow);

/* Add and remove a mapping. Return false if there is no room, or it overlaps another. */
bool agpu_shadow_map(struct agpu_shadow *shadow, const struct agpu_shadow_region *region);
void agpu_shadow_unmap(struct agpu_shadow *shadow, uint64_t address);
/* Returns the mapping of address, or NULL. */
const struct agpu_shadow_region *agpu_shadow_find(struct agpu_shadow *shadow, uint64_t address);

/* Forgets all recorded contents, also the initial zeros of mappings. */
void agpu_shadow_forget(struct agpu_shadow *shadow);

/* Returns the CPU address of [address, address + size) if it is contiguous memory, otherwise NULL. */
const uint8_t *agpu_shadow_pointer(struct agpu_shadow *shadow, uint64_t address, uint64_t size);

/* Returns true if the recorded size bytes at address, all in one line, are these. False if other ones were recorded,
 * or none. */
bool agpu_shadow_has_recorded(const struct agpu_shadow *shadow, uint64_t address, const void *bytes,
                              uint32_t size);

/* Records the unrecorded parts of [address, address + size). Returns false if a part of it is not memory; that part
 * is left out. */
bool agpu_shadow_compare(struct agpu_shadow *shadow, uint64_t address, uint64_t size);

#endif
