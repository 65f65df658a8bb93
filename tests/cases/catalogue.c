/* catalogue.c: the list of all tables, made from catalogue.def. */
#include "tests/cases/catalogue.h"

static const struct agpu_case_table *const catalogue[] = {
#define AGPU_CASES(folder, file) &agpu_cases_##folder##_##file,
#include "tests/cases/catalogue.def"
#undef AGPU_CASES
};

const struct agpu_case_table *const *agpu_catalogue(size_t *count)
{
    *count = sizeof catalogue / sizeof catalogue[0];
    return catalogue;
}
