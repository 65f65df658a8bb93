/* types.h: insides of the runtime stand-in, shared by runtime*.c and by nobody else. */
#ifndef AGPU_MM_RUNTIME_TYPES_H
#define AGPU_MM_RUNTIME_TYPES_H

#include "mm/runtime/runtime.h"
#include "pci/machine/wait.h"

#define AGPU_PRESENT_LATENCY  3u /* presents outstanding (vidmm.md 6.6) */
#define AGPU_PRIVATE_BYTES    64u
#define AGPU_RUNTIME_MAX_INFO 1024u /* allocations of one AllocateCb */

/* Command buffer, allocation list and private data of one submission, used in turn (vidmm.md 6.5). */
struct agpu_runtime_buffer {
    uint32_t block; /* in the kernel driver's pool */
    uint32_t bytes;
    D3DDDI_ALLOCATIONLIST *list; /* entries that the driver did not fill hold handle 0 */
    D3DDDI_PATCHLOCATIONLIST patch[1];
    uint64_t private_data[AGPU_PRIVATE_BYTES / sizeof(uint64_t)];
    uint64_t fence; /* busy until then */
};

struct agpu_runtime_context {
    struct agpu_kmd_context kmd; /* first: contexts are found by this */
    struct agpu_runtime_device *device;
    struct agpu_runtime_context *next;
    D3DKMT_HANDLE sync; /* its fence as a synchronisation object, 0 = not created */
    uint32_t current;
    struct agpu_runtime_buffer *buffers;
    uint64_t presents[AGPU_PRESENT_LATENCY];
    uint32_t next_present;
};

struct agpu_runtime_device {
    struct agpu_runtime *runtime;
    struct agpu_runtime_device *next;
    struct agpu_runtime_context *contexts;
    struct agpu_runtime_deferred *deferred; /* contexts made by runtime_deferred.c */
    struct agpu_runtime_errors errors;
    uint16_t process;
};

struct agpu_runtime {
    struct agpu_runtime_config config;
    struct agpu_memory memory;
    struct agpu_kmd kmd;
    struct agpu_umd_environment environment;
    D3DDDI_ADAPTERCALLBACKS adapter_callbacks;
    struct agpu_runtime_device *devices;
    uint64_t umd_heap_blocks;
    uint64_t umd_heap_left; /* blocks that the driver may still take */
    uint32_t next_object;   /* protocol handles, one counter for all devices (umd.md 3.1) */
    uint32_t next_sync;
};

/* One bounded wait. The bound starts again whenever the device gets on, so a long queue is no timeout. */
struct agpu_runtime_wait {
    struct agpu_runtime *runtime;
    struct agpu_wait wait;
    uint64_t completed;
    uint64_t resets;
    enum agpu_relax_reason reason;
};

/* agpu_runtime_poll when something is under way; costs nothing otherwise, where a look at registers may cost
 * an exit to the hypervisor. */
void agpu_runtime_look(struct agpu_runtime *runtime);

void agpu_runtime_wait_begin(struct agpu_runtime_wait *wait, struct agpu_runtime *runtime,
                             enum agpu_relax_reason reason);
/* Polls and relaxes once. STATUS_SUCCESS: look again; STATUS_DEVICE_REMOVED: a reset, an error or the bound
 * ended it. */
NTSTATUS agpu_runtime_wait_again(struct agpu_runtime_wait *wait);
/* Waits for one fence value. */
NTSTATUS agpu_runtime_wait_fence(struct agpu_runtime *runtime, uint64_t fence);

/* Contexts (runtime_context.c). */
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

/* Submission (runtime_submit.c). */
HRESULT agpu_runtime_render(HANDLE device, D3DDDICB_RENDER *args);
HRESULT agpu_runtime_present(HANDLE device, D3DDDICB_PRESENT *args);

/* Allocations and locks (runtime_memory.c). */
HRESULT agpu_runtime_allocate(HANDLE device, D3DDDICB_ALLOCATE *args);
HRESULT agpu_runtime_deallocate(HANDLE device, const D3DDDICB_DEALLOCATE *args);
HRESULT agpu_runtime_lock(HANDLE device, D3DDDICB_LOCK *args);
HRESULT agpu_runtime_unlock(HANDLE device, const D3DDDICB_UNLOCK *args);

#endif
