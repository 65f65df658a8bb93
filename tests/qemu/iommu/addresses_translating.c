/* addresses_translating.c: two windows in which there is no memory, so that no device address is any memory's, and a device
 * that is given the processor's address reaches nothing. A bit for each page, searched from where the last search ended. */
#include "tests/qemu/iommu/addresses.h"

#include <stddef.h>

#include "efi/machine.h"
#include "efi/memory_map.h"

#define WINDOW_PAGE  UINT64_C(4096)
#define WINDOW_BYTES UINT64_C(0x20000000)
#define WINDOW_PAGES (WINDOW_BYTES / WINDOW_PAGE)
#define LARGE_BYTES  UINT64_C(0x200000)
#define FOUR_GIB     UINT64_C(0x100000000)
#define LOW_END      UINT64_C(0xE0000000) /* above is where messages of interrupts go */
#define HIGH_BASE                                                                                            \
    UINT64_C(                                                                                                \
        0x4000000000) /* 256 GiB: a device that keeps fewer bits than 39 shows, and three levels reach it */

static struct address_window {
    uint64_t base;
    uint64_t next; /* page */
    uint8_t used[WINDOW_PAGES / 8];
} windows[2];

struct memory_tops {
    uint64_t low, all;
};

static bool is_memory(uint32_t type)
{
    return type != EfiMemoryMappedIO && type != EfiMemoryMappedIOPortSpace && type != EfiReservedMemoryType &&
           type != EfiUnusableMemory;
}

static void keep_tops(void *ctx, const EFI_MEMORY_DESCRIPTOR *range)
{
    struct memory_tops *tops = ctx;
    const uint64_t end = range->PhysicalStart + range->NumberOfPages * WINDOW_PAGE;

    if (!is_memory(range->Type)) {
        return;
    }
    if (end > tops->all) {
        tops->all = end;
    }
    if (end <= FOUR_GIB && end > tops->low) {
        tops->low = end;
    }
}

bool agpu_iommu_addresses_open(void)
{
    struct memory_tops tops = {0, 0};

    agpu_memory_map_each(keep_tops, &tops);
    windows[0].base = (tops.low + WINDOW_BYTES - 1) / WINDOW_BYTES * WINDOW_BYTES;
    windows[1].base = HIGH_BASE;
    return tops.low != 0 && windows[0].base + WINDOW_BYTES <= LOW_END && tops.all <= HIGH_BASE;
}

static bool page_is_used(const struct address_window *window, uint64_t page)
{
    return (window->used[page / 8] >> page % 8 & 1) != 0;
}

/* First of the free pages in [from, WINDOW_PAGES), a multiple of step behind offset; WINDOW_PAGES: there are none. */
static uint64_t find_free_pages(const struct address_window *window, uint64_t from, uint64_t pages,
                                uint64_t offset, uint64_t step)
{
    uint64_t start = from + (offset + step - from % step) % step;

    while (start < WINDOW_PAGES && pages <= WINDOW_PAGES - start) {
        uint64_t page = start;

        while (page < start + pages && !page_is_used(window, page)) {
            page++;
        }
        if (page == start + pages) {
            return start;
        }
        start = page + 1 + (offset + step - (page + 1) % step) % step;
    }
    return WINDOW_PAGES;
}

static void mark_pages(struct address_window *window, uint64_t page, uint64_t pages, bool used)
{
    for (; pages != 0; page++, pages--) {
        const uint8_t bit = (uint8_t)(1u << page % 8);

        window->used[page / 8] =
            (uint8_t)(used ? window->used[page / 8] | bit : window->used[page / 8] & ~bit);
    }
}

uint64_t agpu_iommu_address_take(bool high, uint64_t memory, uint64_t pages)
{
    struct address_window *window = &windows[high];
    const uint64_t step = pages >= LARGE_BYTES / WINDOW_PAGE ? LARGE_BYTES / WINDOW_PAGE : 1;
    const uint64_t offset = memory / WINDOW_PAGE % step; /* so that large pages can be used */
    uint64_t page;

    if (pages == 0 || pages >= WINDOW_PAGES) {
        return 0;
    }
    /* The page behind is part of the search, and not of what is marked: that of the next one begins there. */
    page = find_free_pages(window, window->next, pages + 1, offset, step);
    if (page == WINDOW_PAGES) {
        page = find_free_pages(window, 0, pages + 1, offset, step);
    }
    if (page == WINDOW_PAGES) {
        return 0;
    }
    mark_pages(window, page, pages + 1, true);
    window->next = page + pages + 1;
    return window->base + page * WINDOW_PAGE;
}

void agpu_iommu_address_give_back(uint64_t address, uint64_t pages)
{
    struct address_window *window = &windows[address >= FOUR_GIB];

    mark_pages(window, (address - window->base) / WINDOW_PAGE, pages + 1, false);
}
