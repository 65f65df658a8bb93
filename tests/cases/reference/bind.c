/* bind.c: packets that set state, as far as they can be refused or change what a clear, a draw or a dispatch writes
 * (commands.md 4, 7 to 10, 15). */
#include "tests/cases/reference/bind.h"

#include <string.h>

#include "tests/cases/reference/handles.h"

enum { VERTEX, PIXEL, COMPUTE, GEOMETRY, HULL, DOMAIN };

uint32_t agpu_ref_stage(const struct agpu_ref *ref, uint32_t stage, uint32_t extended)
{
    if (stage != AEROGPU_SHADER_STAGE_COMPUTE) {
        return stage <= AEROGPU_SHADER_STAGE_GEOMETRY ? stage : AGPU_REF_STAGES;
    }
    if (ref->work.minor < AEROGPU_STAGE_EX_MIN_ABI_MINOR) {
        return COMPUTE;
    }
    switch (extended) {
    case AEROGPU_SHADER_STAGE_EX_NONE:
    case AEROGPU_SHADER_STAGE_EX_COMPUTE:
        return COMPUTE;
    case AEROGPU_SHADER_STAGE_EX_GEOMETRY:
        return GEOMETRY;
    case AEROGPU_SHADER_STAGE_EX_HULL:
        return HULL;
    case AEROGPU_SHADER_STAGE_EX_DOMAIN:
        return DOMAIN;
    default:
        return AGPU_REF_STAGES;
    }
}

static enum aerogpu_error valid(bool is)
{
    return is ? AEROGPU_ERROR_NONE : AGPU_REF_INVALID;
}

/* Returns whether a handle may be bound: not that of a destroyed original with live aliases. */
static bool bindable(struct agpu_ref *ref, uint32_t handle)
{
    const struct agpu_ref_object *object = agpu_ref_find(ref, false, handle);

    return object == NULL || object->kind != AGPU_REF_RESERVED;
}

static bool slots_fit(uint32_t start, uint32_t count, uint32_t most)
{
    return (uint64_t)start + count <= most;
}

/* The common layout of SET_SHADER_CONSTANTS_*, SET_SAMPLERS and the three packets of buffers. */
struct stage_range {
    struct aerogpu_cmd_hdr hdr;
    uint32_t stage, start, count, extended;
} AEROGPU_CMD_PACKED;

static enum aerogpu_error stage_range(const struct agpu_ref *ref, const struct stage_range *cmd,
                                      uint32_t most)
{
    return valid(cmd->count == 0 || (agpu_ref_stage(ref, cmd->stage, cmd->extended) != AGPU_REF_STAGES &&
                                     slots_fit(cmd->start, cmd->count, most)));
}

static enum aerogpu_error add_shader(struct agpu_ref *ref, const struct aerogpu_cmd_create_shader_dxbc *cmd)
{
    const uint32_t stage = agpu_ref_stage(ref, cmd->stage, cmd->reserved0);
    struct agpu_ref_object *shader;

    if (cmd->shader_handle == 0 || cmd->dxbc_size_bytes == 0 || stage == AGPU_REF_STAGES) {
        return AGPU_REF_INVALID;
    }
    shader = agpu_ref_find(ref, true, cmd->shader_handle);
    if (shader == NULL) {
        shader = agpu_ref_add(ref, true, cmd->shader_handle, AGPU_REF_SHADER);
    }
    if (shader != NULL) {
        agpu_ref_touch(ref);
        shader->stage = stage;
    }
    return AEROGPU_ERROR_NONE;
}

static enum aerogpu_error destroy_shader(struct agpu_ref *ref, uint32_t handle)
{
    if (agpu_ref_find(ref, true, handle) != NULL) {
        agpu_ref_remove(ref, true, handle);
        for (unsigned stage = 0; stage < AGPU_REF_STAGES; stage++) {
            ref->shaders[stage] = ref->shaders[stage] == handle ? 0 : ref->shaders[stage];
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
    ref->shaders[VERTEX] = cmd->vs;
    ref->shaders[PIXEL] = cmd->ps;
    ref->shaders[COMPUTE] = cmd->cs;
    ref->shaders[GEOMETRY] = tail[0];
    ref->shaders[HULL] = tail[1];
    ref->shaders[DOMAIN] = tail[2];
    return AEROGPU_ERROR_NONE;
}

/* Checks an ILAY blob, or a D3D9 declaration, which is accepted (commands.md 7, 15). */
static enum aerogpu_error check_layout(const struct aerogpu_cmd_create_input_layout *cmd)
{
    struct aerogpu_input_layout_blob_header header = {0};
    const uint8_t *blob = (const uint8_t *)(cmd + 1);
    const uint32_t size = cmd->blob_size_bytes;

    memcpy(&header, blob, size < sizeof header ? size : sizeof header);
    if (cmd->input_layout_handle == 0) {
        return AGPU_REF_INVALID;
    }
    if (header.magic != AEROGPU_INPUT_LAYOUT_BLOB_MAGIC) {
        return valid(size != 0 && size % 8 == 0 && blob[size - 8] == 0xFF && blob[size - 7] == 0 &&
                     blob[size - 4] == 17);
    }
    if (size < sizeof header || header.version != AEROGPU_INPUT_LAYOUT_BLOB_VERSION ||
        header.element_count > 32 ||
        size - sizeof header < header.element_count * sizeof(struct aerogpu_input_layout_element_dxgi)) {
        return AGPU_REF_INVALID;
    }
    for (uint32_t i = 0; i < header.element_count; i++) {
        struct aerogpu_input_layout_element_dxgi element;

        memcpy(&element, blob + sizeof header + i * sizeof element, sizeof element);
        if (element.input_slot > 31) {
            return AGPU_REF_INVALID;
        }
    }
    return AEROGPU_ERROR_NONE;
}

static enum aerogpu_error set_targets(struct agpu_ref *ref, const struct aerogpu_cmd_set_render_targets *cmd)
{
    bool all = bindable(ref, cmd->depth_stencil);

    for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS && i < cmd->color_count; i++) {
        all = all && bindable(ref, cmd->colors[i]);
    }
    if (cmd->color_count > AEROGPU_MAX_RENDER_TARGETS || !all) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_touch(ref);
    ref->color_count = cmd->color_count;
    memcpy(ref->colors, cmd->colors, sizeof ref->colors);
    ref->depth = cmd->depth_stencil;
    return AEROGPU_ERROR_NONE;
}

/* Binds a texture for shaders; it leaves the targets. */
static enum aerogpu_error set_texture(struct agpu_ref *ref, const struct aerogpu_cmd_set_texture *cmd)
{
    struct agpu_ref_level level;
    const struct agpu_ref_resource *texture;
    uint32_t format;

    if (agpu_ref_stage(ref, cmd->shader_stage, cmd->reserved0) == AGPU_REF_STAGES || cmd->slot > 127 ||
        !bindable(ref, cmd->texture)) {
        return AGPU_REF_INVALID;
    }
    texture = agpu_ref_texture(ref, cmd->texture, &level, &format);
    if (texture != NULL) {
        agpu_ref_touch(ref);
        for (uint32_t i = 0; i < ref->color_count; i++) {
            if (agpu_ref_texture(ref, ref->colors[i], &level, &format) == texture) {
                ref->colors[i] = 0;
            }
        }
        if (agpu_ref_texture(ref, ref->depth, &level, &format) == texture) {
            ref->depth = 0;
        }
    }
    return AEROGPU_ERROR_NONE;
}

/* Checks the elements of a packet that binds buffers; a handle of 0 empties its slot, whatever is beside it. */
static enum aerogpu_error set_buffers(struct agpu_ref *ref, const struct stage_range *cmd, uint32_t most,
                                      bool sizes)
{
    const struct aerogpu_constant_buffer_binding *elements = (const void *)(cmd + 1);
    enum aerogpu_error error = stage_range(ref, cmd, most);

    for (uint32_t i = 0; error == AEROGPU_ERROR_NONE && i < cmd->count; i++) {
        if (elements[i].buffer != 0 &&
            (elements[i].offset_bytes % 4 != 0 || (sizes && elements[i].size_bytes % 4 != 0) ||
             !bindable(ref, elements[i].buffer))) {
            error = AGPU_REF_INVALID;
        }
    }
    return error;
}

static enum aerogpu_error set_writable(struct agpu_ref *ref, const struct stage_range *cmd)
{
    const struct aerogpu_unordered_access_buffer_binding *elements = (const void *)(cmd + 1);
    const uint32_t stage = agpu_ref_stage(ref, cmd->stage, cmd->extended);
    const enum aerogpu_error error = set_buffers(ref, cmd, 8, true);

    if (error != AEROGPU_ERROR_NONE || cmd->count == 0) {
        return error;
    }
    if (stage == VERTEX || stage == PIXEL) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_touch(ref);
    for (uint32_t i = 0; i < cmd->count; i++) {
        ref->writable[stage][cmd->start + i] = elements[i].buffer;
    }
    return AEROGPU_ERROR_NONE;
}

static enum aerogpu_error set_vertex_buffers(struct agpu_ref *ref,
                                             const struct aerogpu_cmd_set_vertex_buffers *cmd)
{
    const struct aerogpu_vertex_buffer_binding *elements = (const void *)(cmd + 1);
    bool all = cmd->buffer_count == 0 || slots_fit(cmd->start_slot, cmd->buffer_count, 32);

    for (uint32_t i = 0; i < cmd->buffer_count; i++) {
        all = all && bindable(ref, elements[i].buffer);
    }
    return valid(all);
}

static enum aerogpu_error set_index_buffer(struct agpu_ref *ref,
                                           const struct aerogpu_cmd_set_index_buffer *cmd)
{
    if (cmd->buffer != 0 &&
        (cmd->format > AEROGPU_INDEX_FORMAT_UINT32 ||
         cmd->offset_bytes % (cmd->format == AEROGPU_INDEX_FORMAT_UINT32 ? 4u : 2u) != 0 ||
         !bindable(ref, cmd->buffer))) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_touch(ref);
    ref->index_buffer = cmd->buffer;
    return AEROGPU_ERROR_NONE;
}

static bool is_topology(uint32_t value)
{
    return (value >= AEROGPU_TOPOLOGY_POINTLIST && value <= AEROGPU_TOPOLOGY_TRIANGLEFAN) ||
           (value >= AEROGPU_TOPOLOGY_LINELIST_ADJ && value <= AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ) ||
           (value >= AEROGPU_TOPOLOGY_PATCHLIST_1 && value <= AEROGPU_TOPOLOGY_PATCHLIST_32);
}

static enum aerogpu_error destroy_view(struct agpu_ref *ref, uint32_t handle)
{
    const struct agpu_ref_object *view = agpu_ref_find(ref, false, handle);

    if (view != NULL && view->kind == AGPU_REF_VIEW) {
        agpu_ref_remove(ref, false, handle);
        for (unsigned i = 0; i < AEROGPU_MAX_RENDER_TARGETS; i++) {
            ref->colors[i] = ref->colors[i] == handle ? 0 : ref->colors[i];
        }
        ref->depth = ref->depth == handle ? 0 : ref->depth;
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_bind(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd)
{
    const void *packet = cmd;

    switch (cmd->opcode) {
    case AEROGPU_CMD_DESTROY_TEXTURE_VIEW:
        return destroy_view(ref, ((const struct aerogpu_cmd_destroy_texture_view *)packet)->view_handle);
    case AEROGPU_CMD_CREATE_SHADER_DXBC:
        return add_shader(ref, packet);
    case AEROGPU_CMD_DESTROY_SHADER:
        return destroy_shader(ref, ((const struct aerogpu_cmd_destroy_shader *)packet)->shader_handle);
    case AEROGPU_CMD_BIND_SHADERS:
        return set_shaders(ref, packet);
    case AEROGPU_CMD_SET_SHADER_CONSTANTS_F:
        return stage_range(ref, packet, 4096);
    case AEROGPU_CMD_SET_SHADER_CONSTANTS_I:
    case AEROGPU_CMD_SET_SHADER_CONSTANTS_B:
        return stage_range(ref, packet, 256);
    case AEROGPU_CMD_CREATE_INPUT_LAYOUT:
        return check_layout(packet);
    case AEROGPU_CMD_SET_RENDER_TARGETS:
        return set_targets(ref, packet);
    case AEROGPU_CMD_SET_VERTEX_BUFFERS:
        return set_vertex_buffers(ref, packet);
    case AEROGPU_CMD_SET_INDEX_BUFFER:
        return set_index_buffer(ref, packet);
    case AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY:
        return valid(is_topology(((const struct aerogpu_cmd_set_primitive_topology *)packet)->topology));
    case AEROGPU_CMD_SET_TEXTURE:
        return set_texture(ref, packet);
    case AEROGPU_CMD_CREATE_SAMPLER: {
        const struct aerogpu_cmd_create_sampler *sampler = packet;

        return valid(sampler->sampler_handle != 0 && sampler->filter <= AEROGPU_SAMPLER_FILTER_LINEAR &&
                     sampler->address_u <= AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT &&
                     sampler->address_v <= AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT &&
                     sampler->address_w <= AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT);
    }
    case AEROGPU_CMD_SET_SAMPLERS:
        return stage_range(ref, packet, 16);
    case AEROGPU_CMD_SET_CONSTANT_BUFFERS:
        return set_buffers(ref, packet, 14, false);
    case AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS:
        return set_buffers(ref, packet, 128, true);
    case AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS:
        return set_writable(ref, packet);
    default:
        return AEROGPU_ERROR_NONE;
    }
}
