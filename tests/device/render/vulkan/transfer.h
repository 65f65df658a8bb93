/* transfer.h: copies bytes between the shared memory and resources. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_TRANSFER_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_TRANSFER_H

#include "tests/device/render/vulkan/vk.h"

bool vgpu_vk_buffer_transfer(struct vgpu_vk *engine, const struct vgpu_wire_buffer_transfer *message,
                             bool write);
bool vgpu_vk_texture_transfer(struct vgpu_vk *engine, const struct vgpu_wire_texture_transfer *message,
                              bool write);
void vgpu_vk_transfer_fixups(struct vgpu_vk *engine);

#endif
