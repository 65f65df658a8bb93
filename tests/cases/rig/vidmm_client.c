/* vidmm_client.c: the client's process, its command buffer and its allocations. */
#include "tests/cases/rig/vidmm_client.h"

#include <string.h>

#include "mm/kmd/query.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "tests/cases/rig/env.h"

#define PROCESS      3u
#define PACKET_MAX   4096u
#define MEMORIES_MAX 128u

/* One case runs at a time. */
static struct agpu_client {
    struct agpu_runtime *runtime;
    struct agpu_runtime_device *device;
    HANDLE handle;
    const D3DDDI_DEVICECALLBACKS *callbacks;
    HANDLE context, beside;
    uint8_t *command;
    uint32_t command_bytes, used;
    void *private_data;
    D3DDDI_ALLOCATIONLIST *list;
    uint32_t list_entries, listed;
    bool overflow;
    uint32_t spill[PACKET_MAX / 4]; /* receives packets that do not fit */
    struct {
        D3DKMT_HANDLE allocation, resource;
    } alive[MEMORIES_MAX];
} client;

static const struct aerogpu_cmd_stream_header empty_stream = {
    .magic = AEROGPU_CMD_STREAM_MAGIC,
    .abi_version = AEROGPU_ABI_VERSION_U32,
    .size_bytes = sizeof empty_stream,
};

static void vidmm_client_begin(void)
{
    struct aerogpu_cmd_stream_header *header = (struct aerogpu_cmd_stream_header *)(void *)client.command;

    *header = empty_stream;
    client.used = sizeof *header;
    client.listed = 0;
    client.overflow = false;
}

bool agpu_client_open(struct agpu_test *test)
{
    D3DDDICB_CREATECONTEXT args = {0};

    memset(&client, 0, sizeof client);
    client.runtime = test->env->umd.runtime;
    client.device = agpu_runtime_device_create(client.runtime, PROCESS);
    if (!agpu_check(test, client.device != NULL)) {
        return false;
    }
    client.handle = agpu_runtime_device_handle(client.device).handle;
    client.callbacks = agpu_runtime_device_callbacks();
    if (!agpu_check_hr(test, client.callbacks->pfnCreateContextCb(client.handle, &args), S_OK)) {
        return false;
    }
    client.context = args.hContext;
    client.command = args.pCommandBuffer;
    client.command_bytes = args.CommandBufferSize;
    client.private_data = args.pDmaBufferPrivateData;
    client.list = args.pAllocationList;
    client.list_entries = args.AllocationListSize;
    vidmm_client_begin();
    return true;
}

static void vidmm_client_forget(D3DKMT_HANDLE allocation)
{
    for (unsigned i = 0; i < MEMORIES_MAX; i++) {
        if (client.alive[i].allocation == allocation) {
            client.alive[i].allocation = client.alive[i].resource = 0;
        }
    }
}

static void vidmm_client_deallocate(D3DKMT_HANDLE allocation, D3DKMT_HANDLE resource)
{
    D3DDDICB_DEALLOCATE args = {.hKMResource = resource, .NumAllocations = 1, .HandleList = &allocation};

    client.callbacks->pfnDeallocateCb(client.handle, &args);
}

void agpu_client_close(struct agpu_test *test)
{
    if (client.device == NULL) {
        return;
    }
    (void)test;
    for (unsigned i = 0; i < MEMORIES_MAX; i++) {
        if (client.alive[i].allocation != 0) {
            vidmm_client_deallocate(client.alive[i].allocation, client.alive[i].resource);
        }
    }
    for (unsigned i = 0; i < 2; i++) { /* a context that was not created is refused */
        D3DDDICB_DESTROYCONTEXT args = {.hContext = i == 0 ? client.context : client.beside};

        client.callbacks->pfnDestroyContextCb(client.handle, &args);
    }
    agpu_runtime_device_destroy(client.device);
    client.device = NULL;
}

static uint32_t next_number(void)
{
    const struct agpu_umd_environment *environment =
        agpu_runtime_adapter_callbacks(client.runtime)->pEnvironment;

    return environment->next_handle(environment->ctx);
}

HRESULT agpu_client_alloc_only(uint32_t bytes, struct agpu_client_memory *out)
{
    return agpu_client_alloc_in(bytes, 1u << (AGPU_SEGMENT_SYSTEM - 1), out);
}

static unsigned vidmm_client_slot(void)
{
    unsigned slot = 0;

    while (slot < MEMORIES_MAX && client.alive[slot].allocation != 0) {
        slot++;
    }
    return slot;
}

HRESULT agpu_client_allocate(struct agpu_client_wish *wish, struct agpu_client_memory *out)
{
    const uint32_t segments = wish->segments != 0 ? wish->segments : 1u << (AGPU_SEGMENT_SYSTEM - 1);
    struct aerogpu_wddm_alloc_priv_v2 blob = {
        .magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC,
        .version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2,
        .alloc_id = next_number() & 0x7FFFFFFFu,
        .flags = (wish->not_cpu_visible ? 0 : AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE) |
                 (wish->shared ? AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED : 0),
        .size_bytes = wish->bytes,
        .reserved0 = wish->pitch,
        .kind = wish->width != 0 ? AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D : AEROGPU_WDDM_ALLOC_KIND_BUFFER,
        .width = wish->width,
        .height = wish->height,
        .format = wish->dxgi_format,
        .row_pitch_bytes = wish->pitch,
    };
    D3DDDI_ALLOCATIONINFO info = {
        .pPrivateDriverData = &blob,
        .PrivateDriverDataSize = sizeof blob,
        .Size = wish->bytes,
        .SupportedReadSegmentSet = segments,
        .SupportedWriteSegmentSet = segments,
        .Flags.Primary = wish->primary,
    };
    D3DDDICB_ALLOCATE args = {
        .NumAllocations = 1,
        .pAllocationInfo = &info,
        .Flags = {.CreateResource = 1,
                  .CreateShared = wish->shared,
                  .Primary = wish->primary,
                  .CrossAdapter = wish->cross_adapter},
        .ResourceFlags = {.Texture = wish->texture},
    };
    const unsigned slot = vidmm_client_slot();
    HRESULT hr;

    *out = (struct agpu_client_memory){0};
    if (slot == MEMORIES_MAX) {
        return E_OUTOFMEMORY;
    }
    hr = client.callbacks->pfnAllocateCb(client.handle, &args);
    if (FAILED(hr)) {
        return hr;
    }
    wish->token = blob.share_token;
    wish->granted_pitch = blob.row_pitch_bytes;
    wish->granted_bytes = (uint32_t)info.Size;
    *out = (struct agpu_client_memory){.allocation = info.hAllocation,
                                       .resource = args.hKMResource,
                                       .alloc_id = blob.alloc_id,
                                       .bytes = (uint32_t)info.Size};
    client.alive[slot].allocation = info.hAllocation;
    client.alive[slot].resource = args.hKMResource;
    return S_OK;
}

HRESULT agpu_client_alloc_in(uint32_t bytes, uint32_t segments, struct agpu_client_memory *out)
{
    struct agpu_client_wish wish = {.bytes = bytes, .segments = segments};

    return agpu_client_allocate(&wish, out);
}

HRESULT agpu_client_open_shared(uint64_t token, struct agpu_client_memory *out)
{
    struct aerogpu_wddm_alloc_priv_v2 blob = {0};
    const unsigned slot = vidmm_client_slot();
    uint32_t blob_size = 0;
    D3DKMT_HANDLE allocation = 0;
    HRESULT hr;

    *out = (struct agpu_client_memory){0};
    if (slot == MEMORIES_MAX) {
        return E_OUTOFMEMORY;
    }
    hr = agpu_runtime_open_shared(client.device, token, &allocation, (uint8_t *)&blob, &blob_size);
    if (FAILED(hr)) {
        return hr;
    }
    *out = (struct agpu_client_memory){
        .allocation = allocation, .alloc_id = blob.alloc_id, .bytes = (uint32_t)blob.size_bytes};
    client.alive[slot].allocation = allocation;
    client.alive[slot].resource = 0;
    return S_OK;
}

uint32_t agpu_client_segment(const struct agpu_client_memory *memory)
{
    uint64_t address;
    uint32_t segment = 0;

    agpu_query_placement(&agpu_runtime_kmd(client.runtime)->vm, PROCESS, memory->allocation, &segment,
                         &address);
    return segment;
}

uint64_t agpu_client_address(const struct agpu_client_memory *memory)
{
    uint64_t address = 0;
    uint32_t segment;

    agpu_query_placement(&agpu_runtime_kmd(client.runtime)->vm, PROCESS, memory->allocation, &segment,
                         &address);
    return address;
}

static void put_dirty(const struct agpu_client_memory *memory, uint32_t bytes)
{
    struct aerogpu_cmd_resource_dirty_range *dirty =
        agpu_client_packet(AEROGPU_CMD_RESOURCE_DIRTY_RANGE, sizeof *dirty);

    agpu_client_list(memory->allocation, false);
    dirty->resource_handle = memory->buffer;
    dirty->size_bytes = bytes;
}

bool agpu_client_alloc(struct agpu_test *test, uint32_t bytes, struct agpu_client_memory *out)
{
    if (!agpu_check_hr(test, agpu_client_alloc_only(bytes, out), S_OK)) {
        return false;
    }
    agpu_client_make_buffer(out);
    return true;
}

void agpu_client_make_buffer(struct agpu_client_memory *memory)
{
    struct aerogpu_cmd_create_buffer *create;

    memory->buffer = next_number();
    create = agpu_client_packet(AEROGPU_CMD_CREATE_BUFFER, sizeof *create);
    create->buffer_handle = memory->buffer;
    create->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
    create->size_bytes = memory->bytes;
    create->backing_alloc_id = memory->alloc_id;
    put_dirty(memory, memory->bytes);
}

void agpu_client_free(struct agpu_test *test, struct agpu_client_memory *memory)
{
    if (memory->buffer != 0) {
        struct aerogpu_cmd_destroy_resource *destroy =
            agpu_client_packet(AEROGPU_CMD_DESTROY_RESOURCE, sizeof *destroy);

        destroy->resource_handle = memory->buffer;
        agpu_client_submit(test);
    }
    vidmm_client_deallocate(memory->allocation, memory->resource);
    vidmm_client_forget(memory->allocation);
}

HRESULT agpu_client_lock(struct agpu_client_memory *memory, uint32_t flags)
{
    D3DDDICB_LOCK args = {.hAllocation = memory->allocation, .Flags = {.Value = flags}};
    HRESULT hr = client.callbacks->pfnLockCb(client.handle, &args);

    if (hr != S_OK) {
        return hr;
    }
    memory->data = args.pData;
    for (unsigned i = 0; i < MEMORIES_MAX; i++) {
        if (client.alive[i].allocation == memory->allocation) {
            client.alive[i].allocation = args.hAllocation;
        }
    }
    memory->allocation = args.hAllocation;
    return S_OK;
}

HRESULT agpu_client_unlock(struct agpu_client_memory *memory)
{
    D3DDDICB_UNLOCK args = {.NumAllocations = 1, .phAllocations = &memory->allocation};

    return client.callbacks->pfnUnlockCb(client.handle, &args);
}

bool agpu_client_write(struct agpu_test *test, struct agpu_client_memory *memory, uint32_t flags,
                       const void *data, uint32_t bytes)
{
    if (!agpu_check_hr(test, agpu_client_lock(memory, flags | AGPU_LOCK_WRITE), S_OK)) {
        return false;
    }
    memcpy(memory->data, data, bytes);
    if (!agpu_check_hr(test, agpu_client_unlock(memory), S_OK)) {
        return false;
    }
    put_dirty(memory, memory->bytes);
    return true;
}

bool agpu_client_check_at(struct agpu_test *test, struct agpu_client_memory *memory, const void *expected,
                          uint32_t bytes, struct agpu_where where)
{
    bool ok;

    if (!agpu_check_u64(test, (uint32_t)agpu_client_lock(memory, AGPU_LOCK_READ), S_OK, "LockCb(ReadOnly)",
                        true, where)) {
        return false;
    }
    ok = agpu_check_memory(test, memory->data, expected, bytes, "bytes seen under a read lock", where);
    return agpu_check_u64(test, (uint32_t)agpu_client_unlock(memory), S_OK, "UnlockCb", true, where) && ok;
}

void *agpu_client_packet(uint32_t opcode, uint32_t size)
{
    struct aerogpu_cmd_hdr *packet;
    bool fits = size <= client.command_bytes - client.used;

    packet = (struct aerogpu_cmd_hdr *)(fits ? (void *)(client.command + client.used) : client.spill);
    memset(packet, 0, size);
    packet->opcode = opcode;
    packet->size_bytes = size;
    if (fits) {
        client.used += size;
    } else {
        client.overflow = true;
    }
    return packet;
}

void agpu_client_nop(void)
{
    agpu_client_packet(AEROGPU_CMD_NOP, sizeof(struct aerogpu_cmd_hdr));
}

const void *agpu_client_buffer(void)
{
    return client.command;
}

void agpu_client_fill(uint32_t bytes)
{
    const uint32_t step = 2048;

    for (uint32_t used = client.used; used < bytes && used < client.command_bytes; used = client.used) {
        uint32_t left = (bytes < client.command_bytes ? bytes : client.command_bytes) - used;

        if (left < sizeof(struct aerogpu_cmd_hdr)) {
            return;
        }
        /* The last one also takes a rest too small for a packet. */
        agpu_client_packet(AEROGPU_CMD_NOP, left < 2 * step ? left : step);
    }
}

void agpu_client_list(D3DKMT_HANDLE allocation, bool write)
{
    if (client.listed == client.list_entries) {
        client.overflow = true;
        return;
    }
    client.list[client.listed++] =
        (D3DDDI_ALLOCATIONLIST){.hAllocation = allocation, .WriteOperation = write};
}

void agpu_client_copy(const struct agpu_client_memory *dst, const struct agpu_client_memory *src)
{
    struct aerogpu_cmd_copy_buffer *copy = agpu_client_packet(AEROGPU_CMD_COPY_BUFFER, sizeof *copy);

    copy->dst_buffer = dst->buffer;
    copy->src_buffer = src->buffer;
    copy->size_bytes = dst->bytes < src->bytes ? dst->bytes : src->bytes;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    agpu_client_list(dst->allocation, true);
    agpu_client_list(src->allocation, false);
}

HRESULT agpu_client_render(void)
{
    struct aerogpu_cmd_stream_header *header = (struct aerogpu_cmd_stream_header *)(void *)client.command;
    D3DDDICB_RENDER args = {
        .hContext = client.context, .CommandLength = client.used, .NumAllocations = client.listed};
    HRESULT hr;

    *(AGPU_DMA_PRIV *)client.private_data = (AGPU_DMA_PRIV){.Type = AGPU_DMA_PRIV_RENDER};
    if (client.overflow) {
        vidmm_client_begin();
        return E_INVALIDARG;
    }
    header->size_bytes = client.used;
    hr = client.callbacks->pfnRenderCb(client.handle, &args);
    if (SUCCEEDED(hr)) {
        client.command = args.pNewCommandBuffer;
        client.command_bytes = args.NewCommandBufferSize;
        client.private_data = args.pNewDmaBufferPrivateData;
        client.list = args.pNewAllocationList;
        client.list_entries = args.NewAllocationListSize;
    }
    vidmm_client_begin();
    return hr;
}

HRESULT agpu_client_render_beside(D3DKMT_HANDLE allocation)
{
    D3DDDICB_CREATECONTEXT context = {0};
    D3DDDICB_RENDER args = {.CommandLength = sizeof empty_stream, .NumAllocations = 1};
    HRESULT hr = client.callbacks->pfnCreateContextCb(client.handle, &context);

    if (FAILED(hr)) {
        return hr;
    }
    args.hContext = client.beside = context.hContext;
    memcpy(context.pCommandBuffer, &empty_stream, sizeof empty_stream);
    *(AGPU_DMA_PRIV *)context.pDmaBufferPrivateData = (AGPU_DMA_PRIV){.Type = AGPU_DMA_PRIV_RENDER};
    context.pAllocationList[0] = (D3DDDI_ALLOCATIONLIST){.hAllocation = allocation};
    return client.callbacks->pfnRenderCb(client.handle, &args);
}

HRESULT agpu_client_lost(void)
{
    return agpu_runtime_device_lost(client.device);
}

void agpu_client_forget(void)
{
    memset(&client, 0, sizeof client);
}
