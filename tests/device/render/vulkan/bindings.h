/* bindings.h: descriptor sets of a batch. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_BINDINGS_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_BINDINGS_H

#include "tests/device/render/vulkan/vk.h"

/* Makes a descriptor set for a bindings message and stores it in the state. */
bool vgpu_vk_bindings(struct vgpu_vk *engine, const struct vgpu_wire_bindings *message);

#endif
