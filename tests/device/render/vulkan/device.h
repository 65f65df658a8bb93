/* device.h: the Vulkan device. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_DEVICE_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_DEVICE_H

#include "tests/device/render/vulkan/vk.h"

/* The Vulkan device. False: engine->reason says what is missing. */
bool vgpu_vk_device_open(struct vgpu_vk *engine);
void vgpu_vk_device_close(struct vgpu_vk *engine);

#endif
