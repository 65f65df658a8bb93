/* lock.h: LockCb and UnlockCb below the runtime (vidmm.md 4): one attempt, without a wait. */
#ifndef AGPU_MM_VIDMM_LOCK_H
#define AGPU_MM_VIDMM_LOCK_H

#include "mm/vidmm/records.h"
#include "umd-port/ddi/d3dddicb.h"

/* True when an allocation list names the memory of handle, by that handle or, for a shared allocation, another
 * (vidmm.md 4.3). The list ends at the first entry with handle 0. */
bool agpu_lock_is_recorded(const struct agpu_vidmm *vm, uint16_t process, uint32_t handle,
                           const D3DDDI_ALLOCATIONLIST *list, uint32_t count);

struct agpu_lock_request {
    uint16_t process;
    NTSTATUS gate;    /* result of agpu_kmd_gate() (vidmm.md 4.1), returned after the argument checks */
    uint32_t flags;   /* D3DDDICB_LOCKFLAGS.Value */
    uint32_t handle;  /* in and out */
    bool unsubmitted; /* the caller's unsubmitted command buffer names the allocation */
    bool check_flush; /* fail a lock of recorded but unsubmitted memory (vidmm.md 4.3) */
    /* out */
    void *data;
    uint32_t pitch, slice_pitch;
};

/* Tries once. STATUS_PENDING: would wait, repeat later; with DonotWait STATUS_GRAPHICS_GPU_BUSY instead. */
NTSTATUS agpu_vidmm_lock(struct agpu_vidmm *vm, struct agpu_lock_request *request);
NTSTATUS agpu_vidmm_unlock(struct agpu_vidmm *vm, uint16_t process, uint32_t handle);

#endif
