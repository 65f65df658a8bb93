/* test_catalogue.c: every row of the catalogue. */
#include <string.h>

#include "tests/cases/catalogue.h"
#include "tests/unit/test.h"

TEST(catalogue_is_well_formed)
{
    static const char *const subjects[] = {
        "discovery", "regs",    "ring",  "fence", "irq",    "vblank", "scanout", "error",  "dma",
        "buffer",    "texture", "copy",  "map",   "state",  "render", "compute", "shared", "present",
        "context",   "umd",     "vidmm", "spy",   "stress", "perf",   "explore",
    };
    size_t tables;

    const struct agpu_case_table *const *table = agpu_catalogue(&tables);
    unsigned total = 0;

    for (size_t i = 0; i < tables; i++) {
        for (size_t j = 0; j < table[i]->count; j++) {
            const struct agpu_case *item = &table[i]->cases[j];
            size_t length = strcspn(item->id, ".");
            bool known = false;

            assert_non_null(item->run);
            assert_true(item->spec && *item->spec);
            assert_int_equal(strspn(item->id, "abcdefghijklmnopqrstuvwxyz0123456789._"), strlen(item->id));
            for (size_t k = 0; k < sizeof subjects / sizeof subjects[0]; k++) {
                known =
                    known || (strlen(subjects[k]) == length && strncmp(subjects[k], item->id, length) == 0);
            }
            if (!known) {
                fail_msg("%s: unknown subject", item->id);
            }
            for (size_t k = 0; k <= i; k++) {
                for (size_t l = 0; l < (k == i ? j : table[k]->count); l++) {
                    if (strcmp(item->id, table[k]->cases[l].id) == 0) {
                        fail_msg("%s: id used twice", item->id);
                    }
                }
            }
            total++;
        }
    }
    assert_true(total >= 60);
}
