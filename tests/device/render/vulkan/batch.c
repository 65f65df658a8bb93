/* batch.c: executes a batch of messages as one command buffer and waits for it. */

#include "tests/device/render/vulkan/batch.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/render/vulkan/bindings.h"
#include "tests/device/render/vulkan/draw.h"
#include "tests/device/render/vulkan/fail.h"
#include "tests/device/render/vulkan/pipelines.h"
#include "tests/device/render/vulkan/resources.h"
#include "tests/device/render/vulkan/sane.h"
#include "tests/device/render/vulkan/shaders.h"
#include "tests/device/render/vulkan/shared.h"
#include "tests/device/render/vulkan/transfer.h"

enum { MOST_PIPELINES = 4096 };

bool vgpu_vk_batch_open(struct vgpu_vk *engine)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                    .queueFamilyIndex = engine->queue_family};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkDescriptorSetLayoutCreateInfo empty = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    VkDescriptorPoolSize one = {VK_DESCRIPTOR_TYPE_SAMPLER, 1};
    VkDescriptorPoolCreateInfo empty_pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &one};

    if (!vgpu_vk_check(engine, vkCreateCommandPool(engine->device, &pool, NULL, &engine->command_pool),
                       "making a command pool") ||
        !vgpu_vk_check(engine, vkCreateFence(engine->device, &fence, NULL, &engine->fence),
                       "making a fence") ||
        !vgpu_vk_check(engine,
                       vkCreateDescriptorSetLayout(engine->device, &empty, NULL, &engine->empty_set_layout),
                       "making a descriptor set layout") ||
        !vgpu_vk_check(engine, vkCreateDescriptorPool(engine->device, &empty_pool, NULL, &engine->empty_pool),
                       "making a descriptor pool")) {
        return false;
    }
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = engine->empty_pool,
                                       .descriptorSetCount = 1,
                                       .pSetLayouts = &engine->empty_set_layout};
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = engine->command_pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    return vgpu_vk_check(engine, vkAllocateDescriptorSets(engine->device, &set, &engine->empty_set),
                         "allocating a descriptor set") &&
           vgpu_vk_check(engine, vkAllocateCommandBuffers(engine->device, &info, &engine->commands),
                         "allocating a command buffer");
}

static void destroy_shader(struct vgpu_vk *engine, uint32_t number)
{
    if (vgpu_vk_find_shader(engine, number) != NULL) {
        vgpu_vk_pipelines_free(engine, number);
        vgpu_vk_shader_destroy(engine, number);
    }
}

void vgpu_vk_batch_close(struct vgpu_vk *engine)
{
    if (engine->device == NULL) {
        return;
    }
    for (uint32_t i = 0; i < engine->shader_slots; i++) {
        destroy_shader(engine, i);
    }
    for (uint32_t i = 0; i < engine->resource_slots; i++) {
        vgpu_vk_resource_free(engine, engine->resources[i]);
    }
    for (uint32_t i = 0; i < engine->pool_count; i++) {
        vkDestroyDescriptorPool(engine->device, engine->pools[i], NULL);
    }
    for (uint32_t i = 0; i < sizeof engine->samplers / sizeof *engine->samplers; i++) {
        vkDestroySampler(engine->device, engine->samplers[i], NULL);
    }
    vgpu_vk_pipelines_free(engine, 0);
    vkDestroyDescriptorPool(engine->device, engine->empty_pool, NULL);
    vkDestroyDescriptorSetLayout(engine->device, engine->empty_set_layout, NULL);
    vkDestroyFence(engine->device, engine->fence, NULL);
    vkDestroyCommandPool(engine->device, engine->command_pool, NULL);
    free(engine->shaders);
    free(engine->resources);
    free(engine->fixups);
    free(engine->destroyed);
    free(engine->destroyed_shaders);
}

static void set_targets(struct vgpu_vk *engine, const struct vgpu_wire_targets *message)
{
    vgpu_vk_end_rendering(engine);
    engine->state.targets = *message;
    engine->state.have_targets = vgpu_vk_sane_targets(engine, message);
    engine->state.pipeline_dirty = true; /* depends on their formats */
    engine->state.dynamic_dirty = true;  /* depends on the unit of depth bias */
}

static bool set_vertex_buffers(struct vgpu_vk *engine, const struct vgpu_wire_vertex_buffers *message)
{
    struct vgpu_vk_state *state = &engine->state;

    if (message->count > VGPU_DXBC_REGISTERS ||
        sizeof *message + message->count * sizeof *message->buffers > message->header.size) {
        return vgpu_vk_fail(engine, "too many vertex buffers");
    }
    state->vertex_buffer_count = message->count;
    for (uint32_t i = 0; i < message->count; i++) {
        struct vgpu_vk_resource *resource = vgpu_vk_find_resource(engine, message->buffers[i].buffer);

        bool there =
            resource != NULL && resource->buffer != NULL && message->buffers[i].offset < resource->size;
        /* A null buffer reads 0. */
        state->vertex_buffers[i] = there ? resource->buffer : VK_NULL_HANDLE;
        state->vertex_offsets[i] = there ? message->buffers[i].offset : 0;
    }
    state->vertex_dirty = true;
    return true;
}

static bool doom_shader(struct vgpu_vk *engine, uint32_t shader)
{
    if (engine->destroyed_shader_count == engine->destroyed_shader_slots) {
        uint32_t slots = engine->destroyed_shader_slots ? 2 * engine->destroyed_shader_slots : 64;
        uint32_t *grown = realloc(engine->destroyed_shaders, slots * sizeof *grown);

        if (grown == NULL) {
            return vgpu_vk_fail(engine, "memory is exhausted");
        }
        engine->destroyed_shaders = grown;
        engine->destroyed_shader_slots = slots;
    }
    engine->destroyed_shaders[engine->destroyed_shader_count++] = shader;
    return true;
}

/* A new image has no layout; all images here use the general one. */
static bool create_texture(struct vgpu_vk *engine, const struct vgpu_wire_texture_create *message)
{
    if (!vgpu_vk_texture_create(engine, message)) {
        return false;
    }
    const struct vgpu_vk_resource *resource = vgpu_vk_find_resource(engine, message->texture);
    VkImageMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
        .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
        .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = resource->image,
        .subresourceRange = {resource->aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                             .imageMemoryBarrierCount = 1,
                             .pImageMemoryBarriers = &barrier};
    vgpu_vk_end_rendering(engine);
    vkCmdPipelineBarrier2(engine->commands, &info);
    return true;
}

static void execute_message(struct vgpu_vk *engine, const struct vgpu_wire_header *header)
{
    const void *message = header;
    struct vgpu_vk_state *state = &engine->state;

    switch (header->op) {
    case VGPU_WIRE_BUFFER_CREATE:
        vgpu_vk_buffer_create(engine, message);
        break;
    case VGPU_WIRE_BUFFER_WRITE:
    case VGPU_WIRE_BUFFER_READ:
        engine->failed_reads +=
            !vgpu_vk_buffer_transfer(engine, message, header->op == VGPU_WIRE_BUFFER_WRITE);
        break;
    case VGPU_WIRE_TEXTURE_CREATE:
        create_texture(engine, message);
        break;
    case VGPU_WIRE_TEXTURE_WRITE:
    case VGPU_WIRE_TEXTURE_READ:
        engine->failed_reads +=
            !vgpu_vk_texture_transfer(engine, message, header->op == VGPU_WIRE_TEXTURE_WRITE);
        break;
    case VGPU_WIRE_RESOURCE_DESTROY:
        vgpu_vk_resource_destroy(engine, ((const struct vgpu_wire_destroy *)message)->number);
        break;
    case VGPU_WIRE_SHADER_CREATE:
        vgpu_vk_shader_create(engine, message);
        break;
    case VGPU_WIRE_SHADER_DESTROY:
        doom_shader(engine, ((const struct vgpu_wire_destroy *)message)->number);
        break;
    case VGPU_WIRE_TARGETS:
        set_targets(engine, message);
        break;
    case VGPU_WIRE_PIPELINE:
        state->have_pipeline = vgpu_vk_sane_pipeline(engine, message);
        state->pipeline = *(const struct vgpu_wire_pipeline *)message;
        state->pipeline_dirty = true;
        break;
    case VGPU_WIRE_INPUT:
        vgpu_vk_set_input(engine, message);
        break;
    case VGPU_WIRE_DYNAMIC:
        state->dynamic = *(const struct vgpu_wire_dynamic *)message;
        state->have_dynamic = vgpu_vk_sane_dynamic(engine, message);
        state->dynamic_dirty = true;
        break;
    case VGPU_WIRE_VERTEX_BUFFERS:
        set_vertex_buffers(engine, message);
        break;
    case VGPU_WIRE_BINDINGS:
        vgpu_vk_bindings(engine, message);
        break;
    case VGPU_WIRE_DRAW:
        vgpu_vk_draw(engine, message);
        break;
    case VGPU_WIRE_DISPATCH:
        vgpu_vk_dispatch(engine, message);
        break;
    default:
        vgpu_vk_fail(engine, "an unknown message");
        break;
    }
}

const uint32_t vgpu_vk_message_bytes[VGPU_WIRE_OPS] = {
    [VGPU_WIRE_BUFFER_CREATE] = sizeof(struct vgpu_wire_buffer_create),
    [VGPU_WIRE_BUFFER_WRITE] = sizeof(struct vgpu_wire_buffer_transfer),
    [VGPU_WIRE_BUFFER_READ] = sizeof(struct vgpu_wire_buffer_transfer),
    [VGPU_WIRE_TEXTURE_CREATE] = sizeof(struct vgpu_wire_texture_create),
    [VGPU_WIRE_TEXTURE_WRITE] = sizeof(struct vgpu_wire_texture_transfer),
    [VGPU_WIRE_TEXTURE_READ] = sizeof(struct vgpu_wire_texture_transfer),
    [VGPU_WIRE_RESOURCE_DESTROY] = sizeof(struct vgpu_wire_destroy),
    [VGPU_WIRE_SHADER_CREATE] = sizeof(struct vgpu_wire_shader_create),
    [VGPU_WIRE_SHADER_DESTROY] = sizeof(struct vgpu_wire_destroy),
    [VGPU_WIRE_TARGETS] = sizeof(struct vgpu_wire_targets),
    [VGPU_WIRE_PIPELINE] = sizeof(struct vgpu_wire_pipeline),
    [VGPU_WIRE_INPUT] = sizeof(struct vgpu_wire_input),
    [VGPU_WIRE_DYNAMIC] = sizeof(struct vgpu_wire_dynamic),
    [VGPU_WIRE_VERTEX_BUFFERS] = sizeof(struct vgpu_wire_vertex_buffers),
    [VGPU_WIRE_BINDINGS] = sizeof(struct vgpu_wire_bindings),
    [VGPU_WIRE_DRAW] = sizeof(struct vgpu_wire_draw),
    [VGPU_WIRE_DISPATCH] = sizeof(struct vgpu_wire_dispatch),
};

static void record_messages(struct vgpu_vk *engine, uint32_t message_bytes)
{
    uint32_t at = 0;

    if (message_bytes > VGPU_WIRE_MESSAGE_BYTES) {
        vgpu_vk_fail(engine, "more messages than fit");
        return;
    }
    while (at < message_bytes) {
        const struct vgpu_wire_header *header = (const void *)(engine->shared + at);

        if (message_bytes - at < sizeof *header || header->op >= VGPU_WIRE_OPS ||
            header->size < vgpu_vk_message_bytes[header->op] || header->size > message_bytes - at ||
            header->size % 4 != 0) {
            vgpu_vk_fail(engine, "a broken message at %u of %u", at, message_bytes);
            return;
        }
        execute_message(engine, header);
        at += header->size;
    }
}

/* Submits and waits. The renderer limits the time and kills the process. If the renderer itself is gone, the
 * process ends itself. */
static void submit_batch(struct vgpu_vk *engine)
{
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &engine->commands};
    VkResult result;

    if (!vgpu_vk_check(engine, vkEndCommandBuffer(engine->commands), "recording") ||
        !vgpu_vk_check(engine, vkQueueSubmit(engine->queue, 1, &info, engine->fence), "submitting")) {
        engine->failed_reads++;
        engine->lost = true; /* its uploads are lost too: the renderer must start again */
        return;
    }
    while ((result = vkWaitForFences(engine->device, 1, &engine->fence, VK_TRUE, 100000000)) == VK_TIMEOUT) {
        struct pollfd renderer = {.fd = 0, .events = POLLIN};

        if (poll(&renderer, 1, 0) > 0 && (renderer.revents & (POLLHUP | POLLERR))) {
            _exit(1);
        }
    }
    engine->failed_reads += !vgpu_vk_check(engine, result, "waiting for the device");
    vgpu_vk_check(engine, vkResetFences(engine->device, 1, &engine->fence), "resetting the fence");
}

static void clean_up(struct vgpu_vk *engine)
{
    for (uint32_t i = 0; i < engine->pool_used; i++) {
        vkResetDescriptorPool(engine->device, engine->pools[i], 0);
    }
    engine->pool_used = 0;
    for (uint32_t i = 0; i < engine->destroyed_count; i++) {
        vgpu_vk_resource_free(engine, engine->destroyed[i]);
    }
    engine->destroyed_count = 0;
    engine->doomed_bytes = 0;
    for (uint32_t i = 0; i < engine->destroyed_shader_count; i++) {
        destroy_shader(engine, engine->destroyed_shaders[i]);
    }
    engine->destroyed_shader_count = 0;
    if (engine->pipeline_count > MOST_PIPELINES) {
        vgpu_vk_pipelines_free(engine, 0);
    }
    vkResetCommandPool(engine->device, engine->command_pool, 0);
}

void vgpu_vk_batch(struct vgpu_vk *engine, const struct vgpu_wire_batch *batch,
                   struct vgpu_wire_result *result)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};

    uint32_t data_bytes =
        batch->data_bytes < VGPU_WIRE_SHARED_BYTES ? batch->data_bytes : VGPU_WIRE_SHARED_BYTES;
    engine->failures = 0;
    engine->failed_reads = 0;
    engine->reason[0] = 0;
    memset(&engine->state, 0, sizeof engine->state);
    engine->state.pending_write = true; /* from the previous batch */
    vgpu_vk_shared_begin(engine, data_bytes);
    if (vgpu_vk_check(engine, vkBeginCommandBuffer(engine->commands, &begin), "beginning a command buffer")) {
        record_messages(engine, batch->message_bytes);
        vgpu_vk_end_rendering(engine);
        submit_batch(engine);
        vgpu_vk_shared_end(engine, data_bytes);
        if (!engine->lost) {
            vgpu_vk_transfer_fixups(engine);
            clean_up(engine);
        }
    }
    *result = (struct vgpu_wire_result){
        .failed = engine->failures, .failed_reads = engine->failed_reads, .lost = engine->lost};
    memcpy(result->reason, engine->reason, sizeof result->reason);
}
