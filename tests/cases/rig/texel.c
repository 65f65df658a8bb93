/* texel.c: texels of the colour formats (device.md 4.8). */
#include "tests/cases/rig/texel.h"

#include "pci/protocol/aerogpu_pci.h"

const char *agpu_texel_name(uint32_t format)
{
    switch (format) {
#define AEROGPU_FORMAT(NAME, ...)                                                                            \
    case AEROGPU_FORMAT_##NAME:                                                                              \
        return #NAME;
#include "pci/protocol/formats.def"
    default:
        return "unknown";
    }
}

uint32_t agpu_texel_bytes(uint32_t format)
{
    return format == AEROGPU_FORMAT_B5G6R5_UNORM || format == AEROGPU_FORMAT_B5G5R5A1_UNORM ? 2 : 4;
}

static bool texel_red_first(uint32_t format)
{
    return format == AEROGPU_FORMAT_R8G8B8A8_UNORM || format == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
           format == AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB || format == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

bool agpu_texel_has_x8(uint32_t format)
{
    return format == AEROGPU_FORMAT_B8G8R8X8_UNORM || format == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
           format == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB || format == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

bool agpu_texel_is_srgb(uint32_t format)
{
    return format >= AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB && format <= AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

void agpu_texel_unpack(uint32_t format, const uint8_t *at, uint8_t rgba[4])
{
    const uint32_t half = (uint32_t)at[0] | (uint32_t)at[1] << 8;

    if (format == AEROGPU_FORMAT_B5G6R5_UNORM) {
        rgba[0] = (uint8_t)((half >> 11 & 31) << 3 | (half >> 13 & 7));
        rgba[1] = (uint8_t)((half >> 5 & 63) << 2 | (half >> 9 & 3));
        rgba[2] = (uint8_t)((half & 31) << 3 | (half >> 2 & 7));
        rgba[3] = 0xFF;
    } else if (format == AEROGPU_FORMAT_B5G5R5A1_UNORM) {
        rgba[0] = (uint8_t)((half >> 10 & 31) << 3 | (half >> 12 & 7));
        rgba[1] = (uint8_t)((half >> 5 & 31) << 3 | (half >> 7 & 7));
        rgba[2] = (uint8_t)((half & 31) << 3 | (half >> 2 & 7));
        rgba[3] = half >> 15 != 0 ? 0xFF : 0;
    } else {
        rgba[0] = at[texel_red_first(format) ? 0 : 2];
        rgba[1] = at[1];
        rgba[2] = at[texel_red_first(format) ? 2 : 0];
        rgba[3] = agpu_texel_has_x8(format) ? 0xFF : at[3];
    }
}

void agpu_texel_pack(uint32_t format, const uint8_t rgba[4], uint8_t *at)
{
    uint32_t half;

    if (agpu_texel_bytes(format) == 4) {
        at[texel_red_first(format) ? 0 : 2] = rgba[0];
        at[1] = rgba[1];
        at[texel_red_first(format) ? 2 : 0] = rgba[2];
        at[3] = rgba[3];
        return;
    }
    half = format == AEROGPU_FORMAT_B5G6R5_UNORM
               ? (uint32_t)(rgba[0] >> 3) << 11 | (uint32_t)(rgba[1] >> 2) << 5 | (uint32_t)(rgba[2] >> 3)
               : (uint32_t)(rgba[3] >> 7) << 15 | (uint32_t)(rgba[0] >> 3) << 10 |
                     (uint32_t)(rgba[1] >> 3) << 5 | (uint32_t)(rgba[2] >> 3);
    at[0] = (uint8_t)half;
    at[1] = (uint8_t)(half >> 8);
}
