/* color.c: the bytes that a clear stores (commands.md 11; 16-bit layouts: device.md 4.8). */
#include "tests/cases/reference/color.h"

#include <string.h>

#include "tests/cases/reference/layout.h"

/* Distance from a tie within which executors may differ (commands.md 11). */
#define TIE 1e-5

/* Returns the value of a float's bits, clamped to 0..1; NaN is 0. */
static double unit_value(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    if (!(value > 0.0f)) {
        return 0.0;
    }
    return value < 1.0f ? (double)value : 1.0;
}

/* Rounds value * levels; *near is set close to a tie. */
static uint32_t quantize(double value, uint32_t levels, bool *near)
{
    const double scaled = value * levels + 0.5;
    const uint32_t rounded = (uint32_t)scaled;
    const double fraction = scaled - rounded;

    *near = *near || (fraction < TIE * levels && rounded != 0) ||
            (fraction > 1.0 - TIE * levels && rounded != levels);
    return rounded;
}

/* Returns the linear value of an sRGB value, with x^2.4 as x^2 * (x^2)^(1/5). */
static double linear_of(double srgb)
{
    double base, square, root = 1.0;

    if (srgb <= 0.04045) {
        return srgb / 12.92;
    }
    base = (srgb + 0.055) / 1.055;
    square = base * base;
    for (unsigned i = 0; i < 60; i++) { /* Newton's method; converges from above */
        root = (4.0 * root + square / (root * root * root * root)) / 5.0;
    }
    return square * root;
}

/* Returns the encoded byte: the largest whose lower rounding limit is not above the value. */
static uint32_t srgb_of(double value, bool *near)
{
    uint32_t low = 0, high = 255;

    while (low < high) {
        const uint32_t middle = (low + high + 1) / 2;

        if (linear_of((middle - 0.5) / 255.0) <= value) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *near = *near || (low != 0 && linear_of((low - 0.5) / 255.0 + TIE) > value) ||
            (low != 255 && linear_of((low + 0.5) / 255.0 - TIE) <= value);
    return low;
}

enum agpu_ref_byte agpu_ref_color(uint32_t format, const uint32_t rgba_f32[4], uint8_t out[4])
{
    double rgba[4];
    uint32_t bytes[4];
    bool near = false;

    for (unsigned i = 0; i < 4; i++) {
        rgba[i] = unit_value(rgba_f32[i]);
    }
    if (format == AEROGPU_FORMAT_B5G6R5_UNORM || format == AEROGPU_FORMAT_B5G5R5A1_UNORM) {
        const bool alpha = format == AEROGPU_FORMAT_B5G5R5A1_UNORM;
        uint32_t texel = quantize(rgba[2], 31, &near) | quantize(rgba[1], alpha ? 31 : 63, &near) << 5;

        texel |= quantize(rgba[0], 31, &near) << (alpha ? 10 : 11);
        texel |= alpha ? quantize(rgba[3], 1, &near) << 15 : 0;
        out[0] = (uint8_t)texel;
        out[1] = (uint8_t)(texel >> 8);
        return near ? AGPU_REF_ANY : AGPU_REF_EXACT;
    }
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] =
            i < 3 && agpu_ref_is_srgb(format) ? srgb_of(rgba[i], &near) : quantize(rgba[i], 255, &near);
    }
    for (unsigned i = 0; i < 4; i++) {
        out[i] = (uint8_t)bytes[i];
    }
    if (format == AEROGPU_FORMAT_B8G8R8A8_UNORM || format == AEROGPU_FORMAT_B8G8R8X8_UNORM ||
        format == AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB || format == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB) {
        out[0] = (uint8_t)bytes[2];
        out[2] = (uint8_t)bytes[0];
    }
    if (agpu_ref_is_x8(format)) {
        out[3] = 0xFF;
    }
    return near ? AGPU_REF_NEAR : AGPU_REF_EXACT;
}

enum agpu_ref_byte agpu_ref_depth(uint32_t format, uint32_t depth_f32, uint8_t out[4])
{
    const double depth = unit_value(depth_f32);

    if (format == AEROGPU_FORMAT_D32_FLOAT) {
        const float stored = (float)depth;

        memcpy(out, &stored, sizeof stored);
        /* The sign of zero is not specified. */
        return depth == 0.0 && depth_f32 != 0 ? AGPU_REF_ANY : AGPU_REF_EXACT;
    }
    {
        const uint32_t stored = (uint32_t)(depth * 16777215.0 + 0.5);

        out[0] = (uint8_t)stored;
        out[1] = (uint8_t)(stored >> 8);
        out[2] = (uint8_t)(stored >> 16);
    }
    /* Values other than 0 and 1 may be one unit off. */
    return depth == 0.0 || depth == 1.0 ? AGPU_REF_EXACT : AGPU_REF_NEAR;
}
