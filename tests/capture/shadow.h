/* shadow.h: what a capture has told of memory so far, page by page, and what has changed since. Freestanding. */
#ifndef AGPU_CAPTURE_SHADOW_H
#define AGPU_CAPTURE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/capture/format.h"
#include "tests/capture/heap.h"

#define AGPU_SHADOW_PAGE 4096u

/* Copies of pages are taken from the heap so many at a time, as they are needed: few, where little is followed. */
#define AGPU_SHADOW_CHUNK_PAGES 256u

/* Mappings at a time; more are not followed, and counted. */
#define AGPU_SHADOW_REGIONS 8192u

/* Memory that the device may use. */
struct agpu_shadow_region {
    uint64_t address, size;
    const uint8_t *cpu; /* where it lies; NULL: the shadow's piece() knows */
    bool zeroed;        /* pages that nothing was told of are zero to the reader */
    uint8_t kind, bar;  /* as in struct agpu_capture_map */
};

/* A page that something was told of. */
struct agpu_shadow_page {
    uint64_t number; /* address / AGPU_SHADOW_PAGE */
    uint64_t told;   /* one bit for each 64 bytes */
    uint8_t *copy;   /* NULL: none was needed so far */
    uint32_t place;  /* in the table */
};

struct agpu_shadow {
    /* Takes a difference: bytes at address are new. Valid during the call. */
    void (*tell)(void *ctx, uint64_t address, const uint8_t *bytes, uint32_t size);
    /* Where address lies, and how many bytes from there on are in one piece; NULL: it is no memory. For memory outside of
     * all mappings; NULL: there is none. */
    const uint8_t *(*piece)(void *ctx, uint64_t address, uint64_t *size);
    /* Memory that piece() knows was met: tell the reader of the mapping. */
    void (*met)(void *ctx, const struct agpu_shadow_region *region);
    void *ctx;

    /* The caller's memory, cut up by agpu_shadow_init(). */
    struct agpu_shadow_region *regions;
    struct agpu_shadow_page *pages;
    uint8_t **chunks; /* of copies; the first is the caller's, too */
    uint32_t *table;  /* hash of page numbers: 1 + page, 0 free */
    uint32_t table_mask;
    uint32_t *free_pages;
    uint32_t capacity, free_count, region_count, chunk_count;
    struct agpu_capture_heap heap;
    uint32_t taken_most; /* pages from here on were not taken since all were free */
    uint32_t join; /* differences of a page with at most so many equal bytes between them are told as one */
    uint32_t hints[16];  /* where a page's mapping was found last */
    uint64_t generation; /* of the mappings */
    uint64_t unfollowed; /* mappings that found no room */
    uint64_t forgotten;  /* times that all was told again since pages ran out */
};

/* Bytes of memory that a shadow of so many pages needs to begin with. */
size_t agpu_shadow_bytes(uint32_t pages);

/* Starts an empty shadow in storage of agpu_shadow_bytes(pages), aligned to 16, which the caller keeps. More comes from the heap,
 * up to so many pages; with less than that, all is told again when what there is runs out. The callbacks are set by the caller. */
void agpu_shadow_init(struct agpu_shadow *shadow, void *storage, uint32_t pages,
                      const struct agpu_capture_heap *heap);
/* Gives back what came from the heap. */
void agpu_shadow_close(struct agpu_shadow *shadow);

/* Adds and removes a mapping. False when there is no room, or it overlaps another. */
bool agpu_shadow_map(struct agpu_shadow *shadow, const struct agpu_shadow_region *region);
void agpu_shadow_unmap(struct agpu_shadow *shadow, uint64_t address);
/* The mapping of address; NULL when none. */
const struct agpu_shadow_region *agpu_shadow_find(struct agpu_shadow *shadow, uint64_t address);

/* Nothing counts as told any more, not even that a mapping began as zeros. */
void agpu_shadow_forget(struct agpu_shadow *shadow);

/* Where [address, address + size) lies now, in one piece; NULL when it does not. */
const uint8_t *agpu_shadow_pointer(struct agpu_shadow *shadow, uint64_t address, uint64_t size);

/* The reader knows already that the size bytes at address, all of one line, are these: nothing else is to be told of them. False when
 * it was told otherwise, or nothing. */
bool agpu_shadow_has_told(const struct agpu_shadow *shadow, uint64_t address, const void *bytes,
                          uint32_t size);

/* Tells what of [address, address + size) was not told yet. False when a part of it is no memory: that part is left out. */
bool agpu_shadow_compare(struct agpu_shadow *shadow, uint64_t address, uint64_t size);

#endif
