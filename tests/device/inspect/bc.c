/* bc.c: BC1 to BC3. Colours between the end points are rounded to nearest; hardware may differ by one step,
 * which is not visible. */
#include "tests/device/inspect/bc.h"

#include <stdbool.h>

static uint32_t bc_load16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t bc_load32(const uint8_t *bytes)
{
    return bc_load16(bytes) | bc_load16(bytes + 2) << 16;
}

static void bc_unpack565(uint32_t value, uint8_t rgba[4])
{
    const uint32_t r = value >> 11 & 31;
    const uint32_t g = value >> 5 & 63;
    const uint32_t b = value & 31;

    rgba[0] = (uint8_t)(r << 3 | r >> 2);
    rgba[1] = (uint8_t)(g << 2 | g >> 4);
    rgba[2] = (uint8_t)(b << 3 | b >> 2);
    rgba[3] = 0xFF;
}

/* (a * wa + b * wb) / (wa + wb), rounded. */
static uint8_t bc_mix(uint32_t a, uint32_t wa, uint32_t b, uint32_t wb)
{
    const uint32_t sum = wa + wb;

    return (uint8_t)((a * wa + b * wb + sum / 2) / sum);
}

/* Decodes the colour part. punch_through: with end points in ascending order index 3 is transparent (BC1
 * only). */
static void decode_color(const uint8_t block[8], bool punch_through, uint8_t rgba[16][4])
{
    const uint32_t first = bc_load16(block);
    const uint32_t second = bc_load16(block + 2);
    const uint32_t indices = bc_load32(block + 4);
    const bool three = punch_through && first <= second;
    uint8_t palette[4][4] = {{0}};

    bc_unpack565(first, palette[0]);
    bc_unpack565(second, palette[1]);
    for (unsigned i = 0; i < 3; i++) {
        if (three) {
            palette[2][i] = bc_mix(palette[0][i], 1, palette[1][i], 1);
        } else {
            palette[2][i] = bc_mix(palette[0][i], 2, palette[1][i], 1);
            palette[3][i] = bc_mix(palette[0][i], 1, palette[1][i], 2);
        }
    }
    palette[2][3] = 0xFF;
    palette[3][3] = three ? 0 : 0xFF;
    for (unsigned texel = 0; texel < 16; texel++) {
        const uint8_t *color = palette[indices >> (2 * texel) & 3];

        for (unsigned i = 0; i < 4; i++) {
            rgba[texel][i] = color[i];
        }
    }
}

void vgpu_bc1_decode(const uint8_t block[8], uint8_t rgba[16][4])
{
    decode_color(block, true, rgba);
}

void vgpu_bc2_decode(const uint8_t block[16], uint8_t rgba[16][4])
{
    decode_color(block + 8, false, rgba);
    for (unsigned texel = 0; texel < 16; texel++) {
        const uint32_t alpha = block[texel / 2] >> (texel % 2 * 4) & 15u;

        rgba[texel][3] = (uint8_t)(alpha << 4 | alpha);
    }
}

void vgpu_bc3_decode(const uint8_t block[16], uint8_t rgba[16][4])
{
    const uint64_t indices = bc_load32(block + 2) | (uint64_t)bc_load16(block + 6) << 32;
    uint8_t alphas[8] = {block[0], block[1], 0, 0, 0, 0, 0, 0xFF};
    const bool eight = block[0] > block[1];
    const uint32_t steps = eight ? 7 : 5;

    for (uint32_t i = 1; i < steps; i++) {
        alphas[i + 1] = bc_mix(block[0], steps - i, block[1], i);
    }
    decode_color(block + 8, false, rgba);
    for (unsigned texel = 0; texel < 16; texel++) {
        rgba[texel][3] = alphas[indices >> (3 * texel) & 7];
    }
}
