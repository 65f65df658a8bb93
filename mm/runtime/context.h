/* context.h: contexts, their rotating buffers (vidmm.md 6.5), and their fence as a synchronisation object
 * (umd.md 4): entries of the callback table. */
#ifndef AGPU_MM_RUNTIME_CONTEXT_H
#define AGPU_MM_RUNTIME_CONTEXT_H

#include "mm/runtime/types.h"

/* Tells the driver where it writes the next submission: fills the members of a callback's arguments that
 * name the current buffers of a context. Their names begin with `new`, which is New in Render and Present,
 * else nothing. */
#define AGPU_HAND_OUT_BUFFERS(args, new, context)                                                            \
    do {                                                                                                     \
        const struct agpu_runtime *runtime_ = (context)->device->runtime;                                    \
        struct agpu_runtime_buffer *current_ = &(context)->buffers[(context)->current];                      \
                                                                                                             \
        (args)->p##new##DmaBuffer = (args)->p##new##CommandBuffer =                                          \
            agpu_dma_pool_at(&runtime_->kmd.pool, current_->block)->cpu;                                     \
        (args)->new##CommandBufferSize = current_->bytes;                                                    \
        (args)->p##new##AllocationList = current_->list;                                                     \
        (args)->new##AllocationListSize = runtime_->config.allocation_list;                                  \
        (args)->p##new##PatchLocationList = current_->patch;                                                 \
        (args)->new##PatchLocationListSize = 1;                                                              \
        (args)->p##new##DmaBufferPrivateData = current_->private_data;                                       \
        (args)->new##DmaBufferPrivateDataSize = sizeof current_->private_data;                               \
    } while (0)

HRESULT agpu_runtime_create_context(HANDLE device, D3DDDICB_CREATECONTEXT *args);
HRESULT agpu_runtime_destroy_context(HANDLE device, const D3DDDICB_DESTROYCONTEXT *args);
HRESULT agpu_runtime_get_command_buffer(HANDLE device, D3DDDICB_GETCOMMANDBUFFER *args);
HRESULT agpu_runtime_create_sync(HANDLE device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT *args);
HRESULT agpu_runtime_destroy_sync(HANDLE device, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT *args);
HRESULT agpu_runtime_wait_sync(HANDLE device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *args);
HRESULT agpu_runtime_query_fence(HANDLE device, D3DDDICB_QUERYCOMPLETEDFENCE *args);
/* The context behind a handle, NULL when it is none of this device. */
struct agpu_runtime_context *agpu_runtime_find_context(const struct agpu_runtime_device *device,
                                                       HANDLE context);
void agpu_runtime_free_context(struct agpu_runtime_context *context);

#endif
