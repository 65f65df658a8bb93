/* memory.c: the pages of the machine as sorted ranges of one type, and a pool of blocks in them. */
#include "efi/bare/memory.h"

#include <string.h>

#include "efi/bare/console.h"

#define FOUR_GIB      UINT64_C(0x100000000)
#define LOW_END       UINT64_C(0x100000) /* below: the BIOS's data and ours in turn; not used */
#define MAP_MAX       4096u
#define POOL_SMALLEST UINT64_C(32)
#define POOL_CLASSES  7u /* of 32 to 2048 bytes; larger blocks have pages of their own */

struct memory_range {
    uint64_t start, pages;
    EFI_MEMORY_TYPE type;
};

/* Header in front of each block, as aligned as the pool's blocks must be. */
struct pool_block {
    uint64_t pages;      /* of a block with pages of its own */
    uint64_t pool_class; /* POOL_CLASSES: it has pages of its own */
};

struct pool_spare {
    struct pool_spare *next;
};

extern uint8_t agpu_bare_begin[], agpu_bare_end[];

static struct memory_range map[MAP_MAX];
static unsigned map_count;
static struct pool_spare *spares[POOL_CLASSES];
static uint64_t kept_page;

static uint64_t end_of(const struct memory_range *range)
{
    return range->start + range->pages * AGPU_BARE_PAGE;
}

static void insert_range(unsigned at, struct memory_range range)
{
    for (unsigned i = map_count++; i > at; i--) {
        map[i] = map[i - 1];
    }
    map[at] = range;
}

/* Merges range at + 1 into range at if both are one. */
static void merge_range(unsigned at)
{
    if (at + 1 < map_count && map[at].type == map[at + 1].type && end_of(&map[at]) == map[at + 1].start) {
        map[at].pages += map[at + 1].pages;
        map_count--;
        for (unsigned i = at + 1; i < map_count; i++) {
            map[i] = map[i + 1];
        }
    }
}

/* Changes the type of pages that lie in one range. False if they do not, or the map is full. */
static bool set_type(uint64_t start, uint64_t pages, EFI_MEMORY_TYPE type)
{
    const uint64_t end = start + pages * AGPU_BARE_PAGE;
    unsigned at = 0;

    while (at < map_count && end_of(&map[at]) <= start) {
        at++;
    }
    if (pages == 0 || at == map_count || map[at].start > start || end_of(&map[at]) < end || end < start ||
        map[at].type == type || map_count + 2 > MAP_MAX) {
        return false;
    }
    struct memory_range old = map[at];
    map[at] = (struct memory_range){start, pages, type};
    if (end < end_of(&old)) {
        insert_range(at + 1, (struct memory_range){end, (end_of(&old) - end) / AGPU_BARE_PAGE, old.type});
    }
    if (old.start < start) {
        insert_range(at++, (struct memory_range){old.start, (start - old.start) / AGPU_BARE_PAGE, old.type});
    }
    merge_range(at);
    if (at != 0) {
        merge_range(at - 1);
    }
    return true;
}

static void add_ram(uint64_t start, uint64_t end)
{
    unsigned at = 0;

    start = start < LOW_END ? LOW_END : (start + AGPU_BARE_PAGE - 1) & ~(AGPU_BARE_PAGE - 1);
    end &= ~(AGPU_BARE_PAGE - 1);
    while (at < map_count && map[at].start < start) {
        at++;
    }
    /* A loader's map may be unsorted, and broken ones overlap: the first statement about a page counts. */
    if (at != 0 && end_of(&map[at - 1]) > start) {
        start = end_of(&map[at - 1]);
    }
    if (at < map_count && map[at].start < end) {
        end = map[at].start;
    }
    if (start < end && map_count < MAP_MAX) {
        insert_range(at, (struct memory_range){start, (end - start) / AGPU_BARE_PAGE, EfiConventionalMemory});
    }
}

void agpu_bare_memory_open(const struct agpu_bare_info *info)
{
    const uint64_t begin = (uintptr_t)agpu_bare_begin, end = (uintptr_t)agpu_bare_end;

    for (unsigned i = 0; i < info->ram_count; i++) {
        add_ram(info->ram[i].start, info->ram[i].start + info->ram[i].bytes);
    }
    if (!set_type(begin, (end - begin) / AGPU_BARE_PAGE, EfiLoaderCode)) {
        agpu_bare_stop("the loader's memory map does not hold 0x%jx to 0x%jx, where agpu.elf was loaded",
                       begin, end);
    }
    kept_page = set_type(begin - AGPU_BARE_PAGE, 1, EfiReservedMemoryType) ? begin - AGPU_BARE_PAGE : 0;
}

uint64_t agpu_bare_kept_page(void)
{
    return kept_page;
}

/* Finds pages below limit, the highest first, as firmware does. Returns 0 if there are none. */
static uint64_t find_pages(uint64_t pages, uint64_t limit)
{
    for (unsigned i = map_count; i-- != 0;) {
        const uint64_t end = end_of(&map[i]) < limit ? end_of(&map[i]) : limit;

        if (map[i].type == EfiConventionalMemory && end > map[i].start &&
            (end - map[i].start) / AGPU_BARE_PAGE >= pages) {
            return end - pages * AGPU_BARE_PAGE;
        }
    }
    return 0;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN pages,
                                        EFI_PHYSICAL_ADDRESS *memory)
{
    uint64_t found = 0;

    if (pages == 0 || pages > UINT64_MAX / AGPU_BARE_PAGE || type == EfiConventionalMemory) {
        return EFI_INVALID_PARAMETER;
    }
    if (how == AllocateAddress) {
        found = *memory;
    } else if (how == AllocateMaxAddress) {
        found = find_pages(pages, (*memory + 1) & ~(AGPU_BARE_PAGE - 1));
    } else {
        found = find_pages(pages, FOUR_GIB);
        found = found != 0 ? found : find_pages(pages, UINT64_MAX);
    }
    for (unsigned i = 0; found != 0 && i < map_count; i++) {
        if (map[i].start <= found && found < end_of(&map[i]) && map[i].type == EfiConventionalMemory &&
            set_type(found, pages, type)) {
            *memory = found;
            return EFI_SUCCESS;
        }
    }
    return how == AllocateAddress ? EFI_NOT_FOUND : EFI_OUT_OF_RESOURCES;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS memory, UINTN pages)
{
    return set_type(memory, pages, EfiConventionalMemory) ? EFI_SUCCESS : EFI_NOT_FOUND;
}

void *agpu_bare_pages(uint64_t count)
{
    EFI_PHYSICAL_ADDRESS memory = FOUR_GIB - 1;

    if (EFI_ERROR(allocate_pages(AllocateMaxAddress, EfiLoaderCode, count, &memory))) {
        agpu_bare_stop("no %ju pages of memory below 4 GiB: give the machine at least 64 MiB", count);
    }
    return memset((void *)(uintptr_t)memory, 0, count * AGPU_BARE_PAGE);
}

static EFI_STATUS EFIAPI get_memory_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *out, UINTN *key, UINTN *step,
                                        UINT32 *version)
{
    const UINTN room = *size;

    *key = 0;
    *step = sizeof *out;
    *version = EFI_MEMORY_DESCRIPTOR_VERSION;
    *size = map_count * sizeof *out;
    if (room < *size) {
        return EFI_BUFFER_TOO_SMALL;
    }
    for (unsigned i = 0; i < map_count; i++) {
        out[i] = (EFI_MEMORY_DESCRIPTOR){.Type = map[i].type,
                                         .PhysicalStart = map[i].start,
                                         .NumberOfPages = map[i].pages,
                                         .Attribute = EFI_MEMORY_WB};
    }
    return EFI_SUCCESS;
}

static struct pool_block *new_block(UINTN size, uint64_t pool_class)
{
    const UINTN pages = pool_class < POOL_CLASSES ? 1 : (size + AGPU_BARE_PAGE - 1) / AGPU_BARE_PAGE;
    const UINTN block_size = POOL_SMALLEST << pool_class;
    EFI_PHYSICAL_ADDRESS page;

    if (EFI_ERROR(allocate_pages(AllocateAnyPages, EfiBootServicesData, pages, &page))) {
        return NULL;
    }
    if (pool_class < POOL_CLASSES) { /* the first block of the page is the caller's */
        for (UINTN at = block_size; at < AGPU_BARE_PAGE; at += block_size) {
            struct pool_spare *spare = (struct pool_spare *)(uintptr_t)(page + at);

            spare->next = spares[pool_class];
            spares[pool_class] = spare;
        }
    }
    struct pool_block *block = (struct pool_block *)(uintptr_t)page;
    block->pages = pages;
    return block;
}

static EFI_STATUS EFIAPI allocate_pool(EFI_MEMORY_TYPE type, UINTN size, VOID **buffer)
{
    uint64_t pool_class = 0;
    struct pool_block *block;

    (void)type;
    if (size > UINT64_MAX - 2 * AGPU_BARE_PAGE) {
        return EFI_OUT_OF_RESOURCES;
    }
    size += sizeof *block;
    while (pool_class < POOL_CLASSES && POOL_SMALLEST << pool_class < size) {
        pool_class++;
    }
    if (pool_class < POOL_CLASSES && spares[pool_class] != NULL) {
        block = (struct pool_block *)spares[pool_class];
        spares[pool_class] = spares[pool_class]->next;
    } else {
        block = new_block(size, pool_class);
    }
    if (block == NULL) {
        return EFI_OUT_OF_RESOURCES;
    }
    block->pool_class = pool_class;
    *buffer = block + 1;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(VOID *buffer)
{
    if (buffer == NULL) {
        return EFI_INVALID_PARAMETER;
    }
    struct pool_block *block = (struct pool_block *)buffer - 1;
    const uint64_t pool_class = block->pool_class;

    if (pool_class >= POOL_CLASSES) {
        return free_pages((uintptr_t)block, block->pages);
    }
    struct pool_spare *spare = (struct pool_spare *)block;
    spare->next = spares[pool_class];
    spares[pool_class] = spare;
    return EFI_SUCCESS;
}

void agpu_bare_memory_services(EFI_BOOT_SERVICES *boot)
{
    boot->AllocatePages = allocate_pages;
    boot->FreePages = free_pages;
    boot->GetMemoryMap = get_memory_map;
    boot->AllocatePool = allocate_pool;
    boot->FreePool = free_pool;
}
