/* draw.c: draws (commands.md 9 to 11, 15). A draw is predicted when the caller knows its shaders, and its vertices lie
 * on 1/256 texel; what others write is unspecified. */
#include "tests/cases/reference/draw.h"

#include <string.h>

#include "tests/cases/reference/bind.h"
#include "tests/cases/reference/content.h"
#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/program.h"
#include "tests/cases/reference/raster.h"

#define VERTICES_MOST   4096u
#define INSTANCES_MOST  16u
#define COORDINATE_MOST 16384.0

/* The vertices of a draw: the number, and how the n-th is found. */
struct vertex_source {
    uint32_t count, instances, first_instance;
    bool indexed;
    uint32_t first;
    int32_t base;
    struct agpu_ref_vertex_stage stage;
    uint32_t triangles;    /* walked so far, without drawing */
    bool clockwise, mixed; /* the last one; two in a row differ, the first of them an even one */
};

enum index_kind { INDEX_UNKNOWN, INDEX_VERTEX, INDEX_RESTART };

/* Finds the index of the n-th vertex. */
static enum index_kind index_of(struct agpu_ref *ref, const struct vertex_source *source, uint32_t n,
                                uint32_t *index)
{
    const struct agpu_ref_pipeline *pipeline = &ref->pipeline;
    const bool wide = pipeline->index_format == AEROGPU_INDEX_FORMAT_UINT32;
    const uint32_t width = wide ? 4 : 2;
    uint32_t value = 0;
    int64_t at;

    if (!source->indexed) {
        *index = source->first + n;
        return *index >= n ? INDEX_VERTEX : INDEX_UNKNOWN;
    }
    if (!agpu_ref_element(ref, pipeline->index_buffer, (struct agpu_ref_part){pipeline->index_offset, 0},
                          ((uint64_t)source->first + n) * width, width, &value)) {
        return INDEX_UNKNOWN;
    }
    if (pipeline->topology == AEROGPU_TOPOLOGY_TRIANGLESTRIP && value == (wide ? UINT32_MAX : 0xFFFFu)) {
        return INDEX_RESTART;
    }
    at = (int64_t)value + source->base;
    *index = (uint32_t)at;
    return at >= 0 && at <= UINT32_MAX ? INDEX_VERTEX : INDEX_UNKNOWN;
}

/* Converts a coordinate of the target to 1/256 texel. Returns false when it is not a multiple of that. */
static bool snap(double coordinate, int64_t *out)
{
    const double scaled = coordinate * 256.0;

    if (!(scaled > -COORDINATE_MOST * 256.0 && scaled < COORDINATE_MOST * 256.0)) {
        return false;
    }
    *out = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    return scaled - (double)*out < 1e-3 && (double)*out - scaled < 1e-3;
}

/* The viewport: x, y, width, height, smallest and largest depth. */
static void viewport_of(const struct agpu_ref *ref, const struct agpu_ref_target *target, float viewport[6])
{
    const float whole[6] = {0, 0, (float)target->level.width, (float)target->level.height, 0, 1};

    memcpy(viewport, ref->pipeline.viewport_set ? ref->pipeline.viewport : whole, sizeof whole);
}

/* Computes a vertex on the target. Returns false when it is not one of the predicted kind. */
static bool transform(struct agpu_ref *ref, const struct vertex_source *source, const float viewport[6],
                      uint32_t index, uint32_t instance, struct agpu_ref_vertex *out)
{
    float position[4];

    if (!agpu_ref_run_vertex(ref, &source->stage, index, instance, position, out->values)) {
        return false;
    }
    out->outside =
        !(position[0] >= -1.0f && position[0] <= 1.0f && position[1] >= -1.0f && position[1] <= 1.0f);
    out->depth = viewport[4] + position[2] * (viewport[5] - viewport[4]);
    return position[3] == 1.0f && position[2] >= 0.0f && position[2] <= 1.0f &&
           snap(viewport[0] + ((double)position[0] + 1.0) / 2.0 * viewport[2], &out->x) &&
           snap(viewport[1] + (1.0 - (double)position[1]) / 2.0 * viewport[3], &out->y);
}

/* Clips to viewport, target and scissor. Returns false when the viewport does not lie on whole texels. */
static bool clip(const struct agpu_ref *ref, const float viewport[6], const struct agpu_ref_level *level,
                 struct agpu_ref_raster *raster)
{
    const struct aerogpu_cmd_set_scissor *scissor = &ref->pipeline.scissor;
    int64_t x, y, right, bottom;

    if (!snap(viewport[0], &x) || !snap(viewport[1], &y) ||
        !snap((double)viewport[0] + viewport[2], &right) ||
        !snap((double)viewport[1] + viewport[3], &bottom) || (x | y | right | bottom) % 256 != 0) {
        return false;
    }
    raster->left = x / 256 > 0 ? x / 256 : 0;
    raster->top = y / 256 > 0 ? y / 256 : 0;
    raster->right = right / 256 < level->width ? right / 256 : level->width;
    raster->bottom = bottom / 256 < level->height ? bottom / 256 : level->height;
    if (ref->pipeline.raster.scissor_enable != 0 && ref->pipeline.scissor_set) {
        right = (int64_t)scissor->x + scissor->width;
        bottom = (int64_t)scissor->y + scissor->height;
        raster->left = scissor->x > raster->left ? scissor->x : raster->left;
        raster->top = scissor->y > raster->top ? scissor->y : raster->top;
        raster->right = right < raster->right ? right : raster->right;
        raster->bottom = bottom < raster->bottom ? bottom : raster->bottom;
    }
    return true;
}

/* Walks the triangles of one instance. Returns false at a vertex that is not of the predicted kind; draws only if
 * `draw`. */
static bool walk(struct agpu_ref *ref, struct vertex_source *source, uint32_t instance,
                 const struct agpu_ref_raster *raster, const float viewport[6], bool draw)
{
    const bool strip = ref->pipeline.topology == AEROGPU_TOPOLOGY_TRIANGLESTRIP;
    const bool fan = ref->pipeline.topology == AEROGPU_TOPOLOGY_TRIANGLEFAN;
    struct agpu_ref_vertex corners[3];
    uint32_t held = 0, odd = 0;

    for (uint32_t n = 0; n < source->count; n++) {
        uint32_t index;
        const enum index_kind kind = index_of(ref, source, n, &index);

        if (kind == INDEX_RESTART) {
            held = odd = 0;
            continue;
        }
        if (kind == INDEX_UNKNOWN || !transform(ref, source, viewport, index, instance, &corners[held])) {
            return false;
        }
        if (++held < 3) {
            continue;
        }
        if (draw) {
            const struct agpu_ref_vertex ordered[3] = {corners[odd], corners[1 - odd], corners[2]};

            agpu_ref_triangle(raster, ordered);
        } else {
            const bool clockwise = agpu_ref_area(corners) > 0;

            source->mixed = source->mixed || (source->triangles++ % 2 == 1 && clockwise != source->clockwise);
            source->clockwise = clockwise;
        }
        held = strip || fan ? 2 : 0;
        odd = strip ? 1 - odd : 0;
        corners[0] = corners[fan ? 0 : 1];
        corners[1] = corners[2];
    }
    return true;
}

/* Draws what is of the predicted kind. Returns false, with nothing drawn, for anything else. */
static bool draw_exactly(struct agpu_ref *ref, struct vertex_source *source,
                         const struct agpu_ref_target *targets, unsigned count)
{
    const struct agpu_ref_pipeline *pipeline = &ref->pipeline;
    const bool adds = pipeline->topology == AEROGPU_TOPOLOGY_TRIANGLELIST ||
                      pipeline->topology == AEROGPU_TOPOLOGY_TRIANGLESTRIP ||
                      pipeline->topology == AEROGPU_TOPOLOGY_TRIANGLEFAN;
    struct agpu_ref_raster raster = {.ref = ref};
    float viewport[6];

    for (unsigned i = 0; i < count; i++) {
        if (targets[i].depth) {
            raster.depth = &targets[i];
        } else {
            raster.colors[targets[i].slot] = &targets[i];
        }
    }
    viewport_of(ref, &targets[0], viewport);
    raster.least_depth = viewport[4];
    raster.most_depth = viewport[5];
    source->stage.plain = source->first == 0 && source->base == 0 && source->first_instance == 0;
    if (!adds || pipeline->shaders[AGPU_REF_GEOMETRY] != 0 || pipeline->shaders[AGPU_REF_HULL] != 0 ||
        pipeline->shaders[AGPU_REF_DOMAIN] != 0 || pipeline->raster.fill_mode != AEROGPU_FILL_SOLID ||
        pipeline->raster.depth_bias != 0 || source->count > VERTICES_MOST ||
        source->instances > INSTANCES_MOST || !agpu_ref_vertex_stage(ref, &source->stage) ||
        !agpu_ref_pixel_stage(ref, source->stage.program, &raster.pixel) ||
        !clip(ref, viewport, &targets[0].level, &raster)) {
        return false;
    }
    for (uint32_t i = 0; i < 2 * source->instances; i++) {
        const bool second = i >= source->instances;

        if (second && (pipeline->blend.sample_mask & 1) == 0) {
            break;
        }
        /* Mesa's llvmpipe loses such pairs of triangles of a list. */
        if (second && source->mixed && source->triangles % 2 == 0 &&
            pipeline->raster.cull_mode == AEROGPU_CULL_NONE &&
            pipeline->topology == AEROGPU_TOPOLOGY_TRIANGLELIST) {
            return false;
        }
        if (!walk(ref, source, i % source->instances, &raster, viewport, second)) {
            return false;
        }
    }
    return true;
}

static enum aerogpu_error draw(struct agpu_ref *ref, struct vertex_source *source)
{
    struct agpu_ref_target targets[AGPU_REF_TARGETS];
    unsigned count;

    if (source->count == 0 || source->instances == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!agpu_ref_targets(ref, targets, &count) || count == 0 || !agpu_ref_has_shader(ref, AGPU_REF_VERTEX) ||
        (source->indexed && !agpu_ref_is_buffer(ref, ref->pipeline.index_buffer)) ||
        !agpu_ref_slots_valid(ref, AGPU_REF_VERTEX) ||
        (ref->pipeline.shaders[AGPU_REF_PIXEL] != 0 && !agpu_ref_slots_valid(ref, AGPU_REF_PIXEL))) {
        return AGPU_REF_INVALID;
    }
    for (unsigned i = 1; i < count; i++) {
        if (targets[i].level.width != targets[0].level.width ||
            targets[i].level.height != targets[0].level.height) {
            return AGPU_REF_INVALID;
        }
    }
    for (unsigned i = 0; i < 32; i++) {
        if (ref->pipeline.vertices[i].buffer != 0 &&
            !agpu_ref_is_buffer(ref, ref->pipeline.vertices[i].buffer)) {
            return AGPU_REF_INVALID;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        agpu_ref_open(ref, targets[i].texture);
    }
    if (draw_exactly(ref, source, targets, count)) {
        return AEROGPU_ERROR_NONE;
    }
    agpu_ref_unresolved(ref);
    for (unsigned i = 0; i < count; i++) {
        agpu_ref_fill(ref, &targets[i], 0, targets[i].level.block, NULL, AGPU_REF_ANY);
    }
    agpu_ref_mark_writable(ref, AGPU_REF_COMPUTE + 1, AGPU_REF_STAGES - 1);
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_draw(struct agpu_ref *ref, const struct aerogpu_cmd_draw *cmd)
{
    struct vertex_source source = {.count = cmd->vertex_count,
                                   .instances = cmd->instance_count,
                                   .first_instance = cmd->first_instance,
                                   .first = cmd->first_vertex};

    return draw(ref, &source);
}

enum aerogpu_error agpu_ref_draw_indexed(struct agpu_ref *ref, const struct aerogpu_cmd_draw_indexed *cmd)
{
    struct vertex_source source = {.count = cmd->index_count,
                                   .instances = cmd->instance_count,
                                   .first_instance = cmd->first_instance,
                                   .indexed = true,
                                   .first = cmd->first_index,
                                   .base = cmd->base_vertex};

    return draw(ref, &source);
}
