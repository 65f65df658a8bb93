/* catalogue_rows.c: agpu_catalogue_rows prints the catalogue's tables during the build, to generate the host tool's
 * own table (tests/host/list). */
#include <stdio.h>

#include "tests/cases/catalogue.h"
#include "tests/cases/rig/env.h"

static const char *const files[] = {
#define AGPU_CASES(folder, file) "tests/cases/" #folder "/" #file ".c",
#include "tests/cases/catalogue.def"
#undef AGPU_CASES
};

static char yes(unsigned bit)
{
    return bit != 0 ? '1' : '0';
}

/* Prints one line for each case: id, section, file, "legacy model together on-request" as digits, and the body's
 * address relative to the catalogue, by which its name is found. */
int main(void)
{
    size_t count;
    const struct agpu_case_table *const *tables = agpu_catalogue(&count);

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < tables[i]->count; j++) {
            const struct agpu_case *item = &tables[i]->cases[j];
            const intptr_t body = (intptr_t)(uintptr_t)item->run - (intptr_t)(uintptr_t)agpu_catalogue;

            printf("%s\t%s\t%s\t%c%c%c%c\t%lld\n", item->id, item->spec, files[i],
                   yes(item->flags & AGPU_CASE_LEGACY), yes(item->flags & AGPU_CASE_MODEL_CHOICE),
                   yes(item->flags & AGPU_CASE_TOGETHER), yes(item->flags & AGPU_CASE_ON_REQUEST),
                   (long long)body);
        }
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
