/* batch.h: batches of messages. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_BATCH_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_BATCH_H

#include "tests/device/render/vulkan/vk.h"

/* Executes a batch and waits for it. */
void vgpu_vk_batch(struct vgpu_vk *engine, const struct vgpu_wire_batch *batch,
                   struct vgpu_wire_result *result);
/* Smallest size of each message. */
extern const uint32_t vgpu_vk_message_bytes[VGPU_WIRE_OPS];

bool vgpu_vk_batch_open(struct vgpu_vk *engine);
void vgpu_vk_batch_close(struct vgpu_vk *engine);

#endif
