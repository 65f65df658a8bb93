/* packets.h: the opcodes that the model executes: their smallest size and their handler (commands.md). */
#ifndef AGPU_TESTS_DEVICE_PACKETS_H
#define AGPU_TESTS_DEVICE_PACKETS_H

#include <stddef.h>
#include <stdint.h>

struct agpu_exec;

/* Executes one packet of size bytes, at least the smallest size, in private memory at 4-byte alignment.
 * Returns AEROGPU_ERROR_NONE, CMD_DECODE for what the guest did wrong, BACKEND for what the model could not
 * do. */
typedef uint32_t agpu_packet_handler(struct agpu_exec *exec, const void *packet, uint32_t size);

struct agpu_packet_type {
    const char *name;
    uint32_t size;
    agpu_packet_handler *execute;
};

/* The type with this opcode, NULL when the opcode is unknown. */
const struct agpu_packet_type *agpu_packet_type(uint32_t opcode);

/* Handlers, by the file that holds them. Resources: resource.c, buffer.c, texture.c, view.c, upload.c,
 * copy.c. */
agpu_packet_handler agpu_packet_destroy_resource;
agpu_packet_handler agpu_packet_create_buffer;
agpu_packet_handler agpu_packet_copy_buffer;
agpu_packet_handler agpu_packet_create_texture2d;
agpu_packet_handler agpu_packet_create_texture_view;
agpu_packet_handler agpu_packet_destroy_texture_view;
agpu_packet_handler agpu_packet_resource_dirty_range;
agpu_packet_handler agpu_packet_upload_resource;
agpu_packet_handler agpu_packet_copy_texture2d;
/* Shared surfaces: shared_surface.c. */
agpu_packet_handler agpu_packet_export_shared_surface;
agpu_packet_handler agpu_packet_import_shared_surface;
agpu_packet_handler agpu_packet_release_shared_surface;
/* Shaders and constants: shader.c, constants.c. */
agpu_packet_handler agpu_packet_create_shader_dxbc;
agpu_packet_handler agpu_packet_destroy_shader;
agpu_packet_handler agpu_packet_bind_shaders;
agpu_packet_handler agpu_packet_set_shader_constants_f;
agpu_packet_handler agpu_packet_set_shader_constants_i;
agpu_packet_handler agpu_packet_set_shader_constants_b;
/* Input: input_layout.c, input_assembler.c. */
agpu_packet_handler agpu_packet_create_input_layout;
agpu_packet_handler agpu_packet_destroy_input_layout;
agpu_packet_handler agpu_packet_set_input_layout;
agpu_packet_handler agpu_packet_set_vertex_buffers;
agpu_packet_handler agpu_packet_set_index_buffer;
agpu_packet_handler agpu_packet_set_primitive_topology;
/* State: fixed_function.c. */
agpu_packet_handler agpu_packet_set_blend_state;
agpu_packet_handler agpu_packet_set_depth_stencil_state;
agpu_packet_handler agpu_packet_set_rasterizer_state;
agpu_packet_handler agpu_packet_set_render_targets;
agpu_packet_handler agpu_packet_set_viewport;
agpu_packet_handler agpu_packet_set_scissor;
/* Bindings: binding.c, sampler.c. */
agpu_packet_handler agpu_packet_set_texture;
agpu_packet_handler agpu_packet_set_constant_buffers;
agpu_packet_handler agpu_packet_set_shader_resource_buffers;
agpu_packet_handler agpu_packet_set_unordered_access_buffers;
agpu_packet_handler agpu_packet_create_sampler;
agpu_packet_handler agpu_packet_destroy_sampler;
agpu_packet_handler agpu_packet_set_samplers;
/* Work: clear.c, draw.c, present.c. */
agpu_packet_handler agpu_packet_clear;
agpu_packet_handler agpu_packet_draw;
agpu_packet_handler agpu_packet_draw_indexed;
agpu_packet_handler agpu_packet_dispatch;
agpu_packet_handler agpu_packet_present;

#endif
