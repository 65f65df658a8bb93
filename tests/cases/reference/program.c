/* program.c: shaders, input layouts and samplers (commands.md 4, 7, 10). */
#include "tests/cases/reference/program.h"

#include <string.h>

#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/heap.h"

uint32_t agpu_ref_stage(const struct agpu_ref *ref, uint32_t stage, uint32_t extended)
{
    if (stage != AEROGPU_SHADER_STAGE_COMPUTE) {
        return stage <= AEROGPU_SHADER_STAGE_GEOMETRY ? stage : AGPU_REF_STAGES;
    }
    if (ref->work.minor < AEROGPU_STAGE_EX_MIN_ABI_MINOR) {
        return AGPU_REF_COMPUTE;
    }
    switch (extended) {
    case AEROGPU_SHADER_STAGE_EX_NONE:
    case AEROGPU_SHADER_STAGE_EX_COMPUTE:
        return AGPU_REF_COMPUTE;
    case AEROGPU_SHADER_STAGE_EX_GEOMETRY:
        return AGPU_REF_GEOMETRY;
    case AEROGPU_SHADER_STAGE_EX_HULL:
        return AGPU_REF_HULL;
    case AEROGPU_SHADER_STAGE_EX_DOMAIN:
        return AGPU_REF_DOMAIN;
    default:
        return AGPU_REF_STAGES;
    }
}

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

static enum aerogpu_error add_shader(struct agpu_ref *ref, const struct aerogpu_cmd_create_shader_dxbc *cmd)
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

static enum aerogpu_error destroy_shader(struct agpu_ref *ref, uint32_t handle)
{
    if (agpu_ref_find(ref, AGPU_REF_SHADERS, handle) != NULL) {
        agpu_ref_remove(ref, AGPU_REF_SHADERS, handle);
        for (unsigned stage = 0; stage < AGPU_REF_STAGES; stage++) {
            ref->pipeline.shaders[stage] =
                ref->pipeline.shaders[stage] == handle ? 0 : ref->pipeline.shaders[stage];
        }
    }
    return AEROGPU_ERROR_NONE;
}

static enum aerogpu_error set_shaders(struct agpu_ref *ref, const struct aerogpu_cmd_bind_shaders *cmd)
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

static enum aerogpu_error add_layout(struct agpu_ref *ref, const struct aerogpu_cmd_create_input_layout *cmd)
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

static enum aerogpu_error destroy_layout(struct agpu_ref *ref, uint32_t handle)
{
    struct agpu_ref_object *object = agpu_ref_find(ref, AGPU_REF_LAYOUTS, handle);

    if (object != NULL) {
        agpu_ref_free(ref, object->layout, sizeof *object->layout);
        agpu_ref_remove(ref, AGPU_REF_LAYOUTS, handle);
        ref->pipeline.layout = ref->pipeline.layout == handle ? 0 : ref->pipeline.layout;
    }
    return AEROGPU_ERROR_NONE;
}

static enum aerogpu_error add_sampler(struct agpu_ref *ref, const struct aerogpu_cmd_create_sampler *cmd)
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

static enum aerogpu_error destroy_sampler(struct agpu_ref *ref, uint32_t handle)
{
    agpu_ref_remove(ref, AGPU_REF_SAMPLERS, handle);
    for (unsigned i = 0; i < AGPU_REF_STAGES * 16; i++) {
        uint32_t *bound = &ref->pipeline.samplers[i / 16][i % 16];

        *bound = *bound == handle ? 0 : *bound;
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_program(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd)
{
    const void *packet = cmd;

    switch (cmd->opcode) {
    case AEROGPU_CMD_CREATE_SHADER_DXBC:
        return add_shader(ref, packet);
    case AEROGPU_CMD_DESTROY_SHADER:
        return destroy_shader(ref, ((const struct aerogpu_cmd_destroy_shader *)packet)->shader_handle);
    case AEROGPU_CMD_BIND_SHADERS:
        return set_shaders(ref, packet);
    case AEROGPU_CMD_CREATE_INPUT_LAYOUT:
        return add_layout(ref, packet);
    case AEROGPU_CMD_DESTROY_INPUT_LAYOUT:
        return destroy_layout(ref,
                              ((const struct aerogpu_cmd_destroy_input_layout *)packet)->input_layout_handle);
    case AEROGPU_CMD_SET_INPUT_LAYOUT:
        ref->pipeline.layout = ((const struct aerogpu_cmd_set_input_layout *)packet)->input_layout_handle;
        return AEROGPU_ERROR_NONE;
    case AEROGPU_CMD_CREATE_SAMPLER:
        return add_sampler(ref, packet);
    case AEROGPU_CMD_DESTROY_SAMPLER:
        return destroy_sampler(ref, ((const struct aerogpu_cmd_destroy_sampler *)packet)->sampler_handle);
    default:
        return AEROGPU_ERROR_NONE;
    }
}
