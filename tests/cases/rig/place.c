/* place.c: checks that name a place. */
#include "tests/cases/rig/place.h"

#include "pci/machine/text.h"

bool agpu_check_place2_at(struct agpu_test *test, const char *what, uint64_t place, const char *also,
                          uint64_t number, uint64_t actual, uint64_t expected, struct agpu_where where)
{
    char line[160];
    struct agpu_text text;

    if (actual == expected) {
        return agpu_check_passed(test);
    }
    agpu_text_begin(&text, line, sizeof line);
    agpu_format(&text, "%s 0x%jx", what, place);
    if (also != NULL) {
        agpu_format(&text, " %s 0x%jx", also, number);
    }
    return agpu_check_u64(test, actual, expected, line, true, where);
}

bool agpu_check_place_at(struct agpu_test *test, const char *what, uint64_t place, uint64_t actual,
                         uint64_t expected, struct agpu_where where)
{
    return agpu_check_place2_at(test, what, place, NULL, 0, actual, expected, where);
}
