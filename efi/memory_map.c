/* memory_map.c: reads the map into a buffer of sufficient size. */
#include "efi/memory_map.h"

#include "efi/heap.h"
#include "efi/machine.h"

/* Growth of the map allowed for between the two calls that read it. */
#define MAP_SLACK 4096u

void agpu_memory_map_each(void (*visit)(void *ctx, const EFI_MEMORY_DESCRIPTOR *range), void *ctx)
{
    UINTN size = 0;
    UINTN key;
    UINTN step;
    UINT32 version;
    char *map;

    agpu_boot->GetMemoryMap(&size, NULL, &key, &step, &version);
    size += MAP_SLACK;
    map = agpu_heap_alloc(NULL, size);
    if (map != NULL && !EFI_ERROR(agpu_boot->GetMemoryMap(&size, (EFI_MEMORY_DESCRIPTOR *)(void *)map, &key,
                                                          &step, &version))) {
        for (UINTN at = 0; at + step <= size; at += step) {
            visit(ctx, (const EFI_MEMORY_DESCRIPTOR *)(const void *)(map + at));
        }
    }
    agpu_heap_free(NULL, map);
}
