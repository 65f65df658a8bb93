/* shaders.h: shader modules by number. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_SHADERS_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_SHADERS_H

#include "tests/device/render/vulkan/vk.h"

struct vgpu_vk_shader *vgpu_vk_find_shader(struct vgpu_vk *engine, uint32_t number);
bool vgpu_vk_shader_create(struct vgpu_vk *engine, const struct vgpu_wire_shader_create *message);
/* Call after the pipelines that use the shader are freed. */
void vgpu_vk_shader_destroy(struct vgpu_vk *engine, uint32_t number);
VkPipeline vgpu_vk_compute_pipeline(struct vgpu_vk *engine, struct vgpu_vk_shader *shader);

#endif
