/* guest_ram.c: guest memory. Freed pages are poisoned under AddressSanitizer, so the driver is caught there
 * too. */
#include "tests/host_platform/guest_ram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define AGPU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AGPU_ASAN 1
#endif
#endif
#ifdef AGPU_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(address, size)   ASAN_POISON_MEMORY_REGION(address, size)
#define UNPOISON(address, size) ASAN_UNPOISON_MEMORY_REGION(address, size)
#else
#define POISON(address, size)   ((void)(address), (void)(size))
#define UNPOISON(address, size) ((void)(address), (void)(size))
#endif

/* Where guest memory begins in device address space: so that it has addresses above 4 GiB and 1 TiB, and a page in
 * whose address the low half is 0, inside every block of 33 MiB that the usual 64 MiB have. */
#define BASE ((UINT64_C(1) << 40) - (UINT64_C(32) << 20))

enum page { FREE, FIRST, MORE };

static uint64_t pages(const struct agpu_guest_ram *ram)
{
    return ram->size / AGPU_GUEST_PAGE;
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

/* First fit from where the last search ended: addresses are reused late, so stale ones show. */
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

void *agpu_guest_ram_alloc(struct agpu_guest_ram *ram, size_t size)
{
    uint64_t count = (size + AGPU_GUEST_PAGE - 1) / AGPU_GUEST_PAGE;
    uint64_t page;
    uint8_t *memory;

    if (count == 0 || count > pages(ram)) {
        return NULL;
    }
    if (!find(ram, ram->next, pages(ram), count, &page) && !find(ram, 0, pages(ram), count, &page)) {
        return NULL;
    }
    ram->used[page] = FIRST;
    memset(ram->used + page + 1, MORE, count - 1);
    ram->next = (page + count) % pages(ram);
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
        fprintf(stderr, "guest memory: free of %p, which is no allocation: double free or wrong pointer\n",
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
    return BASE + (uint64_t)((const uint8_t *)memory - ram->bytes);
}

uint64_t agpu_guest_ram_extent(const struct agpu_guest_ram *ram, uint64_t address)
{
    uint64_t offset = address - BASE;
    uint64_t page = offset / AGPU_GUEST_PAGE;

    if (address < BASE || offset >= ram->size) {
        return 0;
    }
    while (page < pages(ram) && ram->used[page] != FREE) {
        page++;
    }
    return page * AGPU_GUEST_PAGE > offset ? page * AGPU_GUEST_PAGE - offset : 0;
}

void *agpu_guest_ram_pointer(const struct agpu_guest_ram *ram, uint64_t address, uint64_t size)
{
    if (agpu_guest_ram_extent(ram, address) < size) {
        return NULL;
    }
    return ram->bytes + (address - BASE);
}
