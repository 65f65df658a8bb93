/* context.h: contexts and their rotating buffers (vidmm.md 6.5), submission (RenderCb, PresentCb, vidmm.md 6), and a
 * context's fence as a synchronisation object (umd.md 4): entries of the callback table. */
#ifndef AGPU_MM_RUNTIME_CONTEXT_H
#define AGPU_MM_RUNTIME_CONTEXT_H

#include "mm/runtime/types.h"

HRESULT agpu_runtime_create_context(HANDLE device, D3DDDICB_CREATECONTEXT *args);
HRESULT agpu_runtime_destroy_context(HANDLE device, const D3DDDICB_DESTROYCONTEXT *args);
HRESULT agpu_runtime_get_command_buffer(HANDLE device, D3DDDICB_GETCOMMANDBUFFER *args);
HRESULT agpu_runtime_render(HANDLE device, D3DDDICB_RENDER *args);
HRESULT agpu_runtime_present(HANDLE device, D3DDDICB_PRESENT *args);
HRESULT agpu_runtime_create_sync(HANDLE device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT *args);
HRESULT agpu_runtime_destroy_sync(HANDLE device, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT *args);
HRESULT agpu_runtime_wait_sync(HANDLE device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *args);
HRESULT agpu_runtime_query_fence(HANDLE device, D3DDDICB_QUERYCOMPLETEDFENCE *args);
void agpu_runtime_free_context(struct agpu_runtime_context *context);

#endif
