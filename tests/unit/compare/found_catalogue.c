/* found_catalogue.c: a catalogue with the one case that agpu compare wrote. */
#include "tests/cases/catalogue.h"

extern const struct agpu_case_table agpu_cases_found_difference_1;

const struct agpu_case_table *const *agpu_catalogue(size_t *count)
{
    static const struct agpu_case_table *const tables[] = {&agpu_cases_found_difference_1};

    *count = 1;
    return tables;
}
