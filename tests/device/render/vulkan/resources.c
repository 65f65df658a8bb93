/* resources.c: buffers and textures by number. */

#include "tests/device/render/vulkan/resources.h"

#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/render/vulkan/fail.h"
#include "tests/device/render/vulkan/formats.h"
#include "tests/device/render/vulkan/memory.h"
#include "tests/device/render/vulkan/sane.h"
#include "tests/device/render/vulkan/views.h"

struct vgpu_vk_resource *vgpu_vk_find_resource(struct vgpu_vk *engine, uint32_t number)
{
    return number && number < engine->resource_slots ? engine->resources[number] : NULL;
}

/* Returns a new resource with this number, which must be free. */
static struct vgpu_vk_resource *resource_slot(struct vgpu_vk *engine, uint32_t number)
{
    if (number == 0 || number >= VGPU_WIRE_MAX_RESOURCES || vgpu_vk_find_resource(engine, number) != NULL) {
        vgpu_vk_fail(engine, "resource number %u is not free", number);
        return NULL;
    }
    if (number >= engine->resource_slots) {
        uint32_t slots = engine->resource_slots ? engine->resource_slots : 256;

        while (slots <= number) {
            slots *= 2;
        }
        struct vgpu_vk_resource **grown = realloc(engine->resources, slots * sizeof *grown);
        if (grown == NULL) {
            vgpu_vk_fail(engine, "memory is exhausted");
            return NULL;
        }
        memset(grown + engine->resource_slots, 0, (slots - engine->resource_slots) * sizeof *grown);
        engine->resources = grown;
        engine->resource_slots = slots;
    }
    engine->resources[number] = calloc(1, sizeof **engine->resources);
    if (engine->resources[number] == NULL) {
        vgpu_vk_fail(engine, "memory is exhausted");
    }
    return engine->resources[number];
}

/* Frees a resource that was created only in part. */
static bool keep_resource(struct vgpu_vk *engine, uint32_t number, bool good)
{
    if (!good) {
        vgpu_vk_resource_free(engine, engine->resources[number]);
        engine->resources[number] = NULL;
    } else {
        engine->live_bytes += engine->resources[number]->guest_bytes;
    }
    return good;
}

bool vgpu_vk_buffer_create(struct vgpu_vk *engine, const struct vgpu_wire_buffer_create *message)
{
    struct vgpu_vk_resource *resource =
        vgpu_vk_sane_buffer(engine, message) ? resource_slot(engine, message->buffer) : NULL;

    if (resource == NULL) {
        return false;
    }
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = message->size,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
    };
    resource->size = resource->guest_bytes = message->size;
    return keep_resource(engine, message->buffer,
                         vgpu_vk_check(engine, vkCreateBuffer(engine->device, &info, NULL, &resource->buffer),
                                       "making a buffer") &&
                             vgpu_vk_memory_for(engine, resource->buffer, VK_NULL_HANDLE, &resource->memory));
}

bool vgpu_vk_texture_create(struct vgpu_vk *engine, const struct vgpu_wire_texture_create *message)
{
    VkFormat formats[2] = {vgpu_vk_format(engine, message->format)};
    VkFormatProperties properties;
    struct vgpu_vk_resource *resource =
        vgpu_vk_sane_texture(engine, message) ? resource_slot(engine, message->texture) : NULL;

    if (resource == NULL) {
        return false;
    }
    formats[1] = vgpu_vk_sibling_format(formats[0]);
    vkGetPhysicalDeviceFormatProperties(engine->physical, formats[0], &properties);
    VkFormatFeatureFlags can = properties.optimalTilingFeatures;
    if (formats[0] == VK_FORMAT_UNDEFINED || !(can & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)) {
        return keep_resource(
            engine, message->texture,
            vgpu_vk_fail(engine, "%s has no format %u", engine->properties.deviceName, message->format));
    }
    bool depth = can & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
    VkImageFormatListCreateInfo list = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                        .viewFormatCount = 2,
                                        .pViewFormats = formats};
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .pNext = formats[1] != formats[0] ? &list : NULL,
        .flags = (formats[1] != formats[0] ? VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT : 0u) |
                 (message->array_layers >= 6 && message->width == message->height
                      ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT
                      : 0u),
        .imageType = VK_IMAGE_TYPE_2D,
        .format = formats[0],
        .extent = {message->width, message->height, 1},
        .mipLevels = message->mip_levels,
        .arrayLayers = message->array_layers,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage =
            VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    if (can & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) {
        info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    }
    if (depth) {
        info.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    }
    VkImageFormatProperties limits;
    if (vkGetPhysicalDeviceImageFormatProperties(engine->physical, info.format, info.imageType, info.tiling,
                                                 info.usage, info.flags, &limits) != VK_SUCCESS ||
        info.extent.width > limits.maxExtent.width || info.extent.height > limits.maxExtent.height ||
        info.mipLevels > limits.maxMipLevels || info.arrayLayers > limits.maxArrayLayers) {
        return keep_resource(
            engine, message->texture,
            vgpu_vk_fail(engine, "%s has no texture of %ux%u with %u mips and %u layers in format %u",
                         engine->properties.deviceName, message->width, message->height, message->mip_levels,
                         message->array_layers, message->format));
    }
    resource->guest_bytes = vgpu_vk_texture_bytes(message);
    resource->format = message->format;
    resource->width = message->width;
    resource->height = message->height;
    resource->mip_levels = message->mip_levels;
    resource->array_layers = message->array_layers;
    resource->aspects = !depth ? VK_IMAGE_ASPECT_COLOR_BIT
                        : message->format == AEROGPU_FORMAT_D24_UNORM_S8_UINT
                            ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT
                            : VK_IMAGE_ASPECT_DEPTH_BIT;
    return keep_resource(engine, message->texture,
                         vgpu_vk_check(engine, vkCreateImage(engine->device, &info, NULL, &resource->image),
                                       "making a texture") &&
                             vgpu_vk_memory_for(engine, VK_NULL_HANDLE, resource->image, &resource->memory));
}

void vgpu_vk_resource_free(struct vgpu_vk *engine, struct vgpu_vk_resource *resource)
{
    if (resource != NULL) {
        vgpu_vk_views_free(engine, resource);
        vkDestroyBuffer(engine->device, resource->buffer, NULL);
        vkDestroyImage(engine->device, resource->image, NULL);
        vkFreeMemory(engine->device, resource->memory, NULL);
        free(resource);
    }
}

/* Commands of this batch may still use the resource, so it is freed at the end of the batch. */
bool vgpu_vk_resource_destroy(struct vgpu_vk *engine, uint32_t number)
{
    struct vgpu_vk_resource *resource = vgpu_vk_find_resource(engine, number);

    if (resource == NULL) {
        return true; /* its creation had failed */
    }
    if (engine->destroyed_count == engine->destroyed_slots) {
        uint32_t slots = engine->destroyed_slots ? 2 * engine->destroyed_slots : 64;
        struct vgpu_vk_resource **grown = realloc(engine->destroyed, slots * sizeof *grown);

        if (grown == NULL) {
            return vgpu_vk_fail(engine, "memory is exhausted");
        }
        engine->destroyed = grown;
        engine->destroyed_slots = slots;
    }
    engine->destroyed[engine->destroyed_count++] = resource;
    engine->live_bytes -= resource->guest_bytes;
    engine->doomed_bytes += resource->guest_bytes;
    engine->resources[number] = NULL;
    return true;
}
