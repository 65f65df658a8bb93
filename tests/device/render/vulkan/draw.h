/* draw.h: draws, dispatches and barriers between them. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_DRAW_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_DRAW_H

#include "tests/device/render/vulkan/vk.h"

void vgpu_vk_end_rendering(struct vgpu_vk *engine);
void vgpu_vk_barrier(struct vgpu_vk *engine); /* makes earlier writes visible to later commands */
bool vgpu_vk_draw(struct vgpu_vk *engine, const struct vgpu_wire_draw *message);
bool vgpu_vk_dispatch(struct vgpu_vk *engine, const struct vgpu_wire_dispatch *message);

#endif
