/* vertices.h: converts vertex input to messages. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VERTICES_H
#define VGPU_TESTS_DEVICE_RENDER_VERTICES_H

#include "tests/device/render/render_private.h"

uint32_t vgpu_render_vertices(struct vgpu_render *render, const struct vgpu_state *state,
                              const struct vgpu_render_shader *shader, struct vgpu_wire_input *input,
                              struct vgpu_wire_vertex_buffer *buffers);

#endif
