/* place.h: checks whose message names the place of the value: an offset, an address, the number of a round. */
#ifndef AGPU_CASES_RIG_PLACE_H
#define AGPU_CASES_RIG_PLACE_H

#include "tests/cases/harness/check.h"

/* Compares in hexadecimal; the message is what, a space, and place in hexadecimal. */
#define agpu_check_place(t, what, place, actual, expected)                                                   \
    agpu_check_place_at((t), (what), (place), (actual), (expected), AGPU_HERE)
bool agpu_check_place_at(struct agpu_test *test, const char *what, uint64_t place, uint64_t actual,
                         uint64_t expected, struct agpu_where where);

/* Like agpu_check_place(); the message is what, place, also, and number in hexadecimal. */
#define agpu_check_place2(t, what, place, also, number, actual, expected)                                    \
    agpu_check_place2_at((t), (what), (place), (also), (number), (actual), (expected), AGPU_HERE)
bool agpu_check_place2_at(struct agpu_test *test, const char *what, uint64_t place, const char *also,
                          uint64_t number, uint64_t actual, uint64_t expected, struct agpu_where where);

#endif
