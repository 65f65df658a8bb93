/* draw.h: draws and dispatches, as engine/renderer.h asks for them. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DRAW_H
#define VGPU_TESTS_DEVICE_RENDER_DRAW_H

#include "tests/device/render/render_private.h"

uint32_t vgpu_render_draw(void *ctx, const struct vgpu_draw *draw);
uint32_t vgpu_render_dispatch(void *ctx, const struct vgpu_dispatch *dispatch);

#endif
