/* bind.c: packets that set state, as far as they can be refused or change what a clear, a draw or a dispatch writes
 * (commands.md 4, 7 to 10, 15). */
#include "tests/cases/reference/packets.h"

#include <string.h>

#include "tests/cases/reference/handles.h"

static enum aerogpu_error valid(bool is)
{
    return is ? AEROGPU_ERROR_NONE : AGPU_REF_INVALID;
}

/* Returns whether a handle may be bound: not that of a destroyed original with live aliases. */
static bool bindable(struct agpu_ref *ref, uint32_t handle)
{
    const struct agpu_ref_object *object = agpu_ref_find(ref, AGPU_REF_RESOURCES, handle);

    return object == NULL || object->kind != AGPU_REF_RESERVED;
}

static bool slots_fit(uint32_t start, uint32_t count, uint32_t most)
{
    return (uint64_t)start + count <= most;
}

static enum aerogpu_error stage_range(const struct agpu_ref *ref, const struct agpu_ref_range *cmd,
                                      uint32_t most)
{
    return valid(cmd->count == 0 || (agpu_ref_stage(ref, cmd->stage, cmd->extended) != AGPU_REF_STAGES &&
                                     slots_fit(cmd->start, cmd->count, most)));
}

static struct agpu_ref_resource *texture_of(struct agpu_ref *ref, uint32_t handle)
{
    struct agpu_ref_level level;
    uint32_t format;

    return handle != 0 ? agpu_ref_texture(ref, handle, &level, &format) : NULL;
}

enum aerogpu_error agpu_ref_set_targets(struct agpu_ref *ref,
                                        const struct aerogpu_cmd_set_render_targets *cmd)
{
    bool all = bindable(ref, cmd->depth_stencil);

    for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS && i < cmd->color_count; i++) {
        all = all && bindable(ref, cmd->colors[i]);
    }
    if (cmd->color_count > AEROGPU_MAX_RENDER_TARGETS || !all) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_touch(ref);
    ref->pipeline.color_count = cmd->color_count;
    memcpy(ref->pipeline.colors, cmd->colors, sizeof ref->pipeline.colors);
    ref->pipeline.depth = cmd->depth_stencil;
    /* A texture that becomes a target leaves the shaders' slots. */
    for (uint32_t i = 0; i <= cmd->color_count; i++) {
        const struct agpu_ref_resource *target =
            texture_of(ref, i < cmd->color_count ? cmd->colors[i] : cmd->depth_stencil);

        for (uint32_t slot = 0; target != NULL && slot < AGPU_REF_STAGES * 128; slot++) {
            uint32_t *bound = &ref->pipeline.textures[slot / 128][slot % 128];

            *bound = *bound != 0 && texture_of(ref, *bound) == target ? 0 : *bound;
        }
    }
    return AEROGPU_ERROR_NONE;
}

/* Binds a texture for shaders; it leaves the targets. */
enum aerogpu_error agpu_ref_set_texture(struct agpu_ref *ref, const struct aerogpu_cmd_set_texture *cmd)
{
    const uint32_t stage = agpu_ref_stage(ref, cmd->shader_stage, cmd->reserved0);
    const struct agpu_ref_resource *texture;

    if (stage == AGPU_REF_STAGES || cmd->slot > 127 || !bindable(ref, cmd->texture)) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_touch(ref);
    ref->pipeline.textures[stage][cmd->slot] = cmd->texture;
    ref->pipeline.texture_parts[stage][cmd->slot] = (struct agpu_ref_part){0};
    texture = texture_of(ref, cmd->texture);
    for (uint32_t i = 0; texture != NULL && i < ref->pipeline.color_count; i++) {
        if (texture_of(ref, ref->pipeline.colors[i]) == texture) {
            ref->pipeline.colors[i] = 0;
        }
    }
    if (texture != NULL && texture_of(ref, ref->pipeline.depth) == texture) {
        ref->pipeline.depth = 0;
    }
    return AEROGPU_ERROR_NONE;
}

/* Checks the elements of a packet that binds buffers; a handle of 0 empties its slot, whatever is beside it. */
static enum aerogpu_error set_buffers(struct agpu_ref *ref, const struct agpu_ref_range *cmd, uint32_t most,
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

/* The float registers: constant buffer 0 until another one is bound there (commands.md 7). */
enum aerogpu_error agpu_ref_set_registers(struct agpu_ref *ref, const struct agpu_ref_range *cmd)
{
    const enum aerogpu_error error = stage_range(ref, cmd, 4096);

    for (uint32_t i = 0; error == AEROGPU_ERROR_NONE && i < cmd->count * 4; i++) {
        if (cmd->start * 4 + i < AGPU_REF_REGISTERS * 4) {
            memcpy(
                &ref->pipeline.registers[agpu_ref_stage(ref, cmd->stage, cmd->extended)][cmd->start * 4 + i],
                (const uint32_t *)(const void *)(cmd + 1) + i, sizeof(uint32_t));
        }
    }
    return error;
}

enum aerogpu_error agpu_ref_set_other_registers(struct agpu_ref *ref, const struct agpu_ref_range *cmd)
{
    return stage_range(ref, cmd, 256);
}

enum aerogpu_error agpu_ref_set_constants(struct agpu_ref *ref, const struct agpu_ref_range *cmd)
{
    const enum aerogpu_error error = set_buffers(ref, cmd, 14, false);

    if (error == AEROGPU_ERROR_NONE && cmd->count != 0) {
        memcpy(&ref->pipeline.constants[agpu_ref_stage(ref, cmd->stage, cmd->extended)][cmd->start], cmd + 1,
               cmd->count * sizeof(struct aerogpu_constant_buffer_binding));
    }
    return error;
}

/* Binding a buffer for reading takes it from all slots for writing, and the reverse (commands.md 10). */
static void leave(struct agpu_ref *ref, uint32_t *slots, size_t count, uint32_t handle)
{
    const struct agpu_ref_resource *resource = agpu_ref_named(ref, handle);

    for (size_t i = 0; i < count; i++) {
        if (slots[i] == handle ||
            (slots[i] != 0 && resource != NULL && agpu_ref_named(ref, slots[i]) == resource)) {
            slots[i] = 0;
        }
    }
}

enum aerogpu_error agpu_ref_set_views(struct agpu_ref *ref, const struct agpu_ref_range *cmd)
{
    const bool write = cmd->hdr.opcode == AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS;
    const struct aerogpu_unordered_access_buffer_binding *elements = (const void *)(cmd + 1);
    struct agpu_ref_pipeline *pipeline = &ref->pipeline;
    const uint32_t stage = agpu_ref_stage(ref, cmd->stage, cmd->extended);
    const enum aerogpu_error error = set_buffers(ref, cmd, write ? 8 : 128, true);

    if (error != AEROGPU_ERROR_NONE || cmd->count == 0) {
        return error;
    }
    if (write && (stage == AGPU_REF_VERTEX || stage == AGPU_REF_PIXEL)) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_touch(ref);
    for (uint32_t i = 0; i < cmd->count; i++) {
        const uint32_t buffer = elements[i].buffer;
        const struct agpu_ref_part part = {elements[i].offset_bytes, elements[i].size_bytes};

        if (write) {
            leave(ref, &pipeline->textures[0][0], AGPU_REF_STAGES * 128, buffer);
            pipeline->writable[stage][cmd->start + i] = buffer;
            pipeline->writable_parts[stage][cmd->start + i] = part;
        } else {
            leave(ref, &pipeline->writable[0][0], AGPU_REF_STAGES * 8, buffer);
            pipeline->textures[stage][cmd->start + i] = buffer;
            pipeline->texture_parts[stage][cmd->start + i] = part;
        }
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_set_samplers(struct agpu_ref *ref, const struct agpu_ref_range *cmd)
{
    const enum aerogpu_error error = stage_range(ref, cmd, 16);

    if (error == AEROGPU_ERROR_NONE && cmd->count != 0) {
        memcpy(&ref->pipeline.samplers[agpu_ref_stage(ref, cmd->stage, cmd->extended)][cmd->start], cmd + 1,
               cmd->count * sizeof(uint32_t));
    }
    return error;
}

enum aerogpu_error agpu_ref_set_vertex_buffers(struct agpu_ref *ref,
                                               const struct aerogpu_cmd_set_vertex_buffers *cmd)
{
    const struct aerogpu_vertex_buffer_binding *elements = (const void *)(cmd + 1);
    bool all = cmd->buffer_count == 0 || slots_fit(cmd->start_slot, cmd->buffer_count, 32);

    for (uint32_t i = 0; i < cmd->buffer_count; i++) {
        all = all && bindable(ref, elements[i].buffer);
    }
    if (all && cmd->buffer_count != 0) {
        agpu_ref_touch(ref);
        memcpy(&ref->pipeline.vertices[cmd->start_slot], elements, cmd->buffer_count * sizeof *elements);
    }
    return valid(all);
}

enum aerogpu_error agpu_ref_set_index_buffer(struct agpu_ref *ref,
                                             const struct aerogpu_cmd_set_index_buffer *cmd)
{
    const struct agpu_ref_resource *buffer = agpu_ref_named(ref, cmd->buffer);

    if (cmd->buffer != 0 &&
        (cmd->format > AEROGPU_INDEX_FORMAT_UINT32 ||
         cmd->offset_bytes % (cmd->format == AEROGPU_INDEX_FORMAT_UINT32 ? 4u : 2u) != 0 ||
         (buffer != NULL && !buffer->texture && cmd->offset_bytes > buffer->size) ||
         !bindable(ref, cmd->buffer))) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_touch(ref);
    ref->pipeline.index_buffer = cmd->buffer;
    ref->pipeline.index_format = cmd->format;
    ref->pipeline.index_offset = cmd->offset_bytes;
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_destroy_view(struct agpu_ref *ref,
                                         const struct aerogpu_cmd_destroy_texture_view *cmd)
{
    const uint32_t handle = cmd->view_handle;
    const struct agpu_ref_object *view = agpu_ref_find(ref, AGPU_REF_RESOURCES, handle);

    if (view != NULL && view->kind == AGPU_REF_VIEW) {
        agpu_ref_remove(ref, AGPU_REF_RESOURCES, handle);
        agpu_ref_unbind(ref, handle);
    }
    return AEROGPU_ERROR_NONE;
}
