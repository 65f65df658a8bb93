/* pixel.c: pixels of the colour and depth formats (device.md 4.8, commands.md 11). */
#include "tests/device/engine/pixel.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/format.h"

#define D24_MAX 16777215.0

static double clamp_unorm(uint32_t f32)
{
    float value;

    memcpy(&value, &f32, sizeof value);
    if (!(value > 0.0f)) { /* also NaN */
        return 0.0;
    }
    return value < 1.0f ? (double)value : 1.0;
}

static double encode_srgb(double linear)
{
    return linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

/* Rounds a value in 0..1 to levels steps. */
static uint32_t quantise_unorm(double value, double levels)
{
    return (uint32_t)floor(value * levels + 0.5);
}

/* True when red lies in the lowest byte of a 32-bit colour format. */
static bool red_first(uint32_t format)
{
    return format == AEROGPU_FORMAT_R8G8B8A8_UNORM || format == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
           format == AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB || format == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

uint32_t vgpu_pixel_from_color(uint32_t format, const uint32_t rgba_f32[4])
{
    const struct vgpu_format *info = vgpu_format_find(format);
    double rgba[4];

    for (unsigned i = 0; i < 4; i++) {
        rgba[i] = clamp_unorm(rgba_f32[i]);
        if (info->srgb && i < 3) {
            rgba[i] = encode_srgb(rgba[i]);
        }
    }
    if (format == AEROGPU_FORMAT_B5G6R5_UNORM) {
        return quantise_unorm(rgba[0], 31) << 11 | quantise_unorm(rgba[1], 63) << 5 |
               quantise_unorm(rgba[2], 31);
    }
    if (format == AEROGPU_FORMAT_B5G5R5A1_UNORM) {
        return quantise_unorm(rgba[3], 1) << 15 | quantise_unorm(rgba[0], 31) << 10 |
               quantise_unorm(rgba[1], 31) << 5 | quantise_unorm(rgba[2], 31);
    }
    const uint32_t red = quantise_unorm(rgba[0], 255);
    const uint32_t blue = quantise_unorm(rgba[2], 255);
    const uint32_t alpha = info->x8 ? 0xFF : quantise_unorm(rgba[3], 255);

    return alpha << 24 | quantise_unorm(rgba[1], 255) << 8 |
           (red_first(format) ? blue << 16 | red : red << 16 | blue);
}

uint32_t vgpu_pixel_from_depth(uint32_t format, uint32_t depth_f32)
{
    const double depth = clamp_unorm(depth_f32);
    const float stored = (float)depth;
    uint32_t bits;

    if (format == AEROGPU_FORMAT_D24_UNORM_S8_UINT) {
        return quantise_unorm(depth, D24_MAX);
    }
    memcpy(&bits, &stored, sizeof bits);
    return bits;
}

static uint8_t widen_5_bits(uint32_t v)
{
    return (uint8_t)(v << 3 | v >> 2);
}

void vgpu_pixel_unpack(uint32_t format, const uint8_t *pixel, uint8_t rgba[4])
{
    const uint32_t half = (uint32_t)pixel[0] | (uint32_t)pixel[1] << 8;

    if (format == AEROGPU_FORMAT_B5G6R5_UNORM) {
        const uint32_t green = half >> 5 & 63;

        rgba[0] = widen_5_bits(half >> 11 & 31);
        rgba[1] = (uint8_t)(green << 2 | green >> 4);
        rgba[2] = widen_5_bits(half & 31);
        rgba[3] = 0xFF;
    } else if (format == AEROGPU_FORMAT_B5G5R5A1_UNORM) {
        rgba[0] = widen_5_bits(half >> 10 & 31);
        rgba[1] = widen_5_bits(half >> 5 & 31);
        rgba[2] = widen_5_bits(half & 31);
        rgba[3] = half >> 15 ? 0xFF : 0;
    } else {
        const bool rgb = red_first(format);

        rgba[0] = pixel[rgb ? 0 : 2];
        rgba[1] = pixel[1];
        rgba[2] = pixel[rgb ? 2 : 0];
        rgba[3] = vgpu_format_find(format)->x8 ? 0xFF : pixel[3];
    }
}

void vgpu_pixel_pack(uint32_t format, const uint8_t rgba[4], uint8_t *pixel)
{
    uint32_t half;

    if (format == AEROGPU_FORMAT_B5G6R5_UNORM) {
        half = (uint32_t)rgba[0] >> 3 << 11 | (uint32_t)rgba[1] >> 2 << 5 | (uint32_t)rgba[2] >> 3;
    } else if (format == AEROGPU_FORMAT_B5G5R5A1_UNORM) {
        half = (rgba[3] >= 0x80 ? 1u << 15 : 0) | (uint32_t)rgba[0] >> 3 << 10 | (uint32_t)rgba[1] >> 3 << 5 |
               (uint32_t)rgba[2] >> 3;
    } else {
        const bool rgb = red_first(format);

        pixel[rgb ? 0 : 2] = rgba[0];
        pixel[1] = rgba[1];
        pixel[rgb ? 2 : 0] = rgba[2];
        pixel[3] = vgpu_format_find(format)->x8 ? 0xFF : rgba[3];
        return;
    }
    pixel[0] = (uint8_t)half;
    pixel[1] = (uint8_t)(half >> 8);
}
