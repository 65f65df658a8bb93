/* resources.h: buffers and textures by number. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_RESOURCES_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_RESOURCES_H

#include "tests/device/render/vulkan/vk.h"

struct vgpu_vk_resource *vgpu_vk_find_resource(struct vgpu_vk *engine, uint32_t number);
bool vgpu_vk_buffer_create(struct vgpu_vk *engine, const struct vgpu_wire_buffer_create *message);
bool vgpu_vk_texture_create(struct vgpu_vk *engine, const struct vgpu_wire_texture_create *message);
bool vgpu_vk_resource_destroy(struct vgpu_vk *engine, uint32_t number);
void vgpu_vk_resource_free(struct vgpu_vk *engine, struct vgpu_vk_resource *resource);

#endif
