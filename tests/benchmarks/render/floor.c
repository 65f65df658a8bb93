/* floor.c: the scene directly on Vulkan. The drawing process's own code makes device, shaders and pipelines. The
 * measured part, recording and submitting draws, is plain Vulkan. */
#include "tests/benchmarks/render/floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/engine/state.h"
#include "tests/device/render/dxbc.h"
#include "tests/device/render/translate.h"
#include "tests/device/render/vulkan/batch.h"
#include "tests/device/render/vulkan/device.h"
#include "tests/device/render/vulkan/memory.h"
#include "tests/device/render/vulkan/pipelines.h"
#include "tests/device/render/vulkan/shared.h"
#include "tests/device/render/vulkan/vk.h"
#include "tests/shaders/shaders.h"

const float scene_vertices[3][8] = {{-0.02f, 0.02f, 0.5f, 1, 1, 0, 0, 1},
                                    {0.02f, 0.02f, 0.5f, 1, 0, 1, 0, 1},
                                    {-0.02f, -0.02f, 0.5f, 1, 0, 0, 1, 1}};

enum { TEXTURE = 1, BUFFER = 2, VERTEX_SHADER = 1, PIXEL_SHADER = 2 };

struct floor {
    struct vgpu_vk engine;
    VkPipeline pipelines[2];
    VkImageView view;
    VkBuffer vertices;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    uint32_t messages;
    uint32_t data;
};

static void give_up(const char *why)
{
    fprintf(stderr, "agpu_bench_render: %s\n", why);
    exit(1);
}

static void *message(struct floor *floor, enum vgpu_wire_op op, uint32_t size)
{
    struct vgpu_wire_header *header = (void *)(floor->engine.shared + floor->messages);

    memset(header, 0, size);
    *header = (struct vgpu_wire_header){op, (size + 7) / 8 * 8};
    floor->messages += header->size;
    return header;
}

static uint32_t data(struct floor *floor, const void *bytes, uint32_t size)
{
    uint32_t at = floor->data;

    memcpy(floor->engine.shared + at, bytes, size);
    floor->data += (size + VGPU_WIRE_DATA_ALIGN - 1) / VGPU_WIRE_DATA_ALIGN * VGPU_WIRE_DATA_ALIGN;
    return at;
}

static void shader(struct floor *floor, struct vgpu_translator *translator, uint32_t number, uint32_t stage,
                   const struct agpu_shader_blob *blob)
{
    static struct vgpu_dxbc dxbc;
    struct vgpu_spirv spirv;
    const char *why = vgpu_dxbc_read(blob->words, blob->size_bytes, &dxbc);

    if (why != NULL ||
        !vgpu_translate(translator, blob->words, blob->size_bytes, &dxbc, NULL, stage, &spirv, &why)) {
        give_up(why);
    }
    struct vgpu_wire_shader_create *create = message(floor, VGPU_WIRE_SHADER_CREATE, sizeof *create);
    create->shader = number;
    create->stage = stage;
    create->bytes = spirv.size;
    create->data = data(floor, spirv.words, spirv.size);
    struct vgpu_wire_bindings *bindings = message(floor, VGPU_WIRE_BINDINGS, sizeof *bindings);
    bindings->stage = stage;
    bindings->shader = number;
}

/* Creates the scene and draws once with each pipeline, which creates it. */
static void set_up(struct floor *floor, struct vgpu_translator *translator)
{
    struct vgpu_wire_texture_create *texture = message(floor, VGPU_WIRE_TEXTURE_CREATE, sizeof *texture);

    *texture = (struct vgpu_wire_texture_create){
        texture->header, TEXTURE, AEROGPU_FORMAT_R8G8B8A8_UNORM, SCENE_EDGE, SCENE_EDGE, 1, 1};
    struct vgpu_wire_buffer_create *buffer = message(floor, VGPU_WIRE_BUFFER_CREATE, sizeof *buffer);
    buffer->buffer = BUFFER;
    buffer->size = sizeof scene_vertices;
    struct vgpu_wire_buffer_transfer *write = message(floor, VGPU_WIRE_BUFFER_WRITE, sizeof *write);
    write->buffer = BUFFER;
    write->size = sizeof scene_vertices;
    write->data = data(floor, scene_vertices, sizeof scene_vertices);
    shader(floor, translator, VERTEX_SHADER, VGPU_STAGE_VERTEX, &agpu_vs_color_4_0);
    shader(floor, translator, PIXEL_SHADER, VGPU_STAGE_PIXEL, &agpu_ps_color_4_0);
    struct vgpu_wire_targets *targets = message(floor, VGPU_WIRE_TARGETS, sizeof *targets);
    targets->width = targets->height = SCENE_EDGE;
    targets->colors[0] = (struct vgpu_wire_target){TEXTURE, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0, 0};
    struct vgpu_wire_dynamic *dynamic = message(floor, VGPU_WIRE_DYNAMIC, sizeof *dynamic);
    dynamic->viewport[2] = dynamic->viewport[3] = SCENE_EDGE;
    dynamic->viewport[5] = 1;
    dynamic->scissor[2] = dynamic->scissor[3] = SCENE_EDGE;
    struct vgpu_wire_vertex_buffers *buffers =
        message(floor, VGPU_WIRE_VERTEX_BUFFERS, sizeof *buffers + sizeof *buffers->buffers);
    buffers->count = 1;
    buffers->buffers[0].buffer = BUFFER;
    struct vgpu_wire_input *input = message(floor, VGPU_WIRE_INPUT, sizeof *input);
    input->attribute_count = 2;
    input->attributes[0] = (struct vgpu_wire_attribute){0, 0, VGPU_DXBC_FLOAT, 2, 0};
    input->attributes[1] = (struct vgpu_wire_attribute){1, 0, VGPU_DXBC_FLOAT, 2, 16};
    input->binding_count = 1;
    input->bindings[0].stride = 32;
    for (uint32_t blend = 0; blend < 2; blend++) {
        struct vgpu_wire_pipeline *pipeline = message(floor, VGPU_WIRE_PIPELINE, sizeof *pipeline);

        pipeline->shaders[VGPU_STAGE_VERTEX] = VERTEX_SHADER;
        pipeline->shaders[VGPU_STAGE_PIXEL] = PIXEL_SHADER;
        pipeline->topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
        pipeline->write_masks[0] = 15;
        if (blend) {
            pipeline->blend_enable = 1;
            pipeline->blend[0] = pipeline->blend[1] = AEROGPU_BLEND_ONE;
            pipeline->blend[3] = pipeline->blend[4] = AEROGPU_BLEND_ONE;
        }
        struct vgpu_wire_draw *draw = message(floor, VGPU_WIRE_DRAW, sizeof *draw);
        draw->count = 3;
        draw->instance_count = 1;
    }
}

struct floor *floor_open(struct vgpu_translator *translator)
{
    struct floor *floor = calloc(1, sizeof *floor);
    struct vgpu_vk *engine = &floor->engine;
    struct vgpu_wire_result result;
    int shared = memfd_create("agpu-bench-render", 0);

    /* The drawing process expects it at descriptor 3. */
    if (floor == NULL || shared < 0 || ftruncate(shared, VGPU_WIRE_SHARED_BYTES) != 0 ||
        (shared != 3 && dup2(shared, 3) != 3)) {
        give_up("no shared memory");
    }
    vgpu_vk_memory_keep(); /* as the drawing process does */
    if (!vgpu_vk_device_open(engine) || !vgpu_vk_shared_open(engine) || !vgpu_vk_batch_open(engine)) {
        give_up(engine->reason);
    }
    floor->data = VGPU_WIRE_MESSAGE_BYTES;
    set_up(floor, translator);
    vgpu_vk_batch(engine, &(struct vgpu_wire_batch){floor->messages, floor->data}, &result);
    if (result.failed) {
        give_up(result.reason);
    }
    for (uint32_t i = 0; i < sizeof engine->pipelines / sizeof *engine->pipelines; i++) {
        for (const struct vgpu_vk_pipeline *p = engine->pipelines[i]; p != NULL; p = p->next) {
            floor->pipelines[p->key.blend_enable] = p->pipeline;
        }
    }
    floor->view = engine->resources[TEXTURE]->views->image;
    floor->vertices = engine->resources[BUFFER]->buffer;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = engine->queue_family};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (vkCreateCommandPool(engine->device, &pool, NULL, &floor->pool) != VK_SUCCESS ||
        vkCreateFence(engine->device, &fence, NULL, &floor->fence) != VK_SUCCESS) {
        give_up("no command pool");
    }
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = floor->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    if (vkAllocateCommandBuffers(engine->device, &commands, &floor->commands) != VK_SUCCESS) {
        give_up("no command buffer");
    }
    return floor;
}

static void record(struct floor *floor, bool changes)
{
    VkCommandBuffer commands = floor->commands;
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = floor->view,
                                       .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea.extent = {SCENE_EDGE, SCENE_EDGE},
                                 .layerCount = 1,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &color};
    VkViewport viewport = {0, SCENE_EDGE, SCENE_EDGE, -SCENE_EDGE, 0, 1};
    VkRect2D scissor = {{0, 0}, {SCENE_EDGE, SCENE_EDGE}};
    VkDeviceSize offset = 0;

    vkCmdBeginRendering(commands, &rendering);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, floor->pipelines[0]);
    vkCmdBindVertexBuffers(commands, 0, 1, &floor->vertices, &offset);
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
    vkCmdSetBlendConstants(commands, (const float[4]){0});
    vkCmdSetDepthTestEnable(commands, VK_FALSE);
    vkCmdSetDepthWriteEnable(commands, VK_FALSE);
    vkCmdSetDepthCompareOp(commands, VK_COMPARE_OP_NEVER);
    vkCmdSetCullMode(commands, VK_CULL_MODE_NONE);
    vkCmdSetFrontFace(commands, VK_FRONT_FACE_CLOCKWISE);
    vkCmdSetDepthBiasEnable(commands, VK_FALSE);
    vkCmdSetDepthBias(commands, 0, 0, 0);
    vkCmdSetPrimitiveRestartEnable(commands, VK_FALSE);
    for (uint32_t i = 0; i < SCENE_DRAWS; i++) {
        if (changes) {
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, floor->pipelines[i & 1]);
        }
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
    vkCmdEndRendering(commands);
}

void floor_draw(struct floor *floor, bool changes)
{
    struct vgpu_vk *engine = &floor->engine;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &floor->commands};

    vkResetCommandPool(engine->device, floor->pool, 0);
    vkBeginCommandBuffer(floor->commands, &begin);
    record(floor, changes);
    vkEndCommandBuffer(floor->commands);
    if (vkQueueSubmit(engine->queue, 1, &submit, floor->fence) != VK_SUCCESS ||
        vkWaitForFences(engine->device, 1, &floor->fence, VK_TRUE, UINT64_MAX) != VK_SUCCESS) {
        give_up("Vulkan does not draw");
    }
    vkResetFences(engine->device, 1, &floor->fence);
}

void floor_close(struct floor *floor)
{
    struct vgpu_vk *engine = &floor->engine;

    vkDestroyFence(engine->device, floor->fence, NULL);
    vkDestroyCommandPool(engine->device, floor->pool, NULL);
    vgpu_vk_batch_close(engine);
    vgpu_vk_shared_close(engine);
    vgpu_vk_device_close(engine);
    free(floor);
}
