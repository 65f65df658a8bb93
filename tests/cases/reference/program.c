/* program.c: shaders, input layouts, samplers; fixed-function state (commands.md 4, 7 to 10, 15). */
#include "tests/cases/reference/packets.h"

#include <string.h>

#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/memory.h"

static enum agpu_ref_program program_of(const struct agpu_ref *ref, uint32_t stage, const void *bytes,
                                        uint32_t size)
{
    for (uint32_t i = 0; i < ref->config.shader_count; i++) {
        const struct agpu_ref_shader *known = &ref->config.shaders[i];

        const uint32_t own = known->program < AGPU_REF_PS_COLOR  ? AGPU_REF_VERTEX
                             : known->program < AGPU_REF_CS_FILL ? AGPU_REF_PIXEL
                                                                 : AGPU_REF_COMPUTE;

        if (own == stage && known->size == size && memcmp(known->bytes, bytes, size) == 0) {
            return known->program;
        }
    }
    return AGPU_REF_UNKNOWN;
}

enum aerogpu_error agpu_ref_add_shader(struct agpu_ref *ref, const struct aerogpu_cmd_create_shader_dxbc *cmd)
{
    const uint32_t stage = agpu_ref_stage(ref, cmd->stage, cmd->reserved0);
    struct agpu_ref_object *shader;

    if (cmd->shader_handle == 0 || cmd->dxbc_size_bytes == 0 || stage == AGPU_REF_STAGES) {
        return AGPU_REF_INVALID;
    }
    shader = agpu_ref_find(ref, AGPU_REF_SHADERS, cmd->shader_handle);
    if (shader == NULL) {
        shader = agpu_ref_add(ref, AGPU_REF_SHADERS, cmd->shader_handle, AGPU_REF_SHADER);
    }
    if (shader != NULL) {
        agpu_ref_touch(ref);
        shader->stage = stage;
        shader->program = program_of(ref, stage, cmd + 1, cmd->dxbc_size_bytes);
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_destroy_shader(struct agpu_ref *ref, const struct aerogpu_cmd_destroy_shader *cmd)
{
    if (agpu_ref_find(ref, AGPU_REF_SHADERS, cmd->shader_handle) != NULL) {
        agpu_ref_remove(ref, AGPU_REF_SHADERS, cmd->shader_handle);
        agpu_ref_empty(ref->pipeline.shaders, AGPU_REF_STAGES, 1, cmd->shader_handle);
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_set_shaders(struct agpu_ref *ref, const struct aerogpu_cmd_bind_shaders *cmd)
{
    uint32_t tail[3] = {0, 0, 0};

    if (cmd->hdr.size_bytes >= sizeof *cmd + sizeof tail) {
        memcpy(tail, cmd + 1, sizeof tail);
    } else if (cmd->hdr.size_bytes == sizeof *cmd) {
        tail[0] = cmd->reserved0;
    }
    agpu_ref_touch(ref);
    ref->pipeline.shaders[AGPU_REF_VERTEX] = cmd->vs;
    ref->pipeline.shaders[AGPU_REF_PIXEL] = cmd->ps;
    ref->pipeline.shaders[AGPU_REF_COMPUTE] = cmd->cs;
    ref->pipeline.shaders[AGPU_REF_GEOMETRY] = tail[0];
    ref->pipeline.shaders[AGPU_REF_HULL] = tail[1];
    ref->pipeline.shaders[AGPU_REF_DOMAIN] = tail[2];
    return AEROGPU_ERROR_NONE;
}

/* Checks an ILAY blob, or a D3D9 declaration, which is accepted (commands.md 7, 15). */
static enum aerogpu_error check_layout(const struct aerogpu_cmd_create_input_layout *cmd,
                                       struct agpu_ref_layout *layout)
{
    struct aerogpu_input_layout_blob_header header = {0};
    const uint8_t *blob = (const uint8_t *)(cmd + 1);
    const uint32_t size = cmd->blob_size_bytes;

    memcpy(&header, blob, size < sizeof header ? size : sizeof header);
    if (cmd->input_layout_handle == 0) {
        return AGPU_REF_INVALID;
    }
    if (header.magic != AEROGPU_INPUT_LAYOUT_BLOB_MAGIC) {
        return size != 0 && size % 8 == 0 && blob[size - 8] == 0xFF && blob[size - 7] == 0 &&
                       blob[size - 4] == 17
                   ? AEROGPU_ERROR_NONE
                   : AGPU_REF_INVALID;
    }
    if (size < sizeof header || header.version != AEROGPU_INPUT_LAYOUT_BLOB_VERSION ||
        header.element_count > 32 ||
        size - sizeof header < header.element_count * sizeof(struct aerogpu_input_layout_element_dxgi)) {
        return AGPU_REF_INVALID;
    }
    layout->count = header.element_count;
    memcpy(layout->elements, blob + sizeof header, header.element_count * sizeof layout->elements[0]);
    for (uint32_t i = 0; i < header.element_count; i++) {
        if (layout->elements[i].input_slot > 31) {
            return AGPU_REF_INVALID;
        }
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_add_layout(struct agpu_ref *ref,
                                       const struct aerogpu_cmd_create_input_layout *cmd)
{
    struct agpu_ref_layout layout = {.count = 0};
    const enum aerogpu_error error = check_layout(cmd, &layout);
    struct agpu_ref_object *object = agpu_ref_find(ref, AGPU_REF_LAYOUTS, cmd->input_layout_handle);

    if (error != AEROGPU_ERROR_NONE) {
        return error;
    }
    if (object == NULL) {
        object = agpu_ref_add(ref, AGPU_REF_LAYOUTS, cmd->input_layout_handle, AGPU_REF_LAYOUT);
    }
    if (object != NULL && object->layout == NULL) {
        object->layout = agpu_ref_alloc(ref, sizeof layout);
    }
    if (object != NULL && object->layout != NULL) {
        *object->layout = layout;
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_destroy_layout(struct agpu_ref *ref,
                                           const struct aerogpu_cmd_destroy_input_layout *cmd)
{
    const uint32_t handle = cmd->input_layout_handle;
    struct agpu_ref_object *object = agpu_ref_find(ref, AGPU_REF_LAYOUTS, handle);

    if (object != NULL) {
        agpu_ref_free(ref, object->layout, sizeof *object->layout);
        agpu_ref_remove(ref, AGPU_REF_LAYOUTS, handle);
        ref->pipeline.layout = ref->pipeline.layout == handle ? 0 : ref->pipeline.layout;
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_add_sampler(struct agpu_ref *ref, const struct aerogpu_cmd_create_sampler *cmd)
{
    struct agpu_ref_object *sampler;

    if (cmd->sampler_handle == 0 || cmd->filter > AEROGPU_SAMPLER_FILTER_LINEAR ||
        cmd->address_u > AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT ||
        cmd->address_v > AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT ||
        cmd->address_w > AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT) {
        return AGPU_REF_INVALID;
    }
    sampler = agpu_ref_find(ref, AGPU_REF_SAMPLERS, cmd->sampler_handle);
    if (sampler == NULL) {
        sampler = agpu_ref_add(ref, AGPU_REF_SAMPLERS, cmd->sampler_handle, AGPU_REF_SAMPLER);
    }
    if (sampler != NULL) {
        agpu_ref_touch(ref);
        sampler->filter = cmd->filter;
        sampler->address[0] = cmd->address_u;
        sampler->address[1] = cmd->address_v;
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_destroy_sampler(struct agpu_ref *ref,
                                            const struct aerogpu_cmd_destroy_sampler *cmd)
{
    agpu_ref_remove(ref, AGPU_REF_SAMPLERS, cmd->sampler_handle);
    agpu_ref_empty(&ref->pipeline.samplers[0][0], AGPU_REF_STAGES * 16, 1, cmd->sampler_handle);
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_set_layout(struct agpu_ref *ref, const struct aerogpu_cmd_set_input_layout *cmd)
{
    ref->pipeline.layout = cmd->input_layout_handle;
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_take_blend(struct agpu_ref *ref, const struct aerogpu_cmd_set_blend_state *cmd)
{
    struct agpu_ref_pipeline *pipeline = &ref->pipeline;
    const uint32_t size = cmd->hdr.size_bytes < sizeof *cmd ? cmd->hdr.size_bytes : (uint32_t)sizeof *cmd;
    const uint32_t one = 0x3F800000;
    struct aerogpu_cmd_set_blend_state full = {.state.sample_mask = UINT32_MAX};

    /* Fields beyond the end of a short packet: alpha as colour, constant 1. */
    memcpy(&full, cmd, 28);
    full.state.src_factor_alpha = full.state.src_factor;
    full.state.dst_factor_alpha = full.state.dst_factor;
    full.state.blend_op_alpha = full.state.blend_op;
    for (unsigned i = 0; i < 4; i++) {
        full.state.blend_constant_rgba_f32[i] = one;
    }
    memcpy(&full, cmd, size);
    pipeline->blend = full.state;
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_take_raster(struct agpu_ref *ref,
                                        const struct aerogpu_cmd_set_rasterizer_state *cmd)
{
    struct agpu_ref_pipeline *pipeline = &ref->pipeline;
    const uint32_t cull = pipeline->raster.cull_mode;

    pipeline->raster = cmd->state;
    if (cmd->state.cull_mode > AEROGPU_CULL_BACK) {
        pipeline->raster.cull_mode = cull;
    }
    return AEROGPU_ERROR_NONE;
}

/* A viewport that is not finite, or empty, is that of the whole target. */
enum aerogpu_error agpu_ref_take_viewport(struct agpu_ref *ref, const struct aerogpu_cmd_set_viewport *cmd)
{
    struct agpu_ref_pipeline *pipeline = &ref->pipeline;
    const uint32_t exponent = 0x7F800000;
    bool finite = true;

    for (unsigned i = 0; i < 6; i++) {
        finite = finite && ((&cmd->x_f32)[i] & exponent) != exponent;
    }
    memcpy(pipeline->viewport, &cmd->x_f32, sizeof pipeline->viewport);
    pipeline->viewport_set = finite && pipeline->viewport[2] > 0.0f && pipeline->viewport[3] > 0.0f;
    return AEROGPU_ERROR_NONE;
}

static bool is_topology(uint32_t value)
{
    return (value >= AEROGPU_TOPOLOGY_POINTLIST && value <= AEROGPU_TOPOLOGY_TRIANGLEFAN) ||
           (value >= AEROGPU_TOPOLOGY_LINELIST_ADJ && value <= AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ) ||
           (value >= AEROGPU_TOPOLOGY_PATCHLIST_1 && value <= AEROGPU_TOPOLOGY_PATCHLIST_32);
}

enum aerogpu_error agpu_ref_take_depth(struct agpu_ref *ref,
                                       const struct aerogpu_cmd_set_depth_stencil_state *cmd)
{
    ref->pipeline.depth_state = cmd->state;
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_take_scissor(struct agpu_ref *ref, const struct aerogpu_cmd_set_scissor *cmd)
{
    ref->pipeline.scissor = *cmd;
    ref->pipeline.scissor_set = cmd->width > 0 && cmd->height > 0;
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_take_topology(struct agpu_ref *ref,
                                          const struct aerogpu_cmd_set_primitive_topology *cmd)
{
    if (!is_topology(cmd->topology)) {
        return AGPU_REF_INVALID;
    }
    ref->pipeline.topology = cmd->topology;
    return AEROGPU_ERROR_NONE;
}
