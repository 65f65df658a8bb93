/* memory.h: memory of buffers and images, and of the process. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_MEMORY_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_MEMORY_H

#include "tests/device/render/vulkan/vk.h"

/* Makes the process keep freed heap memory between batches: the driver allocates and frees the same amount in
 * each batch. */
void vgpu_vk_memory_keep(void);
/* Allocates memory for a new buffer or image and binds it. */
bool vgpu_vk_memory_for(struct vgpu_vk *engine, VkBuffer buffer, VkImage image, VkDeviceMemory *memory);

#endif
