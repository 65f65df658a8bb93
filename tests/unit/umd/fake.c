/* fake.c: the recording callback table. */
#include "tests/unit/umd/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/guarded_heap.h"

#define UNWRITTEN     0xA5
#define DEVICE_COOKIE ((HANDLE)(uintptr_t)0xD371CEu)

/* The callbacks get runtime handles, which are pointers to the fake. */
static struct fake *of(HANDLE device)
{
    return device;
}

/* Counts the call. Returns an error that the call must return at once, or S_OK. */
static HRESULT enter(struct fake *fake, enum fake_call call)
{
    fake->calls[call]++;
    fake->total_calls++;
    if (fake->event_count < FAKE_MAX_EVENTS) {
        fake->events[fake->event_count++] = (uint8_t)call;
    }
    if (fake->fail_at && --fake->fail_at == 0) {
        return fake->fail_at_code;
    }
    return fake->fail[call];
}

static void *aligned(size_t size, size_t alignment)
{
    void *memory = NULL;

    if (posix_memalign(&memory, alignment, size ? size : 1)) {
        abort();
    }
    memset(memory, 0xEE, size); /* so that unwritten bytes show */
    return memory;
}

struct fake_allocation *fake_find(struct fake *fake, D3DKMT_HANDLE handle)
{
    for (uint32_t i = 0; i < fake->allocation_count; i++) {
        if (fake->allocations[i].handle == handle && !fake->allocations[i].freed) {
            return &fake->allocations[i];
        }
    }
    return NULL;
}

static D3DKMT_HANDLE take_handle(struct fake *fake)
{
    if (fake->null_handle) {
        return 0;
    }
    if (fake->sequence != NULL && *fake->sequence) {
        return *fake->sequence++;
    }
    return fake->next_handle++;
}

static HRESULT allocate(HANDLE device, D3DDDICB_ALLOCATE *args)
{
    struct fake *fake = of(device);
    HRESULT hr = enter(fake, FAKE_ALLOCATE);

    if (FAILED(hr)) {
        return hr;
    }
    D3DDDI_ALLOCATIONINFO *info = &args->pAllocationInfo[0];
    struct aerogpu_wddm_alloc_priv_v2 *blob = info->pPrivateDriverData;
    bool wdk = fake->options.backing_mode == AGPU_BACKING_WDK;
    uint64_t bytes = info->Size;
    if (blob->kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D && fake->pitch_multiple) {
        uint32_t multiple = fake->pitch_multiple;
        uint32_t pitch = (blob->row_pitch_bytes + multiple - 1) / multiple * multiple;

        bytes +=
            (uint64_t)(pitch - blob->row_pitch_bytes) * blob->height * 16; /* layers are not in the blob */
        blob->row_pitch_bytes = pitch;
    }
    if (fake->force_pitch) {
        bytes += (uint64_t)fake->force_pitch * blob->height;
        blob->row_pitch_bytes = fake->force_pitch;
    }
    if (fake->force_alloc_id) {
        blob->alloc_id = fake->force_alloc_id;
    }
    if (!wdk || !info->Size || fake->force_pitch) {
        info->Size = (bytes + 255) / 256 * 256;
    }
    if (fake->force_bytes) {
        info->Size = fake->force_bytes;
    }
    if (fake->zero_bytes) {
        info->Size = 0;
    }
    info->hAllocation = take_handle(fake);
    if (!wdk) {
        blob->alloc_id = info->hAllocation ? info->hAllocation : 1;
    }
    if (args->Flags.CreateShared && !fake->null_token) {
        blob->share_token = 0x1000u + ++fake->token;
    }
    if (fake->allocation_count == FAKE_MAX_ALLOCATIONS) {
        abort();
    }
    struct fake_allocation *shared = info->hAllocation ? fake_find(fake, info->hAllocation) : NULL;
    struct fake_allocation *allocation = &fake->allocations[fake->allocation_count++];
    *allocation = (struct fake_allocation){
        .handle = info->hAllocation,
        .km_resource = fake->null_km ? 0 : info->hAllocation + 0x4000,
        .blob = *blob,
        .flags = args->Flags,
        .resource_flags = args->ResourceFlags,
        .info_flags = info->Flags,
        .asked_bytes = bytes,
        .bytes = info->Size,
    };
    size_t room = (size_t)(bytes > info->Size ? bytes : info->Size) + 4096;
    allocation->memory = shared != NULL ? shared->memory : aligned(room, 4096);
    if (shared == NULL) {
        memset(allocation->memory, UNWRITTEN, room); /* so that unwritten bytes show */
        allocation->slack = room - 4096;
    }
    args->hKMResource = allocation->km_resource;
    return S_OK;
}

static HRESULT deallocate(HANDLE device, const D3DDDICB_DEALLOCATE *args)
{
    struct fake *fake = of(device);
    HRESULT hr = enter(fake, FAKE_DEALLOCATE);

    if (FAILED(hr)) {
        return hr;
    }
    for (uint32_t i = 0; i < args->NumAllocations; i++) {
        struct fake_allocation *allocation = fake_find(fake, args->HandleList[i]);

        if (allocation == NULL) {
            return E_INVALIDARG;
        }
        allocation->freed = true;
    }
    return S_OK;
}

static HRESULT lock(HANDLE device, D3DDDICB_LOCK *args)
{
    struct fake *fake = of(device);

    fake->lock_flags = args->Flags;
    HRESULT hr = enter(fake, FAKE_LOCK);
    if (hr != S_OK) {
        args->hAllocation = 0x0BADBAD0; /* the outputs of a failed call are invalid */
        args->Pitch = 3;
        return hr;
    }
    struct fake_allocation *allocation = fake_find(fake, args->hAllocation);
    if (allocation == NULL) {
        return E_INVALIDARG;
    }
    if (fake->rename_on_discard && args->Flags.Discard) {
        struct fake_allocation *instance = &fake->allocations[fake->allocation_count++];

        *instance = *allocation;
        instance->handle = fake->next_handle++;
        instance->memory = aligned((size_t)instance->bytes + 4096, 4096);
        memset(instance->memory, 0x5A, (size_t)instance->bytes);
        memset(instance->memory + instance->bytes, UNWRITTEN, 4096);
        instance->slack = (size_t)instance->bytes;
        args->hAllocation = instance->handle;
        allocation = instance;
    }
    if (!fake->no_data) { /* otherwise pData is unchanged and nothing is locked */
        allocation->locks++;
        args->pData = allocation->memory + fake->data_offset;
        allocation->reach = fake->data_offset > allocation->reach ? fake->data_offset : allocation->reach;
    }
    if (fake->keep_pitch) {
        return S_OK;
    }
    if (fake->lock_pitch != 0 && fake->lock_pitch != UINT32_MAX) {
        allocation->reach = 4096; /* as if the memory were larger */
    }
    args->Pitch = fake->lock_pitch == UINT32_MAX ? allocation->blob.row_pitch_bytes : fake->lock_pitch;
    return S_OK;
}

static HRESULT unlock(HANDLE device, const D3DDDICB_UNLOCK *args)
{
    struct fake *fake = of(device);
    HRESULT hr = enter(fake, FAKE_UNLOCK);
    struct fake_allocation *allocation = fake_find(fake, args->phAllocations[0]);

    if (args->NumAllocations != 1 || allocation == NULL || !allocation->locks) {
        return E_INVALIDARG;
    }
    allocation->locks--;
    return hr;
}

static void capture(struct fake *fake, const D3DDDICB_RENDER *args, const D3DDDICB_PRESENT *present)
{
    if (fake->submission_count == FAKE_MAX_SUBMISSIONS || args->NumAllocations > 64) {
        abort();
    }
    struct fake_submission *submission = &fake->submissions[fake->submission_count++];
    *submission = (struct fake_submission){.bytes = args->CommandLength, .list_count = args->NumAllocations};
    submission->stream = malloc(args->CommandLength);
    memcpy(submission->stream, (uint8_t *)fake->dma[fake->current] + fake->command_offset,
           args->CommandLength);
    const uint32_t opcode = fake_reserved_used(submission->stream, args->CommandLength);
    if (opcode != 0) {
        fprintf(stderr, "a reserved member of packet 0x%x is not 0\n", (unsigned)opcode);
        abort();
    }
    memcpy(submission->list, fake->lists[fake->current], args->NumAllocations * sizeof submission->list[0]);
    memcpy(&submission->priv_type, fake->priv[fake->current], sizeof submission->priv_type);
    submission->fence = fake->fence;
    if (present != NULL) {
        submission->present = true;
        submission->present_source = present->hSrcAllocation;
        submission->sync_interval = present->SyncInterval;
    }
}

static void finish_render(struct fake *fake, D3DDDICB_RENDER *args, const D3DDDICB_PRESENT *present)
{
    fake->fence++;
    if (!fake->async) {
        fake->completed = fake->fence;
    }
    capture(fake, args, present);
    fake->current ^= 1;
    args->NewFenceValue = fake->no_fences ? 0 : fake->fence;
    args->pNewDmaBuffer = fake->dma[fake->current];
    args->pNewCommandBuffer = (uint8_t *)fake->dma[fake->current] + fake->command_offset;
    args->NewCommandBufferSize = fake->buffer_bytes;
    args->pNewAllocationList = fake->lists[fake->current];
    args->NewAllocationListSize = fake->list_entries;
    args->pNewPatchLocationList = fake->patches[fake->current];
    args->NewPatchLocationListSize = 1;
    args->pNewDmaBufferPrivateData = fake->priv[fake->current];
    args->NewDmaBufferPrivateDataSize = fake->priv_bytes;
}

static HRESULT render(HANDLE device, D3DDDICB_RENDER *args)
{
    struct fake *fake = of(device);
    HRESULT hr = enter(fake, FAKE_RENDER);

    if (SUCCEEDED(hr)) {
        finish_render(fake, args, NULL);
    }
    return hr;
}

static HRESULT present(HANDLE device, D3DDDICB_PRESENT *args)
{
    struct fake *fake = of(device);
    HRESULT hr = enter(fake, FAKE_PRESENT);

    if (SUCCEEDED(hr)) {
        finish_render(fake, args->pSubmission, args);
    }
    return hr;
}

static HRESULT create_context(HANDLE device, D3DDDICB_CREATECONTEXT *args)
{
    struct fake *fake = of(device);
    HRESULT hr = enter(fake, FAKE_CREATE_CONTEXT);

    if (FAILED(hr)) {
        return hr;
    }
    *args = (D3DDDICB_CREATECONTEXT){
        .hContext = DEVICE_COOKIE,
        .pDmaBuffer = fake->dma[fake->current],
        .pCommandBuffer = (uint8_t *)fake->dma[fake->current] + fake->command_offset,
        .CommandBufferSize = fake->buffer_bytes,
        .pAllocationList = fake->lists[fake->current],
        .AllocationListSize = fake->list_entries,
        .pPatchLocationList = fake->patches[fake->current],
        .PatchLocationListSize = 1,
        .pDmaBufferPrivateData = fake->priv_bytes ? fake->priv[fake->current] : NULL,
        .DmaBufferPrivateDataSize = fake->priv_bytes,
    };
    return S_OK;
}

static HRESULT destroy_context(HANDLE device, const D3DDDICB_DESTROYCONTEXT *args)
{
    (void)args;
    return enter(of(device), FAKE_DESTROY_CONTEXT);
}

static HRESULT create_fence(HANDLE device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT *args)
{
    args->hSyncObject = 0x77;
    return enter(of(device), FAKE_CREATE_FENCE);
}

static HRESULT destroy_fence(HANDLE device, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT *args)
{
    (void)args;
    return enter(of(device), FAKE_DESTROY_FENCE);
}

static HRESULT wait_fence(HANDLE device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *args)
{
    struct fake *fake = of(device);

    fake->wait_fence = args->FenceValue;
    fake->wait_timeout = args->Timeout;
    HRESULT hr = enter(fake, FAKE_WAIT);
    if (hr != S_OK) {
        return hr;
    }
    if (fake->completed >= args->FenceValue) {
        return S_OK;
    }
    if (args->Timeout == AGPU_WAIT_POLL) {
        return fake->busy_code ? fake->busy_code : HRESULT_NT_TIMEOUT;
    }
    if (fake->wait_result != S_OK) {
        return fake->wait_result;
    }
    fake->completed = args->FenceValue; /* a blocking wait ends when the work is done */
    return S_OK;
}

static HRESULT query_fence(HANDLE device, D3DDDICB_QUERYCOMPLETEDFENCE *args)
{
    struct fake *fake = of(device);

    args->FenceValue = fake->completed;
    return enter(fake, FAKE_QUERY_FENCE);
}

static HRESULT get_buffer(HANDLE device, D3DDDICB_GETCOMMANDBUFFER *args)
{
    struct fake *fake = of(device);
    HRESULT hr = enter(fake, FAKE_GET_BUFFER);

    if (FAILED(hr)) {
        return hr;
    }
    free(fake->dma[fake->current]);
    fake->dma[fake->current] = aligned(args->RequestedSize + fake->command_offset, 16);
    args->pDmaBuffer = fake->dma[fake->current];
    args->pCommandBuffer = (uint8_t *)fake->dma[fake->current] + fake->command_offset;
    args->CommandBufferSize = args->RequestedSize + fake->command_offset;
    args->pAllocationList = fake->lists[fake->current];
    args->AllocationListSize = fake->list_entries;
    args->pPatchLocationList = fake->patches[fake->current];
    args->PatchLocationListSize = 1;
    args->pDmaBufferPrivateData = fake->priv[fake->current];
    args->DmaBufferPrivateDataSize = fake->priv_bytes;
    return S_OK;
}

static void set_error(D3D10DDI_HRTCORELAYER core, HRESULT hr)
{
    struct fake *fake = core.handle;

    if (fake->error_count < 64) {
        fake->errors[fake->error_count] = hr;
    }
    fake->error_count++;
}

static HRESULT query_adapter(HANDLE adapter, const D3DDDICB_QUERYADAPTERINFO *args)
{
    struct fake *fake = of(adapter);

    memcpy(args->pPrivateDriverData, &fake->info, sizeof fake->info);
    return S_OK;
}

static void *heap_alloc(void *ctx, size_t size)
{
    struct fake *fake = ctx;

    if (FAILED(enter(fake, FAKE_HEAP))) {
        return NULL;
    }
    fake->live_blocks++;
    return guarded_alloc(size, 0xCC);
}

static void heap_free(void *ctx, void *memory)
{
    struct fake *fake = ctx;

    if (memory != NULL) {
        fake->live_blocks--;
    }
    guarded_free(memory);
}

static void log_line(void *ctx, const char *line)
{
    struct fake *fake = ctx;

    fake->log_lines++;
    fake->log[0] = 0;
    strncat(fake->log, line, sizeof fake->log - 1);
    strncat(fake->log_all, line, sizeof fake->log_all - strlen(fake->log_all) - 1);
    strncat(fake->log_all, "\n", sizeof fake->log_all - strlen(fake->log_all) - 1);
}

void fake_init(struct fake *fake, enum agpu_backing_mode mode)
{
    memset(fake, 0, sizeof *fake);
    fake->options.backing_mode = mode;
    fake->options.mirror_guest_memory = mode != AGPU_BACKING_WDK;
    fake->info = (struct aerogpu_umd_private_v1){
        .size_bytes = 64,
        .struct_version = 1,
        .device_abi_version_u32 = 0x10004,
        .device_features = AEROGPU_UMDPRIV_FEATURE_TRANSFER,
    };
    fake->env = (struct agpu_umd_environment){
        .ctx = fake,
        .heap_alloc = heap_alloc,
        .heap_free = heap_free,
        .log = log_line,
        .options = &fake->options,
    };
    fake->adapter_callbacks = (D3DDDI_ADAPTERCALLBACKS){query_adapter, &fake->env};
    fake->core_callbacks.pfnSetErrorCb = set_error;
    fake->callbacks = (D3DDDI_DEVICECALLBACKS){
        .pfnRenderCb = render,
        .pfnPresentCb = present,
        .pfnCreateContextCb = create_context,
        .pfnDestroyContextCb = destroy_context,
        .pfnCreateSynchronizationObjectCb = create_fence,
        .pfnDestroySynchronizationObjectCb = destroy_fence,
        .pfnWaitForSynchronizationObjectCb = wait_fence,
    };
    if (mode != AGPU_BACKING_HOST) {
        fake_add_backing(fake);
    }
    fake->pitch_multiple = mode == AGPU_BACKING_GUEST ? 64 : 0;
    fake->lock_pitch = mode == AGPU_BACKING_WDK ? UINT32_MAX : 0;
    fake->next_handle = 1;
    fake->buffer_bytes = 256 * 1024;
    fake->list_entries = 64;
    fake->priv_bytes = 16;
    for (uint32_t i = 0; i < 2; i++) {
        fake->dma[i] = aligned(fake->buffer_bytes + 4096, 16);
        fake->lists[i] = aligned(64 * sizeof(D3DDDI_ALLOCATIONLIST), 16);
    }
}

void fake_add_backing(struct fake *fake)
{
    fake->callbacks.pfnAllocateCb = allocate;
    fake->callbacks.pfnDeallocateCb = deallocate;
    fake->callbacks.pfnLockCb = lock;
    fake->callbacks.pfnUnlockCb = unlock;
}

void fake_add_query(struct fake *fake)
{
    fake->callbacks.pfnQueryCompletedFenceCb = query_fence;
}

void fake_add_get_buffer(struct fake *fake)
{
    fake->callbacks.pfnGetCommandBufferCb = get_buffer;
}

void fake_forget(struct fake *fake)
{
    for (uint32_t i = 0; i < fake->submission_count; i++) {
        free(fake->submissions[i].stream);
    }
    fake->submission_count = 0;
    fake->error_count = 0;
    fake->event_count = 0;
    fake->total_calls = 0;
    memset(fake->calls, 0, sizeof fake->calls);
}

/* Checks that the bytes after an allocation are unwritten. */
static void check_slack(const struct fake_allocation *allocation)
{
    size_t i = allocation->reach;

    if (allocation->memory == NULL || allocation->slack == 0 || i >= 4096 ||
        all_bytes_are(allocation->memory + allocation->slack + i, 4096 - i, UNWRITTEN)) {
        return;
    }
    while (allocation->memory[allocation->slack + i] == UNWRITTEN) {
        i++;
    }
    fprintf(stderr, "byte %zu behind allocation %u was written\n", i, (unsigned)allocation->handle);
    abort();
}

void fake_free(struct fake *fake)
{
    fake_forget(fake);
    for (uint32_t i = 0; i < fake->allocation_count; i++) {
        uint8_t *memory = fake->allocations[i].memory;

        for (uint32_t k = i + 1; k < fake->allocation_count; k++) {
            if (fake->allocations[k].memory == memory) {
                fake->allocations[k].memory = NULL;
            }
        }
        check_slack(&fake->allocations[i]);
        free(memory);
    }
    for (uint32_t i = 0; i < 2; i++) {
        free(fake->dma[i]);
        free(fake->lists[i]);
    }
}

void fake_complete(struct fake *fake, uint64_t fence)
{
    fake->completed = fence;
}
