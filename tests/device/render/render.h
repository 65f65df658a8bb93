/* render.h: the renderer of the device model; pass its interface to vgpu_device_set_renderer. */
#ifndef VGPU_TESTS_DEVICE_RENDER_RENDER_H
#define VGPU_TESTS_DEVICE_RENDER_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/renderer.h"
#include "tests/device/render/render_config.h"

struct vgpu_render;

/* Creates a renderer, NULL when memory is exhausted. Its processes start at the first draw. */
struct vgpu_render *vgpu_render_create(const struct vgpu_render_config *config);
void vgpu_render_destroy(struct vgpu_render *render);

/* Returns the argument for vgpu_device_set_renderer; it lives as long as the renderer. */
const struct vgpu_renderer *vgpu_render_interface(const struct vgpu_render *render);

/* Starts the drawing process if it is not running. Returns false when drawing is not possible. *text is the
 * name of the Vulkan device, or the reason. */
bool vgpu_render_ready(struct vgpu_render *render, const char **text);

/* Returns the reason of the last failure, "" when there was none. */
const char *vgpu_render_reason(const struct vgpu_render *render);

/* Writes the paths of the helper programs that exist, and returns their number. */
enum { VGPU_RENDER_PROGRAMS = 2, VGPU_RENDER_PATH_BYTES = 4096 };
unsigned vgpu_render_programs(char paths[VGPU_RENDER_PROGRAMS][VGPU_RENDER_PATH_BYTES]);

#endif
