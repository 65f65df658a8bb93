/* memory.c: locks and shadows (umd.md 1.3, 4, 6.4). */
#include "umd-port/resource/memory.h"

#include <string.h>

#include "umd-port/base/wait.h"

bool agpu_make_shadow(struct agpu_device *device, struct agpu_resource *resource)
{
    if (resource->shadow != NULL) {
        return true;
    }
    resource->env = device->env;
    resource->shadow = device->env->heap_alloc(device->env->ctx, (size_t)resource->bytes);
    if (resource->shadow == NULL) {
        return false;
    }
    memset(resource->shadow, 0, (size_t)resource->bytes);
    return true;
}

void agpu_free_shadow(struct agpu_resource *resource)
{
    if (resource->shadow != NULL) {
        resource->env->heap_free(resource->env->ctx, resource->shadow);
    }
    resource->shadow = NULL;
}

/* Two codes of a lock mean busy at any time, the others only when it may not wait. One of them has a clear sign
 * bit, so this is asked before SUCCEEDED() (umd.md 6.4). */
static bool lock_is_busy(HRESULT hr, bool poll)
{
    return hr == DXGI_ERROR_WAS_STILL_DRAWING || hr == D3DDDIERR_WASSTILLDRAWING ||
           hr == HRESULT_NT_TIMEOUT || (poll && agpu_is_busy(hr, true));
}

HRESULT agpu_lock_other(struct agpu_device *device, struct agpu_resource *resource, const D3DDDICB_LOCK *lock,
                        HRESULT hr)
{
    if (lock_is_busy(hr, lock->Flags.DonotWait)) {
        return DXGI_ERROR_WAS_STILL_DRAWING;
    }
    if (FAILED(hr)) {
        return hr;
    }
    if (lock->hAllocation != resource->alloc_handle && lock->hAllocation) {
        /* Discard renamed the allocation: lists, locks and the final deallocation name the new instance. */
        resource->alloc_handle = resource->km_allocation = lock->hAllocation;
        resource->track_epoch = 0;
        device->imm.pending |= AGPU_PENDING_STATE;
    }
    if (lock->pData == NULL) {
        if (agpu_mode(device) ==
            AGPU_BACKING_WDK) { /* the portable reference does not unlock what it could not map */
            agpu_unlock(device, resource);
        }
        return E_FAIL;
    }
    return S_OK;
}

void agpu_copy_rows(uint8_t *dst, uint32_t dst_pitch, const uint8_t *src, uint32_t src_pitch,
                    uint32_t row_bytes, uint32_t rows, bool fill)
{
    if (dst_pitch == row_bytes && src_pitch == row_bytes) {
        memcpy(dst, src, (size_t)row_bytes * rows);
        return;
    }
    for (uint32_t row = 0; row < rows; row++) {
        memcpy(dst, src, row_bytes);
        if (fill && dst_pitch > row_bytes) {
            memset(dst + row_bytes, 0, dst_pitch - row_bytes);
        }
        dst += dst_pitch;
        src += src_pitch;
    }
}

HRESULT agpu_cpu_open(struct agpu_device *device, struct agpu_resource *resource, uint32_t map_type,
                      struct agpu_cpu_view *view)
{
    *view = (struct agpu_cpu_view){.data = resource->shadow};
    if (!agpu_is_guest_backed(resource)) {
        return view->data != NULL ? S_OK : E_FAIL;
    }
    D3DDDICB_LOCK lock;
    HRESULT hr = agpu_lock(device, resource, agpu_lock_flags(map_type), &lock);
    if (FAILED(hr)) {
        return hr;
    }
    *view = (struct agpu_cpu_view){.data = (uint8_t *)lock.pData + resource->alloc_offset, .locked = true};
    return S_OK;
}

void agpu_cpu_close(struct agpu_device *device, struct agpu_resource *resource, struct agpu_cpu_view *view)
{
    if (view->locked) {
        agpu_unlock(device, resource);
    }
    view->locked = false;
}
