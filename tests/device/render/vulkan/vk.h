/* vk.h: the drawing process as its own files see it: one Vulkan device, the objects that the renderer
 * made on it, and the batch that is being recorded. */
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
    uint32_t format; /* AEROGPU_FORMAT_* */
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

/* What the batch has set so far. Everything is forgotten at its end. */
struct vgpu_vk_state {
    struct vgpu_wire_targets targets;
    struct vgpu_wire_pipeline pipeline;
    struct vgpu_wire_input input;
    uint32_t input_hash;
    struct vgpu_wire_dynamic dynamic;
    VkDescriptorSet sets[VGPU_WIRE_STAGES]; /* of the bindings messages */
    uint32_t set_shader[VGPU_WIRE_STAGES];  /* the shader that each was made for */
    bool set_writes[VGPU_WIRE_STAGES];
    uint32_t set_dirty; /* stages whose set is not bound */
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
    VkDescriptorPool pools[64]; /* grow by need, reset after each batch */
    uint32_t pool_count, pool_used;
    struct vgpu_vk_fixup *fixups;
    uint32_t fixup_count, fixup_slots;
    struct vgpu_vk_resource **destroyed; /* destroyed in this batch, freed after it */
    uint32_t destroyed_count, destroyed_slots;
    uint32_t *destroyed_shaders; /* likewise, by number */
    uint32_t destroyed_shader_count, destroyed_shader_slots;
    struct vgpu_vk_state state;
    uint32_t failures;
    uint32_t failed_reads;
    char reason[244]; /* of the first failure */
    bool lost;
};

/* Notes that the current message cannot be executed and why; the batch goes on. Returns false. */
bool vgpu_vk_fail(struct vgpu_vk *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True for VK_SUCCESS; else fails with the name of what did not work, and notes a lost device. */
bool vgpu_vk_check(struct vgpu_vk *engine, VkResult result, const char *what);

/* device.c: the Vulkan device. False: engine->reason says what is missing. */
bool vgpu_vk_device_open(struct vgpu_vk *engine);
void vgpu_vk_device_close(struct vgpu_vk *engine);

/* shared.c: the shared memory as a buffer. */
bool vgpu_vk_shared_open(struct vgpu_vk *engine);
void vgpu_vk_shared_close(struct vgpu_vk *engine);
void vgpu_vk_shared_begin(struct vgpu_vk *engine, uint32_t data_bytes); /* before a batch */
void vgpu_vk_shared_end(struct vgpu_vk *engine, uint32_t data_bytes);   /* after it */

/* formats.c */
VkFormat vgpu_vk_format(const struct vgpu_vk *engine,
                        uint32_t format); /* of AEROGPU_FORMAT_*, or UNDEFINED */
VkFormat vgpu_vk_vertex_format(const struct vgpu_wire_attribute *attribute);
uint32_t vgpu_vk_block_edge(uint32_t format);
uint32_t vgpu_vk_block_bytes(uint32_t format);
bool vgpu_vk_format_x8(uint32_t format);

/* memory.c: batch after batch the driver allocates and frees as much: from now on the process keeps it
 * between them. */
void vgpu_vk_memory_keep(void);
/* Memory for a new buffer or image, bound to it. */
bool vgpu_vk_memory_for(struct vgpu_vk *engine, VkBuffer buffer, VkImage image, VkDeviceMemory *memory);

/* resources.c */
struct vgpu_vk_resource *vgpu_vk_resource(struct vgpu_vk *engine, uint32_t number);
bool vgpu_vk_buffer_create(struct vgpu_vk *engine, const struct vgpu_wire_buffer_create *message);
bool vgpu_vk_texture_create(struct vgpu_vk *engine, const struct vgpu_wire_texture_create *message);
bool vgpu_vk_resource_destroy(struct vgpu_vk *engine, uint32_t number);
void vgpu_vk_resource_free(struct vgpu_vk *engine, struct vgpu_vk_resource *resource);

/* views.c: a view from the resource's list, made when it is not there; VK_NULL_HANDLE after a failure. */
VkImageView vgpu_vk_image_view(struct vgpu_vk *engine, struct vgpu_vk_resource *resource, uint32_t format,
                               VkImageViewType type, VkImageAspectFlags aspects, bool opaque,
                               const uint16_t mips[2], const uint16_t layers[2]);
VkBufferView vgpu_vk_buffer_view(struct vgpu_vk *engine, struct vgpu_vk_resource *resource, VkFormat format,
                                 uint32_t offset, uint32_t size);
VkSampler vgpu_vk_sampler(struct vgpu_vk *engine, uint32_t filter, const uint32_t address[3]);
void vgpu_vk_views_free(struct vgpu_vk *engine, struct vgpu_vk_resource *resource);

/* transfer.c */
bool vgpu_vk_buffer_transfer(struct vgpu_vk *engine, const struct vgpu_wire_buffer_transfer *message,
                             bool write);
bool vgpu_vk_texture_transfer(struct vgpu_vk *engine, const struct vgpu_wire_texture_transfer *message,
                              bool write);
void vgpu_vk_transfer_fixups(struct vgpu_vk *engine);

/* shaders.c */
struct vgpu_vk_shader *vgpu_vk_shader(struct vgpu_vk *engine, uint32_t number);
bool vgpu_vk_shader_create(struct vgpu_vk *engine, const struct vgpu_wire_shader_create *message);
void vgpu_vk_shader_destroy(struct vgpu_vk *engine, uint32_t number);
VkPipeline vgpu_vk_compute_pipeline(struct vgpu_vk *engine, struct vgpu_vk_shader *shader);

/* pipelines.c */
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

/* Takes the message into the state. */
void vgpu_vk_set_input(struct vgpu_vk *engine, const struct vgpu_wire_input *message);
/* The pipeline for the state's pipeline, input and targets messages; NULL after a failure. */
const struct vgpu_vk_pipeline *vgpu_vk_pipeline(struct vgpu_vk *engine);
/* Frees the pipelines that use a shader; shader 0: all. */
void vgpu_vk_pipelines_free(struct vgpu_vk *engine, uint32_t shader);

/* bindings.c: a descriptor set for a bindings message, kept in the state. */
bool vgpu_vk_bindings(struct vgpu_vk *engine, const struct vgpu_wire_bindings *message);

/* draw.c */
void vgpu_vk_end_rendering(struct vgpu_vk *engine);
void vgpu_vk_barrier(struct vgpu_vk *engine); /* everything before is visible to everything after */
bool vgpu_vk_draw(struct vgpu_vk *engine, const struct vgpu_wire_draw *message);
bool vgpu_vk_dispatch(struct vgpu_vk *engine, const struct vgpu_wire_dispatch *message);

/* batch.c: executes a batch and waits for it. */
void vgpu_vk_batch(struct vgpu_vk *engine, const struct vgpu_wire_batch *batch,
                   struct vgpu_wire_result *result);
bool vgpu_vk_batch_open(struct vgpu_vk *engine);
void vgpu_vk_batch_close(struct vgpu_vk *engine);

#endif
