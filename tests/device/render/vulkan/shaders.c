/* shaders.c: shader modules with the layout of their descriptor set. */

#include "tests/device/render/vulkan/shaders.h"

#include <stdlib.h>
#include <string.h>

#include "tests/device/engine/state.h"
#include "tests/device/render/vulkan/fail.h"
#include "tests/device/render/vulkan/sane.h"

struct vgpu_vk_shader *vgpu_vk_find_shader(struct vgpu_vk *engine, uint32_t number)
{
    return number && number < engine->shader_slots ? engine->shaders[number] : NULL;
}

static struct vgpu_vk_shader *shader_slot(struct vgpu_vk *engine, uint32_t number)
{
    if (number == 0 || number >= VGPU_WIRE_MAX_SHADERS || vgpu_vk_find_shader(engine, number) != NULL) {
        vgpu_vk_fail(engine, "shader number %u is not free", number);
        return NULL;
    }
    if (number >= engine->shader_slots) {
        uint32_t slots = engine->shader_slots ? engine->shader_slots : 64;

        while (slots <= number) {
            slots *= 2;
        }
        struct vgpu_vk_shader **grown = realloc(engine->shaders, slots * sizeof *grown);
        if (grown == NULL) {
            vgpu_vk_fail(engine, "memory is exhausted");
            return NULL;
        }
        memset(grown + engine->shader_slots, 0, (slots - engine->shader_slots) * sizeof *grown);
        engine->shaders = grown;
        engine->shader_slots = slots;
    }
    engine->shaders[number] = calloc(1, sizeof **engine->shaders);
    if (engine->shaders[number] == NULL) {
        vgpu_vk_fail(engine, "memory is exhausted");
    }
    return engine->shaders[number];
}

static VkDescriptorType descriptor_type(uint8_t kind)
{
    switch (kind) {
    case VGPU_DXBC_CONSTANT_BUFFER:
        return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case VGPU_DXBC_TEXTURE:
        return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case VGPU_DXBC_BUFFER:
        return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    case VGPU_DXBC_UAV_TEXTURE:
        return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case VGPU_DXBC_UAV_BUFFER:
        return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    default:
        return VK_DESCRIPTOR_TYPE_SAMPLER;
    }
}

static bool make_layout(struct vgpu_vk *engine, struct vgpu_vk_shader *shader)
{
    static const VkShaderStageFlags stages[VGPU_STAGE_COUNT] = {
        [VGPU_STAGE_VERTEX] = VK_SHADER_STAGE_VERTEX_BIT,
        [VGPU_STAGE_PIXEL] = VK_SHADER_STAGE_FRAGMENT_BIT,
        [VGPU_STAGE_GEOMETRY] = VK_SHADER_STAGE_GEOMETRY_BIT,
        [VGPU_STAGE_HULL] = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
        [VGPU_STAGE_DOMAIN] = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
        [VGPU_STAGE_COMPUTE] = VK_SHADER_STAGE_COMPUTE_BIT,
    };
    VkDescriptorSetLayoutBinding bindings[VGPU_DXBC_BINDINGS];

    for (uint32_t i = 0; i < shader->binding_count; i++) {
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = descriptor_type(shader->bindings[i].kind),
                                           .descriptorCount = 1,
                                           .stageFlags = stages[shader->stage]};
    }
    VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = shader->binding_count,
                                            .pBindings = bindings};
    return vgpu_vk_check(engine,
                         vkCreateDescriptorSetLayout(engine->device, &info, NULL, &shader->set_layout),
                         "making a descriptor set layout");
}

/* Checks that the device supports the stage. */
static bool stage_exists(struct vgpu_vk *engine, uint32_t stage)
{
    if (stage == VGPU_STAGE_GEOMETRY && !engine->features.geometryShader) {
        return vgpu_vk_fail(engine, "%s has no geometryShader", engine->properties.deviceName);
    }
    if ((stage == VGPU_STAGE_HULL || stage == VGPU_STAGE_DOMAIN) && !engine->features.tessellationShader) {
        return vgpu_vk_fail(engine, "%s has no tessellationShader", engine->properties.deviceName);
    }
    return stage < VGPU_STAGE_COUNT || vgpu_vk_fail(engine, "an unknown stage");
}

bool vgpu_vk_shader_create(struct vgpu_vk *engine, const struct vgpu_wire_shader_create *message)
{
    if (message->binding_count > VGPU_DXBC_BINDINGS || message->data > VGPU_WIRE_SHARED_BYTES ||
        message->bytes > VGPU_WIRE_SHARED_BYTES - message->data ||
        sizeof *message + message->binding_count * sizeof *message->bindings > message->header.size) {
        return vgpu_vk_fail(engine, "a shader outside the shared memory");
    }
    if (!stage_exists(engine, message->stage) || !vgpu_vk_sane_shader(engine, message)) {
        return false;
    }
    struct vgpu_vk_shader *shader = shader_slot(engine, message->shader);
    if (shader == NULL) {
        return false;
    }
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = message->bytes,
        .pCode = (const uint32_t *)(const void *)(engine->shared + message->data),
    };
    size_t size = message->binding_count * sizeof *message->bindings;
    shader->stage = message->stage;
    shader->binding_count = message->binding_count;
    shader->bindings = malloc(size ? size : 1);
    if (shader->bindings == NULL) {
        vgpu_vk_shader_destroy(engine, message->shader);
        return vgpu_vk_fail(engine, "memory is exhausted");
    }
    memcpy(shader->bindings, message->bindings, size);
    if (!vgpu_vk_check(engine, vkCreateShaderModule(engine->device, &info, NULL, &shader->module),
                       "loading a shader") ||
        !make_layout(engine, shader)) {
        vgpu_vk_shader_destroy(engine, message->shader);
        return false;
    }
    return true;
}

VkPipeline vgpu_vk_compute_pipeline(struct vgpu_vk *engine, struct vgpu_vk_shader *shader)
{
    if (shader->compute != NULL) {
        return shader->compute;
    }
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &shader->set_layout};
    if (shader->compute_layout == NULL &&
        !vgpu_vk_check(engine, vkCreatePipelineLayout(engine->device, &layout, NULL, &shader->compute_layout),
                       "making a pipeline layout")) {
        return VK_NULL_HANDLE;
    }
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = shader->module,
                  .pName = "main"},
        .layout = shader->compute_layout,
    };
    vgpu_vk_check(engine,
                  vkCreateComputePipelines(engine->device, engine->cache, 1, &info, NULL, &shader->compute),
                  "making a compute pipeline");
    return shader->compute;
}

void vgpu_vk_shader_destroy(struct vgpu_vk *engine, uint32_t number)
{
    struct vgpu_vk_shader *shader = vgpu_vk_find_shader(engine, number);

    if (shader != NULL) {
        vkDestroyPipeline(engine->device, shader->compute, NULL);
        vkDestroyPipelineLayout(engine->device, shader->compute_layout, NULL);
        vkDestroyDescriptorSetLayout(engine->device, shader->set_layout, NULL);
        vkDestroyShaderModule(engine->device, shader->module, NULL);
        free(shader->bindings);
        free(shader);
        engine->shaders[number] = NULL;
    }
}
