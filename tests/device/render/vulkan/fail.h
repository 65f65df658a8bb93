/* fail.h: failures of a batch. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_FAIL_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_FAIL_H

#include "tests/device/render/vulkan/vk.h"

/* Records that the current message cannot be executed, and why; the batch continues. Returns false. */
bool vgpu_vk_fail(struct vgpu_vk *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns true for VK_SUCCESS; otherwise records a failure of what, and whether the device is lost. */
bool vgpu_vk_check(struct vgpu_vk *engine, VkResult result, const char *what);

#endif
