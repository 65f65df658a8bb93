/* screen.h: copies of stored pixels: textures, scanout 0, cursor (device.md 4.8, 4.9). Like device.h: one thread. */
#ifndef VGPU_INSPECT_SCREEN_H
#define VGPU_INSPECT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_device;

/* Size limit of an image, in texels of an edge and in total. */
#define VGPU_IMAGE_MAX_EDGE   16384u
#define VGPU_IMAGE_MAX_TEXELS (16u << 20)

/* A copy of stored pixels: rows of blocks without padding. */
struct vgpu_pixels {
    uint32_t format; /* AEROGPU_FORMAT_* */
    uint32_t width;  /* texels */
    uint32_t height;
    size_t row_bytes;
    size_t rows;    /* of blocks */
    uint8_t *bytes; /* malloc'd; vgpu_pixels_free() */
};

void vgpu_pixels_free(struct vgpu_pixels *pixels);

/* Copy one subresource of a texture, or the contents of the scanout or the cursor. Return NULL on success,
 * else the reason. Cost: one copy of the bytes; newer contents of a renderer are read back first. */
const char *vgpu_device_read_texture(struct vgpu_device *device, uint32_t handle, uint32_t mip,
                                     uint32_t layer, struct vgpu_pixels *out);
const char *vgpu_device_read_scanout(struct vgpu_device *device, struct vgpu_pixels *out);
/* left and top: position of the cursor's first pixel on the scanout. */
const char *vgpu_device_read_cursor(struct vgpu_device *device, struct vgpu_pixels *out, int64_t *left,
                                    int64_t *top);

#endif
