/* texture_layout.h: the packed linear layout of textures: subresources, pitches, sizes (commands.md 5). */
#ifndef VGPU_ENGINE_TEXTURE_LAYOUT_H
#define VGPU_ENGINE_TEXTURE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/format.h"

struct vgpu_texture_layout {
    uint32_t format; /* AEROGPU_FORMAT_* */
    uint32_t width;  /* texels of mip 0 */
    uint32_t height;
    uint32_t mip_levels;
    uint32_t array_layers;
    uint32_t row_pitch;   /* of mip 0, as in effect */
    uint64_t layer_bytes; /* all mips of one layer */
};

/* One subresource inside the layout. Rows are rows of blocks. */
struct vgpu_subresource {
    uint64_t offset;
    uint64_t pitch;
    uint64_t row_bytes; /* without padding */
    uint32_t rows;
    uint32_t width; /* texels */
    uint32_t height;
};

/* Completes a layout whose other members are set; row_pitch 0 becomes the tight pitch. Stores the total size,
 * UINT64_MAX when it does not fit: no device has that much. Returns false when a rule of commands.md 6.1 is broken. */
bool vgpu_texture_layout_init(struct vgpu_texture_layout *layout, uint64_t *total);

/* mip and layer must be in range. */
struct vgpu_subresource vgpu_texture_subresource(const struct vgpu_texture_layout *layout, uint32_t mip,
                                                 uint32_t layer);

#endif
