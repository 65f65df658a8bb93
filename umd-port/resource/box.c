/* box.c: checks boxes and converts them to bytes (umd.md 7). */
#include "umd-port/resource/box.h"

/* True for a span that starts on the block grid and ends on it or at the edge. */
static bool on_grid(uint32_t start, uint32_t end, uint32_t edge, uint32_t block)
{
    return start % block == 0 && (end % block == 0 || end == edge);
}

bool agpu_texel_rect(const struct agpu_texture_layout *layout, const struct agpu_subresource *sub,
                     const D3D10_DDI_BOX *box, struct agpu_texel_rect *rect)
{
    if (box == NULL) {
        *rect = (struct agpu_texel_rect){0, 0, sub->width, sub->height};
        return true;
    }
    if (box->front != 0 || box->back != 1 || box->left < 0 || box->top < 0 || box->left >= box->right ||
        box->top >= box->bottom || (uint32_t)box->right > sub->width || (uint32_t)box->bottom > sub->height) {
        return false;
    }
    uint32_t left = (uint32_t)box->left, top = (uint32_t)box->top;
    uint32_t right = (uint32_t)box->right, bottom = (uint32_t)box->bottom;
    *rect = (struct agpu_texel_rect){left, top, right - left, bottom - top};
    return on_grid(left, right, sub->width, layout->block) &&
           on_grid(top, bottom, sub->height, layout->block);
}

struct agpu_byte_rows agpu_rows_of_rect(const struct agpu_texture_layout *layout,
                                        const struct agpu_subresource *sub,
                                        const struct agpu_texel_rect *rect)
{
    uint32_t block = layout->block;
    uint32_t first_row = rect->y / block, first_column = rect->x / block;

    return (struct agpu_byte_rows){
        .offset =
            sub->offset + (uint64_t)first_row * sub->pitch + (uint64_t)first_column * layout->block_bytes,
        .row_bytes = (rect->width + block - 1) / block * layout->block_bytes,
        .rows = (rect->height + block - 1) / block,
        .first_row = first_row,
    };
}
