/* packets.h: the opcodes that the model executes: their smallest size and their handler (commands.md 6 to 12). */
#ifndef VGPU_ENGINE_PACKETS_H
#define VGPU_ENGINE_PACKETS_H

#include <stddef.h>
#include <stdint.h>

struct vgpu_exec;

/* Executes one packet of size bytes, at least the smallest size, in private memory at 4-byte alignment.
 * Returns AEROGPU_ERROR_NONE, CMD_DECODE for what the guest did wrong, BACKEND for what the model could not
 * do. */
typedef uint32_t vgpu_packet_handler(struct vgpu_exec *exec, const void *packet, uint32_t size);

struct vgpu_packet_type {
    const char *name;
    uint32_t size;
    vgpu_packet_handler *execute;
};

/* The type with this opcode, NULL when the opcode is unknown. */
const struct vgpu_packet_type *vgpu_packet_type(uint32_t opcode);

/* Handlers, by the file that holds them. Resources: resource.c, buffer.c, texture.c, view.c, upload.c,
 * copy.c. */
vgpu_packet_handler vgpu_packet_destroy_resource;
vgpu_packet_handler vgpu_packet_create_buffer;
vgpu_packet_handler vgpu_packet_copy_buffer;
vgpu_packet_handler vgpu_packet_create_texture2d;
vgpu_packet_handler vgpu_packet_create_texture_view;
vgpu_packet_handler vgpu_packet_destroy_texture_view;
vgpu_packet_handler vgpu_packet_resource_dirty_range;
vgpu_packet_handler vgpu_packet_upload_resource;
vgpu_packet_handler vgpu_packet_copy_texture2d;
/* Shared surfaces: shared_surface.c. */
vgpu_packet_handler vgpu_packet_export_shared_surface;
vgpu_packet_handler vgpu_packet_import_shared_surface;
vgpu_packet_handler vgpu_packet_release_shared_surface;
/* Shaders and constants: shader.c, constants.c. */
vgpu_packet_handler vgpu_packet_create_shader_dxbc;
vgpu_packet_handler vgpu_packet_destroy_shader;
vgpu_packet_handler vgpu_packet_bind_shaders;
vgpu_packet_handler vgpu_packet_set_shader_constants_f;
vgpu_packet_handler vgpu_packet_set_shader_constants_i;
vgpu_packet_handler vgpu_packet_set_shader_constants_b;
/* Input: input_layout.c, input_assembler.c. */
vgpu_packet_handler vgpu_packet_create_input_layout;
vgpu_packet_handler vgpu_packet_destroy_input_layout;
vgpu_packet_handler vgpu_packet_set_input_layout;
vgpu_packet_handler vgpu_packet_set_vertex_buffers;
vgpu_packet_handler vgpu_packet_set_index_buffer;
vgpu_packet_handler vgpu_packet_set_primitive_topology;
/* State: fixed_function.c. */
vgpu_packet_handler vgpu_packet_set_blend_state;
vgpu_packet_handler vgpu_packet_set_depth_stencil_state;
vgpu_packet_handler vgpu_packet_set_rasterizer_state;
vgpu_packet_handler vgpu_packet_set_render_targets;
vgpu_packet_handler vgpu_packet_set_viewport;
vgpu_packet_handler vgpu_packet_set_scissor;
/* Bindings: binding.c, sampler.c. */
vgpu_packet_handler vgpu_packet_set_texture;
vgpu_packet_handler vgpu_packet_set_constant_buffers;
vgpu_packet_handler vgpu_packet_set_shader_resource_buffers;
vgpu_packet_handler vgpu_packet_set_unordered_access_buffers;
vgpu_packet_handler vgpu_packet_create_sampler;
vgpu_packet_handler vgpu_packet_destroy_sampler;
vgpu_packet_handler vgpu_packet_set_samplers;
/* Work: clear.c, draw.c, present.c. */
vgpu_packet_handler vgpu_packet_clear;
vgpu_packet_handler vgpu_packet_draw;
vgpu_packet_handler vgpu_packet_draw_indexed;
vgpu_packet_handler vgpu_packet_dispatch;
vgpu_packet_handler vgpu_packet_present;

#endif
