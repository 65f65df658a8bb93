/* display.c: readback of scanout 0 and of the cursor (device.md 4.8, 4.9). */
#include "tests/device/display.h"

#include <stdlib.h>
#include <string.h>

#include "tests/device/device_private.h"
#include "tests/device/pixel.h"

#define RGBA_BYTES  4u
#define PART_PIXELS 512u

/* Converts one row of guest pixels. */
static void read_row(struct agpu_device *device, const struct agpu_surface_registers *surface, uint32_t y,
                     uint8_t *rgba)
{
    const uint32_t pixel_bytes = agpu_format_find(surface->format)->block_bytes;
    uint64_t gpa = surface->gpa + (uint64_t)y * surface->pitch_bytes;
    uint8_t part[PART_PIXELS * RGBA_BYTES];

    for (uint32_t left = surface->width; left > 0;) {
        const uint32_t count = left < PART_PIXELS ? left : PART_PIXELS;

        agpu_dma_read(device, gpa, part, (uint64_t)count * pixel_bytes);
        for (uint32_t x = 0; x < count; x++) {
            agpu_pixel_unpack(surface->format, part + (size_t)x * pixel_bytes, rgba);
            rgba += RGBA_BYTES;
        }
        gpa += (uint64_t)count * pixel_bytes;
        left -= count;
    }
}

static bool read_surface(struct agpu_device *device, const struct agpu_surface_registers *surface,
                         struct agpu_image *out)
{
    struct agpu_image image = {surface->width, surface->height, NULL};

    image.rgba = malloc((size_t)image.width * image.height * RGBA_BYTES);
    if (image.rgba == NULL) {
        return false;
    }
    for (uint32_t y = 0; y < image.height; y++) {
        read_row(device, surface, y, image.rgba + (size_t)y * image.width * RGBA_BYTES);
    }
    *out = image;
    return true;
}

static bool bus_master(const struct agpu_device *device)
{
    return agpu_config_space_has(&device->config, AGPU_CONFIG_COMMAND_BUS_MASTER);
}

bool agpu_display_read_cursor(struct agpu_device *device, struct agpu_image *out)
{
    return bus_master(device) && agpu_cursor_presentable(&device->cursor.surface) &&
           read_surface(device, &device->cursor.surface, out);
}

/* Straight alpha over an opaque result. */
static void blend(uint8_t *dst, const uint8_t *src)
{
    const uint32_t alpha = src[3];

    if (alpha == 0) {
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        dst[i] = (uint8_t)((src[i] * alpha + dst[i] * (255 - alpha) + 127) / 255);
    }
    dst[3] = 0xFF;
}

/* First pixel and number of pixels of a cursor of this length that lie inside an edge of the screen. */
static uint32_t clip(int64_t origin, uint32_t length, uint32_t edge, uint32_t *first)
{
    const int64_t begin = origin < 0 ? -origin : 0;
    const int64_t end = origin + length > edge ? (int64_t)edge - origin : length;

    *first = (uint32_t)begin;
    return end > begin ? (uint32_t)(end - begin) : 0;
}

static void composite(const struct agpu_cursor *cursor, const struct agpu_image *picture,
                      struct agpu_image *screen)
{
    const int64_t left = (int64_t)(int32_t)cursor->x - (int32_t)cursor->hot_x;
    const int64_t top = (int64_t)(int32_t)cursor->y - (int32_t)cursor->hot_y;
    uint32_t first_x = 0;
    uint32_t first_y = 0;
    const uint32_t columns = clip(left, picture->width, screen->width, &first_x);
    const uint32_t rows = clip(top, picture->height, screen->height, &first_y);

    for (uint32_t y = first_y; y < first_y + rows; y++) {
        for (uint32_t x = first_x; x < first_x + columns; x++) {
            const size_t at = (size_t)(top + y) * screen->width + (size_t)(left + x);

            blend(screen->rgba + at * RGBA_BYTES,
                  picture->rgba + ((size_t)y * picture->width + x) * RGBA_BYTES);
        }
    }
}

bool agpu_display_read(struct agpu_device *device, struct agpu_image *out)
{
    struct agpu_image screen;
    struct agpu_image picture;

    if (!bus_master(device) || !agpu_scanout_presentable(&device->scanout.surface) ||
        !read_surface(device, &device->scanout.surface, &screen)) {
        return false;
    }
    if (agpu_display_read_cursor(device, &picture)) {
        composite(&device->cursor, &picture, &screen);
        free(picture.rgba);
    }
    *out = screen;
    return true;
}
