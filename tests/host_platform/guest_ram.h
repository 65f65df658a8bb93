/* guest_ram.h: the guest memory of an in-process machine: one mapping, a page allocator, and the translation of
 * device addresses. */
#ifndef AGPU_TESTS_HOST_PLATFORM_GUEST_RAM_H
#define AGPU_TESTS_HOST_PLATFORM_GUEST_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_GUEST_PAGE 4096u

/* The pages that an allocation may use. */
enum agpu_guest_part {
    AGPU_GUEST_WHOLE,
    AGPU_GUEST_BELOW_4G,
    AGPU_GUEST_ABOVE_4G,
    AGPU_GUEST_ACROSS_4G, /* with 4 GiB in the middle; the pages next to it are reserved for that */
};

struct agpu_guest_ram {
    uint8_t *bytes;
    uint64_t size;
    uint8_t *used; /* one byte for each page: 0 free, 1 first page of an allocation, 2 a later one */
    uint64_t next; /* start of the next search */
};

/* Maps size bytes. In device address space a quarter, at most 16 MiB, ends at 4 GiB; the next part begins there; the
 * last quarter has high addresses. Returns false if there is no memory. */
bool agpu_guest_ram_open(struct agpu_guest_ram *ram, uint64_t size);
void agpu_guest_ram_close(struct agpu_guest_ram *ram);

/* Returns zeroed, page aligned memory; size is rounded up to pages. NULL if there is too little. */
void *agpu_guest_ram_alloc(struct agpu_guest_ram *ram, size_t size, enum agpu_guest_part part);
/* Frees memory of alloc. Anything else terminates the program, because such a driver corrupts memory. */
void agpu_guest_ram_free(struct agpu_guest_ram *ram, void *memory);

/* Returns the device address of memory, which never equals its CPU address. There is no memory at an address without
 * its upper bits. */
uint64_t agpu_guest_ram_address(const struct agpu_guest_ram *ram, const void *memory);

/* The first returns the CPU pointer of [address, address + size) if all of it is allocated, otherwise NULL: a device
 * that accesses freed or unallocated memory finds nothing there. The second returns the number of bytes from address
 * to the end of the contiguous allocated memory. */
void *agpu_guest_ram_pointer(const struct agpu_guest_ram *ram, uint64_t address, uint64_t size);
uint64_t agpu_guest_ram_extent(const struct agpu_guest_ram *ram, uint64_t address);

#endif
