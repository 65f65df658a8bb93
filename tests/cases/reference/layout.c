/* layout.c: formats, the packed linear layout of textures, the bytes of colours (commands.md 5, 11; device.md 4.8). */
#include "tests/cases/reference/layout.h"

#include <string.h>

/* Distance from a tie within which executors may differ (commands.md 11). */
#define TIE 1e-5

double agpu_ref_unit(double value)
{
    return value > 0.0 ? value < 1.0 ? value : 1.0 : 0.0;
}

/* Rounds value * levels; *near is set within the tolerance of a tie. */
static uint32_t quantize(double value, uint32_t levels, double tolerance, bool *near)
{
    const double scaled = value * levels + 0.5;
    const uint32_t rounded = (uint32_t)scaled;
    const double fraction = scaled - rounded;

    *near = *near || (fraction < tolerance * levels && rounded != 0) ||
            (fraction > 1.0 - tolerance * levels && rounded != levels);
    return rounded;
}

/* Returns the linear value of an sRGB value, with x^2.4 as x^2 * (x^2)^(1/5). */
static double linear_of(double srgb)
{
    double base, square, next, root = 2.0;

    if (srgb <= 0.04045) {
        return srgb / 12.92;
    }
    base = (srgb + 0.055) / 1.055;
    square = base * base;
    /* Newton's method from above, until rounding ends the descent. */
    while ((next = (4.0 * root + square / (root * root * root * root)) / 5.0) < root) {
        root = next;
    }
    return square * root;
}

/* Returns the encoded byte: the largest whose lower rounding limit is not above the value. */
static uint32_t srgb_of(double value, double tolerance, bool *near)
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
    *near = *near || (low != 0 && linear_of((low - 0.5) / 255.0 + tolerance) > value) ||
            (low != 255 && linear_of((low + 0.5) / 255.0 - tolerance) <= value);
    return low;
}

enum agpu_ref_byte agpu_ref_color(uint32_t format, const float rgba[4], double tolerance, uint8_t out[4])
{
    const double tie = TIE + tolerance;
    const bool alpha = format == AEROGPU_FORMAT_B5G5R5A1_UNORM, swap = agpu_ref_is_blue_first(format);
    double values[4];
    bool near = false;

    for (unsigned i = 0; i < 4; i++) {
        values[i] = agpu_ref_unit(rgba[i]);
    }
    if (alpha || format == AEROGPU_FORMAT_B5G6R5_UNORM) {
        uint32_t texel = quantize(values[2], 31, tie, &near);

        texel |= quantize(values[1], alpha ? 31 : 63, tie, &near) << 5;
        texel |= quantize(values[0], 31, tie, &near) << (alpha ? 10 : 11);
        texel |= alpha ? quantize(values[3], 1, tie, &near) << 15 : 0;
        out[0] = (uint8_t)texel;
        out[1] = (uint8_t)(texel >> 8);
        return near ? AGPU_REF_ANY : AGPU_REF_EXACT;
    }
    for (unsigned i = 0; i < 4; i++) {
        out[swap && i < 3 ? 2 - i : i] =
            (uint8_t)(i < 3 && agpu_ref_is_srgb(format) ? srgb_of(values[i], tie, &near)
                                                        : quantize(values[i], 255, tie, &near));
    }
    if (agpu_ref_is_x8(format)) {
        out[3] = 0xFF;
    }
    return near ? AGPU_REF_NEAR : AGPU_REF_EXACT;
}

enum agpu_ref_byte agpu_ref_depth(uint32_t format, uint32_t depth_f32, uint8_t out[4])
{
    double depth;
    float value;

    memcpy(&value, &depth_f32, sizeof value);
    depth = agpu_ref_unit(value);

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

bool agpu_ref_format(uint32_t format, uint32_t *edge, uint32_t *bytes)
{
    switch (format) {
#define AEROGPU_FORMAT(NAME, number, block_edge, block_bytes)                                                \
    case (number):                                                                                           \
        *edge = (block_edge);                                                                                \
        *bytes = (block_bytes);                                                                              \
        return true;
#include "pci/protocol/formats.def"
    default:
        return false;
    }
}

static uint32_t halved(uint32_t size, uint32_t mip)
{
    return size >> mip != 0 ? size >> mip : 1;
}

/* A subresource of layer 0, without its offset. */
static struct agpu_ref_level level_alone(const struct agpu_ref_resource *texture, uint32_t mip)
{
    struct agpu_ref_level level = {.width = halved(texture->width, mip),
                                   .height = halved(texture->height, mip)};

    agpu_ref_format(texture->format, &level.edge, &level.block);
    level.tight = ((uint64_t)level.width + (level.edge - 1)) / level.edge * level.block;
    level.rows = ((uint64_t)level.height + (level.edge - 1)) / level.edge;
    level.pitch = mip == 0 && texture->pitch != 0 ? texture->pitch : level.tight;
    level.size = level.rows < AGPU_REF_HUGE / level.pitch ? level.pitch * level.rows : AGPU_REF_HUGE;
    return level;
}

static uint64_t layer_size(const struct agpu_ref_resource *texture)
{
    uint64_t size = 0;

    for (uint32_t mip = 0; mip < texture->mips; mip++) {
        size += level_alone(texture, mip).size;
    }
    return size;
}

struct agpu_ref_level agpu_ref_level_of(const struct agpu_ref_resource *texture, uint32_t mip, uint32_t layer)
{
    struct agpu_ref_level level = level_alone(texture, mip);

    level.offset = layer * layer_size(texture);
    for (uint32_t i = 0; i < mip; i++) {
        level.offset += level_alone(texture, i).size;
    }
    return level;
}

uint64_t agpu_ref_texture_size(const struct agpu_ref_resource *texture)
{
    const uint64_t layer = layer_size(texture);

    return layer < AGPU_REF_HUGE / texture->layers ? layer * texture->layers : AGPU_REF_HUGE;
}
