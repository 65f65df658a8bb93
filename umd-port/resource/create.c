/* create.c: CreateResource: checks in the documented order, memory, packets, and rollback (umd.md 5). */
#include "umd-port/resource/create.h"

#include <string.h>

#include "umd-port/base/lost.h"
#include "umd-port/base/operation.h"
#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/format/layout.h"
#include "umd-port/format/format.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

size_t agpu_calc_resource_size(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATERESOURCE *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateResourceSize", sizeof(struct agpu_resource));
}

static HRESULT check_buffer(struct agpu_resource *resource, const D3D11DDIARG_CREATERESOURCE *args)
{
    resource->kind = AGPU_KIND_BUFFER;
    resource->byte_width = args->pMipInfoList[0].TexelWidth;
    resource->structure_stride = args->ByteStride;
    resource->bytes = resource->byte_width ? round_up(resource->byte_width, 4) : 4;
    if (args->pInitialDataUP != NULL && (args->pInitialDataUP[0].pSysMem == NULL || !resource->byte_width)) {
        return E_INVALIDARG;
    }
    return S_OK;
}

static HRESULT check_texture_data(const struct agpu_texture_layout *layout,
                                  const D3D10_DDIARG_SUBRESOURCE_UP *data)
{
    struct agpu_subresource sub;

    for (uint32_t i = 0; data != NULL && agpu_layout_subresource(layout, i, &sub); i++) {
        if (data[i].pSysMem == NULL ||
            (data[i].SysMemPitch && data[i].SysMemPitch < sub.row_bytes && sub.rows > 1)) {
            return E_INVALIDARG;
        }
    }
    return S_OK;
}

static HRESULT check_texture(struct agpu_device *device, struct agpu_resource *resource,
                             const D3D11DDIARG_CREATERESOURCE *args)
{
    const uint32_t width = args->pMipInfoList[0].TexelWidth, height = args->pMipInfoList[0].TexelHeight;
    const uint32_t mips = args->MipLevels, layers = args->ArraySize;

    if (resource->is_shared && (mips != 1 || layers != 1)) {
        return E_NOTIMPL;
    }
    const struct agpu_format *format = agpu_format_find(args->Format);
    resource->kind = AGPU_KIND_TEXTURE2D;
    resource->dxgi_format = args->Format;
    resource->protocol_format = agpu_adapter_protocol_format(device->adapter, args->Format);
    if (format == NULL || !resource->protocol_format) {
        return E_NOTIMPL;
    }
    /* The runtime filters this; devices refuse it. */
    if (!width || !height || !layers || mips - 1 >= agpu_layout_full_chain(width, height)) {
        return E_INVALIDARG;
    }
    uint32_t pitch;
    if (!agpu_layout_tight_pitch(format, width, &pitch)) {
        return E_OUTOFMEMORY;
    }
    if (agpu_mode(device) == AGPU_BACKING_WDK) { /* in this mode every resource has an allocation */
        pitch = (uint32_t)round_up(pitch, 256);  /* agpu_layout_build() refuses one that has wrapped to 0 */
    }
    if (!agpu_layout_build(&resource->layout, format, width, height, mips, layers, pitch)) {
        return E_OUTOFMEMORY;
    }
    resource->bytes = resource->layout.total_bytes;
    return check_texture_data(&resource->layout, args->pInitialDataUP);
}

static HRESULT check_description(struct agpu_device *device, struct agpu_resource *resource,
                                 const D3D11DDIARG_CREATERESOURCE *args)
{
    bool wdk = agpu_mode(device) == AGPU_BACKING_WDK;

    if (device->adapter == NULL ||
        (wdk && (device->callbacks->pfnAllocateCb == NULL || device->callbacks->pfnDeallocateCb == NULL))) {
        return E_FAIL;
    }
    bool buffer = args->ResourceDimension == D3D10DDIRESOURCE_BUFFER;
    if (!buffer && args->ResourceDimension != D3D10DDIRESOURCE_TEXTURE2D) {
        return E_NOTIMPL;
    }
    if (args->SampleDesc.Count > 1 || args->SampleDesc.Quality ||
        (wdk && (args->MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED_KEYEDMUTEX))) {
        return E_NOTIMPL;
    }
    resource->usage = (uint8_t)args->Usage;
    resource->bind_flags = args->BindFlags;
    resource->cpu_access = args->MapFlags;
    resource->misc_flags = args->MiscFlags;
    resource->is_shared = (args->MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED) != 0;
    return buffer ? check_buffer(resource, args) : check_texture(device, resource, args);
}

static uint32_t usage_flags(const struct agpu_resource *resource, bool primary)
{
    uint32_t bind = resource->bind_flags;
    uint32_t flags = resource->kind == AGPU_KIND_TEXTURE2D ? AEROGPU_RESOURCE_USAGE_TEXTURE : 0;

    if (bind & D3D10_DDI_BIND_RENDER_TARGET) {
        flags |= AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    }
    if (bind & D3D10_DDI_BIND_DEPTH_STENCIL) {
        flags |= AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL;
    }
    if (primary) {
        flags |= AEROGPU_RESOURCE_USAGE_SCANOUT;
    }
    if (resource->kind == AGPU_KIND_TEXTURE2D) {
        return flags;
    }
    if (bind & D3D10_DDI_BIND_VERTEX_BUFFER) {
        flags |= AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
    }
    if (bind & D3D10_DDI_BIND_INDEX_BUFFER) {
        flags |= AEROGPU_RESOURCE_USAGE_INDEX_BUFFER;
    }
    if (bind & D3D10_DDI_BIND_CONSTANT_BUFFER) {
        flags |= AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER;
    }
    if (bind & (D3D10_DDI_BIND_SHADER_RESOURCE | D3D11_DDI_BIND_UNORDERED_ACCESS)) {
        flags |= AEROGPU_RESOURCE_USAGE_STORAGE;
    }
    return flags;
}

/* Writes all initial data to its place; padding of rows and at the buffer's end becomes 0. */
static void write_contents(const struct agpu_resource *resource, uint8_t *memory,
                           const D3D10_DDIARG_SUBRESOURCE_UP *data)
{
    if (resource->kind == AGPU_KIND_BUFFER) {
        memcpy(memory, data[0].pSysMem, resource->byte_width);
        memset(memory + resource->byte_width, 0, (size_t)(resource->bytes - resource->byte_width));
        return;
    }
    struct agpu_subresource sub;

    for (uint32_t i = 0; agpu_layout_subresource(&resource->layout, i, &sub); i++) {
        agpu_copy_rows(memory + sub.offset, sub.pitch, data[i].pSysMem,
                       data[i].SysMemPitch ? data[i].SysMemPitch : sub.row_bytes, sub.row_bytes, sub.rows,
                       true);
    }
}

static HRESULT fill_allocation(struct agpu_device *device, struct agpu_resource *resource,
                               const D3D10_DDIARG_SUBRESOURCE_UP *data)
{
    D3DDDICB_LOCK lock;
    HRESULT hr = agpu_lock(device, resource, D3D10_DDI_MAP_WRITE, false, &lock);

    if (FAILED(hr)) {
        return hr;
    }
    write_contents(resource, lock.pData, data);
    agpu_unlock(device, resource);
    return S_OK;
}

/* Allocates memory and shadow, and writes the contents. */
static HRESULT provide_memory(struct agpu_device *device, struct agpu_resource *resource,
                              const DXGI_DDI_PRIMARY_DESC *primary, const D3D10_DDIARG_SUBRESOURCE_UP *data)
{
    enum agpu_backing backing = agpu_choose_backing(device, resource, primary != NULL);
    bool buffer = resource->kind == AGPU_KIND_BUFFER;

    if (backing != AGPU_BACKED_BY_DEVICE) {
        const struct agpu_allocation_request request = {
            .bytes = buffer && agpu_mode(device) == AGPU_BACKING_WDK ? round_up(resource->bytes, 256)
                                                                     : resource->bytes,
            .row_pitch = buffer ? 0 : resource->layout.row_pitch,
            .primary = primary != NULL,
            .source = primary != NULL ? primary->VidPnSourceId : 0,
            .backing = backing,
        };
        HRESULT hr = agpu_allocate(device, resource, &request);

        if (FAILED(hr)) {
            return hr;
        }
    }
    if (agpu_is_guest_backed(resource)) {
        return data != NULL ? fill_allocation(device, resource, data) : S_OK;
    }
    if (!agpu_make_shadow(device, resource)) {
        return E_OUTOFMEMORY;
    }
    if (data != NULL) {
        write_contents(resource, resource->shadow, data);
    }
    return S_OK;
}

static bool emit_contents(struct agpu_device *device, const struct agpu_resource *resource)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;

    if (agpu_is_guest_backed(resource)) {
        return agpu_emit_dirty_range(cmd, resource->handle, 0,
                                     resource->kind == AGPU_KIND_BUFFER ? resource->byte_width
                                                                        : resource->bytes);
    }
    uint8_t *out = agpu_emit_upload(cmd, resource->handle, 0, resource->bytes);
    if (out != NULL) {
        memcpy(out, resource->shadow, (size_t)resource->bytes);
    }
    return out != NULL;
}

/* Records all packets of the creation, or none. */
static HRESULT emit_creation(struct agpu_device *device, struct agpu_resource *resource, bool primary,
                             bool contents)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    struct agpu_operation operation;
    HRESULT hr = agpu_begin_operation(device, 1, &operation);

    if (FAILED(hr)) {
        return hr;
    }
    uint32_t flags = usage_flags(resource, primary);
    bool created = agpu_is_guest_backed(resource) ? agpu_track(device, resource, false) : true;
    created =
        created && (resource->kind == AGPU_KIND_BUFFER ? agpu_emit_create_buffer(cmd, resource, flags)
                                                       : agpu_emit_create_texture(cmd, resource, flags));
    bool export = resource->share_token != 0;
    if (created && (!contents || emit_contents(device, resource)) &&
        (!export || agpu_emit_export(cmd, resource->handle, resource->share_token))) {
        hr = export ? agpu_submit(device, NULL) : S_OK; /* the opener must find the surface exported */
        if (FAILED(hr)) {
            agpu_forget_resource(device, resource);
        }
        return hr;
    }
    return agpu_undo_operation(device, &operation);
}

static HRESULT create_checked_resource(struct agpu_device *device, const D3D11DDIARG_CREATERESOURCE *args,
                                       struct agpu_resource *resource)
{
    HRESULT hr = check_description(device, resource, args);

    if (FAILED(hr)) {
        return hr;
    }
    resource->handle = agpu_adapter_next_handle(device->adapter);
    hr = provide_memory(device, resource, args->pPrimaryDesc, args->pInitialDataUP);
    return FAILED(hr)
               ? hr
               : emit_creation(device, resource, args->pPrimaryDesc != NULL, args->pInitialDataUP != NULL);
}

/* Logs request and result (umd.md 18). */
static void trace_request(const struct agpu_umd_environment *env, const D3D11DDIARG_CREATERESOURCE *args)
{
    const D3DDDI_RESOURCEFLAGS flags = {.RenderTarget = (args->BindFlags & D3D10_DDI_BIND_RENDER_TARGET) != 0,
                                        .ZBuffer = (args->BindFlags & D3D10_DDI_BIND_DEPTH_STENCIL) != 0};

    AGPU_TRACE_RESOURCES(
        env,
        "CreateResource dim=%u fmt=%u bind=0x%X usage=%u cpu=0x%X misc=0x%X sample=(%u,%u) "
        "rflags=0x%X init=%u init_count=%u primary=%u",
        args->ResourceDimension, args->Format, args->BindFlags, args->Usage, args->MapFlags, args->MiscFlags,
        args->SampleDesc.Count, args->SampleDesc.Quality, flags.Value, args->pInitialDataUP != NULL,
        args->pInitialDataUP != NULL ? args->MipLevels * args->ArraySize : 0, args->pPrimaryDesc != NULL);
    if (args->ResourceDimension == D3D10DDIRESOURCE_BUFFER) {
        AGPU_TRACE_RESOURCES(env, "+ buffer: bytes=%u stride=%u", args->pMipInfoList[0].TexelWidth,
                             args->ByteStride);
    } else if (args->ResourceDimension == D3D10DDIRESOURCE_TEXTURE2D) {
        AGPU_TRACE_RESOURCES(env, "+ tex2d: %ux%u mips=%u array=%u", args->pMipInfoList[0].TexelWidth,
                             args->pMipInfoList[0].TexelHeight, args->MipLevels, args->ArraySize);
    }
}

static void trace_created(const struct agpu_umd_environment *env, const struct agpu_resource *resource)
{
    if (resource->kind == AGPU_KIND_BUFFER) {
        AGPU_TRACE_RESOURCES(env, "=> created buffer handle=%u alloc_id=%u size=%u", resource->handle,
                             resource->alloc_id, (unsigned)resource->bytes);
    } else {
        AGPU_TRACE_RESOURCES(env, "=> created tex2d handle=%u alloc_id=%u size=%u row_pitch=%u",
                             resource->handle, resource->alloc_id, (unsigned)resource->bytes,
                             resource->layout.row_pitch);
    }
}

HRESULT agpu_create_resource(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATERESOURCE *args,
                             D3D10DDI_HRESOURCE resource_handle, D3D10DDI_HRTRESOURCE runtime)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (resource == NULL) {
        return E_INVALIDARG;
    }
    *resource = (struct agpu_resource){.runtime = runtime.handle};
    if (context == NULL || args == NULL) {
        return agpu_traced_result(handle, "CreateResource", E_INVALIDARG);
    }
    struct agpu_device *device = context->device;
    trace_request(device->env, args);
    HRESULT hr = create_checked_resource(device, args, resource);
    if (FAILED(hr)) {
        agpu_deallocate(device, resource);
        agpu_free_shadow(resource);
        *resource = (struct agpu_resource){.handle = 0};
    } else {
        trace_created(device->env, resource);
    }
    AGPU_TRACE_CALL(&device->imm, "CreateResource handle=%u alloc_id=%u -> hr=0x%X", resource->handle,
                    resource->alloc_id, (unsigned)hr);
    return hr;
}
