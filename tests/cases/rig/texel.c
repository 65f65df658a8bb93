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

const char *agpu_dxgi_name(uint32_t format)
{
    /* clang-format off */
    static const char *const names[] = {
        "UNKNOWN", "R32G32B32A32_TYPELESS", "R32G32B32A32_FLOAT", "R32G32B32A32_UINT", "R32G32B32A32_SINT",
        "R32G32B32_TYPELESS", "R32G32B32_FLOAT", "R32G32B32_UINT", "R32G32B32_SINT", "R16G16B16A16_TYPELESS",
        "R16G16B16A16_FLOAT", "R16G16B16A16_UNORM", "R16G16B16A16_UINT", "R16G16B16A16_SNORM",
        "R16G16B16A16_SINT", "R32G32_TYPELESS", "R32G32_FLOAT", "R32G32_UINT", "R32G32_SINT",
        "R32G8X24_TYPELESS", "D32_FLOAT_S8X24_UINT", "R32_FLOAT_X8X24_TYPELESS", "X32_TYPELESS_G8X24_UINT",
        "R10G10B10A2_TYPELESS", "R10G10B10A2_UNORM", "R10G10B10A2_UINT", "R11G11B10_FLOAT",
        "R8G8B8A8_TYPELESS", "R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB", "R8G8B8A8_UINT", "R8G8B8A8_SNORM",
        "R8G8B8A8_SINT", "R16G16_TYPELESS", "R16G16_FLOAT", "R16G16_UNORM", "R16G16_UINT", "R16G16_SNORM",
        "R16G16_SINT", "R32_TYPELESS", "D32_FLOAT", "R32_FLOAT", "R32_UINT", "R32_SINT", "R24G8_TYPELESS",
        "D24_UNORM_S8_UINT", "R24_UNORM_X8_TYPELESS", "X24_TYPELESS_G8_UINT", "R8G8_TYPELESS", "R8G8_UNORM",
        "R8G8_UINT", "R8G8_SNORM", "R8G8_SINT", "R16_TYPELESS", "R16_FLOAT", "D16_UNORM", "R16_UNORM",
        "R16_UINT", "R16_SNORM", "R16_SINT", "R8_TYPELESS", "R8_UNORM", "R8_UINT", "R8_SNORM", "R8_SINT",
        "A8_UNORM", "R1_UNORM", "R9G9B9E5_SHAREDEXP", "R8G8_B8G8_UNORM", "G8R8_G8B8_UNORM", "BC1_TYPELESS",
        "BC1_UNORM", "BC1_UNORM_SRGB", "BC2_TYPELESS", "BC2_UNORM", "BC2_UNORM_SRGB", "BC3_TYPELESS",
        "BC3_UNORM", "BC3_UNORM_SRGB", "BC4_TYPELESS", "BC4_UNORM", "BC4_SNORM", "BC5_TYPELESS", "BC5_UNORM",
        "BC5_SNORM", "B5G6R5_UNORM", "B5G5R5A1_UNORM", "B8G8R8A8_UNORM", "B8G8R8X8_UNORM",
        "R10G10B10_XR_BIAS_A2_UNORM", "B8G8R8A8_TYPELESS", "B8G8R8A8_UNORM_SRGB", "B8G8R8X8_TYPELESS",
        "B8G8R8X8_UNORM_SRGB", "BC6H_TYPELESS", "BC6H_UF16", "BC6H_SF16", "BC7_TYPELESS", "BC7_UNORM",
        "BC7_UNORM_SRGB",
    };
    /* clang-format on */

    return format < sizeof names / sizeof names[0] ? names[format] : "unknown";
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
