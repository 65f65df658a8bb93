/* test_bare_hole.c: free addresses for BARs, compared with a search of every multiple. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "efi/bare/hole.h"

#define TAKEN_MAX 12u
#define LIMIT     1000u

static bool is_free(const struct agpu_bare_range *taken, unsigned count, uint64_t at, uint64_t bytes)
{
    for (unsigned i = 0; i < count; i++) {
        if (taken[i].start < at + bytes && at < taken[i].start + taken[i].bytes) {
            return false;
        }
    }
    return true;
}

static uint64_t search_all(const struct agpu_bare_range *taken, unsigned count, uint64_t bytes,
                           uint64_t floor)
{
    for (uint64_t at = LIMIT / bytes * bytes; at >= floor && at != 0; at -= bytes) {
        if (at + bytes <= LIMIT && is_free(taken, count, at, bytes)) {
            return at;
        }
    }
    return 0;
}

static void the_highest_free_place_is_found(void **state)
{
    struct agpu_bare_range taken[TAKEN_MAX];
    unsigned found = 0;

    (void)state;
    srand(3);
    for (unsigned round = 0; round < 20000; round++) {
        const unsigned count = (unsigned)rand() % (TAKEN_MAX + 1);
        const uint64_t bytes = UINT64_C(1) << rand() % 8, floor = 1 + (uint64_t)rand() % 400;

        for (unsigned i = 0; i < count; i++) {
            taken[i] = (struct agpu_bare_range){(uint64_t)rand() % LIMIT, (uint64_t)rand() % 200};
        }
        const uint64_t at = agpu_bare_find_hole(taken, count, bytes, floor, LIMIT);
        assert_int_equal(at, search_all(taken, count, bytes, floor));
        found += at != 0;
    }
    assert_in_range(found, 5000, 19000); /* both outcomes occur */
}

static void no_size_has_no_place(void **state)
{
    (void)state;
    assert_int_equal(agpu_bare_find_hole(NULL, 0, 0, 0, LIMIT), 0);
    assert_int_equal(agpu_bare_find_hole(NULL, 0, UINT64_C(1) << 63, 0, LIMIT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_free_place_is_found),
        cmocka_unit_test(no_size_has_no_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
