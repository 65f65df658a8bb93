/* box.h: checks boxes of copies and updates, and converts them to rows of bytes (umd.md 7). */
#ifndef AGPU_UMD_RESOURCE_BOX_H
#define AGPU_UMD_RESOURCE_BOX_H

#include "umd-port/format/layout.h"

/* Part of a subresource, in rows of texels or blocks. */
struct agpu_byte_rows {
    uint64_t offset;    /* of the first byte, from the start of the resource */
    uint32_t row_bytes; /* of each row */
    uint32_t rows;
    uint32_t first_row; /* of the subresource */
};

/* The texels of a texture box; for NULL, the whole subresource. */
struct agpu_texel_rect {
    uint32_t x, y, width, height;
};

/* One checked update of a subresource. */
struct agpu_update {
    const uint8_t *data;
    uint32_t data_pitch; /* in: 0 = tight */
    /* Bytes that change. */
    struct agpu_byte_rows rows;
    uint32_t pitch; /* between rows of the resource; 0 for buffers */
    bool fill;      /* whole subresource: row padding is zeroed too */
    /* Textures: the place. */
    uint32_t subresource;
    struct agpu_texel_rect rect;
    /* Bytes that the packet names. */
    uint64_t offset, bytes;
};

/* False when the box is outside the subresource, empty, more than one slice, or off the block grid. */
bool agpu_texel_rect(const struct agpu_texture_layout *layout, const struct agpu_subresource *sub,
                     const D3D10_DDI_BOX *box, struct agpu_texel_rect *rect);
struct agpu_byte_rows agpu_rows_of_rect(const struct agpu_texture_layout *layout,
                                        const struct agpu_subresource *sub,
                                        const struct agpu_texel_rect *rect);

/* True when the box contains no texel. Such a call does nothing and is not an error. */
static inline bool agpu_box_empty(const D3D10_DDI_BOX *box)
{
    return box != NULL && (box->left >= box->right || box->top >= box->bottom || box->front >= box->back);
}

#endif
