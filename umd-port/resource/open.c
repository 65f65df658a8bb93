/* open.c: OpenResource: a shared surface of another device or process, by its private data (umd.md 5.6). */
#include "umd-port/resource/open.h"

#include <string.h>

#include "umd-port/base/device.h"
#include "umd-port/base/lost.h"
#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/format/layout.h"
#include "umd-port/format/format.h"
#include "umd-port/resource/packets.h"

size_t agpu_calc_opened_resource_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_OPENRESOURCE *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateOpenedResourceSize", sizeof(struct agpu_resource));
}

/* Reads the creator's record and converts it to version 2. */
static bool read_record(const void *data, uint32_t bytes, struct aerogpu_wddm_alloc_priv_v2 *record)
{
    *record = (struct aerogpu_wddm_alloc_priv_v2){.magic = 0};
    if (data == NULL || bytes < sizeof(struct aerogpu_wddm_alloc_priv)) {
        return false;
    }
    memcpy(record, data, sizeof(struct aerogpu_wddm_alloc_priv));
    if (record->magic != AEROGPU_WDDM_ALLOC_PRIV_MAGIC) {
        return false;
    }
    if (record->version == AEROGPU_WDDM_ALLOC_PRIV_VERSION_2) {
        if (bytes < sizeof *record) {
            return false;
        }
        memcpy(record, data, sizeof *record);
    } else if (record->version != AEROGPU_WDDM_ALLOC_PRIV_VERSION) {
        return false;
    }
    return (record->flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED) && record->share_token &&
           record->alloc_id;
}

/* Completes a version 1 record. Direct3D 9 producers describe the surface in reserved0, or not at all. */
static bool complete_record(struct aerogpu_wddm_alloc_priv_v2 *record)
{
    if (record->kind != AEROGPU_WDDM_ALLOC_KIND_UNKNOWN) {
        return true;
    }
    uint64_t desc = record->reserved0;
    if (AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(desc)) {
        uint32_t pixel_bytes;

        record->kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
        record->width = AEROGPU_WDDM_ALLOC_PRIV_DESC_WIDTH(desc);
        record->height = AEROGPU_WDDM_ALLOC_PRIV_DESC_HEIGHT(desc);
        record->format = agpu_format_from_d3d9(AEROGPU_WDDM_ALLOC_PRIV_DESC_FORMAT(desc), &pixel_bytes);
        if (!record->width || !record->height || !record->format) {
            return false;
        }
        record->row_pitch_bytes = record->width * pixel_bytes;
        return true;
    }
    record->kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER;
    return record->size_bytes != 0;
}

static bool describe_opened_texture(const struct agpu_device *device,
                                    const struct aerogpu_wddm_alloc_priv_v2 *record,
                                    struct agpu_resource *resource)
{
    const struct agpu_format *format = agpu_format_find(record->format);
    uint32_t pitch = record->row_pitch_bytes;

    resource->dxgi_format = record->format;
    resource->protocol_format = agpu_adapter_protocol_format(device->adapter, record->format);
    if (format == NULL || !resource->protocol_format || !record->width || !record->height) {
        return false;
    }
    if (!pitch) {
        if (!agpu_layout_tight_pitch(format, record->width, &pitch) || pitch > UINT32_MAX - 255) {
            return false;
        }
        pitch = (pitch + 255) / 256 * 256;
    }
    if (!agpu_layout_build(&resource->layout, format, record->width, record->height, 1, 1, pitch)) {
        return false;
    }
    resource->bytes = resource->layout.total_bytes;
    return true;
}

static bool describe_opened(const struct agpu_device *device, const struct aerogpu_wddm_alloc_priv_v2 *record,
                            const D3D10DDIARG_OPENRESOURCE *args, struct agpu_resource *resource)
{
    const D3DDDI_OPENALLOCATIONINFO *info = args->pOpenAllocationInfo;

    resource->usage = (uint8_t)args->Usage;
    resource->bind_flags = args->BindFlags;
    resource->misc_flags = args->MiscFlags;
    resource->cpu_access = args->CPUAccessFlags;
    resource->kind = (uint8_t)record->kind;
    resource->is_shared = resource->is_alias = 1;
    resource->share_token = record->share_token;
    resource->alloc_id = record->alloc_id;
    resource->alloc_handle = args->hAllocation ? args->hAllocation : info != NULL ? info->hAllocation : 0;
    resource->km_resource = args->hKMResource;
    if (record->kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D) {
        return describe_opened_texture(device, record, resource);
    }
    if (record->kind != AEROGPU_WDDM_ALLOC_KIND_BUFFER || !record->size_bytes ||
        record->size_bytes > UINT32_MAX - 3) {
        return false;
    }
    resource->byte_width = (uint32_t)record->size_bytes;
    resource->bytes = (record->size_bytes + 3) & ~(uint64_t)3;
    return true;
}

static HRESULT open_shared(struct agpu_device *device, const D3D10DDIARG_OPENRESOURCE *args,
                           struct agpu_resource *resource)
{
    const D3DDDI_OPENALLOCATIONINFO *info = args->pOpenAllocationInfo;
    struct aerogpu_wddm_alloc_priv_v2 record;

    if (args->NumAllocations != 1) {
        return args->NumAllocations ? E_NOTIMPL : E_INVALIDARG;
    }
    bool top = args->pPrivateDriverData != NULL;
    if ((!top && info == NULL) ||
        !read_record(top ? args->pPrivateDriverData : info->pPrivateDriverData,
                     top ? args->PrivateDriverDataSize : info->PrivateDriverDataSize, &record) ||
        !complete_record(&record) || !describe_opened(device, &record, args, resource)) {
        return E_INVALIDARG;
    }
    resource->handle = agpu_adapter_next_handle(device->adapter);
    if (!agpu_emit_import(&device->imm.cmd, resource->handle, record.share_token)) {
        return E_OUTOFMEMORY;
    }
    /* Submit at once, so that a later destruction by the creator, in another context, cannot overtake it. */
    HRESULT hr = agpu_submit(device, NULL);
    if (FAILED(hr)) {
        agpu_forget_resource(device, resource);
    }
    return hr;
}

HRESULT agpu_open_resource(D3D10DDI_HDEVICE handle, const D3D10DDIARG_OPENRESOURCE *args,
                           D3D10DDI_HRESOURCE resource_handle, D3D10DDI_HRTRESOURCE runtime)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (resource == NULL) {
        return E_INVALIDARG;
    }
    *resource = (struct agpu_resource){.handle = 0};
    if (context == NULL || args == NULL) {
        return agpu_traced_result(handle, "OpenResource", E_INVALIDARG);
    }
    resource->runtime = runtime.handle;
    HRESULT hr = open_shared(context->device, args, resource);
    if (FAILED(hr)) {
        *resource = (struct agpu_resource){.handle = 0};
    }
    AGPU_TRACE_CALL(context, "OpenResource handle=%u alloc_id=%u -> hr=0x%X", resource->handle,
                    resource->alloc_id, (unsigned)hr);
    return hr;
}
