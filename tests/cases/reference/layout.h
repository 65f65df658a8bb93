/* layout.h: formats and the layout of textures. */
#ifndef AGPU_CASES_REFERENCE_LAYOUT_H
#define AGPU_CASES_REFERENCE_LAYOUT_H

#include "tests/cases/reference/state.h"

struct agpu_ref_level {
    uint64_t offset, size;
    uint64_t tight, rows, pitch;
    uint32_t width, height; /* texels */
    uint32_t edge, block;
};
/* Returns block edge and bytes of a format; false for an invalid one. */
bool agpu_ref_format(uint32_t format, uint32_t *edge, uint32_t *bytes);
/* Computes a subresource; mip and layer are in range. */
struct agpu_ref_level agpu_ref_level_of(const struct agpu_ref_resource *texture, uint32_t mip,
                                        uint32_t layer);
/* Returns the bytes of all subresources, AGPU_REF_HUGE when they are as many or more. */
#define AGPU_REF_HUGE (UINT64_C(1) << 40)
uint64_t agpu_ref_texture_size(const struct agpu_ref_resource *texture);
static inline bool agpu_ref_is_color(uint32_t format)
{
    return format >= AEROGPU_FORMAT_B8G8R8A8_UNORM && format <= AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}
static inline bool agpu_ref_is_depth(uint32_t format)
{
    return format == AEROGPU_FORMAT_D24_UNORM_S8_UINT || format == AEROGPU_FORMAT_D32_FLOAT;
}
static inline bool agpu_ref_is_x8(uint32_t format)
{
    return format == AEROGPU_FORMAT_B8G8R8X8_UNORM || format == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
           format == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB || format == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}
/* Blue is byte 0 and red byte 2, of formats of four bytes. */
static inline bool agpu_ref_is_blue_first(uint32_t format)
{
    return format <= AEROGPU_FORMAT_B8G8R8X8_UNORM || format == AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB ||
           format == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB;
}
static inline bool agpu_ref_is_srgb(uint32_t format)
{
    return format >= AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB && format <= AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}
/* Returns the value clamped to 0..1; NaN is 0. */
double agpu_ref_unit(double value);
/* tolerance: of the values, beyond that of the specification. */
enum agpu_ref_byte agpu_ref_color(uint32_t format, const float rgba[4], double tolerance, uint8_t out[4]);
enum agpu_ref_byte agpu_ref_depth(uint32_t format, uint32_t depth_f32, uint8_t out[4]);

#endif
