/* shader.h: shaders: stored as blobs; the model does not parse them, a renderer validates them (commands.md 7,
 * 15). */
#ifndef VGPU_ENGINE_SHADER_H
#define VGPU_ENGINE_SHADER_H

#include <stdint.h>

#include "tests/device/engine/state.h"

struct vgpu_archive;

struct vgpu_shader {
    enum vgpu_stage stage;
    uint32_t size;
    uint8_t *dxbc;
    void *renderer_data; /* owned by the renderer */
};

/* Frees every shader (reset). */
void vgpu_shader_free_all(struct vgpu_exec *exec);

/* Visits every shader for save and restore. */
void vgpu_shader_visit_all(struct vgpu_exec *exec, struct vgpu_archive *archive);

#endif
