/* display.h: what a monitor on scanout 0 would show: the framebuffer converted to RGBA8 with the cursor on
 * top (device.md 4.8, 4.9). */
#ifndef VGPU_INSPECT_DISPLAY_H
#define VGPU_INSPECT_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_device;

/* Rows of R, G, B, A bytes without padding; rgba comes from malloc and belongs to the caller. */
struct vgpu_image {
    uint32_t width;
    uint32_t height;
    uint8_t *rgba;
};

/* Reads scanout 0 with the cursor composited. False, and out untouched, when there is no image: not
 * presentable, no Bus Master, larger than inspect.h allows, or no memory. */
bool vgpu_display_read(struct vgpu_device *device, struct vgpu_image *out);

/* Reads the cursor's own picture with straight alpha; false as above. */
bool vgpu_display_read_cursor(struct vgpu_device *device, struct vgpu_image *out);

#endif
