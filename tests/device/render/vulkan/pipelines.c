/* pipelines.c: graphics pipelines, cached by their state. */

#include "tests/device/render/vulkan/pipelines.h"

#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/engine/state.h"
#include "tests/device/render/vulkan/fail.h"
#include "tests/device/render/vulkan/formats.h"
#include "tests/device/render/vulkan/sane.h"
#include "tests/device/render/vulkan/shaders.h"

enum { BUCKETS = sizeof(((struct vgpu_vk *)0)->pipelines) / sizeof(struct vgpu_vk_pipeline *) };

/* Writes the formats of the current targets, 0 for none. */
static void target_formats(const struct vgpu_vk_state *state, uint32_t formats[9])
{
    for (uint32_t i = 0; i < 9; i++) {
        const struct vgpu_wire_target *target = i < 8 ? &state->targets.colors[i] : &state->targets.depth;

        formats[i] = target->texture ? target->format : 0;
    }
}

static uint32_t hash_words(uint32_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size / 4; i++) {
        uint32_t word;

        memcpy(&word, (const uint8_t *)bytes + 4 * i, sizeof word); /* messages have members of other types */
        hash = (hash ^ word) * 0x01000193u;
        hash ^= hash >> 15;
    }
    return hash;
}

void vgpu_vk_set_input(struct vgpu_vk *engine, const struct vgpu_wire_input *message)
{
    engine->state.input = *message;
    engine->state.input_hash = hash_words(0x811c9dc5u, message, sizeof *message);
    engine->state.have_input = vgpu_vk_sane_input(engine, message);
    engine->state.pipeline_dirty = true;
}

static VkPrimitiveTopology vk_topology(uint32_t topology)
{
    switch (topology) {
    case AEROGPU_TOPOLOGY_POINTLIST:
        return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case AEROGPU_TOPOLOGY_LINELIST:
        return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    case AEROGPU_TOPOLOGY_LINESTRIP:
        return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    case AEROGPU_TOPOLOGY_TRIANGLELIST:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    case AEROGPU_TOPOLOGY_TRIANGLESTRIP:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    case AEROGPU_TOPOLOGY_TRIANGLEFAN:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    case AEROGPU_TOPOLOGY_LINELIST_ADJ:
        return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
    case AEROGPU_TOPOLOGY_LINESTRIP_ADJ:
        return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY;
    case AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
    case AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
    default:
        return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    }
}

static VkBlendFactor blend_factor(uint32_t factor)
{
    static const VkBlendFactor factors[] = {
        [AEROGPU_BLEND_ZERO] = VK_BLEND_FACTOR_ZERO,
        [AEROGPU_BLEND_ONE] = VK_BLEND_FACTOR_ONE,
        [AEROGPU_BLEND_SRC_ALPHA] = VK_BLEND_FACTOR_SRC_ALPHA,
        [AEROGPU_BLEND_INV_SRC_ALPHA] = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        [AEROGPU_BLEND_DEST_ALPHA] = VK_BLEND_FACTOR_DST_ALPHA,
        [AEROGPU_BLEND_INV_DEST_ALPHA] = VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
        [AEROGPU_BLEND_CONSTANT] = VK_BLEND_FACTOR_CONSTANT_COLOR,
        [AEROGPU_BLEND_INV_CONSTANT] = VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
    };

    /* In the alpha equation the constant colour stands for its alpha. */
    return factors[factor & 7];
}

static VkBlendOp blend_op(uint32_t op)
{
    static const VkBlendOp ops[] = {VK_BLEND_OP_ADD, VK_BLEND_OP_SUBTRACT, VK_BLEND_OP_REVERSE_SUBTRACT,
                                    VK_BLEND_OP_MIN, VK_BLEND_OP_MAX};

    return op < sizeof ops / sizeof *ops ? ops[op] : VK_BLEND_OP_ADD;
}

static void blend_attachment(const struct vgpu_wire_pipeline *key, uint32_t format, uint32_t index,
                             VkPipelineColorBlendAttachmentState *out)
{
    VkColorComponentFlags mask = key->write_masks[index] & 0xfu; /* same bits */

    if (vgpu_vk_format_x8(format)) {
        mask &= ~(uint32_t)VK_COLOR_COMPONENT_A_BIT; /* the stored alpha is 1 and must stay 1 */
    }
    *out = (VkPipelineColorBlendAttachmentState){
        .blendEnable = key->blend_enable != 0,
        .srcColorBlendFactor = blend_factor(key->blend[0]),
        .dstColorBlendFactor = blend_factor(key->blend[1]),
        .colorBlendOp = blend_op(key->blend[2]),
        .srcAlphaBlendFactor = blend_factor(key->blend[3]),
        .dstAlphaBlendFactor = blend_factor(key->blend[4]),
        .alphaBlendOp = blend_op(key->blend[5]),
        .colorWriteMask = mask,
    };
}

/* Collects the stages' modules and set layouts; returns false when one is missing. */
static bool stages_of(struct vgpu_vk *engine, struct vgpu_vk_pipeline *pipeline,
                      VkPipelineShaderStageCreateInfo stages[5], uint32_t *count)
{
    static const VkShaderStageFlagBits bits[5] = {
        [VGPU_STAGE_VERTEX] = VK_SHADER_STAGE_VERTEX_BIT,
        [VGPU_STAGE_PIXEL] = VK_SHADER_STAGE_FRAGMENT_BIT,
        [VGPU_STAGE_GEOMETRY] = VK_SHADER_STAGE_GEOMETRY_BIT,
        [VGPU_STAGE_HULL] = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
        [VGPU_STAGE_DOMAIN] = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
    };
    VkDescriptorSetLayout layouts[5];

    *count = 0;
    for (uint32_t i = 0; i < 5; i++) {
        const struct vgpu_vk_shader *shader = vgpu_vk_find_shader(engine, pipeline->key.shaders[i]);

        layouts[i] = engine->empty_set_layout;
        if (!pipeline->key.shaders[i]) {
            continue;
        }
        if (shader == NULL || shader->stage != i) {
            return vgpu_vk_fail(engine, "a draw with a shader that could not be loaded");
        }
        layouts[i] = shader->set_layout;
        stages[(*count)++] =
            (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                              .stage = bits[i],
                                              .module = shader->module,
                                              .pName = "main"};
        for (uint32_t b = 0; b < shader->binding_count; b++) {
            pipeline->writes_memory |= shader->bindings[b].kind == VGPU_DXBC_UAV_BUFFER;
        }
    }
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 5, .pSetLayouts = layouts};
    return vgpu_vk_check(engine, vkCreatePipelineLayout(engine->device, &layout, NULL, &pipeline->layout),
                         "making a pipeline layout");
}

struct vertex_input {
    VkVertexInputBindingDescription bindings[VGPU_DXBC_REGISTERS];
    VkVertexInputBindingDivisorDescriptionEXT divisors[VGPU_DXBC_REGISTERS];
    VkVertexInputAttributeDescription attributes[VGPU_DXBC_REGISTERS];
    VkPipelineVertexInputDivisorStateCreateInfoEXT divisor;
    VkPipelineVertexInputStateCreateInfo info;
};

static bool vertex_input(struct vgpu_vk *engine, const struct vgpu_wire_input *key,
                         struct vertex_input *input)
{
    const VkPhysicalDeviceLimits *limits = &engine->properties.limits;
    uint32_t divisors = 0;

    if (key->binding_count > limits->maxVertexInputBindings ||
        key->attribute_count > limits->maxVertexInputAttributes || key->binding_count > VGPU_DXBC_REGISTERS ||
        key->attribute_count > VGPU_DXBC_REGISTERS) {
        return vgpu_vk_fail(engine, "more vertex buffers or elements than %s has",
                            engine->properties.deviceName);
    }
    for (uint32_t i = 0; i < key->binding_count; i++) {
        const struct vgpu_wire_vertex_binding *binding = &key->bindings[i];

        if (binding->stride > limits->maxVertexInputBindingStride ||
            (binding->step > 1 && !engine->has_divisor)) {
            return vgpu_vk_fail(engine, "a vertex stride or step rate that %s has not",
                                engine->properties.deviceName);
        }
        input->bindings[i] = (VkVertexInputBindingDescription){
            i, binding->stride, binding->step ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX};
        if (binding->step > 1) {
            input->divisors[divisors++] = (VkVertexInputBindingDivisorDescriptionEXT){i, binding->step};
        }
    }
    for (uint32_t i = 0; i < key->attribute_count; i++) {
        const struct vgpu_wire_attribute *attribute = &key->attributes[i];
        VkFormat format = vgpu_vk_vertex_format(attribute);
        VkFormatProperties properties;

        vkGetPhysicalDeviceFormatProperties(engine->physical, format, &properties);
        if (format == VK_FORMAT_UNDEFINED ||
            !(properties.bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) ||
            attribute->offset > limits->maxVertexInputAttributeOffset) {
            return vgpu_vk_fail(engine, "a vertex element that %s has not", engine->properties.deviceName);
        }
        input->attributes[i] = (VkVertexInputAttributeDescription){attribute->location, attribute->binding,
                                                                   format, attribute->offset};
    }
    input->divisor = (VkPipelineVertexInputDivisorStateCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT,
        .vertexBindingDivisorCount = divisors,
        .pVertexBindingDivisors = input->divisors};
    input->info = (VkPipelineVertexInputStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .pNext = divisors ? &input->divisor : NULL,
        .vertexBindingDescriptionCount = key->binding_count,
        .pVertexBindingDescriptions = input->bindings,
        .vertexAttributeDescriptionCount = key->attribute_count,
        .pVertexAttributeDescriptions = input->attributes};
    return true;
}

static bool make_pipeline(struct vgpu_vk *engine, struct vgpu_vk_pipeline *pipeline)
{
    const struct vgpu_wire_pipeline *key = &pipeline->key;
    VkPipelineShaderStageCreateInfo stages[5];
    VkPipelineColorBlendAttachmentState blends[8];
    VkFormat formats[8];
    struct vertex_input input;
    uint32_t stage_count, colors = 0;

    if (!stages_of(engine, pipeline, stages, &stage_count) ||
        !vertex_input(engine, &pipeline->input, &input)) {
        return false;
    }
    for (uint32_t i = 0; i < 8; i++) {
        formats[i] = vgpu_vk_format(engine, pipeline->formats[i]);
        blend_attachment(key, pipeline->formats[i], i, &blends[i]);
        if (pipeline->formats[i]) {
            colors = i + 1;
        }
    }
    VkFormat depth = vgpu_vk_format(engine, pipeline->formats[8]);
    VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = colors,
        .pColorAttachmentFormats = formats,
        .depthAttachmentFormat = depth,
        .stencilAttachmentFormat =
            pipeline->formats[8] == AEROGPU_FORMAT_D24_UNORM_S8_UINT ? depth : VK_FORMAT_UNDEFINED,
    };
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = vk_topology(key->topology)};
    VkPipelineTessellationStateCreateInfo tessellation = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .patchControlPoints = key->topology >= AEROGPU_TOPOLOGY_PATCHLIST_1
                                  ? key->topology - AEROGPU_TOPOLOGY_PATCHLIST_1 + 1
                                  : 1};
    VkPipelineViewportStateCreateInfo viewport = {.sType =
                                                      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                  .viewportCount = 1,
                                                  .scissorCount = 1};
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .depthClampEnable = key->depth_clip_disable != 0,
        .polygonMode =
            key->wireframe && engine->features.fillModeNonSolid ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL,
        .lineWidth = 1,
    };
    VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineDepthStencilStateCreateInfo depth_stencil = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkPipelineColorBlendStateCreateInfo blend = {.sType =
                                                     VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = colors,
                                                 .pAttachments = blends};
    static const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT,
                                                    VK_DYNAMIC_STATE_SCISSOR,
                                                    VK_DYNAMIC_STATE_DEPTH_BIAS,
                                                    VK_DYNAMIC_STATE_BLEND_CONSTANTS,
                                                    VK_DYNAMIC_STATE_CULL_MODE,
                                                    VK_DYNAMIC_STATE_FRONT_FACE,
                                                    VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
                                                    VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
                                                    VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
                                                    VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
                                                    VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE};
    VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                .dynamicStateCount =
                                                    sizeof dynamic_states / sizeof *dynamic_states,
                                                .pDynamicStates = dynamic_states};
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &rendering,
        .stageCount = stage_count,
        .pStages = stages,
        .pVertexInputState = &input.info,
        .pInputAssemblyState = &assembly,
        .pTessellationState = key->shaders[VGPU_STAGE_HULL] ? &tessellation : NULL,
        .pViewportState = &viewport,
        .pRasterizationState = &raster,
        .pMultisampleState = &samples,
        .pDepthStencilState = &depth_stencil,
        .pColorBlendState = &blend,
        .pDynamicState = &dynamic,
        .layout = pipeline->layout,
    };
    return vgpu_vk_check(
        engine, vkCreateGraphicsPipelines(engine->device, engine->cache, 1, &info, NULL, &pipeline->pipeline),
        "making a pipeline");
}

const struct vgpu_vk_pipeline *vgpu_vk_find_pipeline(struct vgpu_vk *engine)
{
    uint32_t formats[9];
    const struct vgpu_wire_pipeline *key = &engine->state.pipeline;

    target_formats(&engine->state, formats);
    const struct vgpu_wire_input *input = &engine->state.input;
    uint32_t hash =
        hash_words(hash_words(engine->state.input_hash, key, sizeof *key), formats, sizeof formats);
    struct vgpu_vk_pipeline **bucket = &engine->pipelines[hash % BUCKETS];
    for (struct vgpu_vk_pipeline *pipeline = *bucket; pipeline != NULL; pipeline = pipeline->next) {
        if (pipeline->hash == hash && memcmp(&pipeline->key, key, sizeof *key) == 0 &&
            memcmp(&pipeline->input, input, sizeof *input) == 0 &&
            memcmp(pipeline->formats, formats, sizeof formats) == 0) {
            /* A pipeline that could not be created stays in the cache as failed. */
            return pipeline->pipeline != NULL
                       ? pipeline
                       : (vgpu_vk_fail(engine, "the same pipeline failed before"), NULL);
        }
    }
    struct vgpu_vk_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (pipeline == NULL) {
        vgpu_vk_fail(engine, "memory is exhausted");
        return NULL;
    }
    pipeline->hash = hash;
    pipeline->key = *key;
    pipeline->input = *input;
    memcpy(pipeline->formats, formats, sizeof formats);
    pipeline->next = *bucket;
    *bucket = pipeline;
    engine->pipeline_count++;
    return make_pipeline(engine, pipeline) ? pipeline : NULL;
}

static bool pipeline_uses(const struct vgpu_vk_pipeline *pipeline, uint32_t shader)
{
    bool found = shader == 0;

    for (uint32_t i = 0; i < 5; i++) {
        found |= pipeline->key.shaders[i] == shader;
    }
    return found;
}

void vgpu_vk_pipelines_free(struct vgpu_vk *engine, uint32_t shader)
{
    for (uint32_t i = 0; i < BUCKETS; i++) {
        for (struct vgpu_vk_pipeline **link = &engine->pipelines[i]; *link != NULL;) {
            struct vgpu_vk_pipeline *pipeline = *link;

            if (!pipeline_uses(pipeline, shader)) {
                link = &pipeline->next;
                continue;
            }
            *link = pipeline->next;
            vkDestroyPipeline(engine->device, pipeline->pipeline, NULL);
            vkDestroyPipelineLayout(engine->device, pipeline->layout, NULL);
            free(pipeline);
            engine->pipeline_count--;
        }
    }
}
