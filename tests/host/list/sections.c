/* sections.c: the table of sections (sections.h). */
#include "tests/host/list/sections.h"

#include <stdlib.h>
#include <string.h>

static const struct agpu_section sections[] = {
#include <list_sections.inc> /* generated: sections.py */
};

static int by_name(const void *name, const void *section)
{
    return strcmp(name, ((const struct agpu_section *)section)->name);
}

const struct agpu_section *agpu_section_find(const char *name)
{
    return bsearch(name, sections, sizeof sections / sizeof sections[0], sizeof sections[0], by_name);
}
