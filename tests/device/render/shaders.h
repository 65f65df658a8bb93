/* shaders.h: shaders, read and in the drawing process. */
#ifndef VGPU_TESTS_DEVICE_RENDER_SHADERS_H
#define VGPU_TESTS_DEVICE_RENDER_SHADERS_H

#include "tests/device/render/render_private.h"

/* Reads the blob, once. */
uint32_t vgpu_render_read_shader(struct vgpu_render *render, struct vgpu_shader *shader,
                                 struct vgpu_render_shader **out);
/* Brings a shader that was read into the drawing process; hull: what a domain shader is bound with, else
 * NULL. */
uint32_t vgpu_render_load_shader(struct vgpu_render *render, const struct vgpu_shader *shader,
                                 const struct vgpu_render_shader *hull);
/* Whether the bound shaders fit together. */
uint32_t vgpu_render_link(struct vgpu_render *render, struct vgpu_render_shader *const stages[5]);
void vgpu_render_forget_shader(void *ctx, struct vgpu_shader *shader);

#endif
