/* fail.h: failures of a batch. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_FAIL_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_FAIL_H

#include "tests/device/render/vulkan/vk.h"

/* Notes that the current message cannot be executed and why; the batch goes on. Returns false. */
bool vgpu_vk_fail(struct vgpu_vk *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True for VK_SUCCESS; else fails with the name of what did not work, and notes a lost device. */
bool vgpu_vk_check(struct vgpu_vk *engine, VkResult result, const char *what);

#endif
