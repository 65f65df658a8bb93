/* lru.h: finds the resident instance that was used longest ago. A use only writes the tick into the instance's record,
 * so building a table changes no list. Eviction sorts the lists. */
#ifndef AGPU_MM_VIDMM_LRU_H
#define AGPU_MM_VIDMM_LRU_H

#include "mm/vidmm/records.h"

/* Call when the instance becomes resident. */
void agpu_lru_add(struct agpu_vidmm *vm, struct agpu_instance *instance);
/* Call when it is no longer resident. */
void agpu_lru_remove(struct agpu_vidmm *vm, struct agpu_instance *instance);

/* True for an instance that may be evicted now. */
typedef bool (*agpu_lru_filter)(const struct agpu_vidmm *vm, const struct agpu_instance *instance, void *ctx);

/* Returns the instance used longest ago among the resident ones that the filter accepts; NULL when there is none. */
struct agpu_instance *agpu_lru_oldest(struct agpu_vidmm *vm, agpu_lru_filter filter, void *ctx);

#endif
