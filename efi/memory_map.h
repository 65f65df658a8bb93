/* memory_map.h: the firmware's memory map, range by range. */
#ifndef AGPU_EFI_MEMORY_MAP_H
#define AGPU_EFI_MEMORY_MAP_H

#include <efi.h>

/* Calls look with each range as the map is now; range is valid during the call. Nothing is called when the firmware or
 * the heap does not give the map. */
void agpu_memory_map_each(void (*look)(void *ctx, const EFI_MEMORY_DESCRIPTOR *range), void *ctx);

#endif
