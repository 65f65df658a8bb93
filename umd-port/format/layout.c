/* layout.c: texture layout arithmetic, checked against overflow (umd.md 5.2). */
#include "umd-port/format/layout.h"

static uint32_t mip_extent(uint32_t extent, uint32_t mip)
{
    uint32_t size = mip < 32 ? extent >> mip : 0;

    return size ? size : 1;
}

static uint32_t blocks_across(uint32_t texels, uint32_t block)
{
    return texels / block + (texels % block != 0);
}

uint32_t agpu_layout_full_chain(uint32_t width, uint32_t height)
{
    uint32_t largest = width > height ? width : height;
    uint32_t mips = 0;

    for (; largest; largest >>= 1) {
        mips++;
    }
    return mips;
}

bool agpu_layout_tight_pitch(const struct agpu_format *format, uint32_t width, uint32_t *pitch)
{
    uint64_t bytes = (uint64_t)blocks_across(width, format->block) * format->bytes;

    *pitch = (uint32_t)bytes;
    return bytes <= UINT32_MAX;
}

static void measure_mip(const struct agpu_texture_layout *layout, uint32_t mip, struct agpu_subresource *out)
{
    out->width = mip_extent(layout->width, mip);
    out->height = mip_extent(layout->height, mip);
    out->rows = blocks_across(out->height, layout->block);
    out->row_bytes = blocks_across(out->width, layout->block) * layout->block_bytes;
    out->pitch = mip ? out->row_bytes : layout->row_pitch;
    out->bytes = (uint64_t)out->pitch * out->rows;
    out->mip = mip;
}

bool agpu_layout_build(struct agpu_texture_layout *layout, const struct agpu_format *format, uint32_t width,
                       uint32_t height, uint32_t mips, uint32_t layers, uint32_t row_pitch)
{
    uint32_t tight;

    if (!agpu_layout_tight_pitch(format, width, &tight) || row_pitch < tight) {
        return false;
    }
    *layout = (struct agpu_texture_layout){
        .width = width,
        .height = height,
        .mips = mips,
        .layers = layers,
        .row_pitch = row_pitch,
        .block = format->block,
        .block_bytes = format->bytes,
    };
    for (uint32_t mip = 0; mip < mips; mip++) {
        struct agpu_subresource level;

        measure_mip(layout, mip, &level);
        if (__builtin_add_overflow(layout->layer_bytes, level.bytes, &layout->layer_bytes)) {
            return false;
        }
    }
    if (__builtin_mul_overflow(layout->layer_bytes, (uint64_t)layers, &layout->total_bytes)) {
        return false;
    }
    return layout->total_bytes <= SIZE_MAX / 2; /* sizes and pointer differences must be representable */
}

bool agpu_layout_subresource(const struct agpu_texture_layout *layout, uint32_t index,
                             struct agpu_subresource *out)
{
    if ((uint64_t)index >= (uint64_t)layout->mips * layout->layers) {
        return false;
    }
    uint32_t mip = index % layout->mips;
    uint64_t offset = layout->layer_bytes * (index / layout->mips);
    for (uint32_t above = 0; above < mip; above++) {
        measure_mip(layout, above, out);
        offset += out->bytes;
    }
    measure_mip(layout, mip, out);
    out->offset = offset;
    return true;
}

bool agpu_layout_at(const struct agpu_texture_layout *layout, uint64_t offset, struct agpu_subresource *out)
{
    if (offset >= layout->total_bytes) {
        return false;
    }
    uint32_t layer = (uint32_t)(offset / layout->layer_bytes);
    for (uint32_t mip = 0; mip < layout->mips; mip++) {
        if (!agpu_layout_subresource(layout, mip + layer * layout->mips, out)) {
            return false;
        }
        if (offset < out->offset + out->bytes) {
            return true;
        }
    }
    return false;
}
