/* vidmm.h: the video memory manager's life (vidmm.md 2-5): opened, told which fences were submitted and
 * completed, its allocations destroyed. A state machine: it never waits and touches no device. Allocations
 * come from create.h, are locked through lock.h, and go into a submission through table.h. */
#ifndef AGPU_MM_VIDMM_VIDMM_H
#define AGPU_MM_VIDMM_VIDMM_H

#include "mm/vidmm/records.h"

/* Sets up segments from config (copied). False when the heap is exhausted, the window is unusable, or caps are
 * refused (agpu_caps_check() says why). */
bool agpu_vidmm_init(struct agpu_vidmm *vm, struct agpu_memory *memory,
                     const struct agpu_vidmm_config *config);
/* Frees everything, also what is in use: the device must be stopped. */
void agpu_vidmm_fini(struct agpu_vidmm *vm);

/* A submission with this fence is queued, a later one than all before. */
static inline void agpu_vidmm_submitted(struct agpu_vidmm *vm, uint64_t fence)
{
    vm->submitted = fence;
}

/* The device has completed all fences up to this one (or lost them in a reset): frees what waited for them.
 * Values outside [completed, submitted] are clamped. */
void agpu_vidmm_complete(struct agpu_vidmm *vm, uint64_t fence);

/* Destroys the allocations named by the handles, then the resource (0 = none) with all that is left in it.
 * Unknown handles and repetitions have no effect; memory in use by the device stays until its fence
 * (vidmm.md 3.4, 3.6). */
NTSTATUS agpu_vidmm_destroy(struct agpu_vidmm *vm, uint16_t process, uint32_t resource,
                            const uint32_t *handles, uint32_t count);
/* Destroys everything that a process left behind. Returns how many handles that were. */
uint32_t agpu_vidmm_close_process(struct agpu_vidmm *vm, uint16_t process);

/* True when the handle names an allocation of this process now. */
bool agpu_vidmm_is_valid(const struct agpu_vidmm *vm, uint16_t process, uint32_t handle);

#endif
