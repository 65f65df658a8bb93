/* redzone.h: pads each DMA allocation of a case with one page on each side, filled with a pattern. Freeing the
 * allocation detects a device that wrote outside of it. */
#ifndef AGPU_CASES_HARNESS_REDZONE_H
#define AGPU_CASES_HARNESS_REDZONE_H

#include "pci/machine/platform.h"
#include "pci/machine/text.h"

#define AGPU_REDZONE_BYTES 4096u

/* The first write outside an allocation. */
struct agpu_redzone_damage {
    uint64_t count;    /* number of damaged allocations; 0: none */
    uint64_t size;     /* of the first one, without its redzones */
    uint64_t distance; /* from the allocation to its first changed byte */
    uint64_t bytes;    /* number of changed bytes */
    bool before;       /* in the redzone in front of it, not in the one after it */
};

/* Fills the redzones of an allocation of the machine, and shrinks *dma to the part between them. */
void agpu_redzone_draw(struct agpu_dma *dma);

/* Undoes agpu_redzone_draw(): *dma is the machine's allocation again. */
void agpu_redzone_remove(struct agpu_dma *dma);

/* Checks both redzones of an allocation of the machine. */
void agpu_redzone_check(const struct agpu_dma *dma, struct agpu_redzone_damage *damage);

/* Appends "the device wrote outside ...". */
void agpu_redzone_describe(const struct agpu_redzone_damage *damage, struct agpu_text *text);

#endif
