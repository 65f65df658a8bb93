/* guarded_heap.c: each block lies at the end of its own pages, followed by an inaccessible page. */
#include "tests/unit/guarded_heap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef AGPU_ASAN

/* The sanitizer's own heap finds each of these faults at its first byte, and a use after free for longer. */
void *guarded_alloc(size_t size, int fill)
{
    void *memory = malloc(size);

    if (memory == NULL) {
        perror("guarded_alloc");
        abort();
    }
    return memset(memory, fill, size);
}

void guarded_free(void *memory)
{
    free(memory);
}

#else

#define GUARD_PAGE 4096u
#define ALIGNMENT  16u
#define AROUND     0xB7 /* fills the space around a block */
#define FREED      0xDD /* fills a freed block */
/* Mappings of up to KEPT_PAGES pages are reused, oldest first: at most KEPT_MOST of each size are stored, and the last
 * KEPT_LEAST are not reused. Changing mappings for each allocation would cost the kernel five times as much as
 * everything under test. */
#define KEPT_PAGES 128u
#define KEPT_MOST  1024u
#define KEPT_LEAST 32u

/* Directly in front of a block. */
struct block_head {
    size_t size;
    uint8_t around[24];
};

/* Mappings of one size, first in, first out. */
static struct kept {
    uint8_t *start[KEPT_MOST];
    uint32_t first, count;
} kept[KEPT_PAGES + 1];

static size_t rounded(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static size_t pages_of_block(size_t size)
{
    return rounded(sizeof(struct block_head) + rounded(size, ALIGNMENT), GUARD_PAGE);
}

static struct kept *kept_of(size_t bytes)
{
    return bytes / GUARD_PAGE <= KEPT_PAGES ? &kept[bytes / GUARD_PAGE] : NULL;
}

static void check_filled(const uint8_t *bytes, size_t count, uint8_t with, const char *what)
{
    if (!all_bytes_are(bytes, count, with)) {
        fprintf(stderr, "something was written %s a block of the heap\n", what);
        abort();
    }
}

static uint8_t *take_pages(size_t bytes)
{
    struct kept *of = kept_of(bytes);
    uint8_t *start;

    if (of != NULL && of->count > KEPT_LEAST) {
        start = of->start[of->first];
        of->first = (of->first + 1) % KEPT_MOST;
        of->count--;
        check_filled(start, bytes, FREED, "after the end of");
        return start;
    }
    start = mmap(NULL, bytes + GUARD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start != MAP_FAILED && mprotect(start + bytes, GUARD_PAGE, PROT_NONE) == 0 ? start : NULL;
}

static void give_pages(uint8_t *start, size_t bytes)
{
    struct kept *of = kept_of(bytes);

    if (of == NULL || of->count == KEPT_MOST) {
        munmap(start, bytes + GUARD_PAGE);
    } else {
        memset(start, FREED, bytes);
        of->start[(of->first + of->count++) % KEPT_MOST] = start;
    }
}

void *guarded_alloc(size_t size, int fill)
{
    const size_t pages = pages_of_block(size);
    uint8_t *start = take_pages(pages);
    uint8_t *memory;
    struct block_head *head;

    if (start == NULL) {
        perror("guarded_alloc");
        abort();
    }
    memory = start + pages - rounded(size, ALIGNMENT);
    head = (struct block_head *)memory - 1;
    head->size = size;
    memset(head->around, AROUND, sizeof head->around);
    memset(memory, fill, size);
    memset(memory + size, AROUND, rounded(size, ALIGNMENT) - size);
    return memory;
}

void guarded_free(void *memory)
{
    uint8_t *bytes = memory;
    const struct block_head *head;

    if (memory == NULL) {
        return;
    }
    head = (const struct block_head *)memory - 1;
    check_filled(head->around, sizeof head->around, AROUND, "before");
    check_filled(bytes + head->size, rounded(head->size, ALIGNMENT) - head->size, AROUND, "behind");
    give_pages(bytes + rounded(head->size, ALIGNMENT) - pages_of_block(head->size),
               pages_of_block(head->size));
}

#endif
