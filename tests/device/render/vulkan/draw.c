/* draw.c: draws and dispatches. */

#include "tests/device/render/vulkan/draw.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/engine/state.h"
#include "tests/device/render/vulkan/fail.h"
#include "tests/device/render/vulkan/formats.h"
#include "tests/device/render/vulkan/pipelines.h"
#include "tests/device/render/vulkan/resources.h"
#include "tests/device/render/vulkan/sane.h"
#include "tests/device/render/vulkan/shaders.h"
#include "tests/device/render/vulkan/views.h"

void vgpu_vk_end_rendering(struct vgpu_vk *engine)
{
    if (engine->state.rendering) {
        vkCmdEndRendering(engine->commands);
        engine->state.rendering = false;
        engine->state.pending_write = true;
    }
}

void vgpu_vk_barrier(struct vgpu_vk *engine)
{
    VkMemoryBarrier2 all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                            .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                            .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
                            .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                            .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT};
    VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &all};

    if (engine->state.pending_write) {
        vkCmdPipelineBarrier2(engine->commands, &info);
        engine->state.pending_write = false;
    }
}

static uint32_t mip_edge(uint32_t edge, uint32_t mip)
{
    return edge >> mip != 0 ? edge >> mip : 1;
}

/* Describes a target as an attachment; returns false when it is invalid. Texture 0 gives an empty one. */
static bool describe_attachment(struct vgpu_vk *engine, const struct vgpu_wire_target *target, bool depth,
                                VkRenderingAttachmentInfo *out)
{
    *out = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    if (!target->texture) {
        return true;
    }
    const struct vgpu_wire_targets *targets = &engine->state.targets;
    struct vgpu_vk_resource *resource = vgpu_vk_find_resource(engine, target->texture);
    uint16_t mips[2] = {(uint16_t)target->mip, 1}, layers[2] = {(uint16_t)target->layer, 1};
    if (resource == NULL || resource->image == NULL || target->mip >= resource->mip_levels ||
        target->layer >= resource->array_layers ||
        depth == !!(resource->aspects & VK_IMAGE_ASPECT_COLOR_BIT)) {
        return vgpu_vk_fail(engine, "a draw to a target that could not be made");
    }
    if (targets->width > mip_edge(resource->width, target->mip) ||
        targets->height > mip_edge(resource->height, target->mip)) {
        return vgpu_vk_fail(engine, "a draw to %ux%u of a smaller target", targets->width, targets->height);
    }
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(engine->physical, vgpu_vk_format(engine, target->format),
                                        &properties);
    if (!depth && !(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT)) {
        return vgpu_vk_fail(engine, "%s does not draw to format %u", engine->properties.deviceName,
                            target->format);
    }
    out->imageView = vgpu_vk_image_view(engine, resource, target->format, VK_IMAGE_VIEW_TYPE_2D,
                                        resource->aspects, false, mips, layers);
    return out->imageView != VK_NULL_HANDLE;
}

static bool begin_rendering(struct vgpu_vk *engine)
{
    const struct vgpu_wire_targets *targets = &engine->state.targets;

    if (engine->state.rendering) {
        return true;
    }
    VkRenderingAttachmentInfo colors[8], depth;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 8; i++) {
        if (!describe_attachment(engine, &targets->colors[i], false, &colors[i])) {
            return false;
        }
        if (targets->colors[i].texture) {
            count = i + 1;
        }
    }
    if (!describe_attachment(engine, &targets->depth, true, &depth)) {
        return false;
    }
    bool stencil = targets->depth.texture && targets->depth.format == AEROGPU_FORMAT_D24_UNORM_S8_UINT;
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .renderArea.extent = {targets->width, targets->height},
                            .layerCount = 1,
                            .colorAttachmentCount = count,
                            .pColorAttachments = colors,
                            .pDepthAttachment = targets->depth.texture ? &depth : NULL,
                            .pStencilAttachment = stencil ? &depth : NULL};
    vgpu_vk_barrier(engine);
    vkCmdBeginRendering(engine->commands, &info);
    engine->state.rendering = true;
    return true;
}

/* Factor from Direct3D's unit of depth bias to the driver's: llvmpipe (Mesa 22.3) moves 24-bit depth by two
 * steps a unit, other formats by one. */
static float bias_unit(const struct vgpu_vk *engine)
{
    const struct vgpu_wire_target *depth = &engine->state.targets.depth;

    return engine->d24 && strncmp(engine->properties.deviceName, "llvmpipe", 8) == 0 && depth->texture &&
                   depth->format == AEROGPU_FORMAT_D24_UNORM_S8_UINT
               ? 0.5f
               : 1;
}

static void set_dynamic(struct vgpu_vk *engine)
{
    static const VkCompareOp compare[] = {
        [AEROGPU_COMPARE_NEVER] = VK_COMPARE_OP_NEVER,
        [AEROGPU_COMPARE_LESS] = VK_COMPARE_OP_LESS,
        [AEROGPU_COMPARE_EQUAL] = VK_COMPARE_OP_EQUAL,
        [AEROGPU_COMPARE_LESS_EQUAL] = VK_COMPARE_OP_LESS_OR_EQUAL,
        [AEROGPU_COMPARE_GREATER] = VK_COMPARE_OP_GREATER,
        [AEROGPU_COMPARE_NOT_EQUAL] = VK_COMPARE_OP_NOT_EQUAL,
        [AEROGPU_COMPARE_GREATER_EQUAL] = VK_COMPARE_OP_GREATER_OR_EQUAL,
        [AEROGPU_COMPARE_ALWAYS] = VK_COMPARE_OP_ALWAYS,
    };
    const struct vgpu_wire_dynamic *state = &engine->state.dynamic;
    VkCommandBuffer commands = engine->commands;
    /* In Direct3D, y points up in clip space: a viewport of negative height flips it. */
    VkViewport viewport = {state->viewport[0], state->viewport[1] + state->viewport[3],
                           state->viewport[2], -state->viewport[3],
                           state->viewport[4], state->viewport[5]};
    VkRect2D scissor = {{state->scissor[0], state->scissor[1]},
                        {(uint32_t)state->scissor[2], (uint32_t)state->scissor[3]}};

    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
    vkCmdSetBlendConstants(commands, state->blend_constant);
    vkCmdSetDepthTestEnable(commands, state->depth_test != 0);
    vkCmdSetDepthWriteEnable(commands, state->depth_write != 0);
    vkCmdSetDepthCompareOp(commands, compare[state->depth_func & 7]);
    vkCmdSetCullMode(commands, state->cull_mode == AEROGPU_CULL_FRONT  ? VK_CULL_MODE_FRONT_BIT
                               : state->cull_mode == AEROGPU_CULL_BACK ? VK_CULL_MODE_BACK_BIT
                                                                       : VK_CULL_MODE_NONE);
    vkCmdSetFrontFace(commands, state->front_ccw ? VK_FRONT_FACE_COUNTER_CLOCKWISE : VK_FRONT_FACE_CLOCKWISE);
    vkCmdSetDepthBiasEnable(commands, state->depth_bias != 0);
    vkCmdSetDepthBias(commands, (float)state->depth_bias * bias_unit(engine), 0, 0);
    vkCmdSetPrimitiveRestartEnable(commands, state->restart != 0);
}

/* Records all state of a draw in the command buffer. */
static bool prepare_draw(struct vgpu_vk *engine)
{
    struct vgpu_vk_state *state = &engine->state;

    if (!state->have_targets || !state->have_pipeline || !state->have_input || !state->have_dynamic) {
        return vgpu_vk_fail(engine, "a draw without state");
    }
    if (state->pipeline_dirty) {
        const struct vgpu_vk_pipeline *pipeline = vgpu_vk_find_pipeline(engine);

        if (pipeline == NULL) {
            state->bound = NULL;
            return false;
        }
        if (state->bound != pipeline) {
            vkCmdBindPipeline(engine->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
            if (state->bound == NULL ||
                memcmp(state->bound->key.shaders, pipeline->key.shaders, sizeof pipeline->key.shaders) != 0) {
                state->set_dirty |= 0x1f; /* layouts of other shaders disturb the sets */
            }
            state->bound = pipeline;
        }
        state->pipeline_dirty = false;
    }
    for (uint32_t stage = 0; stage < 5; stage++) {
        uint32_t shader = state->pipeline.shaders[stage];

        if (!(state->set_dirty >> stage & 1)) {
            continue;
        }
        if (shader && (state->sets[stage] == NULL || state->set_shader[stage] != shader)) {
            return vgpu_vk_fail(engine, "a draw without bindings");
        }
        vkCmdBindDescriptorSets(engine->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, state->bound->layout,
                                stage, 1, shader ? &state->sets[stage] : &engine->empty_set, 0, NULL);
        state->set_dirty &= ~(1u << stage);
    }
    if (state->vertex_dirty && state->vertex_buffer_count) {
        vkCmdBindVertexBuffers(engine->commands, 0, state->vertex_buffer_count, state->vertex_buffers,
                               state->vertex_offsets);
    }
    state->vertex_dirty = false;
    if (state->vertex_buffer_count < state->input.binding_count) {
        return vgpu_vk_fail(engine, "a draw without vertex buffers");
    }
    if (state->dynamic_dirty) {
        set_dynamic(engine);
        state->dynamic_dirty = false;
    }
    return begin_rendering(engine);
}

bool vgpu_vk_draw(struct vgpu_vk *engine, const struct vgpu_wire_draw *message)
{
    if (!prepare_draw(engine)) {
        return false;
    }
    if (message->indexed) {
        struct vgpu_vk_resource *resource = vgpu_vk_find_resource(engine, message->index_buffer);
        VkBuffer buffer = message->index_buffer ? resource != NULL ? resource->buffer : VK_NULL_HANDLE
                                                : engine->shared_buffer;

        if (buffer == NULL) {
            return vgpu_vk_fail(engine, "a draw from an index buffer that could not be made");
        }
        if (!vgpu_vk_sane_draw(engine, message,
                               message->index_buffer ? resource->size : VGPU_WIRE_SHARED_BYTES)) {
            return false;
        }
        vkCmdBindIndexBuffer(engine->commands, buffer, message->index_offset,
                             message->index_wide ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(engine->commands, message->count, message->instance_count, message->first,
                         message->base_vertex, message->first_instance);
    } else {
        vkCmdDraw(engine->commands, message->count, message->instance_count, message->first,
                  message->first_instance);
    }
    if (engine->state.bound->writes_memory) {
        /* Direct3D orders the UAV writes of draws; Vulkan does not within one rendering. */
        vgpu_vk_end_rendering(engine);
    }
    return true;
}

bool vgpu_vk_dispatch(struct vgpu_vk *engine, const struct vgpu_wire_dispatch *message)
{
    struct vgpu_vk_shader *shader = vgpu_vk_find_shader(engine, message->shader);
    const uint32_t *most = engine->properties.limits.maxComputeWorkGroupCount;

    if (shader == NULL || shader->stage != VGPU_STAGE_COMPUTE ||
        engine->state.set_shader[VGPU_STAGE_COMPUTE] != message->shader) {
        return vgpu_vk_fail(engine, "a dispatch of a shader that could not be loaded");
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (message->groups[i] > most[i]) {
            return vgpu_vk_fail(engine, "%u groups, %s has %u", message->groups[i],
                                engine->properties.deviceName, most[i]);
        }
    }
    VkPipeline pipeline = vgpu_vk_compute_pipeline(engine, shader);
    if (pipeline == NULL) {
        return false;
    }
    vgpu_vk_end_rendering(engine);
    vgpu_vk_barrier(engine);
    vkCmdBindPipeline(engine->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(engine->commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader->compute_layout, 0, 1,
                            &engine->state.sets[VGPU_STAGE_COMPUTE], 0, NULL);
    vkCmdDispatch(engine->commands, message->groups[0], message->groups[1], message->groups[2]);
    engine->state.pending_write = true;
    return true;
}
