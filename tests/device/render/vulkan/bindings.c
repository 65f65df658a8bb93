/* bindings.c: descriptor sets of a batch. */

#include "tests/device/render/vulkan/bindings.h"
#include "tests/device/engine/state.h"
#include "tests/device/render/vulkan/fail.h"
#include "tests/device/render/vulkan/formats.h"
#include "tests/device/render/vulkan/resources.h"
#include "tests/device/render/vulkan/shaders.h"
#include "tests/device/render/vulkan/views.h"

enum { SETS_PER_POOL = 512 };

/* Returns the next pool of the batch, created when missing. */
static VkDescriptorPool next_pool(struct vgpu_vk *engine)
{
    static const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SETS_PER_POOL * 4},
        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, SETS_PER_POOL * 4},
        {VK_DESCRIPTOR_TYPE_SAMPLER, SETS_PER_POOL * 4},
        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, SETS_PER_POOL * 2},
        {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, SETS_PER_POOL * 2},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, SETS_PER_POOL},
    };
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = SETS_PER_POOL,
                                       .poolSizeCount = sizeof sizes / sizeof *sizes,
                                       .pPoolSizes = sizes};

    if (engine->pool_used < engine->pool_count) {
        return engine->pools[engine->pool_used++];
    }
    if (engine->pool_count == sizeof engine->pools / sizeof *engine->pools) {
        vgpu_vk_fail(engine, "more than %u sets of bindings in one batch",
                     engine->pool_count * SETS_PER_POOL);
        return VK_NULL_HANDLE;
    }
    VkDescriptorPool *pool = &engine->pools[engine->pool_count];
    if (!vgpu_vk_check(engine, vkCreateDescriptorPool(engine->device, &info, NULL, pool),
                       "making a descriptor pool")) {
        return VK_NULL_HANDLE;
    }
    engine->pool_used = ++engine->pool_count;
    return *pool;
}

static VkDescriptorSet alloc_set(struct vgpu_vk *engine, VkDescriptorSetLayout layout)
{
    VkDescriptorSet set = VK_NULL_HANDLE;

    for (uint32_t attempt = 0; attempt < 2; attempt++) {
        VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = attempt == 0 && engine->pool_used
                                                                  ? engine->pools[engine->pool_used - 1]
                                                                  : next_pool(engine),
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &layout};

        if (info.descriptorPool == NULL) {
            return VK_NULL_HANDLE;
        }
        if (vkAllocateDescriptorSets(engine->device, &info, &set) == VK_SUCCESS) {
            return set;
        }
    }
    vgpu_vk_fail(engine, "no room for a shader's bindings");
    return VK_NULL_HANDLE;
}

/* Constants that are not bound are a null descriptor, which reads 0. */
static VkDescriptorBufferInfo describe_constants(const struct vgpu_vk *engine,
                                                 const union vgpu_wire_binding *bound)
{
    uint32_t size = bound->constants.size, most = engine->properties.limits.maxUniformBufferRange;

    if (!size || bound->constants.data % VGPU_WIRE_DATA_ALIGN != 0 ||
        bound->constants.data >= VGPU_WIRE_SHARED_BYTES ||
        size > VGPU_WIRE_SHARED_BYTES - bound->constants.data) {
        return (VkDescriptorBufferInfo){.range = VK_WHOLE_SIZE};
    }
    return (VkDescriptorBufferInfo){engine->shared_buffer, bound->constants.data, size < most ? size : most};
}

/* Returns a view of a texture for a shader that declares this dimension; VK_NULL_HANDLE, which reads 0, when
 * they do not match. */
static VkImageView describe_sampled(struct vgpu_vk *engine, const struct vgpu_dxbc_binding *declared,
                                    const union vgpu_wire_binding *bound)
{
    enum { TEXTURE_2D = 3, TEXTURE_CUBE = 6, TEXTURE_2D_ARRAY = 8, TEXTURE_CUBE_ARRAY = 10 };
    struct vgpu_vk_resource *resource = vgpu_vk_find_resource(engine, bound->texture.texture);
    uint16_t mips[2] = {bound->texture.base_mip, bound->texture.mips};
    uint16_t layers[2] = {bound->texture.base_layer, bound->texture.layers};
    VkImageViewType type;
    if (resource == NULL || resource->image == NULL || declared->data != VGPU_DXBC_FLOAT) {
        return VK_NULL_HANDLE;
    }
    bool cube = resource->width == resource->height && resource->array_layers >= 6 && layers[1] >= 6;
    switch (declared->dimension) {
    case TEXTURE_2D:
        type = VK_IMAGE_VIEW_TYPE_2D;
        layers[1] = 1;
        break;
    case TEXTURE_2D_ARRAY:
        type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
        break;
    case TEXTURE_CUBE:
        type = VK_IMAGE_VIEW_TYPE_CUBE;
        layers[1] = 6;
        break;
    case TEXTURE_CUBE_ARRAY:
        type = VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
        layers[1] = (uint16_t)(layers[1] / 6 * 6);
        cube = cube && engine->features.imageCubeArray;
        break;
    default:
        return VK_NULL_HANDLE;
    }
    if ((type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY) && !cube) {
        return VK_NULL_HANDLE;
    }
    return vgpu_vk_image_view(engine, resource, bound->texture.format, type,
                              resource->aspects & (VK_IMAGE_ASPECT_COLOR_BIT | VK_IMAGE_ASPECT_DEPTH_BIT),
                              vgpu_vk_format_x8(bound->texture.format), mips, layers);
}

static VkBufferView texel_view(struct vgpu_vk *engine, const struct vgpu_dxbc_binding *declared,
                               const union vgpu_wire_binding *bound)
{
    struct vgpu_vk_resource *resource = vgpu_vk_find_resource(engine, bound->buffer.buffer);
    VkFormat format = declared->data == VGPU_DXBC_UINT  ? VK_FORMAT_R32_UINT
                      : declared->data == VGPU_DXBC_INT ? VK_FORMAT_R32_SINT
                                                        : VK_FORMAT_R32_SFLOAT;

    if (resource == NULL || resource->buffer == NULL || bound->buffer.size == 0 ||
        bound->buffer.offset > resource->size || bound->buffer.size > resource->size - bound->buffer.offset) {
        return VK_NULL_HANDLE;
    }
    return vgpu_vk_buffer_view(engine, resource, format, bound->buffer.offset, bound->buffer.size);
}

bool vgpu_vk_bindings(struct vgpu_vk *engine, const struct vgpu_wire_bindings *message)
{
    struct vgpu_vk_shader *shader = vgpu_vk_find_shader(engine, message->shader);

    if (message->stage >= VGPU_WIRE_STAGES || shader == NULL || shader->stage != message->stage ||
        message->count != shader->binding_count ||
        sizeof *message + message->count * sizeof *message->bindings > message->header.size) {
        return vgpu_vk_fail(engine, "bindings of a shader that could not be loaded");
    }
    VkDescriptorSet set = alloc_set(engine, shader->set_layout);
    if (set == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < message->count; i++) {
        const struct vgpu_dxbc_binding *declared = &shader->bindings[i];
        const union vgpu_wire_binding *bound = &message->bindings[i];
        VkDescriptorBufferInfo buffer;
        VkDescriptorImageInfo image;
        VkBufferView texel;
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .pBufferInfo = &buffer,
                                      .pImageInfo = &image,
                                      .pTexelBufferView = &texel};

        switch (declared->kind) {
        case VGPU_DXBC_CONSTANT_BUFFER:
            write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
            buffer = describe_constants(engine, bound);
            break;
        case VGPU_DXBC_TEXTURE:
            write.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
            image = (VkDescriptorImageInfo){.imageView = describe_sampled(engine, declared, bound),
                                            .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
            break;
        case VGPU_DXBC_UAV_TEXTURE: /* the protocol binds buffers only */
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
            image = (VkDescriptorImageInfo){.imageLayout = VK_IMAGE_LAYOUT_GENERAL};
            break;
        case VGPU_DXBC_BUFFER:
            write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
            texel = texel_view(engine, declared, bound);
            break;
        case VGPU_DXBC_UAV_BUFFER:
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
            texel = texel_view(engine, declared, bound);
            break;
        default:
            write.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER;
            image = (VkDescriptorImageInfo){
                .sampler = vgpu_vk_sampler(engine, bound->sampler.filter, bound->sampler.address)};
            if (image.sampler == NULL) {
                return false;
            }
            break;
        }
        vkUpdateDescriptorSets(engine->device, 1, &write, 0, NULL);
    }
    engine->state.sets[message->stage] = set;
    engine->state.set_shader[message->stage] = message->shader;
    engine->state.set_writes[message->stage] = message->writes != 0;
    engine->state.set_dirty |= 1u << message->stage;
    return true;
}
