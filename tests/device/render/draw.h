/* draw.h: draws and dispatches, the callbacks of engine/renderer.h. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DRAW_H
#define VGPU_TESTS_DEVICE_RENDER_DRAW_H

#include "tests/device/render/render_private.h"

uint32_t vgpu_render_draw(void *ctx, const struct vgpu_draw *draw);
uint32_t vgpu_render_dispatch(void *ctx, const struct vgpu_dispatch *dispatch);

#endif
