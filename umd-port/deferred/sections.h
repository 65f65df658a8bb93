/* sections.h: sections of a recording: runs of packets whose resources fit into one allocation list, so that a list of
 * any length can be executed (umd.md 12.2, 15). */
#ifndef AGPU_UMD_DEFERRED_SECTIONS_H
#define AGPU_UMD_DEFERRED_SECTIONS_H

#include "umd-port/base/alloc_list.h"

/* One reference of a section, or, if reference is 0, the end of the section. */
struct agpu_section_entry {
    uint32_t reference; /* symbol while recording, reference number in a finished list */
    uint32_t value;     /* 1: written, 0: read; for an end: end of the section in the stream */
};

/* All sections, each followed by its end. */
struct agpu_sections {
    struct agpu_section_entry *entries;
    uint32_t count, room;
};

/* Adds a section that ends at offset `end` of the stream and refers to the entries of the list. False: no memory,
 * nothing was added. */
bool agpu_sections_add(struct agpu_sections *sections, const struct agpu_umd_environment *env,
                       const struct agpu_alloc_list *list, uint32_t end);
/* Returns the number of entries from first to the end of its section, which is at first + the result. */
uint32_t agpu_section_length(const struct agpu_sections *sections, uint32_t first);
void agpu_sections_free(struct agpu_sections *sections, const struct agpu_umd_environment *env);

#endif
