/* dma_buffer.c: the runtime's DMA buffers: how much of one is usable, its private data, and the kernel
 * context that hands them out (umd.md 4, 12.3). */
#include "umd-port/base/dma_buffer.h"

#include <string.h>

/* The set that args of a callback name, whose members begin with p and prefix. */
#define BUFFERS_OF(args, prefix)                                                                             \
    ((struct agpu_submit_buffers){                                                                           \
        .dma = (args)->p##prefix##DmaBuffer,                                                                 \
        .command = (args)->p##prefix##CommandBuffer,                                                         \
        .list = (args)->p##prefix##AllocationList,                                                           \
        .patches = (args)->p##prefix##PatchLocationList,                                                     \
        .priv = (args)->p##prefix##DmaBufferPrivateData,                                                     \
        .command_bytes = (args)->prefix##CommandBufferSize,                                                  \
        .list_entries = (args)->prefix##AllocationListSize,                                                  \
        .patch_entries = (args)->prefix##PatchLocationListSize,                                              \
        .priv_bytes = (args)->prefix##DmaBufferPrivateDataSize,                                              \
    })

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
    device->buffers = BUFFERS_OF(&context, );
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

void agpu_adopt_new_buffers(struct agpu_device *device, const D3DDDICB_RENDER *done)
{
    if (done->pNewCommandBuffer != NULL) {
        device->buffers = BUFFERS_OF(done, New);
    }
}

bool agpu_get_larger_buffer(struct agpu_device *device, uint32_t bytes)
{
    D3DDDICB_GETCOMMANDBUFFER args = {.hContext = device->kernel_context, .RequestedSize = bytes};

    if (device->callbacks->pfnGetCommandBufferCb == NULL ||
        FAILED(device->callbacks->pfnGetCommandBufferCb(device->runtime.handle, &args)) ||
        args.pCommandBuffer == NULL) {
        return false;
    }
    device->buffers = BUFFERS_OF(&args, );
    return true;
}
