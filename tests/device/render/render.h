/* render.h: the renderer that draws for the device model: give its interface to vgpu_device_set_renderer. */
#ifndef VGPU_TESTS_DEVICE_RENDER_RENDER_H
#define VGPU_TESTS_DEVICE_RENDER_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/renderer.h"
#include "tests/device/render/render_config.h"

struct vgpu_render;

/* NULL when memory is exhausted. Starts nothing: the processes start at the first draw. */
struct vgpu_render *vgpu_render_create(const struct vgpu_render_config *config);
void vgpu_render_destroy(struct vgpu_render *render);

/* What vgpu_device_set_renderer takes; lives as long as the renderer. */
const struct vgpu_renderer *vgpu_render_interface(const struct vgpu_render *render);

/* Starts the drawing process if it does not run. False when nothing can be drawn. *text is the name of the
 * Vulkan device, or the reason. */
bool vgpu_render_ready(struct vgpu_render *render, const char **text);

/* The reason of the last failure, empty when there was none. */
const char *vgpu_render_reason(const struct vgpu_render *render);

/* Writes the paths of the helper programs that are here, and returns how many there are. */
enum { VGPU_RENDER_PROGRAMS = 2, VGPU_RENDER_PATH_BYTES = 4096 };
unsigned vgpu_render_programs(char paths[VGPU_RENDER_PROGRAMS][VGPU_RENDER_PATH_BYTES]);

#endif
