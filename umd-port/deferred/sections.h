/* sections.h: what the sections of a recording refer to: runs of packets, each with allocations that fit into one
 * submission, so that a list of any length can be executed (umd.md 12.2, 15). */
#ifndef AGPU_UMD_DEFERRED_SECTIONS_H
#define AGPU_UMD_DEFERRED_SECTIONS_H

#include "umd-port/base/alloc_list.h"

/* One reference of a section, or, when reference is 0, its end. */
struct agpu_use {
    uint32_t reference; /* symbol while recording, number of the reference in a finished list */
    uint32_t value;     /* 1: written, 0: read; of an end: where in the stream the section ends */
};

/* Section after section, each closed by its end. */
struct agpu_uses {
    struct agpu_use *at;
    uint32_t count, room;
};

/* Adds a section that ends at end of the stream and refers to what the list names. False: no memory, nothing
 * was added. */
bool agpu_uses_close(struct agpu_uses *uses, const struct agpu_umd_environment *env,
                     const struct agpu_alloc_list *list, uint32_t end);
/* Entries from first up to the end of its section, which is at first + the result. */
uint32_t agpu_uses_in_section(const struct agpu_uses *uses, uint32_t first);
void agpu_uses_release(struct agpu_uses *uses, const struct agpu_umd_environment *env);

#endif
