/* sections.h: the sections of the specification as data for the host tool, generated at build time (sections.py) from
 * the pages. Reports carry the text of a rule: a reader of one may not have the pages. */
#ifndef AGPU_HOST_LIST_SECTIONS_H
#define AGPU_HOST_LIST_SECTIONS_H

struct agpu_section {
    const char *name;        /* as cases cite it, "device.md 4.4" */
    const char *title;       /* "4.4 Interrupts" */
    const char *place;       /* page relative to the root of the tree, and anchor */
    const char *const *text; /* lines of Markdown, with the subsections; NULL at the end */
};

/* Returns the section with this name; NULL: there is none. */
const struct agpu_section *agpu_section_find(const char *name);

#endif
