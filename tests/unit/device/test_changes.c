/* test_changes.c: ranges of changed bytes: none is forgotten, and few that did not change are counted
 * in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "tests/device/engine/changes.h"

enum { BYTES = 65536 };

static void check_form(const struct vgpu_changes *changes)
{
    assert_in_range(changes->count, 0, VGPU_MAX_CHANGES);
    for (uint32_t i = 0; i < changes->count; i++) {
        assert_true(changes->ranges[i].begin < changes->ranges[i].end);
        assert_true(i == 0 || changes->ranges[i - 1].end < changes->ranges[i].begin);
    }
}

static void apart_ranges_stay_apart(void **state)
{
    struct vgpu_changes changes = {0};

    (void)state;
    for (uint32_t i = 0; i < VGPU_MAX_CHANGES; i++) {
        uint32_t place = i * 5 % 8; /* not in order */

        vgpu_changes_add(&changes, place * 4096, place * 4096 + 4);
    }
    check_form(&changes);
    assert_int_equal(changes.count, VGPU_MAX_CHANGES);
    for (uint32_t i = 0; i < VGPU_MAX_CHANGES; i++) {
        assert_int_equal(changes.ranges[i].begin, i * 4096);
        assert_int_equal(changes.ranges[i].end, i * 4096 + 4);
    }
    /* One too many: it and the closest are one. */
    vgpu_changes_add(&changes, 3 * 4096 + 1000, 3 * 4096 + 1004);
    check_form(&changes);
    assert_int_equal(changes.count, VGPU_MAX_CHANGES);
    assert_int_equal(changes.ranges[3].begin, 3 * 4096);
    assert_int_equal(changes.ranges[3].end, 3 * 4096 + 1004);
    assert_int_equal(changes.ranges[4].begin, 4 * 4096);
}

static void near_ranges_are_one(void **state)
{
    struct vgpu_changes changes = {0};

    (void)state;
    vgpu_changes_add(&changes, 1000, 1004);
    vgpu_changes_add(&changes, 1004, 1008);
    vgpu_changes_add(&changes, 1100, 1200);
    vgpu_changes_add(&changes, 900, 910);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.ranges[0].begin, 900);
    assert_int_equal(changes.ranges[0].end, 1200);
    vgpu_changes_add(&changes, 950, 960); /* inside */
    vgpu_changes_add(&changes, 5000, 6000);
    assert_int_equal(changes.count, 2);
    vgpu_changes_add(&changes, 0, 10000); /* around everything */
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.ranges[0].begin, 0);
    assert_int_equal(changes.ranges[0].end, 10000);
}

/* Against a map of bytes. */
static void nothing_is_forgotten(void **state)
{
    static bool changed[BYTES];
    uint32_t seed = 1;

    (void)state;
    for (uint32_t round = 0; round < 500; round++) {
        struct vgpu_changes changes = {0};

        memset(changed, 0, sizeof changed);
        for (uint32_t k = 0; k < 1 + round % 24; k++) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t begin = seed >> 8 & (BYTES - 1), size = 1 + (seed >> 2) % (round % 3 ? 64 : 8000);
            uint32_t end = begin + size < BYTES ? begin + size : BYTES;
            memset(changed + begin, true, end - begin);
            vgpu_changes_add(&changes, begin, end);
            check_form(&changes);
        }
        for (uint32_t i = 0; i < changes.count; i++) {
            /* The ends of a range did change. */
            assert_true(changed[changes.ranges[i].begin] && changed[changes.ranges[i].end - 1]);
            memset(changed + changes.ranges[i].begin, false, changes.ranges[i].end - changes.ranges[i].begin);
        }
        for (uint32_t i = 0; i < BYTES; i++) {
            assert_false(changed[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apart_ranges_stay_apart),
        cmocka_unit_test(near_ranges_are_one),
        cmocka_unit_test(nothing_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
