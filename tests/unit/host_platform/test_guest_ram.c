/* test_guest_ram.c: placement of allocations in guest memory (guest_ram.h). */
#include <stdio.h>

#include "tests/host_platform/guest_ram.h"
#include "tests/unit/test.h"

#define RAM      (UINT64_C(64) << 20)
#define FOUR_GIB UINT64_C(0x100000000)
#define ACROSS   (16 * AGPU_GUEST_PAGE)

/* Half of the memory is allocated, as if by other cases. The pages around 4 GiB are still free. */
TEST(place_across_4_gib_comes_last)
{
    struct agpu_guest_ram ram;
    void *memory;
    uint64_t address;

    assert_true(agpu_guest_ram_open(&ram, RAM));
    for (unsigned page = 0; page < RAM / 2 / AGPU_GUEST_PAGE; page++) {
        assert_non_null(agpu_guest_ram_alloc(&ram, AGPU_GUEST_PAGE, AGPU_GUEST_WHOLE));
    }
    memory = agpu_guest_ram_alloc(&ram, ACROSS, AGPU_GUEST_ACROSS_4G);
    if (memory == NULL) {
        fail_msg("expected %u bytes with 4 GiB in their middle, found none free behind %u pages of others",
                 ACROSS, (unsigned)(RAM / 2 / AGPU_GUEST_PAGE));
    }
    address = agpu_guest_ram_address(&ram, memory);
    assert_int_equal(address, FOUR_GIB - ACROSS / 2);
    assert_ptr_equal(agpu_guest_ram_pointer(&ram, FOUR_GIB - 1, 2), (uint8_t *)memory + ACROSS / 2 - 1);
    assert_null(agpu_guest_ram_alloc(&ram, ACROSS, AGPU_GUEST_ACROSS_4G)); /* there is only one such place */
    agpu_guest_ram_free(&ram, memory);
    assert_ptr_equal(agpu_guest_ram_alloc(&ram, ACROSS, AGPU_GUEST_ACROSS_4G), memory);
    agpu_guest_ram_close(&ram);
}

/* Allocations that find no other place may use the pages around 4 GiB. */
TEST(the_kept_pages_are_the_last_resort)
{
    struct agpu_guest_ram ram;
    uint64_t pages = 0;

    assert_true(agpu_guest_ram_open(&ram, RAM));
    while (agpu_guest_ram_alloc(&ram, AGPU_GUEST_PAGE, AGPU_GUEST_WHOLE) != NULL) {
        pages++;
    }
    assert_int_equal(pages, RAM / AGPU_GUEST_PAGE);
    assert_null(agpu_guest_ram_alloc(&ram, ACROSS, AGPU_GUEST_ACROSS_4G));
    agpu_guest_ram_close(&ram);
}
