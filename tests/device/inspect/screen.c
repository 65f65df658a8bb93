/* screen.c: copies of stored pixels: textures, scanout 0, cursor (device.md 4.8, 4.9). */
#include "tests/device/inspect/screen.h"

#include <stdlib.h>
#include <string.h>

#include "tests/device/bus/dma.h"
#include "tests/device/bus/scanout.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/resource.h"

/* Allocates the rows of an image of this format and size. Returns NULL or an error text. */
static const char *begin_pixels(struct vgpu_pixels *out, uint32_t format, uint32_t width, uint32_t height)
{
    const struct vgpu_format *info = vgpu_format_find(format);

    *out = (struct vgpu_pixels){.format = format, .width = width, .height = height};
    if (width > VGPU_IMAGE_MAX_EDGE || height > VGPU_IMAGE_MAX_EDGE ||
        (uint64_t)width * height > VGPU_IMAGE_MAX_TEXELS) {
        return "the image is too large to be looked at";
    }
    out->row_bytes = (size_t)((width + info->block_edge - 1) / info->block_edge) * info->block_bytes;
    out->rows = (height + info->block_edge - 1) / info->block_edge;
    out->bytes = malloc(out->rows * out->row_bytes);
    return out->bytes != NULL ? NULL : "memory is exhausted";
}

void vgpu_pixels_free(struct vgpu_pixels *pixels)
{
    free(pixels->bytes);
    pixels->bytes = NULL;
}

const char *vgpu_device_read_texture(struct vgpu_device *device, uint32_t handle, uint32_t mip,
                                     uint32_t layer, struct vgpu_pixels *out)
{
    struct vgpu_resource *texture =
        device->engine != NULL ? vgpu_texture_find(&device->engine->exec, handle) : NULL;
    struct vgpu_subresource sub;
    const char *why;

    *out = (struct vgpu_pixels){0};
    if (texture == NULL) {
        return "no texture has this handle";
    }
    if (mip >= texture->layout.mip_levels || layer >= texture->layout.array_layers) {
        return "the texture has no such mip or layer";
    }
    sub = vgpu_texture_subresource(&texture->layout, mip, layer);
    why = begin_pixels(out, texture->layout.format, sub.width, sub.height);
    if (why != NULL) {
        return why;
    }
    vgpu_resource_touch(&device->engine->exec, texture);
    for (size_t row = 0; row < out->rows; row++) {
        memcpy(out->bytes + row * out->row_bytes, texture->data + sub.offset + row * sub.pitch,
               out->row_bytes);
    }
    return NULL;
}

/* Reads a surface unless there is an obstacle; without Bus Master nothing is fetched (device.md 2.1). */
static const char *read_surface(struct vgpu_device *device, const struct vgpu_surface_registers *surface,
                                const char *obstacle, struct vgpu_pixels *out)
{
    const char *why = obstacle;

    *out = (struct vgpu_pixels){0};
    if (why == NULL && !vgpu_bus_master(&device->bus)) {
        why = "Bus Master is off";
    }
    if (why == NULL) {
        why = begin_pixels(out, surface->format, surface->width, surface->height);
    }
    for (size_t row = 0; why == NULL && row < out->rows; row++) {
        vgpu_dma_read(&device->bus, surface->gpa + row * surface->pitch_bytes,
                      out->bytes + row * out->row_bytes, out->row_bytes);
    }
    return why;
}

const char *vgpu_device_read_scanout(struct vgpu_device *device, struct vgpu_pixels *out)
{
    const struct vgpu_surface_registers *surface = &device->bus.scanout.surface;

    return read_surface(device, surface, vgpu_scanout_obstacle(surface), out);
}

const char *vgpu_device_read_cursor(struct vgpu_device *device, struct vgpu_pixels *out, int64_t *left,
                                    int64_t *top)
{
    const struct vgpu_cursor *cursor = &device->bus.cursor;

    *left = (int64_t)(int32_t)cursor->x - (int64_t)cursor->hot_x;
    *top = (int64_t)(int32_t)cursor->y - (int64_t)cursor->hot_y;
    return read_surface(device, &cursor->surface, vgpu_cursor_obstacle(&cursor->surface), out);
}
