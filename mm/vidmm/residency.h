/* residency.h: gives instances pages and takes them away (vidmm.md 5): commit, eviction into ordinary memory and
 * back. */
#ifndef AGPU_MM_VIDMM_RESIDENCY_H
#define AGPU_MM_VIDMM_RESIDENCY_H

#include "mm/vidmm/records.h"

/* Commits pages to an instance that has none. Does not evict instances used at tick `guard` or later. Returns
 * STATUS_PENDING when only memory that the device uses is in the way. */
NTSTATUS agpu_vidmm_make_resident(struct agpu_vidmm *vm, struct agpu_instance *instance, bool may_evict,
                                  uint64_t guard);

/* Places an instance in its segment, evicting as agpu_vidmm_make_resident describes. */
NTSTATUS agpu_residency_place(struct agpu_vidmm *vm, const struct agpu_allocation *allocation, bool may_evict,
                              uint64_t guard, struct agpu_placement *out);

/* Gives the instance the placement that agpu_residency_place() found. */
void agpu_residency_attach(struct agpu_vidmm *vm, struct agpu_instance *instance,
                           const struct agpu_placement *placement);
/* Frees the pages (and evicted contents) of an instance; the record stays. */
void agpu_instance_release_pages(struct agpu_vidmm *vm, struct agpu_instance *instance);

#endif
