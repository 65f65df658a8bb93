/* pipeline_packets.c: packets of shaders, state, bindings and draws. */
#include "tests/cases/rig/pipeline_packets.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

#define BIND_SHADERS_BYTES 36u

uint32_t agpu_float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void agpu_put_shader_bytes(struct agpu_rig *rig, uint32_t handle, uint32_t stage, uint32_t stage_ex,
                           const void *bytes, uint32_t size)
{
    struct aerogpu_cmd_create_shader_dxbc *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_CREATE_SHADER_DXBC, (uint32_t)sizeof *packet + ((size + 3) & ~3u));

    packet->shader_handle = handle;
    packet->stage = stage;
    packet->dxbc_size_bytes = size;
    packet->reserved0 = stage_ex;
    if (!rig->broken) {
        memcpy(packet + 1, bytes, size);
    }
}

void agpu_put_shader(struct agpu_rig *rig, uint32_t handle, const struct agpu_shader_blob *blob)
{
    static const struct {
        const char *prefix;
        uint32_t stage, stage_ex;
    } stages[] = {
        {"vs", AEROGPU_SHADER_STAGE_VERTEX, 0},
        {"ps", AEROGPU_SHADER_STAGE_PIXEL, 0},
        {"cs", AEROGPU_SHADER_STAGE_COMPUTE, 0},
        {"gs", AEROGPU_SHADER_STAGE_GEOMETRY, 0},
        {"hs", AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_HULL},
        {"ds", AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_DOMAIN},
    };

    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (strncmp(blob->name, stages[i].prefix, 2) == 0) {
            agpu_put_shader_bytes(rig, handle, stages[i].stage, stages[i].stage_ex, blob->words,
                                  blob->size_bytes);
        }
    }
}

void agpu_put_bind_shaders(struct agpu_rig *rig, const struct agpu_stages *stages)
{
    struct aerogpu_cmd_bind_shaders *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_BIND_SHADERS, BIND_SHADERS_BYTES);
    const uint32_t more[3] = {stages->gs, stages->hs, stages->ds};

    packet->vs = stages->vs;
    packet->ps = stages->ps;
    packet->cs = stages->cs;
    memcpy(packet + 1, more, sizeof more);
}

void agpu_put_layout_alone(struct agpu_rig *rig, uint32_t handle, const struct agpu_element *elements,
                           uint32_t count)
{
    struct aerogpu_cmd_create_input_layout *packet;
    struct aerogpu_input_layout_blob_header *header;
    struct aerogpu_input_layout_element_dxgi *out;
    uint32_t size = (uint32_t)(sizeof *header + count * sizeof *out);

    packet = agpu_rig_packet(rig, AEROGPU_CMD_CREATE_INPUT_LAYOUT, (uint32_t)sizeof *packet + size);
    packet->input_layout_handle = handle;
    packet->blob_size_bytes = size;
    header = (struct aerogpu_input_layout_blob_header *)(packet + 1);
    header->magic = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    header->version = AEROGPU_INPUT_LAYOUT_BLOB_VERSION;
    header->element_count = count;
    out = (struct aerogpu_input_layout_element_dxgi *)(header + 1);
    for (uint32_t i = 0; i < count && !rig->broken; i++) {
        out[i].semantic_name_hash = elements[i].semantic;
        out[i].semantic_index = elements[i].index;
        out[i].dxgi_format = elements[i].format;
        out[i].input_slot = elements[i].slot;
        out[i].aligned_byte_offset = elements[i].offset;
        out[i].input_slot_class = elements[i].step != 0;
        out[i].instance_data_step_rate = elements[i].step != AGPU_STEP_OF_NONE ? elements[i].step : 0;
    }
}

void agpu_put_set_layout(struct agpu_rig *rig, uint32_t handle)
{
    struct aerogpu_cmd_set_input_layout *set =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_INPUT_LAYOUT, sizeof *set);

    set->input_layout_handle = handle;
}

void agpu_put_layout(struct agpu_rig *rig, uint32_t handle, const struct agpu_element *elements,
                     uint32_t count)
{
    agpu_put_layout_alone(rig, handle, elements, count);
    agpu_put_set_layout(rig, handle);
}

void agpu_put_filled_buffer(struct agpu_rig *rig, uint32_t handle, const void *bytes, uint32_t size)
{
    agpu_put_create_buffer(rig, handle, size, 0, 0)->usage_flags |= AEROGPU_RESOURCE_USAGE_STORAGE;
    if (bytes != NULL) {
        agpu_put_upload(rig, handle, 0, bytes, size);
    }
}

void agpu_put_vertex_buffer(struct agpu_rig *rig, uint32_t slot, uint32_t buffer, uint32_t stride,
                            uint32_t offset)
{
    struct aerogpu_vertex_buffer_binding *binding;

    struct aerogpu_cmd_set_vertex_buffers *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_VERTEX_BUFFERS, (uint32_t)(sizeof *packet + sizeof *binding));

    packet->start_slot = slot;
    packet->buffer_count = 1;
    binding = (struct aerogpu_vertex_buffer_binding *)(packet + 1);
    binding->buffer = buffer;
    binding->stride_bytes = stride;
    binding->offset_bytes = offset;
}

void agpu_put_index_buffer(struct agpu_rig *rig, uint32_t buffer, uint32_t format, uint32_t offset)
{
    struct aerogpu_cmd_set_index_buffer *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_INDEX_BUFFER, sizeof *packet);

    packet->buffer = buffer;
    packet->format = format;
    packet->offset_bytes = offset;
}

void agpu_put_topology(struct agpu_rig *rig, uint32_t topology)
{
    struct aerogpu_cmd_set_primitive_topology *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, sizeof *packet);

    packet->topology = topology;
}

struct aerogpu_rasterizer_state *agpu_put_rasterizer(struct agpu_rig *rig)
{
    struct aerogpu_cmd_set_rasterizer_state *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_RASTERIZER_STATE, sizeof *packet);

    return &packet->state; /* zero is the documented default */
}

struct aerogpu_blend_state *agpu_put_blend(struct agpu_rig *rig)
{
    struct aerogpu_cmd_set_blend_state *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_BLEND_STATE, sizeof *packet);

    packet->state.src_factor = packet->state.src_factor_alpha = AEROGPU_BLEND_ONE;
    packet->state.dst_factor = packet->state.dst_factor_alpha = AEROGPU_BLEND_ZERO;
    packet->state.color_write_mask = 15;
    packet->state.sample_mask = UINT32_MAX;
    return &packet->state;
}

void agpu_put_depth_state(struct agpu_rig *rig, uint32_t enable, uint32_t write, uint32_t func)
{
    struct aerogpu_cmd_set_depth_stencil_state *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, sizeof *packet);

    packet->state.depth_enable = enable;
    packet->state.depth_write_enable = write;
    packet->state.depth_func = func;
}

struct aerogpu_cmd_create_texture2d *agpu_put_target(struct agpu_rig *rig, uint32_t handle, uint32_t format,
                                                     uint32_t width, uint32_t height)
{
    struct aerogpu_cmd_create_texture2d *packet =
        agpu_put_create_texture(rig, handle, format, width, height, 0, 0);

    packet->usage_flags |= format == AEROGPU_FORMAT_D24_UNORM_S8_UINT || format == AEROGPU_FORMAT_D32_FLOAT
                               ? AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL
                               : AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    return packet;
}

void agpu_put_targets(struct agpu_rig *rig, uint32_t color, uint32_t depth)
{
    struct aerogpu_cmd_set_render_targets *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *packet);

    packet->color_count = color != 0;
    packet->colors[0] = color;
    packet->depth_stencil = depth;
}

void agpu_put_clear_color(struct agpu_rig *rig, float r, float g, float b, float a)
{
    struct aerogpu_cmd_clear *packet = agpu_rig_packet(rig, AEROGPU_CMD_CLEAR, sizeof *packet);

    packet->flags = AEROGPU_CLEAR_COLOR;
    packet->color_rgba_f32[0] = agpu_float_bits(r);
    packet->color_rgba_f32[1] = agpu_float_bits(g);
    packet->color_rgba_f32[2] = agpu_float_bits(b);
    packet->color_rgba_f32[3] = agpu_float_bits(a);
}

void agpu_put_clear_depth(struct agpu_rig *rig, float depth, uint32_t stencil)
{
    struct aerogpu_cmd_clear *packet = agpu_rig_packet(rig, AEROGPU_CMD_CLEAR, sizeof *packet);

    packet->flags = AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL;
    packet->depth_f32 = agpu_float_bits(depth);
    packet->stencil = stencil;
}

void agpu_put_viewport(struct agpu_rig *rig, const struct agpu_viewport *viewport)
{
    struct aerogpu_cmd_set_viewport *packet = agpu_rig_packet(rig, AEROGPU_CMD_SET_VIEWPORT, sizeof *packet);

    packet->x_f32 = agpu_float_bits(viewport->x);
    packet->y_f32 = agpu_float_bits(viewport->y);
    packet->width_f32 = agpu_float_bits(viewport->width);
    packet->height_f32 = agpu_float_bits(viewport->height);
    packet->min_depth_f32 = agpu_float_bits(viewport->low);
    packet->max_depth_f32 = agpu_float_bits(viewport->high);
}

void agpu_put_plain_target(struct agpu_rig *rig, uint32_t handle, uint32_t edge)
{
    agpu_put_target(rig, handle, AEROGPU_FORMAT_R8G8B8A8_UNORM, edge, edge);
    agpu_put_targets(rig, handle, 0);
    agpu_put_clear_color(rig, 0, 0, 0, 0);
    agpu_put_rasterizer(rig);
    agpu_put_blend(rig);
    agpu_put_depth_state(rig, 0, 0, AEROGPU_COMPARE_ALWAYS);
    agpu_put_viewport(rig, &(struct agpu_viewport){0, 0, (float)edge, (float)edge, 0, 1});
}

void agpu_put_scissor(struct agpu_rig *rig, int32_t x, int32_t y, int32_t width, int32_t height)
{
    struct aerogpu_cmd_set_scissor *packet = agpu_rig_packet(rig, AEROGPU_CMD_SET_SCISSOR, sizeof *packet);

    packet->x = x;
    packet->y = y;
    packet->width = width;
    packet->height = height;
}

void agpu_put_registers(struct agpu_rig *rig, uint32_t stage, uint32_t stage_ex, uint32_t first,
                        uint32_t count, const void *values)
{
    struct aerogpu_cmd_set_shader_constants_f *set =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_SHADER_CONSTANTS_F, (uint32_t)sizeof *set + 16 * count);

    set->stage = stage;
    set->reserved0 = stage_ex;
    set->start_register = first;
    set->vec4_count = count;
    if (!rig->broken) {
        memcpy(set + 1, values, 16 * count);
    }
}

/* The packets that bind buffers have the same layout; last is 0, or the counter of a UAV. */
static struct aerogpu_cmd_set_constant_buffers *
bind_buffer(struct agpu_rig *rig, uint32_t opcode, uint32_t stage, uint32_t slot, const uint32_t binding[4])
{
    struct aerogpu_cmd_set_constant_buffers *packet =
        agpu_rig_packet(rig, opcode, (uint32_t)sizeof *packet + 16);

    packet->shader_stage = stage;
    packet->start_slot = slot;
    packet->buffer_count = 1;
    memcpy(packet + 1, binding, 16);
    return packet;
}

void agpu_put_constants(struct agpu_rig *rig, uint32_t stage, uint32_t slot, uint32_t buffer, uint32_t offset,
                        uint32_t size)
{
    bind_buffer(rig, AEROGPU_CMD_SET_CONSTANT_BUFFERS, stage, slot, (uint32_t[4]){buffer, offset, size, 0});
}

void agpu_put_constants_of(struct agpu_rig *rig, uint32_t stage, uint32_t stage_ex, uint32_t slot,
                           uint32_t buffer)
{
    bind_buffer(rig, AEROGPU_CMD_SET_CONSTANT_BUFFERS, stage, slot, (uint32_t[4]){buffer, 0, 0, 0})
        ->reserved0 = stage_ex;
}

void agpu_put_srv(struct agpu_rig *rig, uint32_t stage, uint32_t slot, uint32_t buffer, uint32_t offset,
                  uint32_t size)
{
    bind_buffer(rig, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, stage, slot,
                (uint32_t[4]){buffer, offset, size, 0});
}

void agpu_put_uav(struct agpu_rig *rig, uint32_t slot, uint32_t buffer, uint32_t offset, uint32_t size)
{
    bind_buffer(rig, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, AEROGPU_SHADER_STAGE_COMPUTE, slot,
                (uint32_t[4]){buffer, offset, size, UINT32_MAX});
}

void agpu_put_uav_of(struct agpu_rig *rig, uint32_t stage, uint32_t stage_ex, uint32_t slot, uint32_t buffer)
{
    bind_buffer(rig, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, stage, slot,
                (uint32_t[4]){buffer, 0, 0, UINT32_MAX})
        ->reserved0 = stage_ex;
}

struct aerogpu_cmd_create_texture_view *agpu_put_view(struct agpu_rig *rig, uint32_t view, uint32_t texture,
                                                      uint32_t format)
{
    struct aerogpu_cmd_create_texture_view *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_CREATE_TEXTURE_VIEW, sizeof *packet);

    packet->view_handle = view;
    packet->texture_handle = texture;
    packet->format = format;
    packet->mip_level_count = 1;
    packet->array_layer_count = 1;
    return packet;
}

void agpu_put_texture_slot(struct agpu_rig *rig, uint32_t stage, uint32_t slot, uint32_t texture)
{
    struct aerogpu_cmd_set_texture *packet = agpu_rig_packet(rig, AEROGPU_CMD_SET_TEXTURE, sizeof *packet);

    packet->shader_stage = stage;
    packet->slot = slot;
    packet->texture = texture;
}

void agpu_put_sampler_slot(struct agpu_rig *rig, uint32_t stage, uint32_t slot, uint32_t sampler)
{
    struct aerogpu_cmd_set_samplers *set =
        agpu_rig_packet(rig, AEROGPU_CMD_SET_SAMPLERS, (uint32_t)sizeof *set + 4);

    set->shader_stage = stage;
    set->start_slot = slot;
    set->sampler_count = 1;
    memcpy(set + 1, &sampler, 4);
}

void agpu_put_sampler(struct agpu_rig *rig, uint32_t slot, uint32_t handle, uint32_t filter, uint32_t address)
{
    struct aerogpu_cmd_create_sampler *create =
        agpu_rig_packet(rig, AEROGPU_CMD_CREATE_SAMPLER, sizeof *create);

    create->sampler_handle = handle;
    create->filter = filter;
    create->address_u = create->address_v = create->address_w = address;
    agpu_put_sampler_slot(rig, AEROGPU_SHADER_STAGE_PIXEL, slot, handle);
}

void agpu_put_empty_lists(struct agpu_rig *rig, uint32_t stage)
{
    static const uint32_t opcodes[] = {AEROGPU_CMD_SET_SAMPLERS, AEROGPU_CMD_SET_CONSTANT_BUFFERS,
                                       AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS,
                                       AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS};

    /* All have the same layout; the last one is for compute shaders (commands.md 10). */
    for (uint32_t i = 0; i < (stage == AEROGPU_SHADER_STAGE_COMPUTE ? 4 : 3); i++) {
        struct aerogpu_cmd_set_constant_buffers *list = agpu_rig_packet(rig, opcodes[i], sizeof *list);

        list->shader_stage = stage;
    }
    agpu_rig_packet(rig, AEROGPU_CMD_SET_VERTEX_BUFFERS, sizeof(struct aerogpu_cmd_set_vertex_buffers));
}

struct aerogpu_cmd_draw *agpu_put_draw(struct agpu_rig *rig, uint32_t vertices)
{
    struct aerogpu_cmd_draw *packet = agpu_rig_packet(rig, AEROGPU_CMD_DRAW, sizeof *packet);

    packet->vertex_count = vertices;
    packet->instance_count = 1;
    return packet;
}

struct aerogpu_cmd_draw_indexed *agpu_put_draw_indexed(struct agpu_rig *rig, uint32_t indices)
{
    struct aerogpu_cmd_draw_indexed *packet = agpu_rig_packet(rig, AEROGPU_CMD_DRAW_INDEXED, sizeof *packet);

    packet->index_count = indices;
    packet->instance_count = 1;
    return packet;
}

struct aerogpu_cmd_dispatch *agpu_put_dispatch(struct agpu_rig *rig, uint32_t x, uint32_t y, uint32_t z)
{
    struct aerogpu_cmd_dispatch *packet = agpu_rig_packet(rig, AEROGPU_CMD_DISPATCH, sizeof *packet);

    packet->group_count_x = x;
    packet->group_count_y = y;
    packet->group_count_z = z;
    return packet;
}
