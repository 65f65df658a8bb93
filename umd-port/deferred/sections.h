/* sections.h: sections of a recording: runs of packets that refer to no more resources than one
 * allocation list holds, so that a list of any length can be executed (umd.md 12.2, 15). */
#ifndef AGPU_UMD_DEFERRED_SECTIONS_H
#define AGPU_UMD_DEFERRED_SECTIONS_H

#include "umd-port/base/alloc_list.h"

/* One reference of a section, or, when reference is 0, its end. */
struct agpu_section_entry {
    uint32_t reference; /* symbol while recording, number of the reference in a finished list */
    uint32_t value;     /* 1: written, 0: read; of an end: where in the stream the section ends */
};

/* Section after section, each closed by its end. */
struct agpu_sections {
    struct agpu_section_entry *entries;
    uint32_t count, room;
};

/* Adds a section that ends at end of the stream and refers to what the list names. False: no memory, nothing
 * was added. */
bool agpu_sections_add(struct agpu_sections *sections, const struct agpu_umd_environment *env,
                       const struct agpu_alloc_list *list, uint32_t end);
/* Entries from first up to the end of its section, which is at first + the result. */
uint32_t agpu_section_length(const struct agpu_sections *sections, uint32_t first);
void agpu_sections_free(struct agpu_sections *sections, const struct agpu_umd_environment *env);

#endif
