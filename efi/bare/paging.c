/* paging.c: page tables that map memory and registers one to one. Everything else faults, and the fault is reported. */
#include "efi/bare/paging.h"

#include <string.h>

#include "efi/bare/memory.h"

#define ENTRY_PRESENT  UINT64_C(0x003) /* and writable */
#define ENTRY_LARGE    UINT64_C(0x080)
#define ENTRY_ADDRESS  UINT64_C(0xFFFFFFFFFF000)
#define ENTRY_THROUGH  UINT64_C(0x008) /* with the next: an index into the page attribute table */
#define ENTRY_UNCACHED UINT64_C(0x010)
#define LARGE_PAGE     UINT64_C(0x200000)
#define LEVEL_LARGE    1u /* the level of tables whose entries map 2 MiB */

/* The page attribute table (Intel SDM volume 3, 12.12): entry 1, which was write-through, becomes write-combining. */
#define MSR_PAT   0x277u
#define PAT_VALUE UINT64_C(0x0007040600070106)

#define VGA_BEGIN UINT64_C(0xA0000)
#define VGA_END   UINT64_C(0xC0000)
#define LOW_END   UINT64_C(0x100000)
/* I/O APICs, HPET, local APIC, and the registers of a chipset. */
#define CHIPSET_BEGIN UINT64_C(0xFEC00000)
#define CHIPSET_END   UINT64_C(0xFF000000)

#define ACPI_HEADER    36u
#define ACPI_TABLE_MAX 0x1000000u
#define RSDP_RSDT      16
#define RSDP_XSDT      24
#define FADT_DSDT      40u

extern uint8_t agpu_bare_stack_guard[], agpu_bare_other_stack_guard[];

static uint64_t *root;

/* Returns the entry of an address at a level; creates tables on the way, and splits a large page. */
static uint64_t *table_entry(uint64_t address, unsigned level)
{
    uint64_t *table = root;

    for (unsigned at = 3;; at--) {
        uint64_t *entry = &table[address >> (12 + 9 * at) & 511];

        if (at == level) {
            return entry;
        }
        if ((*entry & ENTRY_PRESENT) == 0 || (*entry & ENTRY_LARGE) != 0) {
            uint64_t *below = agpu_bare_pages(1);

            for (unsigned i = 0; (*entry & ENTRY_PRESENT) != 0 && i < 512; i++) {
                below[i] = (*entry & ~ENTRY_LARGE) + i * AGPU_BARE_PAGE;
            }
            *entry = (uint64_t)(uintptr_t)below | ENTRY_PRESENT;
        }
        table = (uint64_t *)(uintptr_t)(*entry & ENTRY_ADDRESS);
    }
}

/* Discards the processor's copies of all entries, and writes back cached data of pages that change their kind. */
static void load_tables(void)
{
    __asm__ volatile("wbinvd; mov %0, %%cr3" : : "r"(root) : "memory");
}

void agpu_bare_paging_load(void)
{
    __asm__ volatile("wrmsr" : : "c"(MSR_PAT), "a"((uint32_t)PAT_VALUE), "d"((uint32_t)(PAT_VALUE >> 32)));
    load_tables();
}

static void map_pages(uint64_t start, uint64_t bytes, enum agpu_bare_cache cache)
{
    static const uint64_t kinds[] = {[AGPU_BARE_WRITE_BACK] = 0,
                                     [AGPU_BARE_UNCACHED] = ENTRY_THROUGH | ENTRY_UNCACHED,
                                     [AGPU_BARE_WRITE_COMBINED] = ENTRY_THROUGH};
    const uint64_t end = (start + bytes + AGPU_BARE_PAGE - 1) & ~(AGPU_BARE_PAGE - 1);
    const uint64_t bits = kinds[cache] | ENTRY_PRESENT;

    for (uint64_t at = start & ~(AGPU_BARE_PAGE - 1); at < end;) {
        uint64_t *large = table_entry(at, LEVEL_LARGE);
        const bool is_table = (*large & ENTRY_PRESENT) != 0 && (*large & ENTRY_LARGE) == 0;

        if (at % LARGE_PAGE == 0 && end - at >= LARGE_PAGE && !is_table) {
            *large = at | bits | ENTRY_LARGE;
            at += LARGE_PAGE;
        } else {
            *table_entry(at, 0) = at | bits;
            at += AGPU_BARE_PAGE;
        }
    }
}

void agpu_bare_map(uint64_t start, uint64_t bytes, enum agpu_bare_cache cache)
{
    map_pages(start, bytes, cache);
    load_tables();
}

void agpu_bare_paging_open(const struct agpu_bare_info *info)
{
    root = agpu_bare_pages(1);
    map_pages(AGPU_BARE_PAGE, VGA_BEGIN - AGPU_BARE_PAGE, AGPU_BARE_WRITE_BACK);
    map_pages(VGA_BEGIN, VGA_END - VGA_BEGIN, AGPU_BARE_UNCACHED);
    map_pages(VGA_END, LOW_END - VGA_END, AGPU_BARE_WRITE_BACK);
    for (unsigned i = 0; i < info->ram_count; i++) {
        uint64_t start = info->ram[i].start, end = start + info->ram[i].bytes;

        start = start < LOW_END ? LOW_END : start;
        if (start < end) {
            map_pages(start, end - start, AGPU_BARE_WRITE_BACK);
        }
    }
    map_pages(CHIPSET_BEGIN, CHIPSET_END - CHIPSET_BEGIN, AGPU_BARE_UNCACHED);
    *table_entry((uintptr_t)agpu_bare_stack_guard, 0) = 0;
    *table_entry((uintptr_t)agpu_bare_other_stack_guard, 0) = 0;
    agpu_bare_paging_load();
}

static bool is_mapped(uint64_t address)
{
    const uint64_t *table = root;

    for (unsigned at = 3;; at--) {
        const uint64_t entry = table[address >> (12 + 9 * at) & 511];

        if ((entry & ENTRY_PRESENT) == 0 || at == 0 || (entry & ENTRY_LARGE) != 0) {
            return (entry & ENTRY_PRESENT) != 0;
        }
        table = (const uint64_t *)(uintptr_t)(entry & ENTRY_ADDRESS);
    }
}

/* Maps the pages of a region that are not mapped, as memory. */
static void map_missing(uint64_t start, uint64_t bytes)
{
    for (uint64_t at = start & ~(AGPU_BARE_PAGE - 1); at < start + bytes; at += AGPU_BARE_PAGE) {
        if (!is_mapped(at)) {
            agpu_bare_map(at, AGPU_BARE_PAGE, AGPU_BARE_WRITE_BACK);
        }
    }
}

static uint64_t read_number(const uint8_t *at, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, at, size);
    return value;
}

/* Returns the length of the table that is now mapped; 0 when there is none. */
static uint32_t map_table(uint64_t address)
{
    if (address == 0) {
        return 0;
    }
    map_missing(address, ACPI_HEADER);
    const uint32_t length = (uint32_t)read_number((const uint8_t *)(uintptr_t)address + 4, 4);
    if (length < ACPI_HEADER || length > ACPI_TABLE_MAX) {
        return 0;
    }
    map_missing(address, length);
    return length;
}

void agpu_bare_map_acpi(const uint8_t *rsdp)
{
    map_missing((uintptr_t)rsdp, ACPI_HEADER);
    for (unsigned wide = 0; wide < 2; wide++) { /* RSDT and XSDT */
        const size_t entry = wide != 0 ? 8 : 4;
        const uint64_t table = wide == 0       ? read_number(rsdp + RSDP_RSDT, 4)
                               : rsdp[15] >= 2 ? read_number(rsdp + RSDP_XSDT, 8)
                                               : 0;
        const uint32_t length = map_table(table);

        for (uint32_t at = ACPI_HEADER; at + entry <= length; at += (uint32_t)entry) {
            const uint64_t address = read_number((const uint8_t *)(uintptr_t)table + at, entry);

            if (map_table(address) >= FADT_DSDT + 4 &&
                memcmp((const void *)(uintptr_t)address, "FACP", 4) == 0) {
                map_table(read_number((const uint8_t *)(uintptr_t)address + FADT_DSDT, 4));
            }
        }
    }
}
