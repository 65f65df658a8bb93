/* tables.c: entries of 64 bits, 512 to a page. Pages of 2 MiB where address and memory allow it: for whoever follows these tables
 * (QEMU tells the process behind a function of each entry) a large buffer is then a few maps. */
#include "tests/qemu/iommu/tables.h"

#include <stddef.h>
#include <string.h>

#include "efi/machine.h"

#define PER_TABLE   512u
#define LARGE_LEVEL 2u
#define LARGE_PAGES 512u
#define DOMAINS_MAX 255u
#define POOL_PAGES                                                                                           \
    1024u /* taken at once: the count of free pages, which somebody may watch, then stays as it is */

#define ENTRY_READ    UINT64_C(1)
#define ENTRY_WRITE   UINT64_C(2)
#define ENTRY_LARGE   (UINT64_C(1) << 7)
#define ENTRY_ADDRESS UINT64_C(0x000FFFFFFFFFF000)
#define ENTRY_USE     (UINT64_C(1) << 52) /* bits 52 to 61 are ours: how often it is mapped */
#define ENTRY_USES    (UINT64_C(0x3FF) << 52)

#define CONTEXT_PRESENT UINT64_C(1)
#define ROOT_PRESENT    UINT64_C(1)

static struct {
    unsigned levels;
    bool incoherent;
    uint8_t *pool; /* pages of zeros, handed out in order */
    unsigned pool_used;
    uint64_t *root; /* two words for each bus: the low one is the table of its functions */
    struct agpu_iommu_domain domains[DOMAINS_MAX];
    unsigned domain_count;
} tables;

/* What the unit reads. */
static void set_entry(uint64_t *entry, uint64_t value)
{
    *(volatile uint64_t *)entry = value;
    if (tables.incoherent) {
        __asm__ volatile("clflush (%0)" : : "r"(entry) : "memory");
    }
}

static uint64_t *new_table(void)
{
    EFI_PHYSICAL_ADDRESS address = 0;
    uint64_t *table;

    if (tables.pool_used < POOL_PAGES) {
        table = (uint64_t *)(void *)(tables.pool + (size_t)tables.pool_used++ * AGPU_IOMMU_PAGE);
    } else if (EFI_ERROR(agpu_boot->AllocatePages(AllocateAnyPages, EfiReservedMemoryType, 1, &address))) {
        return NULL;
    } else {
        table = (uint64_t *)(uintptr_t)address;
    }
    for (unsigned i = 0; i < PER_TABLE; i++) {
        set_entry(&table[i], 0);
    }
    return table;
}

uint64_t agpu_iommu_tables_open(unsigned levels, bool incoherent)
{
    EFI_PHYSICAL_ADDRESS pool = 0;

    if (EFI_ERROR(agpu_boot->AllocatePages(AllocateAnyPages, EfiReservedMemoryType, POOL_PAGES, &pool))) {
        return 0;
    }
    tables.levels = levels;
    tables.incoherent = incoherent;
    tables.pool = (uint8_t *)(uintptr_t)pool;
    tables.root = new_table();
    return (uintptr_t)tables.root;
}

static uint64_t *table_below(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ENTRY_ADDRESS);
}

/* The two words of a function's entry; NULL: no memory. */
static uint64_t *context_entry(uint16_t requester)
{
    uint64_t *bus = &tables.root[(requester >> 8) * 2u];

    if (*bus == 0) {
        uint64_t *table = new_table();

        if (table == NULL) {
            return NULL;
        }
        set_entry(bus, (uintptr_t)table | ROOT_PRESENT);
    }
    return &table_below(*bus)[(requester & 0xFFu) * 2u];
}

struct agpu_iommu_domain *agpu_iommu_domain_of(uint16_t requester, bool *is_new)
{
    struct agpu_iommu_domain *domain = tables.domains;

    *is_new = false;
    for (unsigned i = 0; i < tables.domain_count; i++) {
        if (domain[i].requester == requester) {
            return &domain[i];
        }
    }
    uint64_t *entry = tables.domain_count < DOMAINS_MAX ? context_entry(requester) : NULL;
    uint64_t *top = entry != NULL ? new_table() : NULL;
    if (top == NULL) {
        return NULL;
    }
    domain += tables.domain_count++;
    *domain =
        (struct agpu_iommu_domain){.id = (uint16_t)tables.domain_count, .requester = requester, .top = top};
    set_entry(&entry[1], (uint64_t)domain->id << 8 | (tables.levels - 2)); /* width of addresses */
    set_entry(&entry[0], (uintptr_t)top | CONTEXT_PRESENT);                /* untranslated requests are */
    *is_new = true;
    return domain;
}

static unsigned index_at(uint64_t address, unsigned level)
{
    return (unsigned)(address >> (12 + 9 * (level - 1))) & (PER_TABLE - 1);
}

/* The entry for address at level, 1 being the last; *level is that of a larger page if there is one. Tables on the way are made
 * if asked for. NULL: there are none, or no memory for them. */
static uint64_t *find_entry(const struct agpu_iommu_domain *domain, uint64_t address, unsigned *level,
                            bool make)
{
    uint64_t *table = domain->top;

    for (unsigned at = tables.levels; at > *level; at--) {
        uint64_t *entry = &table[index_at(address, at)];

        if ((*entry & ENTRY_LARGE) != 0) {
            *level = at;
            return entry;
        }
        if (*entry == 0) {
            uint64_t *below = make ? new_table() : NULL;

            if (below == NULL) {
                return NULL;
            }
            set_entry(entry, (uintptr_t)below | ENTRY_READ | ENTRY_WRITE);
        }
        table = table_below(*entry);
    }
    return &table[index_at(address, *level)];
}

/* Level of the page with which mapping goes on. */
static unsigned level_for(const struct agpu_iommu_domain *domain, uint64_t address, uint64_t memory,
                          uint64_t pages)
{
    unsigned level = LARGE_LEVEL;
    const uint64_t *entry;

    if (((address | memory) & (LARGE_PAGES * (uint64_t)AGPU_IOMMU_PAGE - 1)) != 0 || pages < LARGE_PAGES) {
        return 1;
    }
    entry = find_entry(domain, address, &level, true);
    return entry != NULL && (*entry == 0 || (*entry & ENTRY_LARGE) != 0) ? LARGE_LEVEL : 1;
}

static uint64_t pages_at(unsigned level)
{
    return level == LARGE_LEVEL ? LARGE_PAGES : 1;
}

/* One page, small or large; 0: not possible. Else how many small ones it is. */
static uint64_t map_entry(const struct agpu_iommu_domain *domain, uint64_t address, uint64_t memory,
                          uint64_t pages, uint64_t access)
{
    unsigned level = level_for(domain, address, memory, pages);
    const unsigned wanted = level;
    uint64_t *entry = find_entry(domain, address, &level, true);
    const uint64_t large = level == LARGE_LEVEL ? ENTRY_LARGE : 0;

    if (entry == NULL || level != wanted || (*entry & ENTRY_USES) == ENTRY_USES ||
        (*entry != 0 && (*entry & ENTRY_ADDRESS) != memory)) {
        return 0;
    }
    set_entry(entry,
              ((*entry & (ENTRY_USES | ENTRY_READ | ENTRY_WRITE)) + ENTRY_USE) | memory | large | access);
    return pages_at(level);
}

bool agpu_iommu_tables_map(struct agpu_iommu_domain *domain, uint64_t address, uint64_t memory,
                           uint64_t pages, bool read, bool write)
{
    const uint64_t access = (read ? ENTRY_READ : 0) | (write ? ENTRY_WRITE : 0);
    uint64_t done = 0;

    while (done < pages) {
        const uint64_t step = map_entry(domain, address + done * AGPU_IOMMU_PAGE,
                                        memory + done * AGPU_IOMMU_PAGE, pages - done, access);

        if (step == 0) {
            agpu_iommu_tables_unmap(domain, address, done);
            return false;
        }
        done += step;
    }
    return true;
}

void agpu_iommu_tables_unmap(struct agpu_iommu_domain *domain, uint64_t address, uint64_t pages)
{
    uint64_t done = 0;

    while (done < pages) {
        unsigned level = 1;
        uint64_t *entry = find_entry(domain, address + done * AGPU_IOMMU_PAGE, &level, false);

        if (entry != NULL && *entry != 0) {
            const uint64_t left = *entry - ENTRY_USE;

            set_entry(entry, (left & ENTRY_USES) != 0 ? left : 0);
        }
        done += pages_at(level);
    }
}
