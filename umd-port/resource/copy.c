/* copy.c: CopyResource and CopySubresourceRegion: checks, packets, tracking (umd.md 7.2, 7.3). */
#include "umd-port/resource/copy.h"

#include <string.h>

#include "umd-port/base/lock.h"
#include "umd-port/base/operation.h"
#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/base/wait.h"
#include "umd-port/format/layout.h"
#include "umd-port/resource/copy_cpu.h"
#include "umd-port/resource/packets.h"

/* Starts recording a copy with its two references. */
static HRESULT begin_copy(struct agpu_device *device, struct agpu_resource *dst, struct agpu_resource *src,
                          struct agpu_operation *operation)
{
    HRESULT hr = agpu_begin_operation(device, 2, operation);

    if (FAILED(hr)) {
        return hr;
    }
    dst->device_ahead |= !agpu_wants_writeback(dst);
    dst->shadow_current = false;
    return agpu_track(device, dst, true) && agpu_track(device, src, false)
               ? S_OK
               : agpu_undo_operation(device, operation);
}

/* The device refuses to copy a resource onto itself, so the copy uses a temporary (commands.md 6.4). The temporary
 * exists for two packets: it is created, filled, read and destroyed in stream order. */
static bool emit_texture_copy_within(struct agpu_device *device, const struct agpu_texture_copy *copy,
                                     bool writeback)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    struct agpu_resource temporary = {
        .handle = agpu_adapter_next_handle(device->adapter),
        .kind = AGPU_KIND_TEXTURE2D,
        .dxgi_format = copy->src->dxgi_format,
        .protocol_format = copy->src->protocol_format,
    };
    const struct agpu_format *format = agpu_format_find(temporary.dxgi_format);
    uint32_t pitch;

    if (!agpu_layout_tight_pitch(format, copy->rect.width, &pitch) ||
        !agpu_layout_build(&temporary.layout, format, copy->rect.width, copy->rect.height, 1, 1, pitch)) {
        return false;
    }
    const struct agpu_texture_copy out = {
        .dst = &temporary, .src = copy->src, .src_index = copy->src_index, .rect = copy->rect};
    const struct agpu_texture_copy back = {
        .dst = copy->dst,
        .src = &temporary,
        .dst_index = copy->dst_index,
        .dst_x = copy->dst_x,
        .dst_y = copy->dst_y,
        .rect = {0, 0, copy->rect.width, copy->rect.height},
    };
    return agpu_emit_create_texture(cmd, &temporary, AEROGPU_RESOURCE_USAGE_TEXTURE) &&
           agpu_emit_copy_texture(cmd, &out, false) && agpu_emit_copy_texture(cmd, &back, writeback) &&
           agpu_emit_destroy_resource(cmd, temporary.handle);
}

/* Records a write-back of the rectangle to copy, through a temporary. */
static HRESULT write_back_source(struct agpu_device *device, const struct agpu_texture_copy *copy)
{
    const struct agpu_texture_copy same = {
        .dst = copy->src,
        .src = copy->src,
        .dst_index = copy->src_index,
        .src_index = copy->src_index,
        .dst_x = copy->rect.x,
        .dst_y = copy->rect.y,
        .rect = copy->rect,
    };
    struct agpu_operation operation;
    HRESULT hr = agpu_begin_operation(device, 1, &operation);

    if (FAILED(hr)) {
        return hr;
    }
    return agpu_track(device, copy->src, true) && emit_texture_copy_within(device, &same, true)
               ? S_OK
               : agpu_undo_operation(device, &operation);
}

/* Creates a texture of the destination's format with the bytes of the source's subresource: in guest memory it uses the
 * source's, else it gets the CPU's copy. */
static bool emit_create_reading(struct agpu_device *device, const struct agpu_texture_copy *copy,
                                const struct agpu_resource *texture)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    struct agpu_subresource sub;

    if (!agpu_layout_subresource(&texture->layout, copy->src_index, &sub) ||
        !agpu_emit_create_texture(cmd, texture, AEROGPU_RESOURCE_USAGE_TEXTURE)) {
        return false;
    }
    if (agpu_is_guest_backed(texture)) {
        return agpu_emit_dirty_range(cmd, texture->handle, sub.offset, sub.bytes);
    }
    uint8_t *out = agpu_emit_upload(cmd, texture->handle, sub.offset, sub.bytes);
    if (out == NULL) {
        return false;
    }
    memcpy(out, copy->src->shadow + sub.offset, (size_t)sub.bytes);
    return true;
}

HRESULT agpu_copy_across(struct agpu_device *device, const struct agpu_texture_copy *copy)
{
    struct agpu_resource *src = copy->src;
    const bool ahead = agpu_is_guest_backed(src) && agpu_is_drawn(src);
    HRESULT hr = ahead ? write_back_source(device, copy) : S_OK;

    /* The device reads guest memory, which has the bytes of write-backs when their submission has completed. */
    if (SUCCEEDED(hr) && (ahead || src->pending_link != NULL)) {
        hr = agpu_submit(device, NULL);
    }
    if (SUCCEEDED(hr)) {
        hr = agpu_wait_fence(device, ahead ? device->last_submitted_fence : src->last_gpu_write_fence, false);
    }
    struct agpu_operation operation;
    if (FAILED(hr) || FAILED(hr = begin_copy(device, copy->dst, src, &operation))) {
        return hr;
    }
    struct agpu_resource reading = {
        .handle = agpu_adapter_next_handle(device->adapter),
        .kind = AGPU_KIND_TEXTURE2D,
        .alloc_id = src->alloc_id,
        .protocol_format = copy->dst->protocol_format,
        .layout = src->layout,
    };
    struct agpu_texture_copy out = *copy;
    out.src = &reading;
    if (!emit_create_reading(device, copy, &reading) ||
        !agpu_emit_copy_texture(&device->imm.cmd, &out, agpu_wants_writeback(copy->dst)) ||
        !agpu_emit_destroy_resource(&device->imm.cmd, reading.handle)) {
        return agpu_undo_operation(device, &operation);
    }
    agpu_mirror_texture_copy(device, copy);
    agpu_track_staging_write(device, copy->dst);
    return S_OK;
}

/* Returns the function for copies that the device cannot do; NULL: it can. */
typedef HRESULT texture_copier(struct agpu_device *, const struct agpu_texture_copy *);
static texture_copier *special_copier(const struct agpu_device *device, const struct agpu_resource *dst,
                                      const struct agpu_resource *src)
{
    if (agpu_mode(device) == AGPU_BACKING_WDK && !agpu_gate_transfer(device->adapter)) {
        return agpu_cpu_texture_copy;
    }
    if (dst->protocol_format == src->protocol_format) {
        return NULL;
    }
    return device->recorder != NULL ? device->recorder->copy_across : agpu_copy_across;
}

static bool emit_buffer_copy_within(struct agpu_device *device, const struct agpu_buffer_copy *copy)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    const struct agpu_resource temporary = {
        .handle = agpu_adapter_next_handle(device->adapter), .kind = AGPU_KIND_BUFFER, .bytes = copy->bytes};
    struct agpu_buffer_copy out = *copy, back = *copy;

    out.dst_offset = back.src_offset = 0;
    return agpu_emit_create_buffer(cmd, &temporary, AEROGPU_RESOURCE_USAGE_NONE) &&
           agpu_emit_copy_buffer(cmd, &out, temporary.handle, copy->src->handle, false) &&
           agpu_emit_copy_buffer(cmd, &back, copy->dst->handle, temporary.handle,
                                 agpu_wants_writeback(copy->dst)) &&
           agpu_emit_destroy_resource(cmd, temporary.handle);
}

static HRESULT copy_buffer(struct agpu_device *device, const struct agpu_buffer_copy *copy)
{
    if (!copy->bytes) {
        return S_OK;
    }
    bool wdk = agpu_mode(device) == AGPU_BACKING_WDK;
    bool aligned = !((copy->dst_offset | copy->src_offset | copy->bytes) & 3);
    if (!aligned ||
        (wdk && !agpu_gate_transfer(device->adapter))) { /* the portable driver ignores the gate */
        return device->recorder != NULL ? device->recorder->copy_bytes(device, copy)
                                        : agpu_cpu_buffer_copy(device, copy);
    }
    struct agpu_operation operation;
    HRESULT hr = begin_copy(device, copy->dst, copy->src, &operation);
    if (FAILED(hr)) {
        return hr;
    }
    bool recorded = copy->dst->handle == copy->src->handle
                        ? emit_buffer_copy_within(device, copy)
                        : agpu_emit_copy_buffer(&device->imm.cmd, copy, copy->dst->handle, copy->src->handle,
                                                agpu_wants_writeback(copy->dst));
    if (!recorded) {
        return agpu_undo_operation(device, &operation);
    }
    agpu_mirror_buffer_copy(device, copy);
    agpu_track_staging_write(device, copy->dst);
    return S_OK;
}

static HRESULT copy_texture(struct agpu_device *device, const struct agpu_texture_copy *copy)
{
    texture_copier *special = special_copier(device, copy->dst, copy->src);

    if (special != NULL) {
        return special(device, copy);
    }
    struct agpu_operation operation;
    HRESULT hr = begin_copy(device, copy->dst, copy->src, &operation);
    if (FAILED(hr)) {
        return hr;
    }
    bool writeback = agpu_wants_writeback(copy->dst);
    bool within = agpu_mode(device) == AGPU_BACKING_WDK && copy->dst->handle == copy->src->handle;
    bool recorded = within ? emit_texture_copy_within(device, copy, writeback)
                           : agpu_emit_copy_texture(&device->imm.cmd, copy, writeback);
    if (!recorded) {
        return agpu_undo_operation(device, &operation);
    }
    agpu_mirror_texture_copy(device, copy);
    agpu_track_staging_write(device, copy->dst);
    return S_OK;
}

static uint32_t smaller_extent(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Plans the copy of a subresource that both have: the extent that both have. */
static void plan_whole(struct agpu_resource *dst, struct agpu_resource *src, uint32_t mip, uint32_t layer,
                       struct agpu_texture_copy *copy)
{
    struct agpu_subresource to, from;

    *copy = (struct agpu_texture_copy){
        .dst = dst,
        .src = src,
        .dst_index = mip + layer * dst->layout.mips,
        .src_index = mip + layer * src->layout.mips,
    };
    agpu_layout_subresource(&dst->layout, copy->dst_index, &to);
    agpu_layout_subresource(&src->layout, copy->src_index, &from);
    copy->rect.width = smaller_extent(to.width, from.width);
    copy->rect.height = smaller_extent(to.height, from.height);
}

static HRESULT record_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy)
{
    return agpu_emit_copy_texture(&device->imm.cmd, copy, agpu_wants_writeback(copy->dst)) ? S_OK
                                                                                           : E_OUTOFMEMORY;
}

static HRESULT mirror_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy)
{
    agpu_mirror_texture_copy(device, copy);
    return S_OK;
}

/* Calls the copier for each subresource that both have, until one fails. */
static HRESULT copy_each_subresource(struct agpu_device *device, struct agpu_resource *dst,
                                     struct agpu_resource *src, texture_copier *copier)
{
    const uint32_t mips = smaller_extent(dst->layout.mips, src->layout.mips);
    const uint32_t count = mips * smaller_extent(dst->layout.layers, src->layout.layers);
    HRESULT hr = S_OK;

    for (uint32_t i = 0; i < count && SUCCEEDED(hr); i++) {
        struct agpu_texture_copy copy;

        plan_whole(dst, src, i % mips, i / mips, &copy);
        hr = copier(device, &copy);
    }
    return hr;
}

/* Copies all subresources or, when there is no room for a packet, none. */
static HRESULT copy_all_subresources(struct agpu_device *device, struct agpu_resource *dst,
                                     struct agpu_resource *src)
{
    texture_copier *special = special_copier(device, dst, src);

    if (special != NULL) {
        return copy_each_subresource(device, dst, src, special);
    }
    struct agpu_operation operation;
    HRESULT hr = begin_copy(device, dst, src, &operation);
    if (FAILED(hr)) {
        return hr;
    }
    if (FAILED(copy_each_subresource(device, dst, src, record_texture_copy))) {
        return agpu_undo_operation(device, &operation);
    }
    copy_each_subresource(device, dst, src, mirror_texture_copy);
    agpu_track_staging_write(device, dst);
    return S_OK;
}

static HRESULT copy_resource(struct agpu_device *device, struct agpu_resource *dst, struct agpu_resource *src)
{
    if (dst == src || dst->handle == src->handle || dst->kind != src->kind) {
        return S_OK;
    }
    if (dst->kind == AGPU_KIND_BUFFER) {
        const struct agpu_buffer_copy copy = {
            .dst = dst, .src = src, .bytes = dst->bytes < src->bytes ? dst->bytes : src->bytes};

        return copy_buffer(device, &copy);
    }
    return agpu_format_related(dst->dxgi_format, src->dxgi_format) ? copy_all_subresources(device, dst, src)
                                                                   : E_INVALIDARG;
}

void agpu_resource_copy(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE dst_handle, D3D10DDI_HRESOURCE src_handle)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *dst = dst_handle.pDrvPrivate, *src = src_handle.pDrvPrivate;

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_CALL(context, "ResourceCopy dst=%u src=%u", dst ? dst->handle : 0, src ? src->handle : 0);
    if (dst == NULL || src == NULL || !dst->handle || !src->handle) {
        return;
    }
    bool oom_before = context->device->list_oom;
    HRESULT hr = copy_resource(context->device, dst, src);
    if (FAILED(hr)) {
        agpu_report_unreported(context, oom_before, hr);
    }
}

/* The portable reference driver copies whole buffers only; Windows copies ranges, clipped to both sizes. */
static HRESULT copy_buffer_region(struct agpu_device *device, const struct agpu_buffer_copy *whole,
                                  uint32_t dst_index, uint32_t x, uint32_t src_index,
                                  const D3D10_DDI_BOX *box)
{
    struct agpu_buffer_copy copy = *whole;

    if (agpu_mode(device) != AGPU_BACKING_WDK) {
        if (dst_index || x || src_index || box != NULL) {
            return E_NOTIMPL;
        }
    } else {
        if (dst_index || src_index) {
            return E_INVALIDARG;
        }
        if (box != NULL && (box->front || box->back != 1 || box->top || box->bottom != 1)) {
            return E_NOTIMPL;
        }
        if (box != NULL && box->left < 0) {
            return E_INVALIDARG;
        }
    }
    copy.dst_offset = x;
    copy.src_offset = box != NULL ? (uint32_t)box->left : 0;
    uint64_t end = box != NULL ? (uint32_t)box->right : copy.src->bytes;
    if (end >= copy.src->byte_width) {
        end = copy.src->bytes; /* includes the padding, so that the size stays a multiple of 4 */
    }
    if (copy.src_offset >= end || copy.dst_offset >= copy.dst->bytes) {
        return S_OK;
    }
    copy.bytes = end - copy.src_offset;
    if (copy.bytes > copy.dst->bytes - copy.dst_offset) {
        copy.bytes = copy.dst->bytes - copy.dst_offset;
    }
    return copy_buffer(device, &copy);
}

static bool plan_region(struct agpu_texture_copy *copy, const D3D10_DDI_BOX *box)
{
    struct agpu_subresource to, from;

    if (!agpu_format_related(copy->dst->dxgi_format, copy->src->dxgi_format) ||
        !agpu_layout_subresource(&copy->dst->layout, copy->dst_index, &to) ||
        !agpu_layout_subresource(&copy->src->layout, copy->src_index, &from) ||
        !agpu_texel_rect(&copy->src->layout, &from, box, &copy->rect)) {
        return false;
    }
    uint32_t block = copy->dst->layout.block;
    if (copy->dst_x > to.width || copy->rect.width > to.width - copy->dst_x || copy->dst_y > to.height ||
        copy->rect.height > to.height - copy->dst_y || copy->dst_x % block || copy->dst_y % block) {
        return false;
    }
    /* A partial block must be partial on both sides. */
    bool full_x = copy->rect.width % block == 0 || copy->dst_x + copy->rect.width == to.width;
    bool full_y = copy->rect.height % block == 0 || copy->dst_y + copy->rect.height == to.height;
    return full_x && full_y;
}

/* Common part of ResourceCopyRegion and Blt: checks, packets, mirror. Reports nothing. */
static HRESULT copy_region(struct agpu_context *context, D3D10DDI_HRESOURCE dst_handle, uint32_t dst_index,
                           uint32_t x, uint32_t y, uint32_t z, D3D10DDI_HRESOURCE src_handle,
                           uint32_t src_index, const D3D10_DDI_BOX *box)
{
    struct agpu_resource *dst = dst_handle.pDrvPrivate, *src = src_handle.pDrvPrivate;

    if (context == NULL || dst == NULL || src == NULL || !dst->handle || !src->handle ||
        dst->kind != src->kind) {
        return E_INVALIDARG;
    }
    if (agpu_box_empty(box)) {
        return S_OK;
    }
    struct agpu_device *device = context->device;
    if (dst->kind == AGPU_KIND_BUFFER) {
        const struct agpu_buffer_copy whole = {.dst = dst, .src = src};

        return y || z ? E_NOTIMPL : copy_buffer_region(device, &whole, dst_index, x, src_index, box);
    }
    struct agpu_texture_copy copy = {
        .dst = dst, .src = src, .dst_index = dst_index, .src_index = src_index, .dst_x = x, .dst_y = y};
    return z || !plan_region(&copy, box) ? E_INVALIDARG : copy_texture(device, &copy);
}

/* Returns the protocol handle for trace lines. */
static uint32_t handle_number(D3D10DDI_HRESOURCE handle)
{
    const struct agpu_resource *resource = handle.pDrvPrivate;

    return resource != NULL ? resource->handle : 0;
}

void agpu_resource_copy_region(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE dst, uint32_t dst_index,
                               uint32_t x, uint32_t y, uint32_t z, D3D10DDI_HRESOURCE src, uint32_t src_index,
                               const D3D10_DDI_BOX *box)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    bool oom_before = context->device->list_oom;
    HRESULT hr = copy_region(context, dst, dst_index, x, y, z, src, src_index, box);
    AGPU_TRACE_CALL(context, "ResourceCopyRegion dst=%u/%u src=%u/%u -> hr=0x%X", handle_number(dst),
                    dst_index, handle_number(src), src_index, (unsigned)hr);
    if (FAILED(hr)) {
        agpu_report_unreported(context, oom_before, hr);
    }
}

/* Copies the subresource to a rectangle of the source's size; refuses scaling. */
static HRESULT copy_whole_onto(struct agpu_context *context, const DXGI_DDI_ARG_BLT *args)
{
    struct agpu_subresource sub;
    const struct agpu_resource *src = args->hSrcResource.pDrvPrivate;

    if (src == NULL || src->kind != AGPU_KIND_TEXTURE2D ||
        !agpu_layout_subresource(&src->layout, args->SrcSubresource, &sub)) {
        return E_INVALIDARG;
    }
    if (args->DstRight < args->DstLeft || args->DstBottom < args->DstTop ||
        args->DstRight - args->DstLeft != sub.width || args->DstBottom - args->DstTop != sub.height) {
        return E_NOTIMPL;
    }
    return copy_region(context, args->hDstResource, args->DstSubresource, args->DstLeft, args->DstTop, 0,
                       args->hSrcResource, args->SrcSubresource, NULL);
}

HRESULT agpu_blt(D3D10DDI_HDEVICE handle, const DXGI_DDI_ARG_BLT *args)
{
    AGPU_HOLD(handle);
    struct agpu_context *context = agpu_context_of(handle);

    return agpu_traced_result(
        handle, "Blt", context != NULL && args != NULL ? copy_whole_onto(context, args) : E_INVALIDARG);
}
