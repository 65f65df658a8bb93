/* shaders.h: reads shaders and loads them into the drawing process. */
#ifndef VGPU_TESTS_DEVICE_RENDER_SHADERS_H
#define VGPU_TESTS_DEVICE_RENDER_SHADERS_H

#include "tests/device/render/render_private.h"

/* Reads the blob, only once. */
uint32_t vgpu_render_read_shader(struct vgpu_render *render, struct vgpu_shader *shader,
                                 struct vgpu_render_shader **out);
/* Loads a shader into the drawing process. hull: the hull shader bound with a domain shader, else NULL. */
uint32_t vgpu_render_load_shader(struct vgpu_render *render, const struct vgpu_shader *shader,
                                 const struct vgpu_render_shader *hull);
/* Checks that the bound shaders match each other. */
uint32_t vgpu_render_link(struct vgpu_render *render, struct vgpu_render_shader *const stages[5]);
void vgpu_render_forget_shader(void *ctx, struct vgpu_shader *shader);

#endif
