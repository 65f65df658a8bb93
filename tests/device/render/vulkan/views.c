/* views.c: views of images and buffers, and samplers: created when first needed, freed with their resource. */

#include "tests/device/render/vulkan/views.h"

#include <stdlib.h>
#include <string.h>

#include "tests/device/render/vulkan/fail.h"
#include "tests/device/render/vulkan/formats.h"
#include "tests/device/render/vulkan/sane.h"

static struct vgpu_vk_view *find_view(const struct vgpu_vk_resource *resource, const uint32_t key[6])
{
    for (struct vgpu_vk_view *view = resource->views; view != NULL; view = view->next) {
        if (memcmp(view->key, key, sizeof view->key) == 0) {
            return view;
        }
    }
    return NULL;
}

static struct vgpu_vk_view *add_view(struct vgpu_vk *engine, struct vgpu_vk_resource *resource,
                                     const uint32_t key[6])
{
    struct vgpu_vk_view *view = calloc(1, sizeof *view);

    if (view == NULL) {
        vgpu_vk_fail(engine, "memory is exhausted");
        return NULL;
    }
    memcpy(view->key, key, sizeof view->key);
    view->next = resource->views;
    resource->views = view;
    return view;
}

VkImageView vgpu_vk_image_view(struct vgpu_vk *engine, struct vgpu_vk_resource *resource, uint32_t format,
                               VkImageViewType type, VkImageAspectFlags aspects, bool opaque,
                               const uint16_t mips[2], const uint16_t layers[2])
{
    uint32_t key[6] = {format,
                       (uint32_t)type,
                       aspects,
                       opaque,
                       mips[0] | (uint32_t)mips[1] << 16,
                       layers[0] | (uint32_t)layers[1] << 16};
    struct vgpu_vk_view *view = find_view(resource, key);

    if (view != NULL) {
        return view->image;
    }
    if (!vgpu_vk_sane_view(engine, resource, format, mips, layers)) {
        return VK_NULL_HANDLE;
    }
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = resource->image,
        .viewType = type,
        .format = vgpu_vk_format(engine, format),
        .components.a = opaque ? VK_COMPONENT_SWIZZLE_ONE : VK_COMPONENT_SWIZZLE_IDENTITY,
        .subresourceRange = {aspects, mips[0], mips[1], layers[0], layers[1]},
    };
    view = add_view(engine, resource, key);
    if (view != NULL) {
        vgpu_vk_check(engine, vkCreateImageView(engine->device, &info, NULL, &view->image), "making a view");
    }
    return view != NULL ? view->image : VK_NULL_HANDLE;
}

VkBufferView vgpu_vk_buffer_view(struct vgpu_vk *engine, struct vgpu_vk_resource *resource, VkFormat format,
                                 uint32_t offset, uint32_t size)
{
    uint32_t key[6] = {(uint32_t)format, offset, size};
    struct vgpu_vk_view *view = find_view(resource, key);

    if (view != NULL) {
        return view->buffer;
    }
    /* The part beyond what one view can address reads 0, as after the end of the buffer. */
    uint64_t most = (uint64_t)engine->properties.limits.maxTexelBufferElements * 4;
    if (offset % engine->texel_alignment != 0) {
        vgpu_vk_fail(engine, "a buffer view at offset %u: %s wants multiples of %llu", offset,
                     engine->properties.deviceName, (unsigned long long)engine->texel_alignment);
        return VK_NULL_HANDLE;
    }
    VkBufferViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
        .buffer = resource->buffer,
        .format = format,
        .offset = offset,
        .range = size < most ? size : most,
    };
    view = add_view(engine, resource, key);
    if (view != NULL) {
        vgpu_vk_check(engine, vkCreateBufferView(engine->device, &info, NULL, &view->buffer),
                      "making a view");
    }
    return view != NULL ? view->buffer : VK_NULL_HANDLE;
}

void vgpu_vk_views_free(struct vgpu_vk *engine, struct vgpu_vk_resource *resource)
{
    for (struct vgpu_vk_view *view = resource->views, *next; view != NULL; view = next) {
        next = view->next;
        vkDestroyImageView(engine->device, view->image, NULL);
        vkDestroyBufferView(engine->device, view->buffer, NULL);
        free(view);
    }
    resource->views = NULL;
}

VkSampler vgpu_vk_sampler(struct vgpu_vk *engine, uint32_t filter, const uint32_t address[3])
{
    static const VkSamplerAddressMode modes[3] = {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                  VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                                  VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT};

    if (filter > 1 || address[0] > 2 || address[1] > 2 || address[2] > 2) {
        vgpu_vk_fail(engine, "an unknown sampler");
        return VK_NULL_HANDLE;
    }
    VkSampler *sampler = &engine->samplers[((filter * 3 + address[0]) * 3 + address[1]) * 3 + address[2]];
    VkFilter kind = filter ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = kind,
        .minFilter = kind,
        .mipmapMode = filter ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = modes[address[0]],
        .addressModeV = modes[address[1]],
        .addressModeW = modes[address[2]],
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    if (*sampler == NULL) {
        vgpu_vk_check(engine, vkCreateSampler(engine->device, &info, NULL, sampler), "making a sampler");
    }
    return *sampler;
}
