/* bindings.h: brings resources of a state up to date and writes the bindings of a stage as messages. */
#ifndef VGPU_TESTS_DEVICE_RENDER_BINDINGS_H
#define VGPU_TESTS_DEVICE_RENDER_BINDINGS_H

#include "tests/device/render/render_private.h"

/* Brings a resource of the current state up to date and records that the state uses it. Returns an error code
 * as draws do; so does the next function. */
uint32_t vgpu_render_use(struct vgpu_render *render, struct vgpu_resource *resource);

/* Like vgpu_render_use(), for all bindings of a stage that the shader declares; adds the size of its constants to
 * *constant_bytes. */
uint32_t vgpu_render_use_bindings(struct vgpu_render *render, const struct vgpu_stage_state *stage,
                                  const struct vgpu_dxbc *dxbc, uint64_t *constant_bytes);

/* Writes the bindings message of a stage if it changed. */
void vgpu_render_write_bindings(struct vgpu_render *render, enum vgpu_stage number,
                                const struct vgpu_stage_state *stage,
                                const struct vgpu_render_shader *shader);

#endif
