/* memory.h: pages and pool of the machine without firmware. */
#ifndef AGPU_EFI_BARE_MEMORY_H
#define AGPU_EFI_BARE_MEMORY_H

#include "efi/bare/loader.h"
#include "efi/machine.h"

#define AGPU_BARE_PAGE UINT64_C(4096)

void agpu_bare_memory_open(const struct agpu_bare_info *info);

/* Returns cleared pages below 4 GiB that are never freed; stops the machine when there are none. */
void *agpu_bare_pages(uint64_t count);

/* Returns a page at the same address in each boot, below the program, with the contents that the last boot left; 0 if
 * the machine has no memory there. */
uint64_t agpu_bare_kept_page(void);

/* Sets the services for memory in the table. */
void agpu_bare_memory_services(EFI_BOOT_SERVICES *boot);

#endif
