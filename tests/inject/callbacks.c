/* callbacks.c: wrappers of the runtime's callbacks (mm/runtime/device.c), each of which may fail on purpose.
 * The linker redirects the driver's table to them (--wrap). */
#include "mm/runtime/context.h"
#include "mm/runtime/memory.h"
#include "tests/inject/injection.h"

#define OUT_OF_MEMORY  ((HRESULT)0x8007000E)
#define FAILED_SOMEHOW ((HRESULT)0x80004005)

#define CALLBACK(name, type)                                                                                 \
    HRESULT __real_##name(HANDLE device, type *args);                                                        \
    HRESULT __wrap_##name(HANDLE device, type *args);                                                        \
    HRESULT __wrap_##name(HANDLE device, type *args)                                                         \
    {                                                                                                        \
        unsigned variant;                                                                                    \
                                                                                                             \
        if (agpu_injection_callback_fails(#name, &variant)) {                                                \
            return variant % 2 ? FAILED_SOMEHOW : OUT_OF_MEMORY;                                             \
        }                                                                                                    \
        return __real_##name(device, args);                                                                  \
    }

CALLBACK(agpu_runtime_allocate, D3DDDICB_ALLOCATE)
CALLBACK(agpu_runtime_deallocate, const D3DDDICB_DEALLOCATE)
CALLBACK(agpu_runtime_lock, D3DDDICB_LOCK)
CALLBACK(agpu_runtime_unlock, const D3DDDICB_UNLOCK)
CALLBACK(agpu_runtime_create_context, D3DDDICB_CREATECONTEXT)
CALLBACK(agpu_runtime_destroy_context, const D3DDDICB_DESTROYCONTEXT)
CALLBACK(agpu_runtime_get_command_buffer, D3DDDICB_GETCOMMANDBUFFER)
CALLBACK(agpu_runtime_render, D3DDDICB_RENDER)
CALLBACK(agpu_runtime_present, D3DDDICB_PRESENT)
CALLBACK(agpu_runtime_create_sync, D3DDDICB_CREATESYNCHRONIZATIONOBJECT)
CALLBACK(agpu_runtime_destroy_sync, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT)
CALLBACK(agpu_runtime_wait_sync, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT)
CALLBACK(agpu_runtime_query_fence, D3DDDICB_QUERYCOMPLETEDFENCE)
