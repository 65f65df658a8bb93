/* sane.h: rejects messages that the renderer never sends. Only a broken model could send them, and a Vulkan
 * driver does not check its arguments. Each function returns false, with the failure recorded (fail.h), for a
 * message that must not reach the driver. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_SANE_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_SANE_H

#include "tests/device/render/vulkan/vk.h"

/* All resources together hold at most as much as the model allows a guest; including those destroyed in the
 * batch, three times as much. */
bool vgpu_vk_sane_buffer(struct vgpu_vk *engine, const struct vgpu_wire_buffer_create *message);
bool vgpu_vk_sane_texture(struct vgpu_vk *engine, const struct vgpu_wire_texture_create *message);
bool vgpu_vk_sane_shader(struct vgpu_vk *engine, const struct vgpu_wire_shader_create *message);
bool vgpu_vk_sane_targets(struct vgpu_vk *engine, const struct vgpu_wire_targets *message);
bool vgpu_vk_sane_pipeline(struct vgpu_vk *engine, const struct vgpu_wire_pipeline *message);
bool vgpu_vk_sane_input(struct vgpu_vk *engine, const struct vgpu_wire_input *message);
bool vgpu_vk_sane_dynamic(struct vgpu_vk *engine, const struct vgpu_wire_dynamic *message);
/* buffer_bytes: size of the index buffer, or of the shared memory. */
bool vgpu_vk_sane_draw(struct vgpu_vk *engine, const struct vgpu_wire_draw *message, uint64_t buffer_bytes);
/* Checks a view of a texture with these formats and subresources. */
bool vgpu_vk_sane_view(struct vgpu_vk *engine, const struct vgpu_vk_resource *resource, uint32_t format,
                       const uint16_t mips[2], const uint16_t layers[2]);

/* Returns the guest bytes in a texture, without the driver's padding. */
uint64_t vgpu_vk_texture_bytes(const struct vgpu_wire_texture_create *message);

#endif
