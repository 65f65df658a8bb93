/* copy.c: COPY_TEXTURE2D (commands.md 6.4). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"

/* The X byte of X8 formats is written back as FF. */
#define X8_OPAQUE 0xFF000000u

/* A rectangle inside a subresource, in bytes and rows of blocks. */
struct copy_rect {
    uint64_t offset; /* of the first byte in the resource */
    uint64_t pitch;
    uint64_t row_bytes;
    uint64_t rows;
};

static bool span_inside(uint32_t origin, uint32_t length, uint32_t edge)
{
    return origin <= edge && length <= edge - origin;
}

/* Block formats: origins on blocks, lengths whole blocks unless they reach the edge in both textures. */
static bool on_blocks(uint32_t block, uint32_t dst, uint32_t src, uint32_t length, uint32_t dst_edge,
                      uint32_t src_edge)
{
    return dst % block == 0 && src % block == 0 &&
           (length % block == 0 || (dst + length == dst_edge && src + length == src_edge));
}

static struct copy_rect rect_of(const struct vgpu_subresource *sub, const struct vgpu_format *format,
                                uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    const uint32_t edge = format->block_edge;

    return (struct copy_rect){
        .offset = sub->offset + y / edge * sub->pitch + (uint64_t)(x / edge) * format->block_bytes,
        .pitch = sub->pitch,
        .row_bytes = ((uint64_t)width + edge - 1) / edge * format->block_bytes,
        .rows = ((uint64_t)height + edge - 1) / edge,
    };
}

static void copy_rows(uint8_t *dst, const struct copy_rect *to, const uint8_t *src,
                      const struct copy_rect *from)
{
    if (to->pitch == to->row_bytes && from->pitch == from->row_bytes) {
        memcpy(dst + to->offset, src + from->offset, to->row_bytes * to->rows);
        return;
    }
    for (uint64_t row = 0; row < to->rows; row++) {
        memcpy(dst + to->offset + row * to->pitch, src + from->offset + row * from->pitch, to->row_bytes);
    }
}

/* Writes one row back with its X bytes set. */
static void store_x8_row(struct vgpu_exec *exec, const struct vgpu_resource *dst,
                         const struct vgpu_alloc *alloc, uint64_t offset, uint64_t bytes)
{
    uint32_t pixels[64]; /* small: the compiler zeroes the whole array first, and most rows are short */

    while (bytes > 0) {
        const uint64_t part = bytes < sizeof pixels ? bytes : sizeof pixels;

        memcpy(pixels, dst->data + offset, part);
        for (uint64_t i = 0; i < part / sizeof pixels[0]; i++) {
            pixels[i] |= X8_OPAQUE;
        }
        vgpu_resource_store(exec, dst, alloc, offset, pixels, part);
        offset += part;
        bytes -= part;
    }
}

static void write_back(struct vgpu_exec *exec, const struct vgpu_resource *dst,
                       const struct vgpu_alloc *alloc, const struct copy_rect *to, bool x8)
{
    if (!x8 && to->pitch == to->row_bytes) {
        vgpu_resource_store(exec, dst, alloc, to->offset, dst->data + to->offset, to->row_bytes * to->rows);
        return;
    }
    for (uint64_t row = 0; row < to->rows; row++) {
        const uint64_t offset = to->offset + row * to->pitch;

        if (x8) {
            store_x8_row(exec, dst, alloc, offset, to->row_bytes);
        } else {
            vgpu_resource_store(exec, dst, alloc, offset, dst->data + offset, to->row_bytes);
        }
    }
}

uint32_t vgpu_packet_copy_texture2d(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_copy_texture2d *copy = packet;
    struct vgpu_resource *dst;
    struct vgpu_resource *src;
    const struct vgpu_alloc *alloc = NULL;

    (void)size;
    if (copy->width == 0 || copy->height == 0) {
        return AEROGPU_ERROR_NONE;
    }
    dst = vgpu_texture_find(exec, copy->dst_texture);
    src = vgpu_texture_find(exec, copy->src_texture);
    /* Two handles of one resource count as equal (commands.md 12: an alias is equivalent to the original). */
    if (dst == NULL || src == NULL || dst == src || (copy->flags & ~AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0 ||
        dst->layout.format != src->layout.format || copy->dst_mip_level >= dst->layout.mip_levels ||
        copy->src_mip_level >= src->layout.mip_levels || copy->dst_array_layer >= dst->layout.array_layers ||
        copy->src_array_layer >= src->layout.array_layers) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    const struct vgpu_format *format = vgpu_format_find(dst->layout.format);
    const struct vgpu_subresource dst_sub =
        vgpu_texture_subresource(&dst->layout, copy->dst_mip_level, copy->dst_array_layer);
    const struct vgpu_subresource src_sub =
        vgpu_texture_subresource(&src->layout, copy->src_mip_level, copy->src_array_layer);

    if (!span_inside(copy->dst_x, copy->width, dst_sub.width) ||
        !span_inside(copy->dst_y, copy->height, dst_sub.height) ||
        !span_inside(copy->src_x, copy->width, src_sub.width) ||
        !span_inside(copy->src_y, copy->height, src_sub.height) ||
        !on_blocks(format->block_edge, copy->dst_x, copy->src_x, copy->width, dst_sub.width, src_sub.width) ||
        !on_blocks(format->block_edge, copy->dst_y, copy->src_y, copy->height, dst_sub.height,
                   src_sub.height)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if ((copy->flags & AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0) {
        alloc = vgpu_resource_writable(exec, dst);
        if (alloc == NULL) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    const struct copy_rect to =
        rect_of(&dst_sub, format, copy->dst_x, copy->dst_y, copy->width, copy->height);
    const struct copy_rect from =
        rect_of(&src_sub, format, copy->src_x, copy->src_y, copy->width, copy->height);

    vgpu_resource_touch(exec, src);
    vgpu_resource_change(exec, dst, to.offset, (to.rows - 1) * to.pitch + to.row_bytes);
    copy_rows(dst->data, &to, src->data, &from);
    vgpu_exec_spend(exec, to.row_bytes * to.rows + to.rows * VGPU_COST_ROW);
    if (alloc != NULL) {
        write_back(exec, dst, alloc, &to, format->x8);
    }
    return AEROGPU_ERROR_NONE;
}
