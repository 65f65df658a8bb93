/* transfer.c: copies bytes between the shared memory and resources. */

#include "tests/device/render/vulkan/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/render/vulkan/draw.h"
#include "tests/device/render/vulkan/fail.h"
#include "tests/device/render/vulkan/formats.h"
#include "tests/device/render/vulkan/resources.h"

static bool data_fits(struct vgpu_vk *engine, uint32_t data, uint64_t size)
{
    if (data > VGPU_WIRE_SHARED_BYTES || size > VGPU_WIRE_SHARED_BYTES - data) {
        return vgpu_vk_fail(engine, "data of %llu bytes at %u is outside the shared memory",
                            (unsigned long long)size, data);
    }
    return true;
}

bool vgpu_vk_buffer_transfer(struct vgpu_vk *engine, const struct vgpu_wire_buffer_transfer *message,
                             bool write)
{
    struct vgpu_vk_resource *resource = vgpu_vk_find_resource(engine, message->buffer);

    if (resource == NULL || resource->buffer == NULL || message->offset > resource->size ||
        message->size > resource->size - message->offset || message->size == 0) {
        return vgpu_vk_fail(engine, "a transfer outside buffer %u", message->buffer);
    }
    if (!data_fits(engine, message->data, message->size)) {
        return false;
    }
    VkBufferCopy copy = {.srcOffset = write ? message->data : message->offset,
                         .dstOffset = write ? message->offset : message->data,
                         .size = message->size};
    vgpu_vk_end_rendering(engine);
    vgpu_vk_barrier(engine);
    vkCmdCopyBuffer(engine->commands, write ? engine->shared_buffer : resource->buffer,
                    write ? resource->buffer : engine->shared_buffer, 1, &copy);
    engine->state.pending_write = true;
    return true;
}

/* Records that depth data, read as float, must be converted to 24 bits. */
static bool fixup_texels(struct vgpu_vk *engine, uint32_t data, uint32_t texels)
{
    if (engine->fixup_count == engine->fixup_slots) {
        uint32_t slots = engine->fixup_slots ? 2 * engine->fixup_slots : 16;
        struct vgpu_vk_fixup *grown = realloc(engine->fixups, slots * sizeof *grown);

        if (grown == NULL) {
            return vgpu_vk_fail(engine, "memory is exhausted");
        }
        engine->fixups = grown;
        engine->fixup_slots = slots;
    }
    engine->fixups[engine->fixup_count++] = (struct vgpu_vk_fixup){data, texels};
    return true;
}

void vgpu_vk_transfer_fixups(struct vgpu_vk *engine)
{
    for (uint32_t i = 0; i < engine->fixup_count; i++) {
        uint8_t *words = engine->shared + engine->fixups[i].data;

        for (uint32_t t = 0; t < engine->fixups[i].texels; t++, words += 4) {
            float depth;

            memcpy(&depth, words, 4);
            depth = depth > 0 ? depth < 1 ? depth : 1 : 0;
            uint32_t word = (uint32_t)((double)depth * 0xffffff + 0.5);
            memcpy(words, &word, 4);
        }
    }
    engine->fixup_count = 0;
}

/* Returns, of all depths that convert to these 24 bits, the shortest binary fraction. A target cleared to one
 * half then equals a draw at one half, as on a device with 24-bit depth. */
static float shortest_row(uint32_t depth)
{
    const double least = (depth - 0.5) / 0xffffff, most = (depth + 0.5) / 0xffffff;
    double unit = 1;

    for (;; unit /= 2) {
        double steps = least > 0 ? (double)(uint64_t)(least / unit) : 0;

        steps += steps * unit < least;
        if (steps * unit <= most) {
            return (float)(steps * unit);
        }
    }
}

static void to_float(uint8_t *words, uint32_t texels)
{
    uint32_t last = 0;
    float depth = 0; /* of last */

    for (uint32_t t = 0; t < texels; t++, words += 4) {
        uint32_t word;

        memcpy(&word, words, 4);
        word &= 0xffffff;
        if (word != last) {
            last = word;
            depth = shortest_row(word);
        }
        memcpy(words, &depth, 4);
    }
}

static void copy_aspect(struct vgpu_vk *engine, const struct vgpu_vk_resource *resource,
                        const struct vgpu_wire_texture_transfer *message, uint32_t data,
                        VkImageAspectFlags aspect, bool write)
{
    uint32_t edge = vgpu_vk_block_edge(resource->format);
    uint32_t width = resource->width >> message->mip, height = resource->height >> message->mip;

    width = width ? width : 1;
    height = height ? height : 1;
    uint32_t y = message->row * edge, rows = message->rows * edge;
    VkBufferImageCopy copy = {
        .bufferOffset = data,
        .imageSubresource = {aspect, message->mip, message->layer, 1},
        .imageOffset = {0, (int32_t)y, 0},
        .imageExtent = {width, rows < height - y ? rows : height - y, 1},
    };
    if (write) {
        vkCmdCopyBufferToImage(engine->commands, engine->shared_buffer, resource->image,
                               VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    } else {
        vkCmdCopyImageToBuffer(engine->commands, resource->image, VK_IMAGE_LAYOUT_GENERAL,
                               engine->shared_buffer, 1, &copy);
    }
}

bool vgpu_vk_texture_transfer(struct vgpu_vk *engine, const struct vgpu_wire_texture_transfer *message,
                              bool write)
{
    struct vgpu_vk_resource *resource = vgpu_vk_find_resource(engine, message->texture);

    if (resource == NULL || resource->image == NULL || message->mip >= resource->mip_levels ||
        message->layer >= resource->array_layers) {
        return vgpu_vk_fail(engine, "a transfer outside texture %u", message->texture);
    }
    uint32_t edge = vgpu_vk_block_edge(resource->format);
    uint32_t width = resource->width >> message->mip, height = resource->height >> message->mip;
    uint32_t columns = ((width ? width : 1) + edge - 1) / edge,
             all = ((height ? height : 1) + edge - 1) / edge;
    if (message->rows == 0 || message->row >= all || message->rows > all - message->row) {
        return vgpu_vk_fail(engine, "a transfer outside texture %u", message->texture);
    }
    uint32_t texels = columns * message->rows;
    bool split = resource->aspects & VK_IMAGE_ASPECT_STENCIL_BIT;
    if (!data_fits(engine, message->data, (uint64_t)texels * vgpu_vk_block_bytes(resource->format)) ||
        (split && !data_fits(engine, message->stencil_data, texels))) {
        return false;
    }
    vgpu_vk_end_rendering(engine);
    vgpu_vk_barrier(engine);
    if (!split) {
        copy_aspect(engine, resource, message, message->data, resource->aspects, write);
    } else {
        if (!engine->d24 && write) {
            to_float((engine->shared_copy != NULL ? engine->shared_copy : engine->shared) + message->data,
                     texels);
        } else if (!engine->d24 && !fixup_texels(engine, message->data, texels)) {
            return false;
        }
        copy_aspect(engine, resource, message, message->data, VK_IMAGE_ASPECT_DEPTH_BIT, write);
        copy_aspect(engine, resource, message, message->stencil_data, VK_IMAGE_ASPECT_STENCIL_BIT, write);
    }
    engine->state.pending_write = true;
    return true;
}
