/* texture_layout.c: the packed layout of commands.md 5. */
#include "tests/device/engine/texture_layout.h"

#include <stddef.h>

static uint32_t mip_edge(uint32_t edge, uint32_t mip)
{
    return edge >> mip > 0 ? edge >> mip : 1;
}

static uint64_t block_count(uint32_t edge, uint32_t block_edge)
{
    return ((uint64_t)edge + block_edge - 1) / block_edge;
}

/* floor(log2(max(width, height))) + 1. */
static uint32_t full_mip_chain(uint32_t width, uint32_t height)
{
    uint32_t edge = width > height ? width : height;
    uint32_t mips = 1;

    while (edge > 1) {
        edge >>= 1;
        mips++;
    }
    return mips;
}

/* Geometry of a mip without its offset. */
static struct vgpu_subresource mip_geometry(const struct vgpu_texture_layout *layout, uint32_t mip)
{
    const struct vgpu_format *format = vgpu_format_find(layout->format);
    struct vgpu_subresource sub = {
        .width = mip_edge(layout->width, mip),
        .height = mip_edge(layout->height, mip),
    };

    sub.row_bytes = block_count(sub.width, format->block_edge) * format->block_bytes;
    sub.pitch = mip == 0 ? layout->row_pitch : sub.row_bytes;
    sub.rows = (uint32_t)block_count(sub.height, format->block_edge);
    return sub;
}

bool vgpu_texture_layout_init(struct vgpu_texture_layout *layout, uint64_t *total)
{
    const struct vgpu_format *format = vgpu_format_find(layout->format);
    uint64_t tight;

    if (format == NULL || layout->width == 0 || layout->height == 0 || layout->array_layers == 0 ||
        layout->mip_levels == 0 || layout->mip_levels > full_mip_chain(layout->width, layout->height)) {
        return false;
    }
    tight = block_count(layout->width, format->block_edge) * format->block_bytes;
    if (layout->row_pitch != 0 && layout->row_pitch < tight) {
        return false;
    }
    *total = UINT64_MAX;
    if (tight > UINT32_MAX) {
        return true;
    }
    if (layout->row_pitch == 0) {
        layout->row_pitch = (uint32_t)tight;
    }
    layout->layer_bytes = 0;
    for (uint32_t mip = 0; mip < layout->mip_levels; mip++) {
        const struct vgpu_subresource sub = mip_geometry(layout, mip);

        if (__builtin_add_overflow(layout->layer_bytes, sub.pitch * sub.rows, &layout->layer_bytes)) {
            return true;
        }
    }
    if (__builtin_mul_overflow(layout->layer_bytes, (uint64_t)layout->array_layers, total)) {
        *total = UINT64_MAX;
    }
    return true;
}

struct vgpu_subresource vgpu_texture_subresource(const struct vgpu_texture_layout *layout, uint32_t mip,
                                                 uint32_t layer)
{
    struct vgpu_subresource sub = mip_geometry(layout, mip);

    sub.offset = layout->layer_bytes * layer;
    for (uint32_t m = 0; m < mip; m++) {
        const struct vgpu_subresource before = mip_geometry(layout, m);

        sub.offset += before.pitch * before.rows;
    }
    return sub;
}
