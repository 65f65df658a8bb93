/* share.h: share tokens (vidmm.md 3.2, 3.3, 3.5). */
#ifndef AGPU_MM_VIDMM_SHARE_H
#define AGPU_MM_VIDMM_SHARE_H

#include "mm/vidmm/records.h"

/* Returns the record of the live share with this token, 0 = none. */
uint32_t agpu_share_find(const struct agpu_vidmm *vm, uint64_t token);
/* Creates a share with the next token for the allocation; 0 when exhausted. */
uint32_t agpu_share_new(struct agpu_vidmm *vm, uint32_t allocation);
/* Ends a share: the token becomes invalid. announce: queue it for agpu_share_pop_released, else free it. */
void agpu_share_drop(struct agpu_vidmm *vm, uint32_t share, bool announce);

/* Removes the newest token from that list, which must not be empty, and returns it (vidmm.md 3.5). */
uint64_t agpu_share_pop_released(struct agpu_vidmm *vm);

#endif
