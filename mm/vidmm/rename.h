/* rename.h: several instances of one allocation (vidmm.md 4.4). */
#ifndef AGPU_MM_VIDMM_RENAME_H
#define AGPU_MM_VIDMM_RENAME_H

#include "mm/vidmm/records.h"

/* Discards the contents of an instance in use (vidmm.md 4.4): *instance becomes a new, latest one. */
NTSTATUS agpu_vidmm_rename(struct agpu_vidmm *vm, struct agpu_instance **instance, bool may_evict);

#endif
