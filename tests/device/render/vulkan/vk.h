/* vk.h: the drawing process as its own files use it: one Vulkan device, its objects, and the batch being
 * recorded. */
#ifndef VGPU_TESTS_DEVICE_RENDER_VULKAN_VK_H
#define VGPU_TESTS_DEVICE_RENDER_VULKAN_VK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#include "tests/device/render/wire.h"

struct vgpu_vk_pipeline;

/* A view that lives as long as its resource. */
struct vgpu_vk_view {
    struct vgpu_vk_view *next;
    VkImageView image;
    VkBufferView buffer;
    uint32_t key[6];
};

struct vgpu_vk_resource {
    VkBuffer buffer; /* one of these two */
    VkImage image;
    VkDeviceMemory memory;
    uint64_t size;
    uint64_t guest_bytes; /* guest bytes in it (sane.h) */
    uint32_t format;      /* AEROGPU_FORMAT_* */
    uint32_t width, height, mip_levels, array_layers;
    VkImageAspectFlags aspects;
    struct vgpu_vk_view *views;
};

struct vgpu_vk_shader {
    VkShaderModule module;
    VkDescriptorSetLayout set_layout;
    uint32_t stage;
    uint32_t binding_count;
    struct vgpu_dxbc_binding *bindings;
    VkPipelineLayout compute_layout;
    VkPipeline compute;
};

/* State that the batch has set so far; cleared at its end. */
struct vgpu_vk_state {
    struct vgpu_wire_targets targets;
    struct vgpu_wire_pipeline pipeline;
    struct vgpu_wire_input input;
    uint32_t input_hash;
    struct vgpu_wire_dynamic dynamic;
    VkDescriptorSet sets[VGPU_WIRE_STAGES]; /* from the bindings messages */
    uint32_t set_shader[VGPU_WIRE_STAGES];  /* the shader of each set */
    bool set_writes[VGPU_WIRE_STAGES];
    uint32_t set_dirty; /* bit mask of stages whose set is not bound */
    VkBuffer vertex_buffers[VGPU_DXBC_REGISTERS];
    VkDeviceSize vertex_offsets[VGPU_DXBC_REGISTERS];
    uint32_t vertex_buffer_count;
    bool have_targets, have_pipeline, have_input, have_dynamic;
    bool pipeline_dirty, dynamic_dirty, vertex_dirty;
    bool rendering;     /* inside vkCmdBeginRendering */
    bool pending_write; /* something was written since the last barrier */
    const struct vgpu_vk_pipeline *bound;
};

/* A texture read whose data has to be converted after the batch. */
struct vgpu_vk_fixup {
    uint32_t data;
    uint32_t texels;
};

struct vgpu_vk {
    /* device.c */
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceFeatures features;
    VkPhysicalDeviceMemoryProperties memory_properties;
    VkDevice device;
    uint32_t queue_family;
    VkQueue queue;
    bool has_divisor;
    bool has_texel_alignment;
    uint64_t texel_alignment; /* of buffer views */
    bool has_host_import;
    VkDeviceSize import_alignment;
    bool d24; /* D24_UNORM_S8_UINT exists; else it is D32_SFLOAT_S8_UINT */
    /* shared.c */
    uint8_t *shared;
    VkBuffer shared_buffer; /* the shared memory itself, or a copy of it */
    VkDeviceMemory shared_memory;
    uint8_t *shared_copy; /* NULL = imported */
    /* objects, by number */
    struct vgpu_vk_resource **resources;
    uint32_t resource_slots;
    uint64_t live_bytes;   /* guest bytes in these */
    uint64_t doomed_bytes; /* guest bytes in resources destroyed in this batch */
    struct vgpu_vk_shader **shaders;
    uint32_t shader_slots;
    struct vgpu_vk_pipeline *pipelines[256];
    uint32_t pipeline_count;
    VkPipelineCache cache;
    VkDescriptorSetLayout empty_set_layout;
    VkDescriptorSet empty_set;
    VkDescriptorPool empty_pool;
    VkSampler samplers[2 * 3 * 3 * 3];
    /* batch.c */
    VkCommandPool command_pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkDescriptorPool pools[64]; /* created on demand, reset after each batch */
    uint32_t pool_count, pool_used;
    struct vgpu_vk_fixup *fixups;
    uint32_t fixup_count, fixup_slots;
    struct vgpu_vk_resource **destroyed; /* destroyed in this batch, freed after it */
    uint32_t destroyed_count, destroyed_slots;
    uint32_t *destroyed_shaders; /* the same for shaders, by number */
    uint32_t destroyed_shader_count, destroyed_shader_slots;
    struct vgpu_vk_state state;
    uint32_t failures;
    uint32_t failed_reads;
    char reason[244]; /* of the first failure */
    bool lost;
};

#endif
