/* standard.c: standard cross-adapter allocations: the kernel side writes the private data itself, like
 * DxgkDdiGetStandardAllocationDriverData, and exports the surface on the device (vidmm.md 9). */
#include "mm/runtime/standard.h"

#include "mm/runtime/context.h"
#include "mm/runtime/memory.h"
#include "mm/vidmm/create.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "umd-port/ddi/d3d10ddihandle.h"

#define KERNEL_PROCESS (AGPU_PROCESS_LIMIT - 1u)
#define TEXEL_BYTES    4u

struct standard_end {
    struct aerogpu_cmd_stream_header header;
    struct aerogpu_cmd_destroy_resource destroy;
};

struct standard_stream {
    struct aerogpu_cmd_stream_header header;
    struct aerogpu_cmd_create_texture2d create;
    struct aerogpu_cmd_export_shared_surface share;
};
_Static_assert(sizeof(struct standard_stream) == 24 + sizeof(struct aerogpu_cmd_create_texture2d) +
                                                     sizeof(struct aerogpu_cmd_export_shared_surface),
               "packets follow each other");

static uint32_t protocol_format(uint32_t dxgi_format)
{
    switch (dxgi_format) {
    case DXGI_FORMAT_B8G8R8A8_UNORM:
        return AEROGPU_FORMAT_B8G8R8A8_UNORM;
    case DXGI_FORMAT_R8G8B8A8_UNORM:
        return AEROGPU_FORMAT_R8G8B8A8_UNORM;
    default:
        return AEROGPU_FORMAT_INVALID;
    }
}

static HRESULT allocate_surface(struct agpu_standard_surface *surface, uint32_t alloc_id)
{
    struct aerogpu_wddm_alloc_priv_v2 blob = {
        .magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC,
        .version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2,
        .alloc_id = alloc_id,
        .flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED | AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE,
        .size_bytes = surface->bytes,
        .kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D,
        .width = surface->width,
        .height = surface->height,
        .format = surface->dxgi_format,
        .row_pitch_bytes = surface->pitch,
    };
    D3DDDI_ALLOCATIONINFO info = {
        .pPrivateDriverData = &blob,
        .PrivateDriverDataSize = sizeof blob,
        .Size = surface->bytes,
    };
    D3DDDICB_ALLOCATE args = {
        .NumAllocations = 1,
        .pAllocationInfo = &info,
        .Flags = {.CreateResource = 1, .CreateShared = 1, .CrossAdapter = 1},
        .ResourceFlags = {.Texture = surface->texture},
    };
    HRESULT hr = agpu_runtime_allocate(surface->device, &args);

    if (hr == S_OK) {
        surface->allocation = info.hAllocation;
        surface->resource = args.hKMResource;
        surface->token = blob.share_token;
    }
    return hr;
}

/* Exports the surface: the opener's IMPORT names the token, so it must exist on the device. */
static HRESULT announce_surface(struct agpu_standard_surface *surface, const D3DDDICB_CREATECONTEXT *context,
                                uint32_t alloc_id)
{
    struct standard_stream *stream = context->pCommandBuffer;
    AGPU_DMA_PRIV *private_data = context->pDmaBufferPrivateData;
    D3DDDICB_RENDER render = {
        .hContext = context->hContext, .CommandLength = sizeof *stream, .NumAllocations = 1};

    *stream = (struct standard_stream){
        .header = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                   .abi_version = AEROGPU_ABI_VERSION_U32,
                   .size_bytes = sizeof *stream},
        .create = {.hdr = {AEROGPU_CMD_CREATE_TEXTURE2D, sizeof stream->create},
                   .texture_handle = surface->object,
                   .usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE,
                   .format = protocol_format(surface->dxgi_format),
                   .width = surface->width,
                   .height = surface->height,
                   .mip_levels = 1,
                   .array_layers = 1,
                   .row_pitch_bytes = surface->pitch,
                   .backing_alloc_id = alloc_id},
        .share = {.hdr = {AEROGPU_CMD_EXPORT_SHARED_SURFACE, sizeof stream->share},
                  .resource_handle = surface->object,
                  .share_token = surface->token},
    };
    context->pAllocationList[0] = (D3DDDI_ALLOCATIONLIST){.hAllocation = surface->allocation};
    *private_data = (AGPU_DMA_PRIV){.Type = AGPU_DMA_PRIV_RENDER};
    HRESULT hr = agpu_runtime_render(surface->device, &render);
    surface->announced = hr == S_OK;
    return hr;
}

/* Releases the surface on the device. Imports of other processes remain. */
static void withdraw_surface(struct agpu_standard_surface *surface)
{
    D3DDDICB_GETCOMMANDBUFFER next = {.hContext = surface->context};
    D3DDDICB_RENDER render = {.hContext = surface->context, .CommandLength = sizeof(struct standard_end)};

    if (!surface->announced || agpu_runtime_get_command_buffer(surface->device, &next) != S_OK) {
        return;
    }
    *(struct standard_end *)next.pCommandBuffer = (struct standard_end){
        .header = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                   .abi_version = AEROGPU_ABI_VERSION_U32,
                   .size_bytes = sizeof(struct standard_end)},
        .destroy = {.hdr = {AEROGPU_CMD_DESTROY_RESOURCE, sizeof(struct aerogpu_cmd_destroy_resource)},
                    .resource_handle = surface->object}};
    *(AGPU_DMA_PRIV *)next.pDmaBufferPrivateData = (AGPU_DMA_PRIV){.Type = AGPU_DMA_PRIV_RENDER};
    agpu_runtime_render(surface->device, &render); /* on failure the device is lost and has dropped it */
}

HRESULT agpu_runtime_standard_create(struct agpu_runtime *runtime, struct agpu_standard_surface *surface)
{
    const struct agpu_umd_environment *environment = agpu_runtime_adapter_callbacks(runtime)->pEnvironment;
    struct agpu_cross_adapter_layout layout;
    D3DDDICB_CREATECONTEXT context = {0};

    if (protocol_format(surface->dxgi_format) == AEROGPU_FORMAT_INVALID ||
        !agpu_caps_cross_adapter_layout(surface->width, surface->height, TEXEL_BYTES, &layout)) {
        return E_INVALIDARG;
    }
    surface->pitch = layout.pitch;
    surface->rows = layout.rows;
    surface->bytes = layout.size;
    surface->object = environment->next_handle(environment->ctx);
    uint32_t alloc_id = surface->object & AEROGPU_WDDM_ALLOC_ID_UMD_MAX;
    surface->device = agpu_runtime_device_create(runtime, KERNEL_PROCESS);
    HRESULT hr =
        surface->device != NULL ? agpu_runtime_create_context(surface->device, &context) : E_OUTOFMEMORY;
    surface->context = context.hContext;
    if (hr == S_OK) {
        hr = allocate_surface(surface, alloc_id);
    }
    if (hr == S_OK) {
        hr = announce_surface(surface, &context, alloc_id);
    }
    if (hr != S_OK) {
        agpu_runtime_standard_destroy(surface);
    }
    return hr;
}

HRESULT agpu_runtime_standard_lock(struct agpu_standard_surface *surface, void **data)
{
    D3DDDICB_LOCK lock = {.hAllocation = surface->allocation, .Flags = {.ReadOnly = 1}};
    HRESULT hr = agpu_runtime_lock(surface->device, &lock);

    *data = lock.pData;
    return hr;
}

void agpu_runtime_standard_unlock(struct agpu_standard_surface *surface)
{
    const D3DDDICB_UNLOCK unlock = {.NumAllocations = 1, .phAllocations = &surface->allocation};

    agpu_runtime_unlock(surface->device, &unlock);
}

void agpu_runtime_standard_destroy(struct agpu_standard_surface *surface)
{
    const D3DDDICB_DEALLOCATE deallocate = {
        .hKMResource = surface->resource, .NumAllocations = 1, .HandleList = &surface->allocation};
    const D3DDDICB_DESTROYCONTEXT destroy = {.hContext = surface->context};

    if (surface->device == NULL) {
        return;
    }
    withdraw_surface(surface);
    if (surface->allocation != 0) {
        agpu_runtime_deallocate(surface->device, &deallocate);
    }
    if (surface->context != NULL) {
        agpu_runtime_destroy_context(surface->device, &destroy);
    }
    agpu_runtime_device_destroy(surface->device);
    *surface = (struct agpu_standard_surface){0};
}
