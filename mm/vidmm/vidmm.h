/* vidmm.h: the video memory manager (vidmm.md 2-5): initialisation, submitted and completed fences, destruction of
 * allocations. A state machine that never waits and touches no device. create.h creates allocations, lock.h locks them,
 * table.h puts them into a submission. */
#ifndef AGPU_MM_VIDMM_VIDMM_H
#define AGPU_MM_VIDMM_VIDMM_H

#include "mm/vidmm/records.h"

/* Sets up segments from config (copied). False when the heap is exhausted, the window is unusable, or caps are refused
 * (agpu_caps_check() gives the reason). */
bool agpu_vidmm_init(struct agpu_vidmm *vm, struct agpu_memory *memory,
                     const struct agpu_vidmm_config *config);
/* Frees everything, including memory in use: the device must be stopped. */
void agpu_vidmm_fini(struct agpu_vidmm *vm);

/* Call after a submission was queued; its fence is above all earlier ones. */
static inline void agpu_vidmm_submitted(struct agpu_vidmm *vm, uint64_t fence)
{
    vm->submitted = fence;
}

/* Call when the device has completed all fences up to this one, or lost them in a reset: frees what waited for them.
 * Values outside [completed, submitted] are clamped. */
void agpu_vidmm_complete(struct agpu_vidmm *vm, uint64_t fence);

/* Destroys the allocations named by the handles, then the resource (0 = none) with its remaining allocations. Unknown
 * and repeated handles have no effect. Memory in use by the device stays until its fence (vidmm.md 3.4, 3.6). */
NTSTATUS agpu_vidmm_destroy(struct agpu_vidmm *vm, uint16_t process, uint32_t resource,
                            const uint32_t *handles, uint32_t count);
/* Destroys all remaining allocations of a process. Returns the number of handles. */
uint32_t agpu_vidmm_close_process(struct agpu_vidmm *vm, uint16_t process);

/* True when the handle names an allocation of this process now. */
bool agpu_vidmm_is_valid(const struct agpu_vidmm *vm, uint16_t process, uint32_t handle);

#endif
