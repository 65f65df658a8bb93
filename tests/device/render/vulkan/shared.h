/* shared.h: the shared memory as a Vulkan buffer. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_SHARED_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_SHARED_H

#include "tests/device/render/vulkan/vk.h"

bool vgpu_vk_shared_open(struct vgpu_vk *engine);
void vgpu_vk_shared_close(struct vgpu_vk *engine);
void vgpu_vk_shared_begin(struct vgpu_vk *engine, uint32_t data_bytes); /* before a batch */
void vgpu_vk_shared_end(struct vgpu_vk *engine, uint32_t data_bytes);   /* after it */

#endif
