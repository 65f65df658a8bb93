/* dma_buffer.c: the runtime's DMA buffers: how much of one is usable, its private data, and the kernel
 * context that hands them out (umd.md 4, 12.3). */
#include <string.h>

#include "umd-port/base/submit.h"

uint32_t agpu_dma_usable_bytes(const void *dma, const void *command, uint32_t size)
{
    uintptr_t base = (uintptr_t)dma, at = (uintptr_t)command;

    if (dma == NULL || command == NULL || at < base || at - base > size) {
        return size;
    }
    return size - (uint32_t)(at - base);
}

uint32_t agpu_dma_priv_clamp(uint32_t size)
{
    return size < sizeof(AGPU_DMA_PRIV) ? size : (uint32_t)sizeof(AGPU_DMA_PRIV);
}

bool agpu_dma_priv_init(void *priv, uint32_t size, bool present)
{
    const AGPU_DMA_PRIV value = {.Type = present ? AGPU_DMA_PRIV_PRESENT : AGPU_DMA_PRIV_RENDER};

    if (priv == NULL || agpu_dma_priv_clamp(size) < sizeof value) {
        return false;
    }
    memcpy(priv, &value, sizeof value);
    return true;
}

HRESULT agpu_open_kernel_context(struct agpu_device *device)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = device->callbacks;
    bool required = agpu_mode(device) == AGPU_BACKING_WDK;

    if (callbacks->pfnCreateContextCb == NULL) {
        return required ? E_FAIL : S_OK;
    }
    D3DDDICB_CREATECONTEXT context = {0};
    HRESULT hr = callbacks->pfnCreateContextCb(device->runtime.handle, &context);
    if (FAILED(hr)) {
        return hr;
    }
    device->kernel_context = context.hContext;
    device->buffers = (struct agpu_submit_buffers){
        .dma = context.pDmaBuffer,
        .command = context.pCommandBuffer,
        .list = context.pAllocationList,
        .patches = context.pPatchLocationList,
        .priv = context.pDmaBufferPrivateData,
        .command_bytes = context.CommandBufferSize,
        .list_entries = context.AllocationListSize,
        .patch_entries = context.PatchLocationListSize,
        .priv_bytes = context.DmaBufferPrivateDataSize,
    };
    if (callbacks->pfnCreateSynchronizationObjectCb == NULL) {
        return required ? E_FAIL : S_OK;
    }
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT fence = {.hContext = context.hContext};
    hr = callbacks->pfnCreateSynchronizationObjectCb(device->runtime.handle, &fence);
    if (FAILED(hr)) {
        return hr;
    }
    device->fence_object = fence.hSyncObject;
    return S_OK;
}

void agpu_close_kernel_context(struct agpu_device *device)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = device->callbacks;

    if (device->fence_object && callbacks->pfnDestroySynchronizationObjectCb != NULL) {
        const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT args = {device->fence_object};

        callbacks->pfnDestroySynchronizationObjectCb(device->runtime.handle, &args);
    }
    if (device->kernel_context != NULL && callbacks->pfnDestroyContextCb != NULL) {
        const D3DDDICB_DESTROYCONTEXT args = {device->kernel_context};

        callbacks->pfnDestroyContextCb(device->runtime.handle, &args);
    }
    device->fence_object = 0;
    device->kernel_context = NULL;
    device->buffers = (struct agpu_submit_buffers){0};
}
