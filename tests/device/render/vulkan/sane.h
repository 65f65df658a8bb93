/* sane.h: what the renderer never asks for: only a broken model could, and a Vulkan driver takes the caller's word for it. Each
 * function returns false, with the failure noted (fail.h), for what must not get to the driver. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_SANE_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_SANE_H

#include "tests/device/render/vulkan/vk.h"

/* All resources together hold no more than a guest's may, with those that the batch destroyed three times as much. */
bool vgpu_vk_sane_buffer(struct vgpu_vk *engine, const struct vgpu_wire_buffer_create *message);
bool vgpu_vk_sane_texture(struct vgpu_vk *engine, const struct vgpu_wire_texture_create *message);
bool vgpu_vk_sane_shader(struct vgpu_vk *engine, const struct vgpu_wire_shader_create *message);
bool vgpu_vk_sane_targets(struct vgpu_vk *engine, const struct vgpu_wire_targets *message);
bool vgpu_vk_sane_pipeline(struct vgpu_vk *engine, const struct vgpu_wire_pipeline *message);
bool vgpu_vk_sane_input(struct vgpu_vk *engine, const struct vgpu_wire_input *message);
bool vgpu_vk_sane_dynamic(struct vgpu_vk *engine, const struct vgpu_wire_dynamic *message);
/* buffer_bytes: of the index buffer, or of the shared memory. */
bool vgpu_vk_sane_draw(struct vgpu_vk *engine, const struct vgpu_wire_draw *message, uint64_t buffer_bytes);
/* A view of these formats and subresources of a texture. */
bool vgpu_vk_sane_view(struct vgpu_vk *engine, const struct vgpu_vk_resource *resource, uint32_t format,
                       const uint16_t mips[2], const uint16_t layers[2]);

/* Bytes of a guest that a texture holds, without the driver's padding. */
uint64_t vgpu_vk_texture_bytes(const struct vgpu_wire_texture_create *message);

#endif
