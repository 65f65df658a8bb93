/* alloc_id.h: which live allocation has an alloc_id (vidmm.md 3.2). */
#ifndef AGPU_MM_VIDMM_ALLOC_ID_H
#define AGPU_MM_VIDMM_ALLOC_ID_H

#include "mm/vidmm/records.h"

/* Record of the allocation with that id, 0 = none. */
uint32_t agpu_id_find(const struct agpu_vidmm *vm, uint32_t alloc_id);
/* Adds an allocation under its alloc_id. STATUS_INVALID_PARAMETER: a live one has that id;
 * STATUS_INSUFFICIENT_RESOURCES: the heap is exhausted. */
NTSTATUS agpu_id_add(struct agpu_vidmm *vm, uint32_t allocation);
void agpu_id_remove(struct agpu_vidmm *vm, uint32_t allocation);

#endif
