/* guarded_heap.c: each block at the end of pages of its own, with a page that nobody may touch behind it. */
#include "tests/unit/guarded_heap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GUARD_PAGE 4096u
#define ALIGNMENT  16u
#define AROUND     0xB7 /* what is around a block */

/* Right before a block. */
struct block_head {
    size_t size;
    uint8_t around[24];
};

static size_t rounded(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static size_t pages_of_block(size_t size)
{
    return rounded(sizeof(struct block_head) + rounded(size, ALIGNMENT), GUARD_PAGE);
}

void *guarded_alloc(size_t size, int fill)
{
    const size_t pages = pages_of_block(size);
    uint8_t *start =
        mmap(NULL, pages + GUARD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *memory;
    struct block_head *head;

    if (start == MAP_FAILED || mprotect(start + pages, GUARD_PAGE, PROT_NONE) != 0) {
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

static void check_around(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != AROUND) {
            fprintf(stderr, "something was written beside a block of the heap\n");
            abort();
        }
    }
}

void guarded_free(void *memory)
{
    uint8_t *bytes = memory;
    const struct block_head *head;

    if (memory == NULL) {
        return;
    }
    head = (const struct block_head *)memory - 1;
    check_around(head->around, sizeof head->around);
    check_around(bytes + head->size, rounded(head->size, ALIGNMENT) - head->size);
    munmap(bytes + rounded(head->size, ALIGNMENT) - pages_of_block(head->size),
           pages_of_block(head->size) + GUARD_PAGE);
}
