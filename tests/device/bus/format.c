/* format.c: table of the surface formats (commands.md 5). */
#include "tests/device/bus/format.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_pci.h"

#define FORMAT(name, kind_, edge, bytes, srgb_, x8_, base)                                                   \
    [AEROGPU_FORMAT_##name] = {VGPU_FORMAT_##kind_, edge, bytes, srgb_, x8_, AEROGPU_FORMAT_##base}

static const struct vgpu_format formats[] = {
    FORMAT(B8G8R8A8_UNORM, COLOR, 1, 4, false, false, B8G8R8A8_UNORM),
    FORMAT(B8G8R8X8_UNORM, COLOR, 1, 4, false, true, B8G8R8X8_UNORM),
    FORMAT(R8G8B8A8_UNORM, COLOR, 1, 4, false, false, R8G8B8A8_UNORM),
    FORMAT(R8G8B8X8_UNORM, COLOR, 1, 4, false, true, R8G8B8X8_UNORM),
    FORMAT(B5G6R5_UNORM, COLOR, 1, 2, false, false, B5G6R5_UNORM),
    FORMAT(B5G5R5A1_UNORM, COLOR, 1, 2, false, false, B5G5R5A1_UNORM),
    FORMAT(B8G8R8A8_UNORM_SRGB, COLOR, 1, 4, true, false, B8G8R8A8_UNORM),
    FORMAT(B8G8R8X8_UNORM_SRGB, COLOR, 1, 4, true, true, B8G8R8X8_UNORM),
    FORMAT(R8G8B8A8_UNORM_SRGB, COLOR, 1, 4, true, false, R8G8B8A8_UNORM),
    FORMAT(R8G8B8X8_UNORM_SRGB, COLOR, 1, 4, true, true, R8G8B8X8_UNORM),
    FORMAT(D24_UNORM_S8_UINT, DEPTH, 1, 4, false, false, D24_UNORM_S8_UINT),
    FORMAT(D32_FLOAT, DEPTH, 1, 4, false, false, D32_FLOAT),
    FORMAT(BC1_RGBA_UNORM, BLOCK, 4, 8, false, false, BC1_RGBA_UNORM),
    FORMAT(BC1_RGBA_UNORM_SRGB, BLOCK, 4, 8, true, false, BC1_RGBA_UNORM),
    FORMAT(BC2_RGBA_UNORM, BLOCK, 4, 16, false, false, BC2_RGBA_UNORM),
    FORMAT(BC2_RGBA_UNORM_SRGB, BLOCK, 4, 16, true, false, BC2_RGBA_UNORM),
    FORMAT(BC3_RGBA_UNORM, BLOCK, 4, 16, false, false, BC3_RGBA_UNORM),
    FORMAT(BC3_RGBA_UNORM_SRGB, BLOCK, 4, 16, true, false, BC3_RGBA_UNORM),
    FORMAT(BC7_RGBA_UNORM, BLOCK, 4, 16, false, false, BC7_RGBA_UNORM),
    FORMAT(BC7_RGBA_UNORM_SRGB, BLOCK, 4, 16, true, false, BC7_RGBA_UNORM),
};

const struct vgpu_format *vgpu_format_find(uint32_t number)
{
    if (number >= sizeof formats / sizeof formats[0] || formats[number].block_bytes == 0) {
        return NULL;
    }
    return &formats[number];
}
