/* margin.h: a page before and a page behind every piece of DMA memory that a case gets, filled with a pattern: a device that
 * writes outside what it was given is seen when the piece is freed. */
#ifndef AGPU_CASES_HARNESS_MARGIN_H
#define AGPU_CASES_HARNESS_MARGIN_H

#include "pci/machine/platform.h"
#include "pci/machine/text.h"

#define AGPU_MARGIN_BYTES 4096u

/* The first write outside a piece. */
struct agpu_margin_damage {
    uint64_t count;    /* pieces around which something was written; 0: none */
    uint64_t size;     /* of the first, without its margins */
    uint64_t distance; /* of its first changed byte from the piece */
    uint64_t bytes;    /* that are changed */
    bool before;       /* it, not behind it */
};

/* Fills the margins of what the machine gave, and leaves in *dma what lies between them. */
void agpu_margin_draw(struct agpu_dma *dma);

/* The way back: *dma is what the machine gave. */
void agpu_margin_remove(struct agpu_dma *dma);

/* Looks at both margins of what the machine gave. */
void agpu_margin_check(const struct agpu_dma *dma, struct agpu_margin_damage *damage);

/* "the device wrote outside ...". */
void agpu_margin_describe(const struct agpu_margin_damage *damage, struct agpu_text *text);

#endif
