/* heap.c: blocks of the firmware's pool, cached when they are freed.  The firmware fills allocated and freed
 * memory byte by byte: this took an eighth of a run under emulation. A freed block is cached for the next
 * request of its class. The pool guarantees 8-byte alignment, so each block has space to be moved up. */
#include "efi/heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "efi/machine.h"

#define HEAP_ALIGN 16u
#define KEPT_MAX   ((size_t)64 << 20) /* of cached blocks; more is returned */

/* Size classes: four per octave, so that at most a fifth of a block is wasted. */
#define SMALLEST 64u
#define OCTAVES  20u /* up to 64 MiB */
#define CLASSES  (4 * OCTAVES)

/* Header in front of each block, also while it is cached. */
struct heap_block {
    void *raw;         /* address from the pool */
    size_t size_class; /* CLASSES: larger than all classes, never cached */
};

struct spare_block {
    struct heap_block block;
    struct spare_block *next;
};

_Static_assert(sizeof(struct heap_block) == HEAP_ALIGN, "memory behind it is as aligned as itself");
_Static_assert(sizeof(struct spare_block) <= sizeof(struct heap_block) + SMALLEST,
               "the link fits into the smallest block");

static struct spare_block *spares[CLASSES];
static size_t kept;

static size_t class_size(size_t size_class)
{
    const size_t octave = (size_t)SMALLEST << size_class / 4;

    return octave + octave / 4 * (size_class % 4);
}

/* Returns the smallest class that holds size; CLASSES: none does. */
static size_t class_of(size_t size)
{
    size_t size_class = 0;

    while (size_class < CLASSES && class_size(size_class) < size) {
        size_class += class_size(size_class + 3) < size ? 4 : 1;
    }
    return size_class < CLASSES ? size_class : CLASSES;
}

static struct heap_block *take_from_firmware(size_t size, size_t size_class)
{
    void *raw;

    /* Space for at most 8 bytes of alignment, and for the header. */
    if (EFI_ERROR(agpu_boot->AllocatePool(EfiBootServicesData, size + 2 * HEAP_ALIGN, &raw))) {
        return NULL;
    }
    struct heap_block *block =
        (struct heap_block *)(((uintptr_t)raw + HEAP_ALIGN - 1) & ~(uintptr_t)(HEAP_ALIGN - 1));
    *block = (struct heap_block){.raw = raw, .size_class = size_class};
    return block;
}

void agpu_heap_trim(void)
{
    for (size_t size_class = 0; size_class < CLASSES; size_class++) {
        while (spares[size_class] != NULL) {
            struct spare_block *spare = spares[size_class];

            spares[size_class] = spare->next;
            agpu_boot->FreePool(spare->block.raw);
        }
    }
    kept = 0;
}

static struct heap_block *take(size_t size)
{
    const size_t size_class = class_of(size);
    struct heap_block *block;

    if (size_class < CLASSES && spares[size_class] != NULL) {
        struct spare_block *spare = spares[size_class];

        spares[size_class] = spare->next;
        kept -= class_size(size_class);
        return &spare->block;
    }
    size = size_class < CLASSES ? class_size(size_class) : size;
    block = take_from_firmware(size, size_class);
    if (block == NULL && kept != 0) {
        agpu_heap_trim();
        block = take_from_firmware(size, size_class);
    }
    return block;
}

void *agpu_heap_alloc(void *ctx, size_t size)
{
    struct heap_block *block = size <= SIZE_MAX - 2 * HEAP_ALIGN ? take(size) : NULL;

    (void)ctx;
    return block != NULL ? memset(block + 1, 0, size) : NULL;
}

void agpu_heap_free(void *ctx, void *memory)
{
    (void)ctx;
    if (memory == NULL) {
        return;
    }
    struct heap_block *block = (struct heap_block *)memory - 1;
    if (block->size_class >= CLASSES || class_size(block->size_class) > KEPT_MAX - kept) {
        agpu_boot->FreePool(block->raw);
        return;
    }
    struct spare_block *spare = (struct spare_block *)block;
    spare->next = spares[block->size_class];
    spares[block->size_class] = spare;
    kept += class_size(block->size_class);
}
