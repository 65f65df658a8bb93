/* guest_ram.h: the guest memory of an in-process machine: one mapping, a page allocator over it, and the
 * translation of device addresses. */
#ifndef AGPU_TESTS_HOST_PLATFORM_GUEST_RAM_H
#define AGPU_TESTS_HOST_PLATFORM_GUEST_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_GUEST_PAGE 4096u

/* Which pages an allocation may take. */
enum agpu_guest_part {
    AGPU_GUEST_WHOLE,
    AGPU_GUEST_BELOW_4G,
    AGPU_GUEST_ABOVE_4G,
    AGPU_GUEST_ACROSS_4G, /* 4 GiB is in the middle; the pages beside it are kept free for that */
};

struct agpu_guest_ram {
    uint8_t *bytes;
    uint64_t size;
    uint8_t *used; /* one byte a page: 0 free, 1 first page of an allocation, 2 a later one */
    uint64_t next; /* page at which the next search starts */
};

/* Maps size bytes. In device address space a quarter, at most 16 MiB, ends at 4 GiB, more begins there, and the
 * last quarter is far up. False when memory is exhausted. */
bool agpu_guest_ram_open(struct agpu_guest_ram *ram, uint64_t size);
void agpu_guest_ram_close(struct agpu_guest_ram *ram);

/* Zeroed, page aligned; size is rounded up to pages. NULL when there is no room. */
void *agpu_guest_ram_alloc(struct agpu_guest_ram *ram, size_t size, enum agpu_guest_part part);
/* memory must come from alloc, once: anything else ends the program, a driver that does that corrupts
 * memory. */
void agpu_guest_ram_free(struct agpu_guest_ram *ram, void *memory);

/* Device address of memory, never its CPU address. Where one that lost its upper bits leads, there is none. */
uint64_t agpu_guest_ram_address(const struct agpu_guest_ram *ram, const void *memory);

/* CPU pointer of [address, address + size) when all of it is allocated memory, else NULL: a device that
 * touches freed or never allocated memory sees nothing there. extent gets the bytes from address to the end
 * of what is allocated in one piece. */
void *agpu_guest_ram_pointer(const struct agpu_guest_ram *ram, uint64_t address, uint64_t size);
uint64_t agpu_guest_ram_extent(const struct agpu_guest_ram *ram, uint64_t address);

#endif
