/* hole.h: free addresses for BARs. */
#ifndef AGPU_EFI_BARE_HOLE_H
#define AGPU_EFI_BARE_HOLE_H

#include "efi/bare/loader.h"

/* Returns the highest multiple of bytes (a power of 2) from floor on, at which so many bytes end at or below limit and
 * overlap none of the ranges; 0 when there is none. */
uint64_t agpu_bare_find_hole(const struct agpu_bare_range *taken, unsigned count, uint64_t bytes,
                             uint64_t floor, uint64_t limit);

#endif
