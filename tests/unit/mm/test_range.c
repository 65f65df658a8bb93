/* test_range.c: the address space allocator: alignment, coalescing, zones, and random operations against a page map. */
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

TEST(whole_life_of_a_zone)
{
    struct fake_mm_machine machine;
    fake_machine_init(&machine);
    struct agpu_memory memory = fake_memory(&machine);
    struct agpu_range_allocator a;
    agpu_range_init(&a, &memory);
    assert_int_equal(agpu_range_alloc(&a, 1, 1), AGPU_SLAB_NONE);
    assert_int_equal(agpu_range_add_zone(&a, 0, 0, 0), AGPU_SLAB_NONE);
    assert_int_not_equal(agpu_range_add_zone(&a, 3, 1000, 64), AGPU_SLAB_NONE);
    uint32_t first = agpu_range_alloc(&a, 10, 1), second = agpu_range_alloc(&a, 54, 1);
    assert_int_equal(agpu_range_at(&a, first)->first, 1000);
    assert_int_equal(agpu_range_at(&a, second)->first, 1010);
    assert_int_equal(agpu_range_at(&a, second)->zone, 3);
    assert_int_equal(agpu_range_alloc(&a, 1, 1), AGPU_SLAB_NONE);
    assert_int_equal(a.free_pages, 0);
    agpu_range_free(&a, first);
    assert_int_equal(largest_free_range(&a), 10);
    uint32_t joined = agpu_range_free(&a, second);
    assert_int_equal(largest_free_range(&a), 64);
    agpu_range_remove_zone(&a, joined);
    assert_int_equal(a.free_pages, 0);
    assert_int_equal(a.ranges.live, 0);
    agpu_range_fini(&a);
    fake_machine_check_empty(&machine);
}

TEST(alignment_of_page_numbers)
{
    struct fake_mm_machine machine;
    fake_machine_init(&machine);
    struct agpu_memory memory = fake_memory(&machine);
    struct agpu_range_allocator a;
    agpu_range_init(&a, &memory);
    uint32_t zone =
        agpu_range_add_zone(&a, 0, 0xFFFFFFF3u, 4096); /* only the low bits of wrapped page numbers count */
    assert_int_not_equal(zone, AGPU_SLAB_NONE);
    for (uint32_t align = 1; align <= 1024; align *= 2) {
        uint32_t range = agpu_range_alloc(&a, 3, align);

        assert_int_not_equal(range, AGPU_SLAB_NONE);
        assert_int_equal(agpu_range_at(&a, range)->first % align, 0);
        agpu_range_free(&a, range);
        assert_int_equal(largest_free_range(&a), 4096); /* the part cut off in front was returned */
    }
    agpu_range_fini(&a);
    fake_machine_check_empty(&machine);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Random allocations and frees; a page map has the owner of each page. Also measures fragmentation: how full the zones
 * are when an allocation fails although enough pages are free in total. */
TEST(random_work_against_a_page_map)
{
    enum { ZONES = 3, PAGES = 2048, LIVE = 600 };
    struct fake_mm_machine machine;
    fake_machine_init(&machine);
    struct agpu_memory memory = fake_memory(&machine);
    struct agpu_range_allocator a;
    agpu_range_init(&a, &memory);
    static uint8_t owner[ZONES][PAGES];
    memset(owner, 0, sizeof owner);
    uint32_t live[LIVE] = {0};
    uint64_t seed = 12345, used = 0, failed_at = 0, failures = 0;
    for (uint32_t z = 0; z < ZONES; z++) {
        assert_int_not_equal(agpu_range_add_zone(&a, z, z * 100000u, PAGES), AGPU_SLAB_NONE);
    }
    for (int step = 0; step < 60000; step++) {
        uint32_t slot = next_random(&seed) % LIVE;

        if (live[slot] != 0) {
            const struct agpu_range *r = agpu_range_at(&a, live[slot]);

            memset(&owner[r->zone][r->first - r->zone * 100000u], 0, r->pages);
            used -= r->pages;
            agpu_range_free(&a, live[slot]);
            live[slot] = 0;
        } else {
            uint32_t pages = 1 + next_random(&seed) % (next_random(&seed) % 8 == 0 ? 120 : 12);
            uint32_t align = 1u << (next_random(&seed) % 16 == 0 ? next_random(&seed) % 5 : 0);

            live[slot] = agpu_range_alloc(&a, pages, align);
            if (live[slot] == 0) {
                if (align == 1 && ZONES * PAGES - used >= pages) {
                    failed_at += used;
                    failures++;
                }
                continue;
            }
            const struct agpu_range *r = agpu_range_at(&a, live[slot]);
            assert_int_equal(r->pages, pages);
            assert_int_equal(r->first % align, 0);
            uint8_t *map = &owner[r->zone][r->first - r->zone * 100000u];
            for (uint32_t i = 0; i < pages; i++) {
                assert_int_equal(map[i], 0);
                map[i] = 1;
            }
            used += pages;
        }
        assert_int_equal(a.free_pages, ZONES * PAGES - used);
    }
    if (failures != 0) {
        uint64_t full = 100u * failed_at / failures / (ZONES * PAGES);

        print_message("fragmentation: takes fail at %u%% used on average\n", (unsigned)full);
        assert_true(full >= 75);
    }
    for (uint32_t i = 0; i < LIVE; i++) {
        if (live[i] != 0) {
            agpu_range_free(&a, live[i]);
        }
    }
    assert_int_equal(largest_free_range(&a), PAGES);
    assert_int_equal(a.ranges.live, ZONES);
    agpu_range_fini(&a);
    fake_machine_check_empty(&machine);
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
