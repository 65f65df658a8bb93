/* test_range.c: the address space allocator without memory for its records. */
#include <stdlib.h>
#include <string.h>

#include "fake_machine.h"
#include "mm/base/range.h"
#include "tests/unit/test.h"

/* Returns the pages of the largest free range: the most that one unaligned allocation can get. */
static uint32_t largest_free_range(const struct agpu_range_allocator *a)
{
    uint32_t largest = 0;

    for (uint32_t level = 0; level < AGPU_RANGE_LEVELS; level++) {
        for (uint32_t split = 0; split < AGPU_RANGE_SPLIT; split++) {
            for (uint32_t i = a->lists[level][split]; i != AGPU_SLAB_NONE;
                 i = agpu_range_at(a, i)->free_next) {
                if (agpu_range_at(a, i)->pages > largest) {
                    largest = agpu_range_at(a, i)->pages;
                }
            }
        }
    }
    return largest;
}

/* Each allocation of a record may fail: only the range allocation itself fails then. */
TEST(record_exhaustion)
{
    struct fake_mm_machine machine;
    fake_machine_init(&machine);
    struct agpu_memory memory = fake_memory(&machine);
    struct agpu_range_allocator a;
    agpu_range_init(&a, &memory);
    assert_int_not_equal(agpu_range_add_zone(&a, 0, 0, 100000), AGPU_SLAB_NONE);
    machine.fail_from = machine.calls + 1;
    uint32_t taken[2000], count = 0;
    while (count < 2000) {
        uint32_t range = agpu_range_alloc(&a, 3, count % 2 ? 8 : 1);

        if (range == AGPU_SLAB_NONE) {
            break;
        }
        taken[count++] = range;
    }
    assert_true(count > 100 && count < 2000);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += agpu_range_at(&a, taken[i])->pages;
    }
    assert_int_equal(sum, 3u * count);
    assert_int_equal(a.free_pages, 100000 - sum);
    for (uint32_t i = 0; i < count; i++) {
        agpu_range_free(&a, taken[i]);
    }
    assert_int_equal(largest_free_range(&a), 100000);
    machine.fail_from = 0;
    agpu_range_fini(&a);
    fake_machine_check_empty(&machine);
}
