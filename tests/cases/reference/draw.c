/* draw.c: draws and dispatches (commands.md 9 to 11, 15). They are predicted when the caller knows their shaders, draws
 * when their vertices lie on 1/256 texel; what others write is unspecified. */
#include "tests/cases/reference/packets.h"

#include <string.h>

#include "tests/cases/reference/content.h"
#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/raster.h"
#include "tests/cases/reference/shade.h"

#define VERTICES_MOST   4096u
#define INSTANCES_MOST  16u
#define COORDINATE_MOST 16384.0
#define FAR             16.0f

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
    uint32_t count, instances, first_instance;
    bool indexed;
    uint32_t first;
    int32_t base;
    struct agpu_ref_vertex_stage stage;
    uint32_t triangles;    /* walked so far, without drawing */
    bool clockwise, mixed; /* the last one; two in a row differ, the first of them an even one */
    bool turned, outside;  /* two differ; a vertex lies outside the viewport */
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
    out->z = position[2];
    out->depth = viewport[4] + position[2] * (viewport[5] - viewport[4]);
    return position[3] == 1.0f && position[2] > -FAR && position[2] < FAR &&
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
        source->outside = source->outside || corners[held].outside;
        if (++held < 3) {
            continue;
        }
        if (draw) {
            const struct agpu_ref_vertex ordered[3] = {corners[odd], corners[1 - odd], corners[2]};

            agpu_ref_triangle(raster, ordered);
        } else {
            const bool clockwise = agpu_ref_area(corners) > 0;

            source->turned = source->turned || (source->triangles != 0 && clockwise != source->clockwise);
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
    float viewport[6] = {0, 0, (float)targets[0].level.width, (float)targets[0].level.height, 0, 1};

    if (pipeline->viewport_set) {
        memcpy(viewport, pipeline->viewport, sizeof viewport);
    }
    for (unsigned i = 0; i < count; i++) {
        if (targets[i].depth) {
            raster.depth = &targets[i];
        } else {
            raster.colors[targets[i].slot] = &targets[i];
        }
    }
    raster.least_depth = viewport[4];
    raster.most_depth = viewport[5];
    source->stage.first_instance = source->first_instance;
    source->stage.plain = source->first == 0 && source->base == 0 && source->first_instance == 0;
    if (!adds || pipeline->shaders[AGPU_REF_GEOMETRY] != 0 || pipeline->shaders[AGPU_REF_HULL] != 0 ||
        pipeline->shaders[AGPU_REF_DOMAIN] != 0 || pipeline->raster.fill_mode != AEROGPU_FILL_SOLID ||
        source->count > VERTICES_MOST || source->instances > INSTANCES_MOST ||
        !agpu_ref_vertex_stage(ref, &source->stage) ||
        !agpu_ref_pixel_stage(ref, source->stage.program, &raster.pixel) ||
        !clip(ref, viewport, &targets[0].level, &raster)) {
        return false;
    }
    for (uint32_t i = 0; i < 2 * source->instances; i++) {
        const bool second = i >= source->instances;

        if (second && (pipeline->blend.sample_mask & 1) == 0) {
            break;
        }
        /* Mesa's llvmpipe loses such pairs of the triangles of a list that are left after clipping. */
        raster.doubtful = (source->outside ? source->turned : source->mixed && source->triangles % 2 == 0) &&
                          pipeline->raster.cull_mode == AEROGPU_CULL_NONE &&
                          pipeline->topology == AEROGPU_TOPOLOGY_TRIANGLELIST;
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

#define GROUPS_MOST 65535u
/* Words that one dispatch may write to be predicted. */
#define WORDS_MOST 0x40000u

/* Stores a word by a view: a word beyond it goes nowhere. known: the value is. */
static void store_word(struct agpu_ref *ref, unsigned slot, uint64_t at, uint32_t value, bool known)
{
    const struct agpu_ref_part part = ref->pipeline.writable_parts[AGPU_REF_COMPUTE][slot];
    struct agpu_ref_resource *buffer = agpu_ref_named(ref, ref->pipeline.writable[AGPU_REF_COMPUTE][slot]);
    const uint64_t start = part.offset + at;

    if (buffer != NULL && (part.size == 0 || at + 4 <= part.size) && start + 4 <= buffer->size) {
        agpu_ref_mark(ref, buffer, start, 4, known ? AGPU_REF_EXACT : AGPU_REF_ANY);
        if (buffer->bytes != NULL) {
            memcpy(buffer->bytes + start, &value, sizeof value);
        }
    }
}

/* Reads from t# or u#. */
static bool load_words(struct agpu_ref *ref, bool writable, unsigned slot, uint64_t at, unsigned count,
                       uint32_t *out)
{
    const struct agpu_ref_pipeline *pipeline = &ref->pipeline;

    return agpu_ref_element(ref,
                            writable ? pipeline->writable[AGPU_REF_COMPUTE][slot]
                                     : pipeline->textures[AGPU_REF_COMPUTE][slot],
                            writable ? pipeline->writable_parts[AGPU_REF_COMPUTE][slot]
                                     : pipeline->texture_parts[AGPU_REF_COMPUTE][slot],
                            at, count * 4, out);
}

static void run_fill(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    for (uint32_t n = 0; n < cmd->group_count_x * 64; n++) {
        store_word(ref, 0, n * 4ull, n * 3 + 1, true);
    }
}

static void run_scale(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    uint32_t factor[4];
    const bool known = agpu_ref_constant(ref, AGPU_REF_COMPUTE, 0, 0, factor);

    for (uint32_t n = 0; n < cmd->group_count_x * 16; n++) {
        uint32_t word;
        const bool loaded = load_words(ref, false, 2, n * 4ull, 1, &word);

        store_word(ref, 1, n * 4ull, word * factor[0], known && loaded);
    }
}

static void run_structured(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    for (uint32_t n = 0; n < cmd->group_count_x * 4; n++) {
        uint32_t in[4];
        bool known = true;

        for (unsigned i = 0; i < 4; i++) { /* a view may end between them */
            known = load_words(ref, false, 0, n * 16ull + i * 4, 1, &in[i]) && known;
        }
        const uint32_t out[4] = {in[0] + 1, 0u - in[1], in[3], in[2]};

        for (unsigned i = 0; i < 4; i++) {
            store_word(ref, 0, n * 16ull + i * 4, out[i], known);
        }
    }
}

static void run_count(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    for (uint32_t n = 0; n < 64; n++) {
        const uint32_t x = n % 4, y = n / 4 % 4, z = n / 16;
        uint32_t word;
        const bool known = load_words(ref, true, 1, n * 4ull, 1, &word);

        if (x < cmd->group_count_x && y < cmd->group_count_y && z < cmd->group_count_z) {
            store_word(ref, 1, n * 4ull, word + 1 + x + 16 * y + 256 * z, known);
            store_word(ref, 3, n * 4ull, 1000 + n, true);
        }
    }
}

/* Runs a listed shader. Returns false, with nothing changed, for anything else. */
static bool run_exactly(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    const struct agpu_ref_object *shader =
        agpu_ref_find(ref, AGPU_REF_SHADERS, ref->pipeline.shaders[AGPU_REF_COMPUTE]);
    const uint32_t *writable = ref->pipeline.writable[AGPU_REF_COMPUTE];
    const struct agpu_ref_resource *first = agpu_ref_named(ref, writable[1]);

    if (cmd->group_count_x > WORDS_MOST / 64 || cmd->group_count_y > GROUPS_MOST ||
        cmd->group_count_z > GROUPS_MOST) {
        return false;
    }
    switch (shader->program) {
    case AGPU_REF_CS_FILL:
        run_fill(ref, cmd);
        return true;
    case AGPU_REF_CS_SCALE:
        run_scale(ref, cmd);
        return true;
    case AGPU_REF_CS_STRUCTURED:
        run_structured(ref, cmd);
        return true;
    case AGPU_REF_CS_COUNT:
        if (cmd->group_count_x > 4 || cmd->group_count_y > 4 || cmd->group_count_z > 4 ||
            (first != NULL && first == agpu_ref_named(ref, writable[3]))) {
            return false;
        }
        run_count(ref, cmd);
        return true;
    default:
        return false;
    }
}

enum aerogpu_error agpu_ref_dispatch(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    if (cmd->group_count_x == 0 || cmd->group_count_y == 0 || cmd->group_count_z == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (agpu_ref_stage(ref, AEROGPU_SHADER_STAGE_COMPUTE, cmd->reserved0) != AGPU_REF_COMPUTE ||
        !has_shader(ref, AGPU_REF_COMPUTE) || !slots_valid(ref, AGPU_REF_COMPUTE)) {
        return AGPU_REF_INVALID;
    }
    for (unsigned slot = 0; slot < 8; slot++) {
        const uint32_t handle = ref->pipeline.writable[AGPU_REF_COMPUTE][slot];

        if (handle != 0 && !is_buffer(ref, handle)) {
            return AGPU_REF_INVALID;
        }
        if (handle != 0) {
            agpu_ref_open(ref, agpu_ref_named(ref, handle));
        }
    }
    if (!run_exactly(ref, cmd)) {
        agpu_ref_unresolved(ref);
        mark_writable(ref, AGPU_REF_COMPUTE, AGPU_REF_COMPUTE);
    }
    return AEROGPU_ERROR_NONE;
}
