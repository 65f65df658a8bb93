/* clear_mirror.c: packed clear colours and their CPU copies (umd.md 11). */
#include "umd-port/draw/clear_mirror.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "umd-port/format/layout.h"
#include "umd-port/resource/memory.h"

/* Returns the channel value for max levels; NaN gives 0. */
static uint32_t quantise(float value, uint32_t max)
{
    if (!(value > 0)) {
        return 0;
    }
    return value >= 1 ? max : (uint32_t)(value * (float)max + 0.5f);
}

/* Packs the colour into a texel of the protocol format. Returns its size, 2 or 4 bytes; 0: not a colour format. */
static uint32_t pack_color(uint32_t protocol_format, const float *rgba, uint8_t out[4])
{
    uint8_t r = (uint8_t)quantise(rgba[0], 255), g = (uint8_t)quantise(rgba[1], 255);
    uint8_t b = (uint8_t)quantise(rgba[2], 255), a = (uint8_t)quantise(rgba[3], 255);
    uint16_t packed;

    switch (protocol_format) {
    case AEROGPU_FORMAT_B8G8R8A8_UNORM:
    case AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB:
        memcpy(out, (const uint8_t[4]){b, g, r, a}, 4);
        return 4;
    case AEROGPU_FORMAT_B8G8R8X8_UNORM:
    case AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB:
        memcpy(out, (const uint8_t[4]){b, g, r, 0xFF}, 4);
        return 4;
    case AEROGPU_FORMAT_R8G8B8A8_UNORM:
    case AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB:
        memcpy(out, (const uint8_t[4]){r, g, b, a}, 4);
        return 4;
    case AEROGPU_FORMAT_B5G6R5_UNORM:
        packed = (uint16_t)(quantise(rgba[0], 31) << 11 | quantise(rgba[1], 63) << 5 | quantise(rgba[2], 31));
        memcpy(out, &packed, 2);
        return 2;
    case AEROGPU_FORMAT_B5G5R5A1_UNORM:
        packed = (uint16_t)(quantise(rgba[3], 1) << 15 | quantise(rgba[0], 31) << 10 |
                            quantise(rgba[1], 31) << 5 | quantise(rgba[2], 31));
        memcpy(out, &packed, 2);
        return 2;
    default:
        return 0;
    }
}

/* Texels that are written one by one; the rest of the row is copied from them. */
#define SEED_BYTES 16u

/* Fills the first row by doubling its filled part, and copies it to the others. */
static void fill_subresource(uint8_t *memory, const struct agpu_subresource *sub, const uint8_t *texel,
                             uint32_t texel_bytes)
{
    uint8_t *first = memory + sub->offset;
    size_t row_bytes = (size_t)sub->width * texel_bytes;
    size_t done = row_bytes < SEED_BYTES ? row_bytes : SEED_BYTES;

    for (size_t at = 0; at < done; at++) {
        first[at] = texel[at % texel_bytes];
    }
    while (done < row_bytes) {
        size_t more = row_bytes - done < done ? row_bytes - done : done;

        memcpy(first + done, first, more);
        done += more;
    }
    for (uint32_t row = 1; row < sub->rows; row++) {
        memcpy(first + (size_t)row * sub->pitch, first, row_bytes);
    }
}

void agpu_mirror_clear(struct agpu_device *device, const struct agpu_view *view, const float *rgba)
{
    struct agpu_resource *resource = view->resource;
    struct agpu_cpu_view memory;
    uint8_t texel[4];
    uint32_t bytes = pack_color(resource->protocol_format, rgba, texel);

    if (!bytes || resource->kind != AGPU_KIND_TEXTURE2D ||
        (agpu_is_guest_backed(resource) && !device->env->options->mirror_guest_memory) ||
        FAILED(agpu_cpu_open(device, resource, D3D10_DDI_MAP_WRITE, &memory))) {
        return;
    }
    uint32_t first = view->handle ? view->first_layer : 0, layers = view->handle ? view->layers : 1;
    uint32_t mip = view->handle ? view->first_mip : 0;
    for (uint32_t layer = first; layer < first + layers; layer++) {
        struct agpu_subresource sub;

        if (agpu_layout_subresource(&resource->layout, mip + layer * resource->layout.mips, &sub)) {
            fill_subresource(memory.data, &sub, texel, bytes);
        }
    }
    agpu_cpu_close(device, resource, &memory);
}
