/* memory.h: AllocateCb, DeallocateCb, LockCb, UnlockCb (vidmm.md 3, 4): entries of the callback table. */
#ifndef AGPU_MM_RUNTIME_MEMORY_H
#define AGPU_MM_RUNTIME_MEMORY_H

#include "mm/runtime/types.h"

HRESULT agpu_runtime_allocate(HANDLE device, D3DDDICB_ALLOCATE *args);
HRESULT agpu_runtime_deallocate(HANDLE device, const D3DDDICB_DEALLOCATE *args);
HRESULT agpu_runtime_lock(HANDLE device, D3DDDICB_LOCK *args);
HRESULT agpu_runtime_unlock(HANDLE device, const D3DDDICB_UNLOCK *args);

/* is_recorded of struct agpu_vidmm_config; ctx is the runtime. */
bool agpu_runtime_is_recorded(const void *runtime, uint16_t process, uint32_t handle);

#endif
