/* device.h: the Vulkan device. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_DEVICE_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_DEVICE_H

#include "tests/device/render/vulkan/vk.h"

/* Opens the Vulkan device. Returns false with the missing feature in engine->reason. */
bool vgpu_vk_device_open(struct vgpu_vk *engine);
void vgpu_vk_device_close(struct vgpu_vk *engine);

#endif
