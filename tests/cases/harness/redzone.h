/* redzone.h: pads each DMA allocation of a case with one page on each side, filled with a pattern. Freeing the
 * allocation detects a device that wrote outside of it. */
#ifndef AGPU_CASES_HARNESS_REDZONE_H
#define AGPU_CASES_HARNESS_REDZONE_H

#include "pci/machine/platform.h"
#include "pci/machine/text.h"

#define AGPU_MARGIN_BYTES 4096u

/* The first write outside an allocation. */
struct agpu_margin_damage {
    uint64_t count;    /* number of damaged allocations; 0: none */
    uint64_t size;     /* of the first one, without its margins */
    uint64_t distance; /* from the allocation to its first changed byte */
    uint64_t bytes;    /* number of changed bytes */
    bool before;       /* in the margin in front of it, not in the one after it */
};

/* Fills the margins of an allocation of the machine, and shrinks *dma to the part between them. */
void agpu_margin_draw(struct agpu_dma *dma);

/* Undoes agpu_margin_draw(): *dma is the machine's allocation again. */
void agpu_margin_remove(struct agpu_dma *dma);

/* Checks both margins of an allocation of the machine. */
void agpu_margin_check(const struct agpu_dma *dma, struct agpu_margin_damage *damage);

/* Appends "the device wrote outside ...". */
void agpu_margin_describe(const struct agpu_margin_damage *damage, struct agpu_text *text);

#endif
