/* test_iommu.c: the driver of tests/qemu/iommu without a machine: which device addresses it gives, and what its tables say to
 * whoever walks them as VT-d does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "efi/machine.h"
#include "efi/memory_map.h"
#include "tests/qemu/iommu/addresses.h"
#include "tests/qemu/iommu/tables.h"

#define PAGE     UINT64_C(4096)
#define LARGE    UINT64_C(0x200000)
#define FOUR_GIB UINT64_C(0x100000000)
#define LOW_TOP  UINT64_C(0x7FE00000)
#define HIGH_TOP UINT64_C(0x200000000)

static EFI_BOOT_SERVICES boot;
EFI_BOOT_SERVICES *agpu_boot = &boot;

static uint64_t root;
static void *pages[8]; /* taken from the firmware */
static unsigned page_count;
static bool memory_ends;

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE kind, UINTN count,
                                        EFI_PHYSICAL_ADDRESS *memory)
{
    void *taken = NULL;

    assert_int_equal(type, AllocateAnyPages);
    assert_int_equal(kind, EfiReservedMemoryType);
    if (memory_ends || page_count == sizeof pages / sizeof pages[0]) {
        return EFI_OUT_OF_RESOURCES;
    }
    taken = aligned_alloc(PAGE, count * PAGE);
    assert_non_null(taken);
    memset(taken, 0xA5, count * PAGE);
    pages[page_count++] = taken;
    *memory = (uintptr_t)taken;
    return EFI_SUCCESS;
}

void agpu_memory_map_each(void (*look)(void *ctx, const EFI_MEMORY_DESCRIPTOR *range), void *ctx)
{
    const EFI_MEMORY_DESCRIPTOR ranges[] = {
        {.Type = EfiConventionalMemory, .PhysicalStart = 0, .NumberOfPages = LOW_TOP / PAGE},
        {.Type = EfiConventionalMemory,
         .PhysicalStart = FOUR_GIB,
         .NumberOfPages = (HIGH_TOP - FOUR_GIB) / PAGE},
        {.Type = EfiMemoryMappedIO, .PhysicalStart = UINT64_C(1) << 46, .NumberOfPages = 16},
    };

    for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        look(ctx, &ranges[i]);
    }
}

static bool is_memory_address(uint64_t address)
{
    return address < LOW_TOP || (address >= FOUR_GIB && address < HIGH_TOP);
}

/* ---- addresses ---- */

static void addresses_are_no_memorys(void **state)
{
    uint64_t last[2] = {0, 0};

    (void)state;
    assert_true(agpu_iommu_addresses_open());
    for (unsigned i = 0; i < 2000; i++) {
        const bool high = i % 3 == 0;
        const uint64_t count = 1 + i % 5, address = agpu_iommu_address_take(high, i * PAGE, count);

        assert_int_equal(address % PAGE, 0);
        assert_int_equal(address >= FOUR_GIB, high);
        assert_true(address + count * PAGE <= UINT64_C(0xE0000000) || high);
        assert_true(last[high] == 0 || address > last[high]); /* a page is free between them */
        for (uint64_t page = 0; page < count; page++) {
            assert_false(is_memory_address(address + page * PAGE));
        }
        agpu_iommu_address_give_back(address, count); /* and still the next one is another */
        last[high] = address + count * PAGE;
    }
}

static void large_ones_lie_like_their_memory(void **state)
{
    const uint64_t memory = FOUR_GIB + LARGE + 3 * PAGE, count = 4 * LARGE / PAGE;
    uint64_t address;

    (void)state;
    assert_int_not_equal(agpu_iommu_address_take(true, 0, 1), 0);
    address = agpu_iommu_address_take(true, memory, count);
    assert_int_equal(address % LARGE, memory % LARGE);
    agpu_iommu_address_give_back(address, count);
}

static void addresses_end(void **state)
{
    const uint64_t count = UINT64_C(0x4000000) / PAGE;
    uint64_t taken[16];
    unsigned got = 0;

    (void)state;
    while (got < 16 && (taken[got] = agpu_iommu_address_take(false, PAGE, count)) != 0) {
        got++;
    }
    assert_in_range(got, 4, 8); /* of 512 MiB */
    agpu_iommu_address_give_back(taken[1], count);
    assert_int_equal(agpu_iommu_address_take(false, PAGE, count), taken[1]);
    assert_int_equal(agpu_iommu_address_take(false, 0, UINT64_MAX / PAGE), 0);
    assert_int_equal(agpu_iommu_address_take(false, 0, 0), 0);
    for (unsigned i = 0; i < got; i++) {
        agpu_iommu_address_give_back(taken[i], count);
    }
}

/* ---- tables ---- */

static const uint64_t *table_at(uint64_t entry)
{
    return (const uint64_t *)(uintptr_t)(entry & UINT64_C(0x000FFFFFFFFFF000));
}

/* Where an access of a function at address ends up, as VT-d finds it in four levels; 0: it is blocked. */
static uint64_t translate(uint16_t requester, uint64_t address, bool write)
{
    const uint64_t *at = table_at(root);
    uint64_t entry = at[(requester >> 8) * 2];

    if ((entry & 1) == 0) {
        return 0;
    }
    at = table_at(entry) + (requester & 0xFF) * 2;
    if ((at[0] & 1) == 0) {
        return 0;
    }
    assert_int_equal(at[0] & 0xFFE, 0);  /* translated by these tables */
    assert_int_equal(at[1] & 7, 2);      /* four levels */
    assert_int_not_equal(at[1] >> 8, 0); /* a domain */
    at = table_at(at[0]);
    for (unsigned shift = 39; shift >= 12; shift -= 9) {
        entry = at[address >> shift & 511];
        if ((entry & (write ? 2 : 1)) == 0) {
            return 0;
        }
        if (shift == 12 || (entry & 0x80) != 0) {
            const uint64_t inside = (UINT64_C(1) << shift) - 1;

            assert_int_equal((uintptr_t)table_at(entry) & inside, 0);
            return (uintptr_t)table_at(entry) | (address & inside);
        }
        at = table_at(entry);
    }
    return 0;
}

static int open_tables(void **state)
{
    (void)state;
    boot.AllocatePages = allocate_pages;
    root = agpu_iommu_tables_open(4, true);
    assert_int_not_equal(root, 0);
    return 0;
}

static int close_tables(void **state)
{
    (void)state;
    while (page_count != 0) {
        free(pages[--page_count]);
    }
    return 0;
}

static void each_function_reaches_its_own(void **state)
{
    bool is_new;
    struct agpu_iommu_domain *first = agpu_iommu_domain_of(0x0020, &is_new);

    (void)state;
    assert_true(is_new);
    assert_ptr_equal(agpu_iommu_domain_of(0x0020, &is_new), first);
    assert_false(is_new);
    struct agpu_iommu_domain *second = agpu_iommu_domain_of(0x0308, &is_new);
    assert_true(is_new);
    assert_int_not_equal(first->id, second->id);

    assert_true(agpu_iommu_tables_map(first, 0x80000000, 0x5000, 2, true, false));
    assert_true(agpu_iommu_tables_map(second, 0x80000000, 0x9000, 1, true, true));
    assert_int_equal(translate(0x0020, 0x80000123, false), 0x5123);
    assert_int_equal(translate(0x0020, 0x80001FFF, false), 0x6FFF);
    assert_int_equal(translate(0x0020, 0x80002000, false), 0);
    assert_int_equal(translate(0x0020, 0x80000123, true), 0); /* to be read only */
    assert_int_equal(translate(0x0020, 0x5123, false), 0);    /* by the processor's address */
    assert_int_equal(translate(0x0308, 0x80000FFF, true), 0x9FFF);
    assert_int_equal(translate(0x0308, 0x80001000, true), 0);
    assert_int_equal(translate(0x0028, 0x80000000, false), 0); /* a function that has nothing */
    agpu_iommu_tables_unmap(first, 0x80000000, 2);
    assert_int_equal(translate(0x0020, 0x80000123, false), 0);
    assert_int_equal(translate(0x0308, 0x80000FFF, true), 0x9FFF);
}

static void large_pages_in_the_middle(void **state)
{
    const uint64_t address = UINT64_C(0x4000000000) + LARGE - PAGE, memory = FOUR_GIB + LARGE - PAGE,
                   count = 2 * LARGE / PAGE + 2;
    bool is_new;
    struct agpu_iommu_domain *domain = agpu_iommu_domain_of(0x0040, &is_new);

    (void)state;
    assert_true(agpu_iommu_tables_map(domain, address, memory, count, true, true));
    for (uint64_t page = 0; page < count; page++) {
        assert_int_equal(translate(0x0040, address + page * PAGE + 8, true), memory + page * PAGE + 8);
    }
    assert_int_equal(translate(0x0040, address - 1, true), 0);
    assert_int_equal(translate(0x0040, address + count * PAGE, true), 0);
    agpu_iommu_tables_unmap(domain, address, count);
    for (uint64_t page = 0; page < count; page++) {
        assert_int_equal(translate(0x0040, address + page * PAGE, false), 0);
    }
    /* Small ones where a large one was. */
    assert_true(agpu_iommu_tables_map(domain, address + PAGE, 0x7000, 1, true, true));
    assert_int_equal(translate(0x0040, address + PAGE, true), 0x7000);
    agpu_iommu_tables_unmap(domain, address + PAGE, 1);
}

static void mapped_twice_is_unmapped_twice(void **state)
{
    bool is_new;
    struct agpu_iommu_domain *domain = agpu_iommu_domain_of(0x0048, &is_new);

    (void)state;
    assert_true(agpu_iommu_tables_map(domain, 0x5000, 0x5000, 2, true, false));
    assert_true(agpu_iommu_tables_map(domain, 0x6000, 0x6000, 2, true, true));
    agpu_iommu_tables_unmap(domain, 0x5000, 2);
    assert_int_equal(translate(0x0048, 0x5000, false), 0);
    assert_int_equal(translate(0x0048, 0x6000, true), 0x6000);
    /* Other memory at an address that is taken: nothing changes. */
    assert_false(agpu_iommu_tables_map(domain, 0x5000, 0x15000, 2, true, true));
    assert_int_equal(translate(0x0048, 0x5000, false), 0);
    assert_int_equal(translate(0x0048, 0x6000, true), 0x6000);
    agpu_iommu_tables_unmap(domain, 0x6000, 2);
    assert_int_equal(translate(0x0048, 0x6000, false), 0);
}

/* A table for each large page at last, until there is no memory for one more. */
static void no_memory_for_tables(void **state)
{
    bool is_new;
    struct agpu_iommu_domain *domain = agpu_iommu_domain_of(0x0050, &is_new);
    uint64_t address = LARGE;

    (void)state;
    memory_ends = true;
    while (address < 2000 * LARGE && agpu_iommu_tables_map(domain, address, 0x3000, 1, true, true)) {
        address += LARGE;
    }
    assert_true(address < 2000 * LARGE);
    assert_false(agpu_iommu_tables_map(domain, address - PAGE, 0x2000, 2, true, true));
    assert_int_equal(translate(0x0050, address - PAGE, false), 0);
    assert_int_equal(translate(0x0050, address - LARGE, true), 0x3000);
    assert_null(agpu_iommu_domain_of(0x0058, &is_new));
    assert_false(is_new);
    memory_ends = false;
    assert_true(agpu_iommu_tables_map(domain, address - PAGE, 0x2000, 2, true, true));
    assert_int_equal(translate(0x0050, address, false), 0x3000);
}

int main(void)
{
    const struct CMUnitTest addresses[] = {
        cmocka_unit_test(addresses_are_no_memorys),
        cmocka_unit_test(large_ones_lie_like_their_memory),
        cmocka_unit_test(addresses_end),
    };
    const struct CMUnitTest tables[] = {
        cmocka_unit_test(each_function_reaches_its_own),
        cmocka_unit_test(large_pages_in_the_middle),
        cmocka_unit_test(mapped_twice_is_unmapped_twice),
        cmocka_unit_test(no_memory_for_tables),
    };
    const int failed = cmocka_run_group_tests_name("iommu addresses", addresses, NULL, NULL);

    return failed + cmocka_run_group_tests_name("iommu tables", tables, open_tables, close_tables);
}
