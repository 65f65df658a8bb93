/* guest_ram.c: guest memory. Freed pages are poisoned under AddressSanitizer, so that it catches the driver there
 * too. */
#include "tests/host_platform/guest_ram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef AGPU_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(address, size)   ASAN_POISON_MEMORY_REGION(address, size)
#define UNPOISON(address, size) ASAN_UNPOISON_MEMORY_REGION(address, size)
#else
#define POISON(address, size)   ((void)(address), (void)(size))
#define UNPOISON(address, size) ((void)(address), (void)(size))
#endif

#define FOUR_GIB UINT64_C(0x100000000)
/* Maximum size of the part that ends at 4 GiB, to stay clear of the addresses of a machine's devices. */
#define LOW_BYTES UINT64_C(0x1000000)
/* Address of the last part: current processors address 52 bits. */
#define FAR UINT64_C(0xC9A5000000000)

/* Number of pages on each side of 4 GiB that are reserved for callers that request that place. Otherwise the first
 * allocation would get it, and a device that loses a carry would be found only in some orders of cases. */
#define KEPT_PAGES UINT64_C(16)

enum page { FREE, FIRST, MORE };

static uint64_t pages(const struct agpu_guest_ram *ram)
{
    return ram->size / AGPU_GUEST_PAGE;
}

/* Returns the number of pages below 4 GiB. */
static uint64_t low_pages(const struct agpu_guest_ram *ram)
{
    return (ram->size / 4 < LOW_BYTES ? ram->size / 4 : LOW_BYTES) / AGPU_GUEST_PAGE;
}

/* Returns the first page of the last quarter, which has high addresses. */
static uint64_t far_page(const struct agpu_guest_ram *ram)
{
    return pages(ram) - pages(ram) / 4;
}

static uint64_t page_address(const struct agpu_guest_ram *ram, uint64_t page)
{
    return page >= far_page(ram) ? FAR + (page - far_page(ram)) * AGPU_GUEST_PAGE
                                 : FOUR_GIB - low_pages(ram) * AGPU_GUEST_PAGE + page * AGPU_GUEST_PAGE;
}

/* Finds the page that contains address; false if there is none. */
static bool page_of(const struct agpu_guest_ram *ram, uint64_t address, uint64_t *page)
{
    const uint64_t from = address >= FAR ? far_page(ram) : 0;
    const uint64_t to = address >= FAR ? pages(ram) : far_page(ram);
    const uint64_t start = page_address(ram, from);

    if (address < start || (address - start) / AGPU_GUEST_PAGE >= to - from) {
        return false;
    }
    *page = from + (address - start) / AGPU_GUEST_PAGE;
    return true;
}

bool agpu_guest_ram_open(struct agpu_guest_ram *ram, uint64_t size)
{
    void *bytes;

    *ram = (struct agpu_guest_ram){0};
    size = (size + AGPU_GUEST_PAGE - 1) / AGPU_GUEST_PAGE * AGPU_GUEST_PAGE;
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        return false;
    }
    ram->bytes = bytes;
    ram->size = size;
    ram->used = calloc(pages(ram), 1);
    if (ram->used == NULL) {
        munmap(bytes, size);
        return false;
    }
    POISON(bytes, size);
    return true;
}

void agpu_guest_ram_close(struct agpu_guest_ram *ram)
{
    if (ram->bytes == NULL) {
        return;
    }
    UNPOISON(ram->bytes, ram->size);
    munmap(ram->bytes, ram->size);
    free(ram->used);
    *ram = (struct agpu_guest_ram){0};
}

/* First fit from the end of the last search: late reuse of addresses exposes stale ones. */
static bool find(const struct agpu_guest_ram *ram, uint64_t from, uint64_t to, uint64_t count, uint64_t *out)
{
    uint64_t run = 0;

    for (uint64_t page = from; page < to; page++) {
        run = ram->used[page] == FREE ? run + 1 : 0;
        if (run == count) {
            *out = page + 1 - count;
            return true;
        }
    }
    return false;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Finds pages that are contiguous in device address space, thus not on both sides of a gap, and not next to 4 GiB. */
static bool find_piece(const struct agpu_guest_ram *ram, uint64_t from, uint64_t to, uint64_t count,
                       uint64_t *out)
{
    const uint64_t middle = low_pages(ram);
    const uint64_t kept = least(KEPT_PAGES, middle / 4);
    const uint64_t bounds[][2] = {
        {0, middle - kept}, {middle + kept, far_page(ram)}, {far_page(ram), pages(ram)}};

    for (unsigned i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const uint64_t begin = from > bounds[i][0] ? from : bounds[i][0];

        if (find(ram, begin, least(to, bounds[i][1]), count, out)) {
            return true;
        }
    }
    return false;
}

/* Uses the pages next to 4 GiB only if there is no other place. */
static bool find_in_part(const struct agpu_guest_ram *ram, enum agpu_guest_part part, uint64_t count,
                         uint64_t *out)
{
    const uint64_t first = part == AGPU_GUEST_ABOVE_4G ? low_pages(ram) : 0;
    const uint64_t end = part == AGPU_GUEST_BELOW_4G ? low_pages(ram) : pages(ram);
    const uint64_t next = ram->next >= first && ram->next < end ? ram->next : first;

    return find_piece(ram, next, end, count, out) || find_piece(ram, first, end, count, out) ||
           find(ram, first, least(end, far_page(ram)), count, out);
}

/* Finds pages of which half (rounded up) are below 4 GiB. */
static bool find_across(const struct agpu_guest_ram *ram, uint64_t count, uint64_t *out)
{
    const uint64_t below = (count + 1) / 2;

    return below <= low_pages(ram) && find(ram, low_pages(ram) - below,
                                           least(low_pages(ram) - below + count, far_page(ram)), count, out);
}

void *agpu_guest_ram_alloc(struct agpu_guest_ram *ram, size_t size, enum agpu_guest_part part)
{
    const uint64_t count = (size + AGPU_GUEST_PAGE - 1) / AGPU_GUEST_PAGE;
    uint64_t page;
    uint8_t *memory;

    if (count == 0 || count > pages(ram) ||
        !(part == AGPU_GUEST_ACROSS_4G ? find_across(ram, count, &page)
                                       : find_in_part(ram, part, count, &page))) {
        return NULL;
    }
    ram->used[page] = FIRST;
    memset(ram->used + page + 1, MORE, count - 1);
    if (part != AGPU_GUEST_ACROSS_4G) {
        ram->next = (page + count) % pages(ram);
    }
    memory = ram->bytes + page * AGPU_GUEST_PAGE;
    UNPOISON(memory, count * AGPU_GUEST_PAGE);
    memset(memory, 0, count * AGPU_GUEST_PAGE);
    return memory;
}

void agpu_guest_ram_free(struct agpu_guest_ram *ram, void *memory)
{
    uint64_t offset = (uint64_t)((uint8_t *)memory - ram->bytes);
    uint64_t page = offset / AGPU_GUEST_PAGE;
    uint64_t end = page + 1;

    if ((uint8_t *)memory < ram->bytes || offset % AGPU_GUEST_PAGE != 0 || page >= pages(ram) ||
        ram->used[page] != FIRST) {
        fprintf(stderr,
                "guest memory: free of %p, which is not an allocation: double free or wrong pointer\n",
                memory);
        abort();
    }
    while (end < pages(ram) && ram->used[end] == MORE) {
        end++;
    }
    memset(ram->used + page, FREE, end - page);
    memset(memory, 0xDF, (end - page) * AGPU_GUEST_PAGE);
    POISON(memory, (end - page) * AGPU_GUEST_PAGE);
}

uint64_t agpu_guest_ram_address(const struct agpu_guest_ram *ram, const void *memory)
{
    const uint64_t offset = (uint64_t)((const uint8_t *)memory - ram->bytes);

    return page_address(ram, offset / AGPU_GUEST_PAGE) + offset % AGPU_GUEST_PAGE;
}

uint64_t agpu_guest_ram_extent(const struct agpu_guest_ram *ram, uint64_t address)
{
    const uint64_t end = address >= FAR ? pages(ram) : far_page(ram);
    uint64_t first;
    uint64_t page;

    if (!page_of(ram, address, &first)) {
        return 0;
    }
    for (page = first; page < end && ram->used[page] != FREE; page++) {
    }
    return page > first ? (page - first) * AGPU_GUEST_PAGE - address % AGPU_GUEST_PAGE : 0;
}

void *agpu_guest_ram_pointer(const struct agpu_guest_ram *ram, uint64_t address, uint64_t size)
{
    uint64_t page;

    if (agpu_guest_ram_extent(ram, address) < size || !page_of(ram, address, &page)) {
        return NULL;
    }
    return ram->bytes + page * AGPU_GUEST_PAGE + address % AGPU_GUEST_PAGE;
}
