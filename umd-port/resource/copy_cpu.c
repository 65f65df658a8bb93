/* copy_cpu.c: copies by the CPU: the mirror of the device's copies, and the fallback (umd.md 7.2). */
#include "umd-port/resource/copy_cpu.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/submit.h"
#include "umd-port/format/layout.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"
#include "umd-port/resource/streamed.h"

/* Both ends of a CPU copy. */
struct copy_ends {
    struct agpu_cpu_view dst, src;
};

static HRESULT open_copy_ends(struct agpu_device *device, struct agpu_resource *dst,
                              struct agpu_resource *src, struct copy_ends *ends)
{
    HRESULT hr = agpu_cpu_open(device, src, D3D10_DDI_MAP_READ, &ends->src);

    if (FAILED(hr)) {
        return hr;
    }
    if (dst == src && ends->src.locked) { /* one lock serves both */
        ends->dst = (struct agpu_cpu_view){.data = ends->src.data};
        return S_OK;
    }
    hr = agpu_cpu_open(device, dst, D3D10_DDI_MAP_WRITE, &ends->dst);
    if (FAILED(hr)) {
        agpu_cpu_close(device, src, &ends->src);
    }
    return hr;
}

static void close_copy_ends(struct agpu_device *device, struct agpu_resource *dst, struct agpu_resource *src,
                            struct copy_ends *ends)
{
    agpu_cpu_close(device, dst, &ends->dst);
    agpu_cpu_close(device, src, &ends->src);
}

/* True when the CPU may repeat the device's copy. With a device, write-back fills guest memory, and a CPU copy would
 * race with it. */
static bool may_mirror(const struct agpu_device *device, const struct agpu_resource *dst,
                       const struct agpu_resource *src)
{
    return device->env->options->mirror_guest_memory ||
           (!agpu_is_guest_backed(dst) && !agpu_is_guest_backed(src));
}

static void move_texture_rows(const struct agpu_texture_copy *copy, const struct copy_ends *ends)
{
    struct agpu_subresource dst_sub, src_sub;
    const struct agpu_texture_layout *dst_layout = &copy->dst->layout, *src_layout = &copy->src->layout;
    const struct agpu_texel_rect dst_rect = {copy->dst_x, copy->dst_y, copy->rect.width, copy->rect.height};

    if (!agpu_layout_subresource(dst_layout, copy->dst_index, &dst_sub) ||
        !agpu_layout_subresource(src_layout, copy->src_index, &src_sub)) {
        return;
    }
    struct agpu_byte_rows dst_rows = agpu_rows_of_rect(dst_layout, &dst_sub, &dst_rect);
    struct agpu_byte_rows src_rows = agpu_rows_of_rect(src_layout, &src_sub, &copy->rect);
    uint8_t *dst = ends->dst.data + dst_rows.offset;
    const uint8_t *src = ends->src.data + src_rows.offset;
    /* Backwards when the areas may overlap and the destination has the higher address. */
    bool backwards = dst > src;
    for (uint32_t i = 0; i < src_rows.rows; i++) {
        uint32_t row = backwards ? src_rows.rows - 1 - i : i;

        memmove(dst + (size_t)row * dst_sub.pitch, src + (size_t)row * src_sub.pitch, src_rows.row_bytes);
    }
}

static void move_buffer_bytes(const struct agpu_buffer_copy *copy, const struct copy_ends *ends)
{
    memmove(ends->dst.data + copy->dst_offset, ends->src.data + copy->src_offset, (size_t)copy->bytes);
}

void agpu_mirror_buffer_copy(struct agpu_device *device, const struct agpu_buffer_copy *copy)
{
    struct copy_ends ends;

    if (!may_mirror(device, copy->dst, copy->src) ||
        FAILED(open_copy_ends(device, copy->dst, copy->src, &ends))) {
        return;
    }
    move_buffer_bytes(copy, &ends);
    close_copy_ends(device, copy->dst, copy->src, &ends);
}

void agpu_mirror_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy)
{
    struct copy_ends ends;

    if (!may_mirror(device, copy->dst, copy->src) ||
        FAILED(open_copy_ends(device, copy->dst, copy->src, &ends))) {
        return;
    }
    move_texture_rows(copy, &ends);
    close_copy_ends(device, copy->dst, copy->src, &ends);
}

/* Announces [offset, +bytes) of dst to the device; the CPU is about to write it. */
static HRESULT announce_write(struct agpu_device *device, struct agpu_resource *dst, uint64_t offset,
                              uint64_t bytes, uint8_t **upload)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;

    *upload = NULL;
    if (!agpu_is_guest_backed(dst)) {
        *upload = agpu_emit_upload(cmd, dst->handle, offset, bytes);
        return *upload != NULL ? S_OK : E_OUTOFMEMORY;
    }
    HRESULT hr = agpu_track_room(device, 1);
    if (FAILED(hr)) {
        return hr;
    }
    uint32_t listed = device->allocs.count;
    if (agpu_track(device, dst, false) && agpu_emit_dirty_range(cmd, dst->handle, offset, bytes)) {
        return S_OK;
    }
    agpu_alloc_list_truncate(&device->allocs, listed);
    return E_OUTOFMEMORY;
}

/* Submits recorded work, because the locks below wait only for submitted work. */
static HRESULT submit_referenced(struct agpu_device *device, const struct agpu_resource *dst,
                                 const struct agpu_resource *src)
{
    if (agpu_mode(device) != AGPU_BACKING_WDK ||
        (!agpu_is_referenced(device, dst) && !agpu_is_referenced(device, src))) {
        return S_OK;
    }
    return agpu_submit(device, NULL);
}

HRESULT agpu_cpu_buffer_copy(struct agpu_device *device, const struct agpu_buffer_copy *copy)
{
    struct copy_ends ends;
    uint8_t *upload;
    HRESULT hr = agpu_catch_up(device, copy->src, copy->src_offset, copy->bytes);

    if (SUCCEEDED(hr)) {
        hr = agpu_catch_up(device, copy->dst, copy->dst_offset, copy->bytes);
    }
    if (SUCCEEDED(hr)) {
        hr = submit_referenced(device, copy->dst, copy->src);
    }
    if (FAILED(hr) || FAILED(hr = open_copy_ends(device, copy->dst, copy->src, &ends))) {
        return hr;
    }
    uint64_t start = copy->dst_offset & ~(uint64_t)3;
    uint64_t end = (copy->dst_offset + copy->bytes + 3) & ~(uint64_t)3;
    if (end > copy->dst->bytes) {
        end = copy->dst->bytes;
    }
    hr = announce_write(device, copy->dst, start, end - start, &upload);
    if (SUCCEEDED(hr)) {
        move_buffer_bytes(copy, &ends);
        if (upload != NULL) {
            memcpy(upload, ends.dst.data + start, (size_t)(end - start));
        }
    }
    close_copy_ends(device, copy->dst, copy->src, &ends);
    return hr;
}

HRESULT agpu_cpu_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy)
{
    struct copy_ends ends;
    struct agpu_subresource sub;
    uint8_t *upload;

    if (!agpu_layout_subresource(&copy->dst->layout, copy->dst_index, &sub)) {
        return E_INVALIDARG;
    }
    HRESULT hr = submit_referenced(device, copy->dst, copy->src);
    if (FAILED(hr) || FAILED(hr = open_copy_ends(device, copy->dst, copy->src, &ends))) {
        return hr;
    }
    hr = announce_write(device, copy->dst, sub.offset, sub.bytes, &upload);
    if (SUCCEEDED(hr)) {
        move_texture_rows(copy, &ends);
        if (upload != NULL) {
            memcpy(upload, ends.dst.data + sub.offset, (size_t)sub.bytes);
        }
    }
    close_copy_ends(device, copy->dst, copy->src, &ends);
    return hr;
}
