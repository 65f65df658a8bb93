/* found_catalogue.c: a catalogue with the one case that a tool wrote. */
#include "tests/cases/catalogue.h"

extern const struct agpu_case_table FOUND;

const struct agpu_case_table *const *agpu_catalogue(size_t *count)
{
    static const struct agpu_case_table *const tables[] = {&FOUND};

    *count = 1;
    return tables;
}
