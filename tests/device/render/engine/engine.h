/* engine.h: the drawing process as its own files see it: one Vulkan device, the objects that the renderer
 * made on it, and the batch that is being recorded. */
#ifndef VGPU_TESTS_DEVICE_RENDER_ENGINE_ENGINE_H
#define VGPU_TESTS_DEVICE_RENDER_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#include "tests/device/render/wire.h"

struct engine_pipeline;

/* A view that lives as long as its resource. */
struct engine_view {
    struct engine_view *next;
    VkImageView image;
    VkBufferView buffer;
    uint32_t key[6];
};

struct engine_resource {
    VkBuffer buffer; /* one of these two */
    VkImage image;
    VkDeviceMemory memory;
    uint64_t size;
    uint32_t format; /* AEROGPU_FORMAT_* */
    uint32_t width, height, mip_levels, array_layers;
    VkImageAspectFlags aspects;
    struct engine_view *views;
};

struct engine_shader {
    VkShaderModule module;
    VkDescriptorSetLayout set_layout;
    uint32_t stage;
    uint32_t binding_count;
    struct vgpu_dxbc_binding *bindings;
    VkPipelineLayout compute_layout;
    VkPipeline compute;
};

/* What the batch has set so far. Everything is forgotten at its end. */
struct engine_state {
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
    const struct engine_pipeline *bound;
};

/* A texture read whose data has to be converted after the batch. */
struct engine_fixup {
    uint32_t data;
    uint32_t texels;
};

struct engine {
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
    struct engine_resource **resources;
    uint32_t resource_slots;
    struct engine_shader **shaders;
    uint32_t shader_slots;
    struct engine_pipeline *pipelines[256];
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
    struct engine_fixup *fixups;
    uint32_t fixup_count, fixup_slots;
    struct engine_resource **doomed; /* destroyed in this batch, freed after it */
    uint32_t doomed_count, doomed_slots;
    uint32_t *doomed_shaders; /* likewise, by number */
    uint32_t doomed_shader_count, doomed_shader_slots;
    struct engine_state state;
    uint32_t failures;
    uint32_t failed_reads;
    char reason[244]; /* of the first failure */
    bool lost;
};

/* Notes that the current message cannot be executed and why; the batch goes on. Returns false. */
bool engine_fail(struct engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True for VK_SUCCESS; else fails with the name of what did not work, and notes a lost device. */
bool engine_check(struct engine *engine, VkResult result, const char *what);

/* device.c: the Vulkan device. False: engine->reason says what is missing. */
bool engine_device_open(struct engine *engine);
void engine_device_close(struct engine *engine);

/* shared.c: the shared memory as a buffer. */
bool engine_shared_open(struct engine *engine);
void engine_shared_close(struct engine *engine);
void engine_shared_begin(struct engine *engine, uint32_t data_bytes); /* before a batch */
void engine_shared_end(struct engine *engine, uint32_t data_bytes);   /* after it */

/* formats.c */
VkFormat engine_format(const struct engine *engine, uint32_t format); /* of AEROGPU_FORMAT_*, or UNDEFINED */
VkFormat engine_vertex_format(const struct vgpu_wire_attribute *attribute);
uint32_t engine_block_edge(uint32_t format);
uint32_t engine_block_bytes(uint32_t format);
bool engine_format_x8(uint32_t format);

/* memory.c: batch after batch the driver allocates and frees as much: from now on the process keeps it
 * between them. */
void engine_memory_keep(void);
/* Memory for a new buffer or image, bound to it. */
bool engine_memory_for(struct engine *engine, VkBuffer buffer, VkImage image, VkDeviceMemory *memory);

/* resources.c */
struct engine_resource *engine_resource(struct engine *engine, uint32_t number);
bool engine_buffer_create(struct engine *engine, const struct vgpu_wire_buffer_create *message);
bool engine_texture_create(struct engine *engine, const struct vgpu_wire_texture_create *message);
bool engine_resource_destroy(struct engine *engine, uint32_t number);
void engine_resource_free(struct engine *engine, struct engine_resource *resource);

/* views.c: a view from the resource's list, made when it is not there; VK_NULL_HANDLE after a failure. */
VkImageView engine_image_view(struct engine *engine, struct engine_resource *resource, uint32_t format,
                              VkImageViewType type, VkImageAspectFlags aspects, bool opaque,
                              const uint16_t mips[2], const uint16_t layers[2]);
VkBufferView engine_buffer_view(struct engine *engine, struct engine_resource *resource, VkFormat format,
                                uint32_t offset, uint32_t size);
VkSampler engine_sampler(struct engine *engine, uint32_t filter, const uint32_t address[3]);
void engine_views_free(struct engine *engine, struct engine_resource *resource);

/* transfer.c */
bool engine_buffer_transfer(struct engine *engine, const struct vgpu_wire_buffer_transfer *message,
                            bool write);
bool engine_texture_transfer(struct engine *engine, const struct vgpu_wire_texture_transfer *message,
                             bool write);
void engine_transfer_fixups(struct engine *engine);

/* shaders.c */
struct engine_shader *engine_shader(struct engine *engine, uint32_t number);
bool engine_shader_create(struct engine *engine, const struct vgpu_wire_shader_create *message);
void engine_shader_destroy(struct engine *engine, uint32_t number);
VkPipeline engine_compute_pipeline(struct engine *engine, struct engine_shader *shader);

/* pipelines.c */
struct engine_pipeline {
    struct engine_pipeline *next;
    uint32_t hash;
    VkPipeline pipeline;
    VkPipelineLayout layout;
    bool writes_memory; /* some graphics stage has UAVs */
    struct vgpu_wire_pipeline key;
    struct vgpu_wire_input input;
    uint32_t formats[9]; /* AEROGPU_FORMAT_* of the targets, 0 = none */
};

/* Takes the message into the state. */
void engine_set_input(struct engine *engine, const struct vgpu_wire_input *message);
/* The pipeline for the state's pipeline, input and targets messages; NULL after a failure. */
const struct engine_pipeline *engine_pipeline(struct engine *engine);
/* Frees the pipelines that use a shader; shader 0: all. */
void engine_pipelines_free(struct engine *engine, uint32_t shader);

/* bindings.c: a descriptor set for a bindings message, kept in the state. */
bool engine_bindings(struct engine *engine, const struct vgpu_wire_bindings *message);

/* draw.c */
void engine_end_rendering(struct engine *engine);
void engine_barrier(struct engine *engine); /* everything before is visible to everything after */
bool engine_draw(struct engine *engine, const struct vgpu_wire_draw *message);
bool engine_dispatch(struct engine *engine, const struct vgpu_wire_dispatch *message);

/* batch.c: executes a batch and waits for it. */
void engine_batch(struct engine *engine, const struct vgpu_wire_batch *batch,
                  struct vgpu_wire_result *result);
bool engine_batch_open(struct engine *engine);
void engine_batch_close(struct engine *engine);

#endif
