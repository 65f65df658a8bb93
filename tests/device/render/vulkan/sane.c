/* sane.c: see sane.h. */

#include "tests/device/render/vulkan/sane.h"

#include <math.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/state.h"
#include "tests/device/render/vulkan/fail.h"
#include "tests/device/render/vulkan/formats.h"

/* The model's limit for a guest, plus a little for sizes that are rounded up. */
#define MOST_BYTES (VGPU_EXEC_MEMORY_LIMIT + VGPU_EXEC_MEMORY_LIMIT / 8)

/* Larger than any device's largest texture. */
enum { MOST_EDGE = 1 << 16, MOST_LAYERS = 1 << 16, MOST_MIPS = 17 };

#define SPIRV_MAGIC 0x07230203u

static bool has_room(struct vgpu_vk *engine, uint64_t bytes)
{
    if (bytes > MOST_BYTES - engine->live_bytes ||
        bytes > 3 * MOST_BYTES - engine->live_bytes - engine->doomed_bytes) {
        return vgpu_vk_fail(engine, "%llu bytes more than the %llu of a guest",
                            (unsigned long long)(engine->live_bytes + bytes), (unsigned long long)MOST_BYTES);
    }
    return true;
}

bool vgpu_vk_sane_buffer(struct vgpu_vk *engine, const struct vgpu_wire_buffer_create *message)
{
    if (message->size == 0) {
        return vgpu_vk_fail(engine, "a buffer of 0 bytes");
    }
    return has_room(engine, message->size);
}

uint64_t vgpu_vk_texture_bytes(const struct vgpu_wire_texture_create *message)
{
    const uint32_t edge = vgpu_vk_block_edge(message->format);
    uint64_t bytes = 0;

    for (uint32_t mip = 0; mip < message->mip_levels; mip++) {
        const uint64_t width = message->width >> mip != 0 ? message->width >> mip : 1;
        const uint64_t height = message->height >> mip != 0 ? message->height >> mip : 1;

        bytes +=
            (width + edge - 1) / edge * ((height + edge - 1) / edge) * vgpu_vk_block_bytes(message->format);
    }
    return bytes * message->array_layers;
}

bool vgpu_vk_sane_texture(struct vgpu_vk *engine, const struct vgpu_wire_texture_create *message)
{
    const uint32_t longer = message->width > message->height ? message->width : message->height;

    if (message->width == 0 || message->height == 0 || message->mip_levels == 0 ||
        message->array_layers == 0 ||
        (message->mip_levels < 32 && longer >> (message->mip_levels - 1) == 0) ||
        (longer <= MOST_EDGE && message->mip_levels > MOST_MIPS) || message->array_layers > MOST_LAYERS) {
        return vgpu_vk_fail(engine, "a texture of %ux%u with %u mips and %u layers", message->width,
                            message->height, message->mip_levels, message->array_layers);
    }
    /* No device supports larger ones: resources.c reports that. */
    return longer > MOST_EDGE || has_room(engine, vgpu_vk_texture_bytes(message));
}

bool vgpu_vk_sane_shader(struct vgpu_vk *engine, const struct vgpu_wire_shader_create *message)
{
    const uint32_t *words = (const void *)(engine->shared + message->data);

    return (message->data % 4 == 0 && message->bytes % 4 == 0 && message->bytes >= 20 &&
            words[0] == SPIRV_MAGIC) ||
           vgpu_vk_fail(engine, "a shader that is not SPIR-V");
}

bool vgpu_vk_sane_targets(struct vgpu_vk *engine, const struct vgpu_wire_targets *message)
{
    const VkPhysicalDeviceLimits *limits = &engine->properties.limits;

    return (message->width <= limits->maxFramebufferWidth &&
            message->height <= limits->maxFramebufferHeight) ||
           vgpu_vk_fail(engine, "targets of %ux%u", message->width, message->height);
}

static bool topology_known(uint32_t topology, bool patches)
{
    if (patches) {
        return topology >= AEROGPU_TOPOLOGY_PATCHLIST_1 && topology <= AEROGPU_TOPOLOGY_PATCHLIST_32;
    }
    return (topology >= AEROGPU_TOPOLOGY_POINTLIST && topology <= AEROGPU_TOPOLOGY_TRIANGLEFAN) ||
           (topology >= AEROGPU_TOPOLOGY_LINELIST_ADJ && topology <= AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ);
}

bool vgpu_vk_sane_pipeline(struct vgpu_vk *engine, const struct vgpu_wire_pipeline *message)
{
    const bool hull = message->shaders[VGPU_STAGE_HULL] != 0;

    if (message->shaders[VGPU_STAGE_VERTEX] == 0 || hull != (message->shaders[VGPU_STAGE_DOMAIN] != 0)) {
        return vgpu_vk_fail(engine, "a pipeline without a stage that it needs");
    }
    return topology_known(message->topology, hull) ||
           vgpu_vk_fail(engine, "topology %u %s tessellation", message->topology, hull ? "with" : "without");
}

bool vgpu_vk_sane_input(struct vgpu_vk *engine, const struct vgpu_wire_input *message)
{
    uint32_t locations = 0;

    if (message->attribute_count > VGPU_DXBC_REGISTERS || message->binding_count > VGPU_DXBC_REGISTERS) {
        return vgpu_vk_fail(engine, "more vertex buffers or elements than there are");
    }
    for (uint32_t i = 0; i < message->attribute_count; i++) {
        const struct vgpu_wire_attribute *attribute = &message->attributes[i];

        if (attribute->location >= 32 || (locations >> attribute->location & 1) != 0 ||
            attribute->binding >= message->binding_count) {
            return vgpu_vk_fail(engine, "vertex element %u at location %u of buffer %u", i,
                                attribute->location, attribute->binding);
        }
        locations |= 1u << attribute->location;
    }
    return true;
}

bool vgpu_vk_sane_dynamic(struct vgpu_vk *engine, const struct vgpu_wire_dynamic *message)
{
    const VkPhysicalDeviceLimits *limits = &engine->properties.limits;
    const float *viewport = message->viewport;
    bool sane = true;

    for (uint32_t i = 0; i < 6; i++) {
        sane = sane && isfinite(viewport[i]);
    }
    for (uint32_t i = 0; i < 4; i++) {
        sane = sane && message->scissor[i] >= 0;
    }
    sane = sane && message->scissor[2] <= INT32_MAX - message->scissor[0] &&
           message->scissor[3] <= INT32_MAX - message->scissor[1];
    sane = sane && viewport[2] > 0 && viewport[2] <= (float)limits->maxViewportDimensions[0] &&
           viewport[3] >= 0 && viewport[3] <= (float)limits->maxViewportDimensions[1];
    for (uint32_t i = 0; i < 2 && sane; i++) {
        sane = viewport[i] >= limits->viewportBoundsRange[0] &&
               viewport[i] + viewport[i + 2] <= limits->viewportBoundsRange[1];
    }
    sane = sane && viewport[4] >= 0 && viewport[4] <= 1 && viewport[5] >= 0 && viewport[5] <= 1;
    return sane || vgpu_vk_fail(engine, "a viewport or scissor that no device has");
}

bool vgpu_vk_sane_draw(struct vgpu_vk *engine, const struct vgpu_wire_draw *message, uint64_t buffer_bytes)
{
    const uint32_t width = message->index_wide ? 4 : 2;
    const uint64_t end = message->index_offset + ((uint64_t)message->first + message->count) * width;

    if (message->indexed && (message->index_offset % width != 0 || end > buffer_bytes)) {
        return vgpu_vk_fail(engine, "indices up to byte %llu of %llu", (unsigned long long)end,
                            (unsigned long long)buffer_bytes);
    }
    return true;
}

bool vgpu_vk_sane_view(struct vgpu_vk *engine, const struct vgpu_vk_resource *resource, uint32_t format,
                       const uint16_t mips[2], const uint16_t layers[2])
{
    const VkFormat is = vgpu_vk_format(engine, resource->format), seen = vgpu_vk_format(engine, format);

    return (mips[1] != 0 && mips[0] < resource->mip_levels && mips[1] <= resource->mip_levels - mips[0] &&
            layers[1] != 0 && layers[0] < resource->array_layers &&
            layers[1] <= resource->array_layers - layers[0] &&
            (seen == is || seen == vgpu_vk_sibling_format(is))) ||
           vgpu_vk_fail(engine, "a view of mips %u+%u and layers %u+%u in format %u of a texture", mips[0],
                        mips[1], layers[0], layers[1], format);
}
