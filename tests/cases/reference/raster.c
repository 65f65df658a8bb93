/* raster.c: coverage, depth test, blending and write mask of a triangle, by the rules of Direct3D 10 (commands.md 8). A
 * pixel whose value cannot be predicted becomes AGPU_REF_ANY. */
#include "tests/cases/reference/raster.h"

#include <string.h>

#include "tests/cases/reference/color.h"
#include "tests/cases/reference/content.h"

/* Twice the area to the right of the edge from a to b that point p spans; positive inside a clockwise triangle. */
static int64_t side(const struct agpu_ref_vertex *a, const struct agpu_ref_vertex *b, int64_t x, int64_t y)
{
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

/* Returns whether an edge owns the pixel centres on it: a top or a left edge. */
static bool owns(const struct agpu_ref_vertex *a, const struct agpu_ref_vertex *b)
{
    return b->y < a->y || (b->y == a->y && b->x > a->x);
}

static bool covers_center(const struct agpu_ref_vertex *const corners[3], int64_t x, int64_t y)
{
    for (unsigned i = 0; i < 3; i++) {
        const struct agpu_ref_vertex *a = corners[i], *b = corners[(i + 1) % 3];
        const int64_t distance = side(a, b, x * 256 + 128, y * 256 + 128);

        if (distance < 0 || (distance == 0 && !owns(a, b))) {
            return false;
        }
    }
    return true;
}

/* ---- depth ---- */

enum outcome { FAILS, PASSES, UNKNOWN };

static double stored_depth(const struct agpu_ref_target *depth, const uint8_t *bytes)
{
    uint32_t word;
    float value;

    memcpy(&word, bytes, sizeof word);
    memcpy(&value, bytes, sizeof value);
    return depth->format == AEROGPU_FORMAT_D32_FLOAT ? (double)value : (double)(word & 0xFFFFFFu);
}

static bool passes(uint32_t function, double fresh, double stored)
{
    switch (function) {
    case AEROGPU_COMPARE_NEVER:
        return false;
    case AEROGPU_COMPARE_LESS:
        return fresh < stored;
    case AEROGPU_COMPARE_EQUAL:
        return fresh == stored;
    case AEROGPU_COMPARE_LESS_EQUAL:
        return fresh <= stored;
    case AEROGPU_COMPARE_GREATER:
        return fresh > stored;
    case AEROGPU_COMPARE_NOT_EQUAL:
        return fresh != stored;
    case AEROGPU_COMPARE_GREATER_EQUAL:
        return fresh >= stored;
    default:
        return true;
    }
}

/* Tests and writes the depth of one pixel; flat: it is known. */
static enum outcome test_depth(const struct agpu_ref_raster *raster, uint64_t at, bool flat, float value)
{
    const struct aerogpu_depth_stencil_state *state = &raster->ref->pipeline.depth_state;
    const struct agpu_ref_target *depth = raster->depth;
    struct agpu_ref_resource *texture = depth->texture;
    const unsigned size = depth->format == AEROGPU_FORMAT_D32_FLOAT ? 4 : 3;
    uint8_t fresh[4] = {0};
    uint32_t bits;
    enum agpu_ref_byte certainty;
    enum outcome outcome = UNKNOWN;

    memcpy(&bits, &value, sizeof bits);
    certainty = flat ? agpu_ref_depth(depth->format, bits, fresh) : AGPU_REF_ANY;
    if (state->depth_func == AEROGPU_COMPARE_NEVER || state->depth_func >= AEROGPU_COMPARE_ALWAYS) {
        outcome = state->depth_func == AEROGPU_COMPARE_NEVER ? FAILS : PASSES;
    } else if (certainty != AGPU_REF_ANY && texture->bytes != NULL &&
               (texture->states == NULL || texture->states[at] <= AGPU_REF_NEAR)) {
        const double a = stored_depth(depth, fresh), b = stored_depth(depth, texture->bytes + at);
        const bool close = size == 3 && a != b && a - b <= 1.0 && b - a <= 1.0;

        outcome = close ? UNKNOWN : passes(state->depth_func, a, b) ? PASSES : FAILS;
    }
    if (state->depth_write_enable != 0 && outcome != FAILS) {
        agpu_ref_mark(raster->ref, texture, at, size, outcome == PASSES ? certainty : AGPU_REF_ANY);
        if (texture->bytes != NULL) {
            memcpy(texture->bytes + at, fresh, size);
        }
    }
    return outcome;
}

/* ---- colour ---- */

/* The texel that AGPU_REF_PS_LOAD reads, of formats whose bytes are the channels. Returns false for others. */
static bool load(const struct agpu_ref_target *image, uint64_t x, uint64_t y, uint32_t rgba_f32[4])
{
    const bool blue_first = image->format == AEROGPU_FORMAT_B8G8R8A8_UNORM;
    const struct agpu_ref_resource *texture = image->texture;
    const uint64_t at = image->level.offset + y * image->level.pitch + x * 4;

    if (!blue_first && image->format != AEROGPU_FORMAT_R8G8B8A8_UNORM) {
        return false;
    }
    memset(rgba_f32, 0, 4 * sizeof rgba_f32[0]);
    if (x >= image->level.width || y >= image->level.height) {
        return true;
    }
    for (unsigned i = 0; i < 4; i++) {
        const unsigned channel = blue_first && i < 3 ? 2 - i : i;
        float value;

        if (texture->bytes == NULL ||
            (texture->states != NULL && texture->states[at + i] != AGPU_REF_EXACT)) {
            return false;
        }
        value = (float)texture->bytes[at + i] / 255.0f;
        memcpy(&rgba_f32[channel], &value, sizeof value);
    }
    return true;
}

/* Returns whether blending leaves the shader's colour as it is. */
static bool replaces(const struct aerogpu_blend_state *blend)
{
    return blend->enable == 0 ||
           (blend->src_factor == AEROGPU_BLEND_ONE && blend->dst_factor == AEROGPU_BLEND_ZERO &&
            blend->blend_op == AEROGPU_BLEND_OP_ADD && blend->src_factor_alpha == AEROGPU_BLEND_ONE &&
            blend->dst_factor_alpha == AEROGPU_BLEND_ZERO && blend->blend_op_alpha == AEROGPU_BLEND_OP_ADD);
}

/* Writes one texel; known: rgba is the shader's colour. */
static void write_color(const struct agpu_ref_raster *raster, uint64_t at, bool known, const uint32_t rgba[4])
{
    const struct aerogpu_blend_state *blend = &raster->ref->pipeline.blend;
    const struct agpu_ref_target *color = raster->color;
    struct agpu_ref_resource *texture = color->texture;
    const uint32_t mask = blend->color_write_mask & 0xFu;
    const bool blue_first = color->format == AEROGPU_FORMAT_B8G8R8A8_UNORM ||
                            color->format == AEROGPU_FORMAT_B8G8R8X8_UNORM ||
                            color->format == AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB ||
                            color->format == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB;
    uint8_t bytes[4] = {0};
    enum agpu_ref_byte state = AGPU_REF_ANY;

    if (mask == 0) {
        return;
    }
    if (known && replaces(blend)) {
        state = agpu_ref_color(color->format, rgba, bytes);
    }
    if (color->level.block == 2) {
        agpu_ref_mark(raster->ref, texture, at, 2, mask == 0xF ? state : AGPU_REF_ANY);
        if (texture->bytes != NULL) {
            memcpy(texture->bytes + at, bytes, 2);
        }
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        const unsigned channel = blue_first && i < 3 ? 2 - i : i;

        if ((mask >> channel & 1) != 0) {
            agpu_ref_mark(raster->ref, texture, at + i, 1, state);
            if (texture->bytes != NULL) {
                texture->bytes[at + i] = bytes[i];
            }
        }
    }
}

static void draw_pixel(const struct agpu_ref_raster *raster, const struct agpu_ref_vertex vertices[3],
                       int64_t x, int64_t y)
{
    const bool flat_depth = vertices[0].depth == vertices[1].depth && vertices[0].depth == vertices[2].depth;
    const bool flat = memcmp(vertices[0].rgba_f32, vertices[1].rgba_f32, sizeof vertices[0].rgba_f32) == 0 &&
                      memcmp(vertices[0].rgba_f32, vertices[2].rgba_f32, sizeof vertices[0].rgba_f32) == 0;
    const struct agpu_ref_target *depth = raster->depth, *color = raster->color;
    enum outcome outcome = PASSES;
    uint32_t rgba[4];
    bool known = flat;

    if (depth != NULL && raster->ref->pipeline.depth_state.depth_enable != 0) {
        outcome = test_depth(raster, depth->level.offset + (uint64_t)y * depth->level.pitch + (uint64_t)x * 4,
                             flat_depth, vertices[0].depth);
    }
    if (outcome == FAILS || color == NULL || raster->pixel == AGPU_REF_UNKNOWN) {
        return;
    }
    memcpy(rgba, vertices[0].rgba_f32, sizeof rgba);
    if (raster->pixel == AGPU_REF_PS_CONSTANT) {
        memcpy(rgba, raster->constant, sizeof rgba);
        known = true;
    } else if (raster->pixel == AGPU_REF_PS_LOAD) {
        known = load(&raster->image, (uint64_t)x, (uint64_t)y, rgba);
    }
    write_color(raster,
                color->level.offset + (uint64_t)y * color->level.pitch + (uint64_t)x * color->level.block,
                known && outcome == PASSES, rgba);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void agpu_ref_triangle(const struct agpu_ref_raster *raster, const struct agpu_ref_vertex vertices[3])
{
    const struct aerogpu_rasterizer_state *state = &raster->ref->pipeline.raster;
    const int64_t area = side(&vertices[0], &vertices[1], vertices[2].x, vertices[2].y);
    const bool clockwise = area > 0, front = clockwise == (state->front_ccw == 0);
    const struct agpu_ref_vertex *corners[3] = {&vertices[0], &vertices[clockwise ? 1 : 2],
                                                &vertices[clockwise ? 2 : 1]};
    int64_t left, top, right, bottom;

    if (area == 0 || state->cull_mode == (front ? AEROGPU_CULL_FRONT : AEROGPU_CULL_BACK)) {
        return;
    }
    left = smaller(smaller(vertices[0].x, vertices[1].x), vertices[2].x) / 256 - 1;
    top = smaller(smaller(vertices[0].y, vertices[1].y), vertices[2].y) / 256 - 1;
    right = -smaller(smaller(-vertices[0].x, -vertices[1].x), -vertices[2].x) / 256 + 1;
    bottom = -smaller(smaller(-vertices[0].y, -vertices[1].y), -vertices[2].y) / 256 + 1;
    for (int64_t y = top > raster->top ? top : raster->top; y < raster->bottom && y <= bottom; y++) {
        for (int64_t x = left > raster->left ? left : raster->left; x < raster->right && x <= right; x++) {
            if (covers_center(corners, x, y)) {
                draw_pixel(raster, vertices, x, y);
            }
        }
    }
}
