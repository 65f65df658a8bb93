/* views.h: views of images and buffers, and samplers. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_VIEWS_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_VIEWS_H

#include "tests/device/render/vulkan/vk.h"

/* Returns a view from the resource's list, created when missing; VK_NULL_HANDLE after a failure. */
VkImageView vgpu_vk_image_view(struct vgpu_vk *engine, struct vgpu_vk_resource *resource, uint32_t format,
                               VkImageViewType type, VkImageAspectFlags aspects, bool opaque,
                               const uint16_t mips[2], const uint16_t layers[2]);
VkBufferView vgpu_vk_buffer_view(struct vgpu_vk *engine, struct vgpu_vk_resource *resource, VkFormat format,
                                 uint32_t offset, uint32_t size);
VkSampler vgpu_vk_sampler(struct vgpu_vk *engine, uint32_t filter, const uint32_t address[3]);
void vgpu_vk_views_free(struct vgpu_vk *engine, struct vgpu_vk_resource *resource);

#endif
