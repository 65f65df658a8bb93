/* memory_map.h: the firmware's memory map, range by range. */
#ifndef AGPU_EFI_MEMORY_MAP_H
#define AGPU_EFI_MEMORY_MAP_H

#include <efi.h>

/* Calls visit for each range of the current map; range is valid during the call. Calls nothing when the
 * firmware does not return the map or the heap has no memory for it. */
void agpu_memory_map_each(void (*visit)(void *ctx, const EFI_MEMORY_DESCRIPTOR *range), void *ctx);

#endif
