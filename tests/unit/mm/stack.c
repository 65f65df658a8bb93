/* stack.c: opens and closes the runtime stand-in; helpers around its callbacks. */
#include "stack.h"
#include "tests/unit/test.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

void stack_open(struct stack *s, const struct agpu_runtime_config *config)
{
    memset(s, 0, sizeof *s);
    fake_machine_init(&s->machine);
    struct agpu_runtime_config c = fake_runtime_config(&s->machine);
    if (config != NULL) {
        c = *config;
        c.platform = &s->machine.platform;
        c.transport = &s->machine.transport;
    }
    s->runtime = agpu_runtime_open(&c);
    assert_non_null(s->runtime);
    s->device = agpu_runtime_device_create(s->runtime, 1);
    assert_non_null(s->device);
    s->cb = agpu_runtime_device_callbacks();
    assert_int_equal(s->cb->pfnCreateContextCb(s->device, &s->context), S_OK);
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT sync = {.hContext = s->context.hContext};
    assert_int_equal(s->cb->pfnCreateSynchronizationObjectCb(s->device, &sync), S_OK);
    s->sync = sync.hSyncObject;
    s->next_id = 1;
}

struct agpu_runtime_leaks stack_close_leaking(struct stack *s)
{
    struct agpu_runtime_leaks leaks;

    s->machine.on_relax = fake_complete_next;
    s->machine.fail_at = s->machine.fail_from = 0;
    /* Destroys what a driver destroys, unless the test has done so. */
    const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT sync = {s->sync};
    const D3DDDICB_DESTROYCONTEXT context = {s->context.hContext};
    s->cb->pfnDestroySynchronizationObjectCb(s->device, &sync);
    if (context.hContext != NULL) {
        s->cb->pfnDestroyContextCb(s->device, &context);
    }
    agpu_runtime_device_destroy(s->device);
    agpu_runtime_close(s->runtime, &leaks);
    fake_machine_check_empty(&s->machine);
    assert_int_equal(leaks.heap_blocks, 0);
    assert_int_equal(leaks.heap_bytes, 0);
    assert_int_equal(leaks.dma_blocks, 0);
    assert_int_equal(leaks.committed_bytes, 0);
    assert_int_equal(leaks.swap_bytes, 0);
    return leaks;
}

void stack_close(struct stack *s)
{
    struct agpu_runtime_leaks leaks = stack_close_leaking(s);

    assert_int_equal(leaks.devices, 0); /* contexts created by single tests are destroyed with their device */
    assert_int_equal(leaks.allocations | leaks.resources, 0);
    assert_int_equal(leaks.locks | leaks.umd_heap_blocks, 0);
}

struct agpu_vidmm *stack_vm(struct stack *s)
{
    return &agpu_runtime_kmd(s->runtime)->vm;
}

struct agpu_kmd *stack_kmd(struct stack *s)
{
    return agpu_runtime_kmd(s->runtime);
}

void stack_set_budget(struct stack *s, uint64_t bytes)
{
    stack_vm(s)->segments[0].budget = stack_vm(s)->config.budget = bytes;
}

struct aerogpu_wddm_alloc_priv_v2 stack_blob(uint32_t id, uint64_t size, uint32_t flags)
{
    return (struct aerogpu_wddm_alloc_priv_v2){.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC,
                                               .version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2,
                                               .alloc_id = id,
                                               .flags = flags | AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE,
                                               .size_bytes = size,
                                               .kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER};
}

HRESULT stack_try_allocate(struct stack *s, uint64_t size, unsigned kind, struct surface *out)
{
    uint32_t flags = 0;

    if (kind & STAGING) {
        flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING;
    }
    if (kind & SHARED) {
        flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
    }
    struct aerogpu_wddm_alloc_priv_v2 blob = stack_blob(s->next_id++, size, flags);
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = kind & NO_BLOB ? NULL : &blob,
                                  .PrivateDriverDataSize = kind & NO_BLOB ? 0 : sizeof blob,
                                  .Size = size,
                                  .SupportedReadSegmentSet = 3,
                                  .SupportedWriteSegmentSet = 3};
    info.Flags.Primary = (kind & PRIMARY) != 0;
    D3DDDICB_ALLOCATE args = {.NumAllocations = 1, .pAllocationInfo = &info};
    args.Flags.CreateResource = 1;
    args.Flags.CreateShared = (kind & SHARED) != 0;
    HRESULT hr = s->cb->pfnAllocateCb(s->device, &args);
    *out = (struct surface){.handle = info.hAllocation,
                            .resource = args.hKMResource,
                            .id = blob.alloc_id,
                            .token = blob.share_token,
                            .size = info.Size};
    return hr;
}

struct surface stack_allocate(struct stack *s, uint64_t size, unsigned kind)
{
    struct surface surface;

    assert_int_equal(stack_try_allocate(s, size, kind, &surface), S_OK);
    assert_true(surface.handle != 0 && surface.resource != 0);
    return surface;
}

void stack_free(struct stack *s, const struct surface *surface)
{
    D3DDDICB_DEALLOCATE args = {
        .hKMResource = surface->resource, .NumAllocations = 1, .HandleList = &surface->handle};

    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &args), S_OK);
}

HRESULT stack_try_lock(struct stack *s, struct surface *surface, uint32_t flags, void **data)
{
    D3DDDICB_LOCK args = {.hAllocation = surface->handle, .Flags = {.Value = flags}};
    HRESULT hr = s->cb->pfnLockCb(s->device, &args);

    if (hr == S_OK) {
        surface->handle = args.hAllocation;
    }
    if (data != NULL) {
        *data = args.pData;
    }
    return hr;
}

void *stack_lock(struct stack *s, struct surface *surface, uint32_t flags)
{
    void *data = NULL;

    assert_int_equal(stack_try_lock(s, surface, flags, &data), S_OK);
    assert_non_null(data);
    assert_int_equal((uintptr_t)data % AGPU_PAGE_SIZE, 0);
    return data;
}

HRESULT stack_unlock(struct stack *s, D3DKMT_HANDLE handle)
{
    D3DDDICB_UNLOCK args = {1, &handle};

    return s->cb->pfnUnlockCb(s->device, &args);
}

void stack_fill(struct stack *s, struct surface *surface, uint8_t value)
{
    memset(stack_lock(s, surface, LOCK_WRITE), value, surface->size);
    assert_int_equal(stack_unlock(s, surface->handle), S_OK);
}

void stack_expect(struct stack *s, struct surface *surface, uint8_t value)
{
    const uint8_t *bytes = stack_lock(s, surface, LOCK_READ);

    for (uint64_t i = 0; i < surface->size; i++) {
        if (bytes[i] != value) {
            assert_int_equal(bytes[i], value);
        }
    }
    assert_int_equal(stack_unlock(s, surface->handle), S_OK);
}

void stack_use(struct stack *s, D3DKMT_HANDLE handle, bool write)
{
    uint32_t i = 0;

    while (s->context.pAllocationList[i].hAllocation != 0) {
        i++;
    }
    assert_true(i < s->context.AllocationListSize);
    s->context.pAllocationList[i] = (D3DDDI_ALLOCATIONLIST){.hAllocation = handle, .WriteOperation = write};
}

HRESULT stack_try_render(struct stack *s, const void *packet, uint32_t packet_size)
{
    const struct aerogpu_cmd_hdr nop = {AEROGPU_CMD_NOP, sizeof nop};

    if (packet == NULL) {
        packet = &nop;
        packet_size = sizeof nop;
    }
    struct aerogpu_cmd_stream_header header = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                                               .abi_version = AEROGPU_ABI_VERSION_U32,
                                               .size_bytes = (uint32_t)sizeof header + packet_size};
    uint8_t *out = s->context.pCommandBuffer;
    memcpy(out, &header, sizeof header);
    memcpy(out + sizeof header, packet, packet_size);
    AGPU_DMA_PRIV priv = {.Type = AGPU_DMA_PRIV_RENDER};
    memcpy(s->context.pDmaBufferPrivateData, &priv, sizeof priv);
    uint32_t count = 0;
    while (count < s->context.AllocationListSize && s->context.pAllocationList[count].hAllocation != 0) {
        count++;
    }
    s->rendered = (D3DDDICB_RENDER){
        .hContext = s->context.hContext, .CommandLength = header.size_bytes, .NumAllocations = count};
    HRESULT hr = s->cb->pfnRenderCb(s->device, &s->rendered);
    if (hr == S_OK) {
        s->context.pCommandBuffer = s->rendered.pNewCommandBuffer;
        s->context.pAllocationList = s->rendered.pNewAllocationList;
        s->context.pDmaBufferPrivateData = s->rendered.pNewDmaBufferPrivateData;
    }
    return hr;
}

uint64_t stack_render(struct stack *s)
{
    assert_int_equal(stack_try_render(s, NULL, 0), S_OK);
    return s->rendered.NewFenceValue;
}

uint64_t stack_submit_with(struct stack *s, D3DKMT_HANDLE handle, bool write)
{
    stack_use(s, handle, write);
    return stack_render(s);
}
