/* packets.c: dispatch table of the command stream: opcode to name, smallest size and handler. */
#include "tests/device/engine/packets.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/inspect/inspect.h"

/* NOP, DEBUG_MARKER, FLUSH: nothing to see from outside. SET_RENDER_STATE, SET_SAMPLER_STATE: D3D9 only,
 * accepted and ignored (section 15). */
static uint32_t no_effect(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    (void)exec;
    (void)packet;
    (void)size;
    return AEROGPU_ERROR_NONE;
}

#define PACKET(opcode, type, handler) [AEROGPU_CMD_##opcode] = {#opcode, sizeof(struct type), handler}

/* SET_BLEND_STATE accepts packets that end before the alpha factors (section 1). */
#define SHORTEST_BLEND_STATE 28u

static const struct vgpu_packet_type types[] = {
    PACKET(NOP, aerogpu_cmd_hdr, no_effect),
    PACKET(DEBUG_MARKER, aerogpu_cmd_hdr, no_effect),
    PACKET(CREATE_BUFFER, aerogpu_cmd_create_buffer, vgpu_packet_create_buffer),
    PACKET(CREATE_TEXTURE2D, aerogpu_cmd_create_texture2d, vgpu_packet_create_texture2d),
    PACKET(DESTROY_RESOURCE, aerogpu_cmd_destroy_resource, vgpu_packet_destroy_resource),
    PACKET(RESOURCE_DIRTY_RANGE, aerogpu_cmd_resource_dirty_range, vgpu_packet_resource_dirty_range),
    PACKET(UPLOAD_RESOURCE, aerogpu_cmd_upload_resource, vgpu_packet_upload_resource),
    PACKET(COPY_BUFFER, aerogpu_cmd_copy_buffer, vgpu_packet_copy_buffer),
    PACKET(COPY_TEXTURE2D, aerogpu_cmd_copy_texture2d, vgpu_packet_copy_texture2d),
    PACKET(CREATE_TEXTURE_VIEW, aerogpu_cmd_create_texture_view, vgpu_packet_create_texture_view),
    PACKET(DESTROY_TEXTURE_VIEW, aerogpu_cmd_destroy_texture_view, vgpu_packet_destroy_texture_view),
    PACKET(CREATE_SHADER_DXBC, aerogpu_cmd_create_shader_dxbc, vgpu_packet_create_shader_dxbc),
    PACKET(DESTROY_SHADER, aerogpu_cmd_destroy_shader, vgpu_packet_destroy_shader),
    PACKET(BIND_SHADERS, aerogpu_cmd_bind_shaders, vgpu_packet_bind_shaders),
    PACKET(SET_SHADER_CONSTANTS_F, aerogpu_cmd_set_shader_constants_f, vgpu_packet_set_shader_constants_f),
    PACKET(CREATE_INPUT_LAYOUT, aerogpu_cmd_create_input_layout, vgpu_packet_create_input_layout),
    PACKET(DESTROY_INPUT_LAYOUT, aerogpu_cmd_destroy_input_layout, vgpu_packet_destroy_input_layout),
    PACKET(SET_INPUT_LAYOUT, aerogpu_cmd_set_input_layout, vgpu_packet_set_input_layout),
    PACKET(SET_SHADER_CONSTANTS_I, aerogpu_cmd_set_shader_constants_i, vgpu_packet_set_shader_constants_i),
    PACKET(SET_SHADER_CONSTANTS_B, aerogpu_cmd_set_shader_constants_b, vgpu_packet_set_shader_constants_b),
    [AEROGPU_CMD_SET_BLEND_STATE] = {"SET_BLEND_STATE", SHORTEST_BLEND_STATE, vgpu_packet_set_blend_state},
    PACKET(SET_DEPTH_STENCIL_STATE, aerogpu_cmd_set_depth_stencil_state, vgpu_packet_set_depth_stencil_state),
    PACKET(SET_RASTERIZER_STATE, aerogpu_cmd_set_rasterizer_state, vgpu_packet_set_rasterizer_state),
    PACKET(SET_RENDER_TARGETS, aerogpu_cmd_set_render_targets, vgpu_packet_set_render_targets),
    PACKET(SET_VIEWPORT, aerogpu_cmd_set_viewport, vgpu_packet_set_viewport),
    PACKET(SET_SCISSOR, aerogpu_cmd_set_scissor, vgpu_packet_set_scissor),
    PACKET(SET_VERTEX_BUFFERS, aerogpu_cmd_set_vertex_buffers, vgpu_packet_set_vertex_buffers),
    PACKET(SET_INDEX_BUFFER, aerogpu_cmd_set_index_buffer, vgpu_packet_set_index_buffer),
    PACKET(SET_PRIMITIVE_TOPOLOGY, aerogpu_cmd_set_primitive_topology, vgpu_packet_set_primitive_topology),
    PACKET(SET_TEXTURE, aerogpu_cmd_set_texture, vgpu_packet_set_texture),
    PACKET(SET_SAMPLER_STATE, aerogpu_cmd_set_sampler_state, no_effect),
    PACKET(SET_RENDER_STATE, aerogpu_cmd_set_render_state, no_effect),
    PACKET(CREATE_SAMPLER, aerogpu_cmd_create_sampler, vgpu_packet_create_sampler),
    PACKET(DESTROY_SAMPLER, aerogpu_cmd_destroy_sampler, vgpu_packet_destroy_sampler),
    PACKET(SET_SAMPLERS, aerogpu_cmd_set_samplers, vgpu_packet_set_samplers),
    PACKET(SET_CONSTANT_BUFFERS, aerogpu_cmd_set_constant_buffers, vgpu_packet_set_constant_buffers),
    PACKET(SET_SHADER_RESOURCE_BUFFERS, aerogpu_cmd_set_shader_resource_buffers,
           vgpu_packet_set_shader_resource_buffers),
    PACKET(SET_UNORDERED_ACCESS_BUFFERS, aerogpu_cmd_set_unordered_access_buffers,
           vgpu_packet_set_unordered_access_buffers),
    PACKET(CLEAR, aerogpu_cmd_clear, vgpu_packet_clear),
    PACKET(DRAW, aerogpu_cmd_draw, vgpu_packet_draw),
    PACKET(DRAW_INDEXED, aerogpu_cmd_draw_indexed, vgpu_packet_draw_indexed),
    PACKET(DISPATCH, aerogpu_cmd_dispatch, vgpu_packet_dispatch),
    PACKET(PRESENT, aerogpu_cmd_present, vgpu_packet_present),
    PACKET(PRESENT_EX, aerogpu_cmd_present_ex, vgpu_packet_present),
    PACKET(EXPORT_SHARED_SURFACE, aerogpu_cmd_export_shared_surface, vgpu_packet_export_shared_surface),
    PACKET(IMPORT_SHARED_SURFACE, aerogpu_cmd_import_shared_surface, vgpu_packet_import_shared_surface),
    PACKET(RELEASE_SHARED_SURFACE, aerogpu_cmd_release_shared_surface, vgpu_packet_release_shared_surface),
    PACKET(FLUSH, aerogpu_cmd_flush, no_effect),
};

_Static_assert(sizeof types / sizeof types[0] <= VGPU_STATS_OPCODES, "one counter for each opcode");

const struct vgpu_packet_type *vgpu_packet_type(uint32_t opcode)
{
    if (opcode >= sizeof types / sizeof types[0] || types[opcode].execute == NULL) {
        return NULL;
    }
    return &types[opcode];
}
