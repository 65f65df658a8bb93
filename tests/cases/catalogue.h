/* catalogue.h: every table of cases, in run order (catalogue.def). */
#ifndef AGPU_CASES_CATALOGUE_H
#define AGPU_CASES_CATALOGUE_H

#include "tests/cases/harness/case.h"

#define AGPU_CASES(folder, file) extern const struct agpu_case_table agpu_cases_##folder##_##file;
#include "tests/cases/catalogue.def"
#undef AGPU_CASES

/* The whole catalogue; count gets the number of tables. */
const struct agpu_case_table *const *agpu_catalogue(size_t *count);

#endif
