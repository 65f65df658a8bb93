/* fixed.h: converts fixed-function state to messages. */
#ifndef VGPU_TESTS_DEVICE_RENDER_FIXED_H
#define VGPU_TESTS_DEVICE_RENDER_FIXED_H

#include "tests/device/render/render_private.h"

uint32_t vgpu_render_targets(struct vgpu_render *render, const struct vgpu_state *state,
                             struct vgpu_wire_targets *targets);
uint32_t vgpu_render_pipeline(struct vgpu_render *render, const struct vgpu_state *state,
                              struct vgpu_render_shader *const stages[5],
                              struct vgpu_wire_pipeline *pipeline);
uint32_t vgpu_render_dynamic(struct vgpu_render *render, const struct vgpu_draw *draw,
                             const struct vgpu_wire_targets *targets, struct vgpu_wire_dynamic *dynamic);

#endif
