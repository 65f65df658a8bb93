/* raster.c: coverage, depth test, blending and write masks of a triangle, by the rules of Direct3D 10 (commands.md 8).
 * A pixel whose value cannot be predicted becomes AGPU_REF_ANY. */
#include "tests/cases/reference/raster.h"

#include <string.h>

#include "tests/cases/reference/content.h"

static int64_t magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

/* Twice the area to the right of the edge from a to b that point p spans; positive inside a clockwise triangle. */
static int64_t side(const struct agpu_ref_vertex *a, const struct agpu_ref_vertex *b, int64_t x, int64_t y)
{
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

int64_t agpu_ref_area(const struct agpu_ref_vertex vertices[3])
{
    return side(&vertices[0], &vertices[1], vertices[2].x, vertices[2].y);
}

/* Returns whether an edge owns the pixel centres on it: a top or a left edge. */
static bool owns(const struct agpu_ref_vertex *a, const struct agpu_ref_vertex *b)
{
    return b->y < a->y || (b->y == a->y && b->x > a->x);
}

enum outcome { FAILS, PASSES, UNKNOWN };

/* clipped: corners made by clipping are rounded to 1/256 texel, so an edge may be that much elsewhere. */
static enum outcome covers_center(const struct agpu_ref_vertex *const corners[3], int64_t x, int64_t y,
                                  bool clipped)
{
    enum outcome outcome = PASSES;

    for (unsigned i = 0; i < 3; i++) {
        const struct agpu_ref_vertex *a = corners[i], *b = corners[(i + 1) % 3];
        const int64_t distance = side(a, b, x * 256 + 128, y * 256 + 128);
        const int64_t doubt = clipped ? 2 * (magnitude(b->x - a->x) + magnitude(b->y - a->y)) : 0;

        if (distance < -doubt || (distance == 0 && doubt == 0 && !owns(a, b))) {
            return FAILS;
        }
        outcome = doubt != 0 && distance <= doubt ? UNKNOWN : outcome;
    }
    return outcome;
}

/* Error of an executor's sRGB encoding: a quarter of a unit of 8 bits. */
#define SRGB_ERROR 1e-3

/* ---- depth ---- */

static double stored_depth(const struct agpu_ref_target *depth, const uint8_t *bytes)
{
    uint32_t word;
    float value;

    memcpy(&word, bytes, sizeof word);
    memcpy(&value, bytes, sizeof value);
    return depth->format == AEROGPU_FORMAT_D32_FLOAT ? (double)value : (double)(word & 0xFFFFFFu);
}

/* The bits of a function: less, equal, greater; unknown ones are ALWAYS. */
static bool passes(uint32_t function, double fresh, double stored)
{
    const uint32_t relation = fresh < stored ? 1 : fresh == stored ? 2 : 4;

    return function > AEROGPU_COMPARE_ALWAYS || (function & relation) != 0;
}

/* Tests and writes the depth of one pixel. tolerance: of the value; keeps: the pixel is not discarded. */
static enum outcome test_depth(const struct agpu_ref_raster *raster, uint64_t at, float value,
                               double tolerance, bool keeps)
{
    const struct aerogpu_depth_stencil_state *state = &raster->ref->pipeline.depth_state;
    const struct agpu_ref_target *depth = raster->depth;
    struct agpu_ref_resource *texture = depth->texture;
    const unsigned size = depth->format == AEROGPU_FORMAT_D32_FLOAT ? 4 : 3;
    uint8_t fresh[4] = {0};
    uint32_t bits;
    const double steps = agpu_ref_unit(value) * 65536.0;
    enum agpu_ref_byte certainty;
    enum outcome outcome = UNKNOWN;

    if (size == 4 && steps != (double)(uint32_t)steps) {
        tolerance += 1e-6; /* a depth of more bits: executors round n / 255 and products differently */
    }
    memcpy(&bits, &value, sizeof bits);
    certainty = agpu_ref_depth(depth->format, bits, fresh);
    if (state->depth_func == AEROGPU_COMPARE_NEVER || state->depth_func >= AEROGPU_COMPARE_ALWAYS) {
        outcome = state->depth_func == AEROGPU_COMPARE_NEVER ? FAILS : PASSES;
    } else if (certainty != AGPU_REF_ANY && texture->bytes != NULL &&
               (texture->states == NULL || texture->states[at] <= AGPU_REF_NEAR)) {
        const double a = stored_depth(depth, fresh), b = stored_depth(depth, texture->bytes + at);
        const double close = size == 3 ? 1.0 + tolerance * 16777215.0 : tolerance;
        const bool apart = a - b > close || b - a > close || (a == b && tolerance == 0);

        outcome = !apart ? UNKNOWN : passes(state->depth_func, a, b) ? PASSES : FAILS;
    }
    if (state->depth_write_enable != 0 && outcome != FAILS) {
        agpu_ref_mark(raster->ref, texture, at, size,
                      outcome == PASSES && keeps && tolerance == 0 ? certainty : AGPU_REF_ANY);
        if (texture->bytes != NULL) {
            memcpy(texture->bytes + at, fresh, size);
        }
    }
    return outcome;
}

/* ---- colour ---- */

/* Returns whether 8 bits can represent the value. */
static bool on_grid(double value)
{
    const double scaled = value * 255.0;
    const double off = scaled - (double)(int)(scaled + 0.5);

    return off < 0.01 && off > -0.01;
}

/* A channel of the source and of the target, and what their factors may be. */
struct operand {
    double source, target, source_alpha, target_alpha, constant;
    bool target_exact, alpha_exact;
};

/* Blends a channel. Returns its state: executors with 8-bit arithmetic may round a product differently. */
static enum agpu_ref_byte blend_channel(uint32_t operation, uint32_t source_factor, uint32_t target_factor,
                                        const struct operand *in, float *out)
{
    const double factors[] = {0,
                              1,
                              in->source_alpha,
                              1 - in->source_alpha,
                              in->target_alpha,
                              1 - in->target_alpha,
                              in->constant,
                              1 - in->constant};
    const bool extreme = operation == AEROGPU_BLEND_OP_MIN || operation == AEROGPU_BLEND_OP_MAX;
    double a = in->source, b = in->target, fs = 1, fd = 1;
    bool simple = true;

    if (operation > AEROGPU_BLEND_OP_MAX || source_factor > 7 || target_factor > 7) {
        return AGPU_REF_ANY;
    }
    if (!extreme) {
        fs = factors[source_factor];
        fd = factors[target_factor];
        simple = (fs == 0 || fs == 1 || a == 0 || a == 1) && (fd == 0 || fd == 1 || b == 0 || b == 1);
        if (((source_factor / 2 == 2 || target_factor / 2 == 2) && !in->alpha_exact) || !on_grid(a) ||
            !on_grid(in->source_alpha) || !on_grid(in->constant)) {
            return AGPU_REF_ANY;
        }
        a *= fs;
        b *= fd;
    }
    *out = (float)(operation == AEROGPU_BLEND_OP_ADD                ? a + b
                   : operation == AEROGPU_BLEND_OP_SUBTRACT         ? a - b
                   : operation == AEROGPU_BLEND_OP_REV_SUBTRACT     ? b - a
                   : (operation == AEROGPU_BLEND_OP_MIN) == (a < b) ? a
                                                                    : b);
    return fd != 0 && !in->target_exact ? AGPU_REF_ANY : simple ? AGPU_REF_EXACT : AGPU_REF_NEAR;
}

/* Blends a colour with a texel. states: of the channels. */
static void blend_color(const struct agpu_ref_raster *raster, const struct agpu_ref_target *color,
                        uint64_t at, double tolerance, float rgba[4], enum agpu_ref_byte states[4])
{
    const struct aerogpu_blend_state *blend = &raster->ref->pipeline.blend;
    const struct agpu_ref_resource *texture = color->texture;
    const bool plain = color->level.block == 4 && !agpu_ref_is_srgb(color->format);
    const uint32_t operations[2] = {blend->blend_op, blend->blend_op_alpha};
    const uint32_t sources[2] = {blend->src_factor, blend->src_factor_alpha};
    const uint32_t targets[2] = {blend->dst_factor, blend->dst_factor_alpha};
    const float alpha = rgba[3];

    for (unsigned i = 0; i < 4; i++) {
        const unsigned byte = agpu_ref_is_blue_first(color->format) && i < 3 ? 2 - i : i;
        const bool replaces = blend->enable == 0 ||
                              (sources[i / 3] == AEROGPU_BLEND_ONE && targets[i / 3] == AEROGPU_BLEND_ZERO &&
                               operations[i / 3] == AEROGPU_BLEND_OP_ADD);
        struct operand in = {
            .source = agpu_ref_unit(rgba[i]), .source_alpha = agpu_ref_unit(alpha), .target_alpha = 1.0};
        float constant;

        states[i] = replaces ? AGPU_REF_EXACT : AGPU_REF_ANY;
        if (replaces || !plain || texture->bytes == NULL || tolerance != 0) {
            continue;
        }
        memcpy(&constant, &blend->blend_constant_rgba_f32[i], sizeof constant);
        in.constant = agpu_ref_unit(constant);
        in.target = texture->bytes[at + byte] / 255.0;
        in.target_exact = texture->states == NULL || texture->states[at + byte] == AGPU_REF_EXACT;
        in.alpha_exact = true;
        if (agpu_ref_is_x8(color->format)) {
            in.target = i == 3 ? 1.0 : in.target;
        } else {
            in.target_alpha = texture->bytes[at + 3] / 255.0;
            in.alpha_exact = texture->states == NULL || texture->states[at + 3] == AGPU_REF_EXACT;
        }
        states[i] = blend_channel(operations[i / 3], sources[i / 3], targets[i / 3], &in, &rgba[i]);
    }
}

/* Converts a colour as agpu_ref_color(), where executors agree: they encode sRGB with an error of their own, and may
 * reach 16 bits by way of 8, and interpolate with 8 bits. */
static enum agpu_ref_byte drawn_color(uint32_t format, const float rgba[4], double tolerance, uint8_t out[4])
{
    const enum agpu_ref_byte state =
        agpu_ref_color(format, rgba, agpu_ref_is_srgb(format) ? tolerance + SRGB_ERROR : tolerance, out);
    uint8_t bytes[4], other[4];

    if (format == AEROGPU_FORMAT_B5G6R5_UNORM || format == AEROGPU_FORMAT_B5G5R5A1_UNORM) {
        (void)agpu_ref_color(AEROGPU_FORMAT_R8G8B8A8_UNORM, rgba, tolerance, bytes);
        agpu_ref_convert(AEROGPU_FORMAT_R8G8B8A8_UNORM, bytes, format, other);
        return memcmp(out, other, 2) == 0 && tolerance == 0 ? state : AGPU_REF_ANY;
    }
    return tolerance != 0 && state == AGPU_REF_EXACT ? AGPU_REF_NEAR : state;
}

/* Writes one texel; known: rgba is the shader's colour, within the tolerance. */
static void write_color(const struct agpu_ref_raster *raster, const struct agpu_ref_target *color,
                        uint64_t at, bool known, double tolerance, float rgba[4])
{
    struct agpu_ref_resource *texture = color->texture;
    const uint32_t mask = raster->ref->pipeline.blend.color_write_mask;
    uint8_t bytes[4] = {0}, selected[4], bits[4];
    enum agpu_ref_byte states[4], state, worst = AGPU_REF_EXACT;

    blend_color(raster, color, at, tolerance, rgba, states);
    state = drawn_color(color->format, rgba, tolerance, bytes);
    for (unsigned i = 0; i < 4; i++) {
        selected[i] = (mask >> i & 1) != 0 ? 0xFF : 0;
        worst = selected[i] != 0 && states[i] > worst ? states[i] : worst;
    }
    agpu_ref_convert(AEROGPU_FORMAT_R8G8B8A8_UNORM, selected, color->format, bits);
    bits[3] = selected[3]; /* the X of X8 */
    for (unsigned i = 0; i < color->level.block; i++) {
        const unsigned channel = agpu_ref_is_blue_first(color->format) && i < 3 ? 2 - i : i;
        enum agpu_ref_byte own = color->level.block == 2 ? worst : states[channel];

        own = !known ? AGPU_REF_ANY : own > state ? own : state;
        if (bits[i] != 0xFF && texture->states != NULL && texture->states[at + i] > own) {
            own = (enum agpu_ref_byte)texture->states[at + i];
        }
        if (bits[i] != 0) {
            agpu_ref_mark(raster->ref, texture, at + i, 1, own);
            if (texture->bytes != NULL) {
                texture->bytes[at + i] =
                    (uint8_t)((texture->bytes[at + i] & ~bits[i]) | (bytes[i] & bits[i]));
            }
        }
    }
}

/* A triangle with what is the same for its pixels. */
struct triangle {
    const struct agpu_ref_vertex *vertices;
    int64_t area;
    double bias; /* of depth */
    bool clipped;
    bool cut;              /* a part of it may be clipped */
    bool flat, flat_depth; /* all corners have the same values, the same depth */
    bool smooth;           /* interpolation in single precision is as exact as the tolerances need */
};

/* Returns the depth bias: units of the format, of the exponent of the largest depth where depths are floats. */
static double bias_of(const struct agpu_ref_raster *raster, const struct agpu_ref_vertex vertices[3])
{
    double unit = 1.0 / (1 << 24), largest = 0;

    for (unsigned i = 0; i < 3; i++) {
        largest = vertices[i].depth > largest ? vertices[i].depth : largest;
    }
    if (raster->depth != NULL && raster->depth->format == AEROGPU_FORMAT_D32_FLOAT) {
        for (unit *= 2; largest > 0 && largest < 1; largest *= 2) {
            unit /= 2;
        }
    }
    return unit * raster->ref->pipeline.raster.depth_bias;
}

/* Shades and writes a pixel; covered: for certain. */
static void draw_pixel(const struct agpu_ref_raster *raster, const struct triangle *triangle, int64_t x,
                       int64_t y, bool covered)
{
    const struct agpu_ref_vertex *vertices = triangle->vertices;
    const struct agpu_ref_target *depth = raster->depth;
    struct agpu_ref_fragment in = {.x = (uint32_t)x, .y = (uint32_t)y};
    struct agpu_ref_shaded shaded;
    double weights[3], z = 0, z_tolerance = triangle->flat_depth ? 0 : triangle->smooth ? 1e-4 : 2;
    enum outcome outcome = PASSES;

    for (unsigned i = 0; i < 3; i++) {
        weights[i] =
            (double)side(&vertices[(i + 1) % 3], &vertices[(i + 2) % 3], x * 256 + 128, y * 256 + 128) /
            (double)triangle->area;
        z += weights[i] * vertices[i].depth;
    }
    in.tolerance = triangle->flat ? 0 : triangle->smooth ? 5e-4 : -1;
    for (unsigned i = 0; i < 4; i++) {
        in.values[i] = triangle->flat
                           ? vertices[0].values[i]
                           : (float)(weights[0] * vertices[0].values[i] + weights[1] * vertices[1].values[i] +
                                     weights[2] * vertices[2].values[i]);
    }
    agpu_ref_run_pixel(raster->ref, &raster->pixel, &in, &shaded);
    shaded.kept = shaded.kept && covered && !raster->doubtful;
    if (shaded.discarded) {
        return;
    }
    z = triangle->flat_depth ? vertices[0].depth : z;
    if (shaded.has_depth) {
        z = shaded.depth;
        z_tolerance =
            shaded.depth >= raster->least_depth && shaded.depth <= raster->most_depth ? shaded.tolerance : 2;
    } else if (triangle->bias != 0) {
        z += triangle->bias;
        z_tolerance = z > raster->least_depth && z < raster->most_depth ? z_tolerance + 1e-6 : 2;
    } else if (triangle->flat_depth && (vertices[0].z < 0.0f || vertices[0].z > 1.0f)) {
        z = (z < raster->least_depth) == (raster->least_depth < raster->most_depth) ? raster->least_depth
                                                                                    : raster->most_depth;
    }
    if (depth != NULL && raster->ref->pipeline.depth_state.depth_enable != 0) {
        outcome = test_depth(raster, depth->level.offset + (uint64_t)y * depth->level.pitch + (uint64_t)x * 4,
                             (float)z, shaded.known || !shaded.has_depth ? z_tolerance : 2, shaded.kept);
    }
    for (unsigned i = 0; outcome != FAILS && i < shaded.outputs; i++) {
        const struct agpu_ref_target *color = raster->colors[i];

        if (color != NULL) {
            write_color(raster, color,
                        color->level.offset + (uint64_t)y * color->level.pitch +
                            (uint64_t)x * color->level.block,
                        shaded.known && shaded.kept && outcome == PASSES, shaded.tolerance, shaded.rgba[i]);
        }
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void agpu_ref_triangle(const struct agpu_ref_raster *raster, const struct agpu_ref_vertex vertices[3])
{
    const struct aerogpu_rasterizer_state *state = &raster->ref->pipeline.raster;
    struct triangle triangle = {
        .vertices = vertices, .area = agpu_ref_area(vertices), .flat = true, .flat_depth = true};
    const bool clockwise = triangle.area > 0, front = clockwise == (state->front_ccw == 0);
    const struct agpu_ref_vertex *corners[3] = {&vertices[0], &vertices[clockwise ? 1 : 2],
                                                &vertices[clockwise ? 2 : 1]};
    int64_t left, top, right, bottom, reach = 0;
    bool beyond = false;

    if (triangle.area == 0 || state->cull_mode == (front ? AEROGPU_CULL_FRONT : AEROGPU_CULL_BACK)) {
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        triangle.flat =
            triangle.flat && memcmp(vertices[0].values, vertices[i].values, sizeof vertices[0].values) == 0;
        triangle.flat_depth = triangle.flat_depth && vertices[0].z == vertices[i].z;
        triangle.clipped = triangle.clipped || vertices[i].outside;
        beyond = beyond || !(vertices[i].z >= 0.0f && vertices[i].z <= 1.0f);
        reach += magnitude(vertices[i].x) + magnitude(vertices[i].y);
    }
    if (beyond && triangle.flat_depth && (state->flags & AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE) == 0) {
        return;
    }
    triangle.cut = beyond && !triangle.flat_depth;
    triangle.clipped = triangle.clipped || triangle.cut;
    left = smaller(smaller(vertices[0].x, vertices[1].x), vertices[2].x) / 256 - 1;
    top = smaller(smaller(vertices[0].y, vertices[1].y), vertices[2].y) / 256 - 1;
    right = -smaller(smaller(-vertices[0].x, -vertices[1].x), -vertices[2].x) / 256 + 1;
    bottom = -smaller(smaller(-vertices[0].y, -vertices[1].y), -vertices[2].y) / 256 + 1;
    triangle.bias = bias_of(raster, vertices);
    triangle.smooth = reach * (right - left + bottom - top) < 4 * magnitude(triangle.area);
    for (int64_t y = top > raster->top ? top : raster->top; y < raster->bottom && y <= bottom; y++) {
        for (int64_t x = left > raster->left ? left : raster->left; x < raster->right && x <= right; x++) {
            const enum outcome covered = covers_center(corners, x, y, triangle.clipped);

            if (covered != FAILS) {
                draw_pixel(raster, &triangle, x, y, covered == PASSES && !triangle.cut);
            }
        }
    }
}
