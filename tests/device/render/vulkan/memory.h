/* memory.h: memory of buffers and images, and of the process. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_MEMORY_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_MEMORY_H

#include "tests/device/render/vulkan/vk.h"

/* Batch after batch the driver allocates and frees as much: from now on the process keeps it
 * between them. */
void vgpu_vk_memory_keep(void);
/* Memory for a new buffer or image, bound to it. */
bool vgpu_vk_memory_for(struct vgpu_vk *engine, VkBuffer buffer, VkImage image, VkDeviceMemory *memory);

#endif
