/* callbacks.c: the runtime's callbacks with every argument that they must refuse, the nearest that they must take, and
 * the kernel's answers to queries (vidmm.md 1, 2, 6.5, 10; umd.md 4). */
#include <string.h>

#include "mm/kmd/query.h"
#include "mm/runtime/device.h"
#include "mm/runtime/types.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_buffers.h"

#define PROCESS 3u /* none of the rig's */
#define LIST    16u
#define BUFFER  8192u
#define UNKNOWN 0x7F000001u
#define T       AEROGPU_FEATURE_TRANSFER

/* A device of the runtime without a driver. */
struct callbacks_device {
    const D3DDDI_DEVICECALLBACKS *cb;
    struct agpu_runtime_device *device;
    HANDLE handle;
    D3DDDICB_CREATECONTEXT context;
    D3DKMT_HANDLE sync, allocation;
};

static void callbacks_small_buffers(struct agpu_runtime_config *config)
{
    config->allocation_list = LIST;
    config->command_buffer_bytes = BUFFER;
    config->command_buffers = 2;
}

static D3DDDI_ALLOCATIONINFO plain_info(void)
{
    return (D3DDDI_ALLOCATIONINFO){.Size = 5000, .SupportedReadSegmentSet = 1, .SupportedWriteSegmentSet = 1};
}

static bool open_callbacks(struct agpu_test *t, struct callbacks_device *d)
{
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT sync;
    D3DDDI_ALLOCATIONINFO info = plain_info();
    D3DDDICB_ALLOCATE allocate = {.NumAllocations = 1, .pAllocationInfo = &info};

    *d = (struct callbacks_device){.cb = agpu_runtime_device_callbacks()};
    d->device = agpu_runtime_device_create(t->env->umd.runtime, PROCESS);
    if (!agpu_check(t, d->device != NULL)) {
        return false;
    }
    d->handle = agpu_runtime_device_handle(d->device).handle;
    agpu_check_hr(t, d->cb->pfnCreateContextCb(d->handle, &d->context), S_OK);
    sync.hContext = d->context.hContext;
    agpu_check_hr(t, d->cb->pfnCreateSynchronizationObjectCb(d->handle, &sync), S_OK);
    d->sync = sync.hSyncObject;
    agpu_check_hr(t, d->cb->pfnAllocateCb(d->handle, &allocate), S_OK);
    d->allocation = info.hAllocation;
    return t->result == AGPU_PASS;
}

static HRESULT unlock(const struct callbacks_device *d, uint32_t count, const D3DKMT_HANDLE *handles)
{
    return d->cb->pfnUnlockCb(d->handle, &(D3DDDICB_UNLOCK){count, handles});
}

static void close_callbacks(struct agpu_test *t, struct callbacks_device *d)
{
    const D3DDDICB_DEALLOCATE deallocate = {.NumAllocations = 1, .HandleList = &d->allocation};
    const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT sync = {d->sync};
    const D3DDDICB_DESTROYCONTEXT context = {d->context.hContext};

    agpu_check_hr(t, d->cb->pfnDeallocateCb(d->handle, &deallocate), S_OK);
    agpu_check_hr(t, d->cb->pfnDestroySynchronizationObjectCb(d->handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, d->cb->pfnDestroySynchronizationObjectCb(d->handle, &sync), S_OK);
    agpu_check_hr(t, d->cb->pfnDestroySynchronizationObjectCb(d->handle, &sync), E_INVALIDARG);
    agpu_check_hr(t, d->cb->pfnDestroyContextCb(d->handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, d->cb->pfnDestroyContextCb(d->handle, &context), S_OK);
    agpu_check_hr(t, d->cb->pfnDestroyContextCb(d->handle, &context), E_INVALIDARG);
    agpu_runtime_device_destroy(d->device);
}

/* Writes a stream without packets at this offset of the command buffer. */
static void write_empty_stream(const struct callbacks_device *d, uint32_t offset)
{
    const struct aerogpu_cmd_stream_header header = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                                                     .abi_version = AEROGPU_ABI_VERSION_U32,
                                                     .size_bytes = sizeof header};
    const AGPU_DMA_PRIV private_data = {.Type = AGPU_DMA_PRIV_RENDER};

    memcpy((uint8_t *)d->context.pCommandBuffer + offset, &header, sizeof header);
    memcpy(d->context.pDmaBufferPrivateData, &private_data, sizeof private_data);
}

static void adopt_buffers(struct callbacks_device *d, const D3DDDICB_RENDER *done)
{
    d->context.pCommandBuffer = done->pNewCommandBuffer;
    d->context.CommandBufferSize = done->NewCommandBufferSize;
    d->context.pAllocationList = done->pNewAllocationList;
    d->context.pDmaBufferPrivateData = done->pNewDmaBufferPrivateData;
}

/* The runtime must refuse sizes, alignments, counts, segments and pitches that are wrong, and take the nearest that are
 * right. */
static void allocations_refused(struct agpu_test *t)
{
    struct callbacks_device d;
    static const struct {
        uint64_t size;
        uint32_t alignment, count, segments;
        bool no_info, shared;
        HRESULT result;
    } rows[] = {
        {.size = 0, .count = 1, .result = E_INVALIDARG},
        {.size = 1, .count = 1, .result = S_OK},
        {.size = 4096, .alignment = 3, .count = 1, .result = E_INVALIDARG},
        {.size = 4096, .alignment = 65536, .count = 1, .result = S_OK},
        {.size = 4096, .alignment = 1u << 31, .count = 1, .result = E_INVALIDARG},
        {.size = 4096, .count = 0, .result = E_INVALIDARG},
        {.size = 4096, .count = AGPU_RUNTIME_MAX_INFO + 1, .result = E_INVALIDARG},
        {.size = 4096, .count = 1, .no_info = true, .result = E_INVALIDARG},
        {.size = 4096, .count = 2, .result = S_OK},
        {.size = 4096, .count = 2, .shared = true, .result = E_FAIL},
        {.size = UINT64_MAX - 4096, .count = 1, .result = E_OUTOFMEMORY},
        {.size = UINT64_MAX - 4095, .count = 1, .result = E_OUTOFMEMORY},
        {.size = UINT64_MAX - 4094, .count = 1, .result = E_OUTOFMEMORY},
        {.size = UINT64_MAX, .count = 1, .result = E_OUTOFMEMORY},
    };

    agpu_return_unless(open_callbacks(t, &d));
    agpu_check_hr(t, d.cb->pfnAllocateCb(d.handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, d.cb->pfnDeallocateCb(d.handle, NULL), E_INVALIDARG);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        D3DDDI_ALLOCATIONINFO infos[2] = {plain_info(), plain_info()};
        D3DDDICB_ALLOCATE args = {.NumAllocations = rows[i].count,
                                  .pAllocationInfo = rows[i].no_info ? NULL : infos,
                                  .Flags = {.CreateResource = 1, .CreateShared = rows[i].shared}};
        D3DDDICB_DEALLOCATE deallocate = {.NumAllocations = 1};
        D3DDDICB_LOCK lock = {0};

        infos[0].Size = infos[1].Size = rows[i].size;
        infos[0].Alignment = infos[1].Alignment = rows[i].alignment;
        agpu_return_unless(agpu_check_hr(t, d.cb->pfnAllocateCb(d.handle, &args), rows[i].result));
        if (rows[i].result != S_OK) {
            agpu_check(t, args.hKMResource == 0 && infos[0].hAllocation == 0 && infos[1].hAllocation == 0);
            continue;
        }
        agpu_check(t, args.hKMResource != 0 && infos[0].hAllocation != 0);
        agpu_check_eq_u64(t, infos[1].hAllocation != 0, rows[i].count == 2);
        const D3DKMT_HANDLE handles[2] = {infos[0].hAllocation, infos[1].hAllocation};
        for (uint32_t k = 0; k < rows[i].count; k++) {
            lock.hAllocation = handles[k];
            agpu_check_hr(t, d.cb->pfnLockCb(d.handle, &lock), S_OK);
        }
        if (rows[i].alignment != 0) {
            uint32_t segment;
            uint64_t address;

            agpu_check(t, agpu_query_placement(&agpu_runtime_kmd(t->env->umd.runtime)->vm, PROCESS,
                                               infos[0].hAllocation, &segment, &address));
            agpu_check_eq_u64(t, address % rows[i].alignment, 0);
        }
        agpu_check_hr(t, unlock(&d, 0, handles), E_INVALIDARG);
        agpu_check_hr(t, unlock(&d, 1, NULL), E_INVALIDARG);
        agpu_check_hr(t, unlock(&d, rows[i].count, handles), S_OK);
        for (uint32_t k = 0; k < rows[i].count; k++) {
            agpu_check_hr(t, unlock(&d, 1, &handles[k]), E_INVALIDARG);
        }
        agpu_check_hr(t, d.cb->pfnDeallocateCb(d.handle, &deallocate), E_INVALIDARG); /* no list */
        deallocate = (D3DDDICB_DEALLOCATE){.hKMResource = args.hKMResource};
        agpu_check_hr(t, d.cb->pfnDeallocateCb(d.handle, &deallocate), S_OK); /* with all its allocations */
        agpu_check_hr(t, d.cb->pfnLockCb(d.handle, &lock), E_INVALIDARG);
    }
    agpu_check_hr(t, d.cb->pfnDeallocateCb(d.handle, &(D3DDDICB_DEALLOCATE){.hKMResource = UINT32_MAX}),
                  S_OK);
    agpu_check_hr(t, d.cb->pfnLockCb(d.handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, d.cb->pfnUnlockCb(d.handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, agpu_runtime_open_shared(d.device, 0, &d.sync, NULL, NULL), E_INVALIDARG);
    agpu_check_hr(t, agpu_runtime_open_shared(d.device, UINT64_MAX, &d.sync, NULL, NULL), E_INVALIDARG);
    close_callbacks(t, &d);
}

/* RenderCb and PresentCb must refuse lists, sizes and buffers that are wrong, and run the nearest that are right. */
static void submissions_refused(struct agpu_test *t)
{
    struct agpu_runtime *runtime = t->env->umd.runtime;
    struct agpu_runtime_context *context;
    struct callbacks_device d;
    const uint32_t header = sizeof(struct aerogpu_cmd_stream_header);
    D3DDDICB_RENDER args;
    D3DDDICB_PRESENT present;
    D3DDDICB_GETCOMMANDBUFFER get;
    const struct {
        uint32_t length, offset, allocations, patches;
    } bad[] = {
        {BUFFER + 4, 0, 0, 0},     {header, BUFFER - header + 4, 0, 0},
        {header, BUFFER, 0, 0},    {UINT32_MAX, 0, 0, 0},
        {header, 1, 0, 0},         {header, 2, 0, 0},
        {header, 0, LIST + 1, 0},  {header, 0, 0, 1},
        {4, UINT32_MAX - 3, 0, 0},
    };

    agpu_check(t, agpu_runtime_device_create(runtime, 0) == NULL);
    agpu_check(t, agpu_runtime_device_create(runtime, AGPU_PROCESS_LIMIT) == NULL);
    agpu_return_unless(open_callbacks(t, &d));
    context = d.context.hContext;
    agpu_check_eq_u64(t, d.context.CommandBufferSize, BUFFER);
    agpu_check_eq_u64(t, d.context.AllocationListSize, LIST);
    agpu_check_eq_u64(t, d.context.PatchLocationListSize, 1);
    agpu_check(t, d.context.DmaBufferPrivateDataSize >= 16);
    agpu_check(t, d.context.pDmaBuffer == d.context.pCommandBuffer && d.context.pPatchLocationList != NULL);
    agpu_check_hr(t, d.cb->pfnCreateContextCb(d.handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, d.cb->pfnCreateContextCb(d.handle, &(D3DDDICB_CREATECONTEXT){.NodeOrdinal = 1}),
                  E_INVALIDARG);
    agpu_check_hr(t, d.cb->pfnCreateContextCb(d.handle, &(D3DDDICB_CREATECONTEXT){.Flags = 1}), E_INVALIDARG);
    for (uint32_t i = 0, used = 0; i < 4; i++) { /* a destroyed context leaves its buffers to the next */
        D3DDDICB_CREATECONTEXT again = {0};

        agpu_check_hr(t, d.cb->pfnCreateContextCb(d.handle, &again), S_OK);
        agpu_check_hr(t, d.cb->pfnDestroyContextCb(d.handle, &(D3DDDICB_DESTROYCONTEXT){again.hContext}),
                      S_OK);
        agpu_check(t, i == 0 || agpu_runtime_memory(runtime)->dma_blocks == used);
        used = (uint32_t)agpu_runtime_memory(runtime)->dma_blocks;
    }
    agpu_check_hr(t, d.cb->pfnRenderCb(d.handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, d.cb->pfnPresentCb(d.handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, d.cb->pfnGetDeviceStateCb(d.handle, NULL), E_INVALIDARG);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        args = (D3DDDICB_RENDER){.hContext = context,
                                 .CommandLength = bad[i].length,
                                 .CommandOffset = bad[i].offset,
                                 .NumAllocations = bad[i].allocations,
                                 .NumPatchLocations = bad[i].patches};
        write_empty_stream(&d, 0);
        agpu_check_hr(t, d.cb->pfnRenderCb(d.handle, &args), E_INVALIDARG);
    }
    args = (D3DDDICB_RENDER){.hContext = &d, .CommandLength = header};
    agpu_check_hr(t, d.cb->pfnRenderCb(d.handle, &args), E_INVALIDARG);
    args = (D3DDDICB_RENDER){.hContext = context, .CommandLength = header, .Flags = 1};
    agpu_check_hr(t, d.cb->pfnRenderCb(d.handle, &args), E_INVALIDARG);
    args.Flags = 0, args.BroadcastContextCount = 1;
    agpu_check_hr(t, d.cb->pfnRenderCb(d.handle, &args), E_INVALIDARG);
    /* The last place of the buffer, with a whole list. */
    write_empty_stream(&d, BUFFER - header);
    for (uint32_t i = 0; i < LIST; i++) {
        d.context.pAllocationList[i].hAllocation = d.allocation;
    }
    args = (D3DDDICB_RENDER){.hContext = context,
                             .CommandLength = header,
                             .CommandOffset = BUFFER - header,
                             .NumAllocations = LIST};
    agpu_return_unless(agpu_check_hr(t, d.cb->pfnRenderCb(d.handle, &args), S_OK));
    agpu_check(t, args.NewFenceValue != 0 && args.pNewCommandBuffer != d.context.pCommandBuffer);
    adopt_buffers(&d, &args);
    /* Without commands: the same buffers and the last fence. */
    const uint64_t fence = args.NewFenceValue;
    args = (D3DDDICB_RENDER){.hContext = context};
    agpu_check_hr(t, d.cb->pfnRenderCb(d.handle, &args), S_OK);
    agpu_check_eq_ptr(t, args.pNewCommandBuffer, d.context.pCommandBuffer);
    agpu_check_eq_u64(t, args.NewFenceValue, fence);
    for (uint32_t i = 0; i < LIST; i++) { /* a list handed out is empty */
        agpu_check_eq_u64(t, args.pNewAllocationList[i].hAllocation, 0);
    }
    D3DDDICB_RENDER other = {.hContext = &d};
    const D3DDDICB_PRESENT wrong[] = {
        {.hContext = context, .pSubmission = &args, .hDstAllocation = 1},
        {.hContext = context, .pSubmission = &args, .hSrcAllocation = UNKNOWN},
        {.hContext = context, .pSubmission = &args, .BroadcastContextCount = 1},
        {.hContext = context, .pSubmission = &other},
        {.hContext = context},
        {.hContext = &d, .pSubmission = &other},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        present = wrong[i];
        agpu_check_hr(t, d.cb->pfnPresentCb(d.handle, &present), E_INVALIDARG);
    }
    present = wrong[1];
    present.hSrcAllocation = d.allocation;
    agpu_check_hr(t, d.cb->pfnPresentCb(d.handle, &present), S_OK); /* nothing to submit */
    /* Command buffers on request. */
    agpu_check_hr(t, d.cb->pfnGetCommandBufferCb(d.handle, NULL), E_INVALIDARG);
    get = (D3DDDICB_GETCOMMANDBUFFER){.hContext = &d};
    agpu_check_hr(t, d.cb->pfnGetCommandBufferCb(d.handle, &get), E_INVALIDARG);
    get = (D3DDDICB_GETCOMMANDBUFFER){.hContext = context, .RequestedSize = BUFFER};
    d.context.pAllocationList[LIST - 1].hAllocation = d.allocation;
    agpu_check_hr(t, d.cb->pfnGetCommandBufferCb(d.handle, &get), S_OK);
    agpu_check_eq_ptr(t, get.pCommandBuffer, d.context.pCommandBuffer);
    agpu_check_eq_u64(t, get.pAllocationList[LIST - 1].hAllocation, 0);
    get.RequestedSize = BUFFER + 1;
    agpu_check_hr(t, d.cb->pfnGetCommandBufferCb(d.handle, &get), S_OK);
    agpu_check_eq_u64(t, get.CommandBufferSize, BUFFER + 1);
    get.RequestedSize = agpu_runtime_kmd(runtime)->config.max_dma_bytes + 1;
    agpu_check_hr(t, d.cb->pfnGetCommandBufferCb(d.handle, &get), E_OUTOFMEMORY);
    agpu_check_eq_u64(t, get.CommandBufferSize, BUFFER + 1);
    close_callbacks(t, &d);
}

/* Waits and signals must refuse objects and counts that are wrong, and work with the nearest that are right. */
static void waits_refused(struct agpu_test *t)
{
    struct callbacks_device d, other;
    D3DDDICB_CREATECONTEXT second = {0};
    D3DDDICB_RENDER args;

    agpu_return_unless(open_callbacks(t, &d));
    agpu_check_hr(t, d.cb->pfnCreateContextCb(d.handle, &second), S_OK);
    const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT bad[] = {
        {d.context.hContext, 0, {d.sync}, 1, 0},  {d.context.hContext, 2, {d.sync}, 1, 0},
        {d.context.hContext, 1, {UNKNOWN}, 1, 0}, {d.context.hContext, 1, {0}, 1, 0},
        {second.hContext, 1, {d.sync}, 1, 0},     {NULL, 1, {d.sync}, 1, 0},
    };
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT wait = {d.context.hContext, 1, {d.sync}, 0, 0};
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT sync = {.hContext = d.context.hContext};
    D3DDDICB_QUERYCOMPLETEDFENCE query = {.hContext = &d};

    agpu_check_hr(t, d.cb->pfnWaitForSynchronizationObjectCb(d.handle, NULL), E_INVALIDARG);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        agpu_check_hr(t, d.cb->pfnWaitForSynchronizationObjectCb(d.handle, &bad[i]), E_INVALIDARG);
    }
    agpu_check_hr(t, d.cb->pfnWaitForSynchronizationObjectCb(d.handle, &wait), S_OK); /* value 0 */
    agpu_check_hr(t, d.cb->pfnCreateSynchronizationObjectCb(d.handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, d.cb->pfnCreateSynchronizationObjectCb(d.handle, &sync), E_INVALIDARG); /* one exists */
    sync.hContext = &d;
    agpu_check_hr(t, d.cb->pfnCreateSynchronizationObjectCb(d.handle, &sync), E_INVALIDARG);
    sync.hContext = second.hContext;
    agpu_check_hr(t, d.cb->pfnCreateSynchronizationObjectCb(d.handle, &sync), S_OK);
    agpu_check(t, sync.hSyncObject != d.sync);
    agpu_check_hr(t, d.cb->pfnQueryCompletedFenceCb(d.handle, NULL), E_INVALIDARG);
    agpu_check_hr(t, d.cb->pfnQueryCompletedFenceCb(d.handle, &query), E_INVALIDARG);
    query.hContext = d.context.hContext;
    write_empty_stream(&d, 0);
    args = (D3DDDICB_RENDER){.hContext = d.context.hContext,
                             .CommandLength = sizeof(struct aerogpu_cmd_stream_header)};
    agpu_gate_hold(t);
    agpu_return_unless(agpu_check_hr(t, d.cb->pfnRenderCb(d.handle, &args), S_OK));
    wait.FenceValue = args.NewFenceValue;
    agpu_check_hr(t, d.cb->pfnWaitForSynchronizationObjectCb(d.handle, &wait), HRESULT_NT_GPU_BUSY);
    agpu_check_hr(t, d.cb->pfnQueryCompletedFenceCb(d.handle, &query), S_OK);
    agpu_check(t, query.FenceValue < wait.FenceValue);
    agpu_gate_open(t);
    wait.Timeout = AGPU_WAIT_INFINITE;
    agpu_check_hr(t, d.cb->pfnWaitForSynchronizationObjectCb(d.handle, &wait), S_OK);
    agpu_check_hr(t, d.cb->pfnQueryCompletedFenceCb(d.handle, &query), S_OK);
    agpu_check_eq_u64(t, query.FenceValue, wait.FenceValue);
    wait.Timeout = AGPU_WAIT_POLL;
    agpu_check_hr(t, d.cb->pfnWaitForSynchronizationObjectCb(d.handle, &wait), S_OK);
    other = d; /* the second context of the same device has a fence object of its own */
    other.context = second;
    other.sync = sync.hSyncObject;
    agpu_check_hr(t,
                  d.cb->pfnDestroySynchronizationObjectCb(
                      d.handle, &(D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT){other.sync}),
                  S_OK);
    agpu_check_hr(t, d.cb->pfnDestroyContextCb(d.handle, &(D3DDDICB_DESTROYCONTEXT){second.hContext}), S_OK);
    close_callbacks(t, &d);
}

/* Queries must report committed memory, and the address of a locked range only inside its allocation. */
static void queries_answered(struct agpu_test *t)
{
    const struct agpu_vidmm *vm = &agpu_runtime_kmd(t->env->umd.runtime)->vm;
    struct agpu_segment_report segment;
    struct callbacks_device d;
    D3DDDICB_LOCK lock;
    uint32_t where = 0;
    uint64_t address = 0;
    void *data;

    agpu_return_unless(open_callbacks(t, &d));
    const struct agpu_create_trace *made = &vm->trace[(vm->trace_count - 1) % AGPU_CREATE_TRACE];
    agpu_check(t, made->sequence == vm->trace_count && made->alloc_id != 0 && made->size == 5000);
    agpu_check(t, made->flags_in == 0 && made->flags_out == AGPU_ALLOCATION_CPU_VISIBLE);
    const uint64_t before = agpu_query_segment(vm, 1, &segment) ? segment.committed : 0;
    agpu_check(t, !agpu_query_placement(vm, PROCESS, d.allocation, &where, &address)); /* no pages yet */
    agpu_check(t, !agpu_query_placement(vm, PROCESS, UNKNOWN, &where, &address));
    agpu_check_eq_hex(t, (uint32_t)agpu_query_lock_range(vm, PROCESS, UNKNOWN, 1, 0, 1, &data),
                      (uint32_t)STATUS_INVALID_PARAMETER);
    lock = (D3DDDICB_LOCK){.hAllocation = d.allocation};
    agpu_return_unless(agpu_check_hr(t, d.cb->pfnLockCb(d.handle, &lock), S_OK));
    agpu_check_eq_u64(t, lock.Pitch, 0);
    agpu_check_eq_u64(t, lock.SlicePitch, 0);
    agpu_check(t, agpu_query_segment(vm, 1, &segment));
    agpu_check_eq_u64(t, segment.committed - before, 8192); /* 5000 bytes in pages */
    agpu_check(t, agpu_query_placement(vm, PROCESS, d.allocation, &where, &address));
    agpu_check(t, where == AGPU_SEGMENT_SYSTEM && address != 0);
    agpu_check(t, !agpu_query_placement(vm, PROCESS + 1, d.allocation, &where, &address));
    static const struct {
        uint32_t segment;
        uint64_t offset, size;
        NTSTATUS status;
    } rows[] = {
        {1, 0, 5000, STATUS_SUCCESS},           {1, 4999, 1, STATUS_SUCCESS},
        {1, 5000, 0, STATUS_SUCCESS},           {1, 5001, 0, STATUS_INVALID_PARAMETER},
        {1, 0, 5001, STATUS_INVALID_PARAMETER}, {1, 4999, 2, STATUS_INVALID_PARAMETER},
        {2, 0, 1, STATUS_NOT_SUPPORTED},        {1, 1, UINT64_MAX, STATUS_INVALID_PARAMETER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        data = NULL;
        agpu_check_eq_hex(t,
                          (uint32_t)agpu_query_lock_range(vm, PROCESS, d.allocation, rows[i].segment,
                                                          rows[i].offset, rows[i].size, &data),
                          (uint32_t)rows[i].status);
        agpu_check_eq_ptr(t, data,
                          rows[i].status == STATUS_SUCCESS ? (uint8_t *)lock.pData + rows[i].offset : NULL);
    }
    agpu_check_hr(t, unlock(&d, 1, &d.allocation), S_OK);
    agpu_check_hr(t, unlock(&d, 1, &d.allocation), E_INVALIDARG);
    agpu_check_eq_hex(t, (uint32_t)agpu_query_lock_range(vm, PROCESS, d.allocation, 1, 0, 1, &data),
                      (uint32_t)STATUS_INVALID_PARAMETER);
    close_callbacks(t, &d);
}

#define CALLBACKS(name, section, function, ...)                                                              \
    AGPU_STACK_CASE("vidmm.callbacks." name, section, T, 0, .body = function,                                \
                    .configure = callbacks_small_buffers, __VA_ARGS__)

static const struct agpu_case vidmm_callbacks_cases[] = {
    CALLBACKS("allocations_refused", "vidmm.md 3.1", allocations_refused, .peer = 0),
    CALLBACKS("submissions_refused", "vidmm.md 6.5", submissions_refused, .peer = 0),
    CALLBACKS("waits_refused", "umd.md 4", waits_refused, .gate = true),
    CALLBACKS("queries_answered", "vidmm.md 10", queries_answered, .peer = 0),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_callbacks, vidmm_callbacks_cases);
