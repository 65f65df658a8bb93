/* display.c: readback of scanout 0 and of the cursor (device.md 4.8, 4.9). */
#include "tests/device/inspect/display.h"

#include <stdlib.h>

#include "tests/device/inspect/image.h"
#include "tests/device/inspect/inspect.h"

/* Converts and frees stored pixels. */
static bool convert_display(struct vgpu_pixels *pixels, struct vgpu_image *out)
{
    struct vgpu_image image = {pixels->width, pixels->height, NULL};

    image.rgba = malloc((size_t)image.width * image.height * 4);
    if (image.rgba != NULL) {
        (void)vgpu_pixels_to_rgba(pixels, image.rgba); /* what is presentable has a format that converts */
        *out = image;
    }
    vgpu_pixels_free(pixels);
    return image.rgba != NULL;
}

static bool read_cursor(struct vgpu_device *device, struct vgpu_image *out, int64_t *left, int64_t *top)
{
    struct vgpu_pixels pixels;

    return vgpu_device_read_cursor(device, &pixels, left, top) == NULL && convert_display(&pixels, out);
}

bool vgpu_display_read_cursor(struct vgpu_device *device, struct vgpu_image *out)
{
    int64_t left, top;

    return read_cursor(device, out, &left, &top);
}

bool vgpu_display_read(struct vgpu_device *device, struct vgpu_image *out)
{
    struct vgpu_image cursor;
    struct vgpu_pixels pixels;
    int64_t left, top;

    if (vgpu_device_read_scanout(device, &pixels) != NULL || !convert_display(&pixels, out)) {
        return false;
    }
    if (read_cursor(device, &cursor, &left, &top)) {
        vgpu_cursor_compose(out, &cursor, left, top);
        free(cursor.rgba);
    }
    return true;
}
