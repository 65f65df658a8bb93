/* paging.h: page tables. Addresses of memory are the same for processor, device, and pointer. */
#ifndef AGPU_EFI_BARE_PAGING_H
#define AGPU_EFI_BARE_PAGING_H

#include "efi/bare/loader.h"

enum agpu_bare_cache { AGPU_BARE_WRITE_BACK, AGPU_BARE_UNCACHED, AGPU_BARE_WRITE_COMBINED };

/* Maps all memory, and switches to the new tables. Page 0 and the pages below the stacks stay out. */
void agpu_bare_paging_open(const struct agpu_bare_info *info);

/* Switches the processor that calls it to the tables and their kinds of memory. */
void agpu_bare_paging_load(void);

/* Maps a region at its own address, with whole pages. */
void agpu_bare_map(uint64_t start, uint64_t bytes, enum agpu_bare_cache cache);

/* Maps the tables of ACPI, which lie in memory that the loader does not list as free. */
void agpu_bare_map_acpi(const uint8_t *rsdp);

#endif
