/* pipelines.h: graphics pipelines, cached by their state. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_PIPELINES_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_PIPELINES_H

#include "tests/device/render/vulkan/vk.h"

struct vgpu_vk_pipeline {
    struct vgpu_vk_pipeline *next;
    uint32_t hash;
    VkPipeline pipeline;
    VkPipelineLayout layout;
    bool writes_memory; /* some graphics stage has UAVs */
    struct vgpu_wire_pipeline key;
    struct vgpu_wire_input input;
    uint32_t formats[9]; /* AEROGPU_FORMAT_* of the targets, 0 = none */
};

/* Copies the message into the state. */
void vgpu_vk_set_input(struct vgpu_vk *engine, const struct vgpu_wire_input *message);
/* Returns the pipeline for the state's pipeline, input and targets messages; NULL after a failure. */
const struct vgpu_vk_pipeline *vgpu_vk_find_pipeline(struct vgpu_vk *engine);
/* Frees the pipelines that use a shader; shader 0: all. */
void vgpu_vk_pipelines_free(struct vgpu_vk *engine, uint32_t shader);

#endif
