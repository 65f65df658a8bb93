/* lru.h: which resident instance was used longest ago. A use only writes the tick into the instance's
 * record: no list is touched while a table is built. The lists are sorted when something is evicted. */
#ifndef AGPU_MM_VIDMM_LRU_H
#define AGPU_MM_VIDMM_LRU_H

#include "mm/vidmm/records.h"

/* The instance became resident. */
void agpu_lru_add(struct agpu_vidmm *vm, struct agpu_instance *instance);
/* It no longer is. */
void agpu_lru_remove(struct agpu_vidmm *vm, struct agpu_instance *instance);

/* True for an instance that may be evicted now. */
typedef bool (*agpu_lru_filter)(const struct agpu_vidmm *vm, const struct agpu_instance *instance, void *ctx);

/* The resident instance used longest ago among those that the filter accepts; NULL when none does. */
struct agpu_instance *agpu_lru_oldest(struct agpu_vidmm *vm, agpu_lru_filter filter, void *ctx);

#endif
