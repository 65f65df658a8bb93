/* image.h: converts stored pixels to RGBA for viewing, and composes the cursor with the scanout; no side
 * effects (device.md 4.8, 4.9). */
#ifndef VGPU_INSPECT_IMAGE_H
#define VGPU_INSPECT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "tests/device/inspect/screen.h"

/* Rows of R, G, B, A bytes without padding; rgba comes from malloc and belongs to the caller. */
struct vgpu_image {
    uint32_t width;
    uint32_t height;
    uint8_t *rgba;
};

/* Converts pixels to width * height * 4 bytes R, G, B, A, top row first. Bytes are copied as stored, also in
 * sRGB formats, so that no viewer applies gamma twice. 5 and 6 bits are widened by replication; X8 formats and
 * depth are opaque. Depth becomes grey, 0 black, 1 white; stencil is not shown. Returns NULL on success, else
 * the reason: BC7 is not supported. */
const char *vgpu_pixels_to_rgba(const struct vgpu_pixels *pixels, uint8_t *rgba);

/* Composes a cursor of RGBA pixels with straight alpha with an opaque RGBA image at (left, top), clipped. */
void vgpu_cursor_compose(const struct vgpu_image *screen, const struct vgpu_image *cursor, int64_t left,
                         int64_t top);

#endif
