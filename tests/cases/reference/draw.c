/* draw.c: draws and dispatches (commands.md 9 to 11, 15). A draw is predicted exactly when the caller knows its
 * shaders, and its vertices lie on 1/256 texel at one depth each; what others write is unspecified. */
#include "tests/cases/reference/draw.h"

#include <string.h>

#include "tests/cases/reference/content.h"
#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/program.h"
#include "tests/cases/reference/raster.h"

#define POSITION_HASH   0x7808E88Au
#define COLOR_HASH      0xE7C308F8u
#define FLOAT4          2u /* DXGI_FORMAT_R32G32B32A32_FLOAT */
#define VERTICES_MOST   4096u
#define INSTANCES_MOST  16u
#define COORDINATE_MOST 16384.0

/* Returns whether the shader bound to a stage exists and is one for that stage. */
static bool has_shader(struct agpu_ref *ref, uint32_t stage)
{
    const struct agpu_ref_object *shader = agpu_ref_find(ref, AGPU_REF_SHADERS, ref->pipeline.shaders[stage]);

    return shader != NULL && shader->stage == stage;
}

/* The buffers that shaders of these stages may write become unspecified. */
static void mark_writable(struct agpu_ref *ref, uint32_t first, uint32_t last)
{
    for (uint32_t stage = first; stage <= last; stage++) {
        for (unsigned slot = 0; slot < 8; slot++) {
            struct agpu_ref_resource *buffer = agpu_ref_named(ref, ref->pipeline.writable[stage][slot]);

            if (buffer != NULL) {
                agpu_ref_mark(ref, buffer, 0, buffer->size, AGPU_REF_ANY);
            }
        }
    }
}

/* Returns bytes of a buffer that are all exact, or NULL. */
static const uint8_t *exact_bytes(struct agpu_ref *ref, uint32_t handle, uint64_t offset, uint32_t size)
{
    const struct agpu_ref_resource *buffer = agpu_ref_named(ref, handle);

    if (buffer == NULL || buffer->texture || buffer->bytes == NULL || offset > buffer->size ||
        size > buffer->size - offset) {
        return NULL;
    }
    for (uint32_t i = 0; buffer->states != NULL && i < size; i++) {
        if (buffer->states[offset + i] != AGPU_REF_EXACT) {
            return NULL;
        }
    }
    return buffer->bytes + offset;
}

static bool is_buffer(struct agpu_ref *ref, uint32_t handle)
{
    const struct agpu_ref_resource *buffer = agpu_ref_named(ref, handle);

    return buffer != NULL && !buffer->texture;
}

/* Returns whether every slot of a stage is empty or holds an object of its kind. */
static bool slots_valid(struct agpu_ref *ref, uint32_t stage)
{
    const struct agpu_ref_pipeline *pipeline = &ref->pipeline;

    for (uint32_t i = 0; i < 128; i++) {
        const struct agpu_ref_object *view =
            agpu_ref_find(ref, AGPU_REF_RESOURCES, pipeline->textures[stage][i]);

        if (pipeline->textures[stage][i] != 0 && (view == NULL || view->resource == NULL)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t sampler = pipeline->samplers[stage][i];

        if (sampler != 0 && agpu_ref_find(ref, AGPU_REF_SAMPLERS, sampler) == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < 14; i++) {
        const uint32_t buffer = pipeline->constants[stage][i].buffer;

        if (buffer != 0 && !is_buffer(ref, buffer)) {
            return false;
        }
    }
    return true;
}

/* The vertices of a draw: the number, and how the n-th is found. */
struct vertex_source {
    uint32_t count, instances;
    bool indexed;
    uint32_t first;
    int32_t base;
    const struct aerogpu_input_layout_element_dxgi *position, *color; /* NULL: no input */
};

/* Returns the element of the layout with this name, if it is four floats of each vertex at a stated offset. */
static const struct aerogpu_input_layout_element_dxgi *element_of(const struct agpu_ref_layout *layout,
                                                                  uint32_t hash)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct aerogpu_input_layout_element_dxgi *element = &layout->elements[i];

        if (element->semantic_name_hash == hash && element->semantic_index == 0) {
            return element->dxgi_format == FLOAT4 && element->input_slot_class == 0 &&
                           element->aligned_byte_offset % 4 == 0
                       ? element
                       : NULL;
        }
    }
    return NULL;
}

static bool fetch(struct agpu_ref *ref, const struct aerogpu_input_layout_element_dxgi *element,
                  uint32_t index, uint32_t out[4])
{
    const struct aerogpu_vertex_buffer_binding *slot = &ref->pipeline.vertices[element->input_slot];
    const uint8_t *bytes = exact_bytes(
        ref, slot->buffer,
        slot->offset_bytes + (uint64_t)index * slot->stride_bytes + element->aligned_byte_offset, 16);

    if (bytes == NULL || (slot->offset_bytes | slot->stride_bytes) % 4 != 0) {
        return false;
    }
    memcpy(out, bytes, 16);
    return true;
}

enum index_kind { INDEX_UNKNOWN, INDEX_VERTEX, INDEX_RESTART };

/* Finds the index of the n-th vertex. */
static enum index_kind index_of(struct agpu_ref *ref, const struct vertex_source *source, uint32_t n,
                                uint32_t *index)
{
    const struct agpu_ref_pipeline *pipeline = &ref->pipeline;
    const bool wide = pipeline->index_format == AEROGPU_INDEX_FORMAT_UINT32;
    const uint32_t width = wide ? 4 : 2;
    uint32_t value = 0;
    const uint8_t *bytes;
    int64_t at;

    if (!source->indexed) {
        *index = source->first + n;
        return *index >= n ? INDEX_VERTEX : INDEX_UNKNOWN;
    }
    bytes = exact_bytes(ref, pipeline->index_buffer,
                        pipeline->index_offset + ((uint64_t)source->first + n) * width, width);
    if (bytes == NULL) {
        return INDEX_UNKNOWN;
    }
    memcpy(&value, bytes, width);
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
                      uint32_t index, struct agpu_ref_vertex *out)
{
    const uint32_t one = 0x3F800000;
    float position[4] = {index == 1 ? 3.0f : -1.0f, index == 2 ? -3.0f : 1.0f, 0.5f, 1.0f};
    uint32_t words[4];

    if (source->position != NULL) {
        if (!fetch(ref, source->position, index, words) || !fetch(ref, source->color, index, out->rgba_f32)) {
            return false;
        }
        memcpy(position, words, sizeof position);
    } else {
        for (unsigned i = 0; i < 4; i++) {
            out->rgba_f32[i] = one;
        }
        if (index > 2) {
            return false;
        }
    }
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
static bool walk(struct agpu_ref *ref, const struct vertex_source *source, const float viewport[6],
                 const struct agpu_ref_raster *raster, bool draw)
{
    const bool strip = ref->pipeline.topology == AEROGPU_TOPOLOGY_TRIANGLESTRIP;
    struct agpu_ref_vertex corners[3];
    uint32_t held = 0, odd = 0;

    for (uint32_t n = 0; n < source->count; n++) {
        uint32_t index;
        const enum index_kind kind = index_of(ref, source, n, &index);

        if (kind == INDEX_RESTART) {
            held = odd = 0;
            continue;
        }
        if (kind == INDEX_UNKNOWN || !transform(ref, source, viewport, index, &corners[held])) {
            return false;
        }
        if (++held < 3) {
            continue;
        }
        if (draw) {
            const struct agpu_ref_vertex ordered[3] = {corners[odd], corners[1 - odd], corners[2]};

            agpu_ref_triangle(raster, ordered);
        }
        held = strip ? 2 : 0;
        odd = strip ? 1 - odd : 0;
        corners[0] = corners[1];
        corners[1] = corners[2];
    }
    return true;
}

/* Prepares the inputs of the shaders. Returns false when the draw is not of the predicted kind. */
static bool prepare(struct agpu_ref *ref, struct vertex_source *source, struct agpu_ref_raster *raster)
{
    const struct agpu_ref_pipeline *pipeline = &ref->pipeline;
    const struct agpu_ref_object *vertex =
        agpu_ref_find(ref, AGPU_REF_SHADERS, pipeline->shaders[AGPU_REF_VERTEX]);
    const struct agpu_ref_object *pixel =
        agpu_ref_find(ref, AGPU_REF_SHADERS, pipeline->shaders[AGPU_REF_PIXEL]);
    const struct agpu_ref_object *layout = agpu_ref_find(ref, AGPU_REF_LAYOUTS, pipeline->layout);
    const struct aerogpu_constant_buffer_binding *constants = &pipeline->constants[AGPU_REF_PIXEL][0];

    if (pipeline->shaders[AGPU_REF_GEOMETRY] != 0 || pipeline->shaders[AGPU_REF_HULL] != 0 ||
        pipeline->shaders[AGPU_REF_DOMAIN] != 0 || vertex->program == AGPU_REF_UNKNOWN ||
        (pipeline->shaders[AGPU_REF_PIXEL] != 0 &&
         (pixel == NULL || pixel->stage != AGPU_REF_PIXEL || pixel->program == AGPU_REF_UNKNOWN)) ||
        (pipeline->layout != 0 && layout == NULL) || pipeline->raster.fill_mode != AEROGPU_FILL_SOLID ||
        pipeline->raster.depth_bias != 0 ||
        (pipeline->topology != AEROGPU_TOPOLOGY_TRIANGLELIST &&
         pipeline->topology != AEROGPU_TOPOLOGY_TRIANGLESTRIP) ||
        source->count > VERTICES_MOST || source->instances > INSTANCES_MOST) {
        return false;
    }
    if (vertex->program == AGPU_REF_VS_COLOR) {
        source->position =
            layout != NULL && layout->layout != NULL ? element_of(layout->layout, POSITION_HASH) : NULL;
        source->color =
            layout != NULL && layout->layout != NULL ? element_of(layout->layout, COLOR_HASH) : NULL;
        if (source->position == NULL || source->color == NULL || layout->layout->count != 2) {
            return false;
        }
    }
    raster->pixel = pixel != NULL ? pixel->program : AGPU_REF_UNKNOWN;
    if (raster->pixel == AGPU_REF_PS_CONSTANT) {
        raster->constant = constants->size_bytes == 0 || constants->size_bytes >= 16
                               ? exact_bytes(ref, constants->buffer, constants->offset_bytes, 16)
                               : NULL;
        return raster->constant != NULL;
    }
    if (raster->pixel == AGPU_REF_PS_LOAD) {
        raster->image.texture = agpu_ref_texture(ref, pipeline->textures[AGPU_REF_PIXEL][0],
                                                 &raster->image.level, &raster->image.format);
        return raster->image.texture != NULL && agpu_ref_is_color(raster->image.format);
    }
    return true;
}

/* Draws what is of the predicted kind. Returns false, with nothing drawn, for anything else. */
static bool draw_exactly(struct agpu_ref *ref, struct vertex_source *source,
                         const struct agpu_ref_target *targets, unsigned count)
{
    struct agpu_ref_raster raster = {.ref = ref};
    float viewport[6];

    for (unsigned i = 0; i < count; i++) {
        raster.color = targets[i].slot == 0 ? &targets[i] : raster.color;
        raster.depth = targets[i].depth ? &targets[i] : raster.depth;
    }
    viewport_of(ref, &targets[0], viewport);
    if (!prepare(ref, source, &raster) || !clip(ref, viewport, &targets[0].level, &raster) ||
        !walk(ref, source, viewport, &raster, false)) {
        return false;
    }
    if ((ref->pipeline.blend.sample_mask & 1) != 0) {
        for (uint32_t i = 0; i < source->instances; i++) {
            walk(ref, source, viewport, &raster, true);
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
    if (!agpu_ref_targets(ref, targets, &count) || count == 0 || !has_shader(ref, AGPU_REF_VERTEX) ||
        (source->indexed && !is_buffer(ref, ref->pipeline.index_buffer)) ||
        !slots_valid(ref, AGPU_REF_VERTEX) ||
        (ref->pipeline.shaders[AGPU_REF_PIXEL] != 0 && !slots_valid(ref, AGPU_REF_PIXEL))) {
        return AGPU_REF_INVALID;
    }
    for (unsigned i = 1; i < count; i++) {
        if (targets[i].level.width != targets[0].level.width ||
            targets[i].level.height != targets[0].level.height) {
            return AGPU_REF_INVALID;
        }
    }
    for (unsigned i = 0; i < 32; i++) {
        if (ref->pipeline.vertices[i].buffer != 0 && !is_buffer(ref, ref->pipeline.vertices[i].buffer)) {
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
    mark_writable(ref, AGPU_REF_COMPUTE + 1, AGPU_REF_STAGES - 1);
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_draw(struct agpu_ref *ref, const struct aerogpu_cmd_draw *cmd)
{
    struct vertex_source source = {
        .count = cmd->vertex_count, .instances = cmd->instance_count, .first = cmd->first_vertex};

    return draw(ref, &source);
}

enum aerogpu_error agpu_ref_draw_indexed(struct agpu_ref *ref, const struct aerogpu_cmd_draw_indexed *cmd)
{
    struct vertex_source source = {.count = cmd->index_count,
                                   .instances = cmd->instance_count,
                                   .indexed = true,
                                   .first = cmd->first_index,
                                   .base = cmd->base_vertex};

    return draw(ref, &source);
}

enum aerogpu_error agpu_ref_dispatch(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    if (cmd->group_count_x == 0 || cmd->group_count_y == 0 || cmd->group_count_z == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (agpu_ref_stage(ref, AEROGPU_SHADER_STAGE_COMPUTE, cmd->reserved0) != AGPU_REF_COMPUTE ||
        !has_shader(ref, AGPU_REF_COMPUTE)) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_unresolved(ref);
    mark_writable(ref, AGPU_REF_COMPUTE, AGPU_REF_COMPUTE);
    return AEROGPU_ERROR_NONE;
}
