/* layout.h: layout of a texture's subresources: packed mip by mip, layer by layer (umd.md 5.2, commands.md 5). */
#ifndef AGPU_UMD_FORMAT_LAYOUT_H
#define AGPU_UMD_FORMAT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "umd-port/base/resource.h"
#include "umd-port/format/format.h"

/* Returns the number of mips of a full chain. */
uint32_t agpu_layout_full_chain(uint32_t width, uint32_t height);
/* Returns the bytes of a tight row of mip 0; false when they exceed 32 bits. */
bool agpu_layout_tight_pitch(const struct agpu_format *format, uint32_t width, uint32_t *pitch);
/* Fills *layout; all counts non-zero, row_pitch >= tight. False on overflow. */
bool agpu_layout_build(struct agpu_texture_layout *layout, const struct agpu_format *format, uint32_t width,
                       uint32_t height, uint32_t mips, uint32_t layers, uint32_t row_pitch);
/* Returns a subresource by index = mip + layer * mips; false past the last one. */
bool agpu_layout_subresource(const struct agpu_texture_layout *layout, uint32_t index,
                             struct agpu_subresource *out);
/* Returns the subresource that contains the byte at offset; false past the end. */
bool agpu_layout_at(const struct agpu_texture_layout *layout, uint64_t offset, struct agpu_subresource *out);

#endif
