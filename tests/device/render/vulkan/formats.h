/* formats.h: converts formats of the protocol to Vulkan formats. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_FORMATS_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_FORMATS_H

#include "tests/device/render/vulkan/vk.h"

VkFormat vgpu_vk_format(const struct vgpu_vk *engine,
                        uint32_t format); /* of an AEROGPU_FORMAT_*, or UNDEFINED */
/* Returns the format with or without sRGB, the only other format that a view may have. */
VkFormat vgpu_vk_sibling_format(VkFormat format);
VkFormat vgpu_vk_vertex_format(const struct vgpu_wire_attribute *attribute);
uint32_t vgpu_vk_block_edge(uint32_t format);
uint32_t vgpu_vk_block_bytes(uint32_t format);
bool vgpu_vk_format_x8(uint32_t format);

#endif
