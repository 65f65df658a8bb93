/* image.c: converts pixels for viewing and composes the cursor (device.md 4.8, 4.9). */
#include "tests/device/inspect/image.h"

#include <math.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/format.h"
#include "tests/device/engine/pixel.h"
#include "tests/device/inspect/bc.h"

typedef void texel_reader(uint32_t format, const uint8_t *stored, uint8_t rgba[4]);

static void read_depth(uint32_t format, const uint8_t *stored, uint8_t rgba[4])
{
    uint8_t grey = stored[2]; /* D24: the high 8 of 24 bits */

    if (format == AEROGPU_FORMAT_D32_FLOAT) {
        float depth;

        memcpy(&depth, stored, sizeof depth);
        depth = depth > 0.0f ? fminf(depth, 1.0f) : 0.0f; /* also NaN */
        grey = (uint8_t)(depth * 255.0f + 0.5f);
    }
    memset(rgba, grey, 3);
    rgba[3] = 0xFF;
}

static void convert_texels(const struct vgpu_pixels *pixels, size_t texel_bytes, texel_reader *read,
                           uint8_t *rgba)
{
    for (size_t y = 0; y < pixels->rows; y++) {
        const uint8_t *row = pixels->bytes + y * pixels->row_bytes;

        for (size_t x = 0; x < pixels->width; x++) {
            read(pixels->format, row + x * texel_bytes, rgba);
            rgba += 4;
        }
    }
}

typedef void block_decoder(const uint8_t *block, uint8_t rgba[16][4]);

static block_decoder *find_decoder(uint32_t format)
{
    switch (format) {
    case AEROGPU_FORMAT_BC1_RGBA_UNORM:
    case AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB:
        return vgpu_bc1_decode;
    case AEROGPU_FORMAT_BC2_RGBA_UNORM:
    case AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB:
        return vgpu_bc2_decode;
    case AEROGPU_FORMAT_BC3_RGBA_UNORM:
    case AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB:
        return vgpu_bc3_decode;
    default:
        return NULL;
    }
}

/* Stores the texels of a block that lie inside the image. */
static void place_block(const struct vgpu_pixels *pixels, size_t left, size_t top, uint8_t texels[16][4],
                        uint8_t *rgba)
{
    for (size_t y = 0; y < 4 && top + y < pixels->height; y++) {
        for (size_t x = 0; x < 4 && left + x < pixels->width; x++) {
            memcpy(rgba + ((top + y) * pixels->width + left + x) * 4, texels[y * 4 + x], 4);
        }
    }
}

static void convert_blocks(const struct vgpu_pixels *pixels, size_t block_bytes, block_decoder *decode,
                           uint8_t *rgba)
{
    for (size_t row = 0; row < pixels->rows; row++) {
        for (size_t column = 0; column < pixels->row_bytes / block_bytes; column++) {
            uint8_t texels[16][4];

            decode(pixels->bytes + row * pixels->row_bytes + column * block_bytes, texels);
            place_block(pixels, column * 4, row * 4, texels, rgba);
        }
    }
}

const char *vgpu_pixels_to_rgba(const struct vgpu_pixels *pixels, uint8_t *rgba)
{
    const struct vgpu_format *format = vgpu_format_find(pixels->format);
    block_decoder *decode = find_decoder(pixels->format);

    if (format == NULL) {
        return "unknown format";
    }
    if (format->kind == VGPU_FORMAT_COLOR) {
        convert_texels(pixels, format->block_bytes, vgpu_pixel_unpack, rgba);
    } else if (format->kind == VGPU_FORMAT_DEPTH) {
        convert_texels(pixels, format->block_bytes, read_depth, rgba);
    } else if (decode != NULL) {
        convert_blocks(pixels, format->block_bytes, decode, rgba);
    } else {
        return "BC7 is not decoded for viewing";
    }
    return NULL;
}

static void blend_pixel(uint8_t *dst, const uint8_t *src)
{
    const uint32_t alpha = src[3];

    if (alpha == 0) {
        return;
    }
    for (unsigned i = 0; i < 3; i++) { /* with alpha 255 this is src */
        dst[i] = (uint8_t)((src[i] * alpha + dst[i] * (255 - alpha) + 127) / 255);
    }
    dst[3] = 0xFF;
}

/* Computes the visible part [*begin, *end) of a cursor edge of this length at origin; limit is the edge of the
 * screen. */
static void clip_span(int64_t origin, uint32_t length, uint32_t limit, int64_t *begin, int64_t *end)
{
    *begin = origin < 0 ? -origin : 0;
    *end = limit - origin < length ? limit - origin : length;
}

void vgpu_cursor_compose(const struct vgpu_image *screen, const struct vgpu_image *cursor, int64_t left,
                         int64_t top)
{
    int64_t x0, x1, y0, y1;

    clip_span(left, cursor->width, screen->width, &x0, &x1);
    clip_span(top, cursor->height, screen->height, &y0, &y1);
    for (int64_t y = y0; y < y1; y++) {
        for (int64_t x = x0; x < x1; x++) {
            blend_pixel(screen->rgba + ((uint64_t)(top + y) * screen->width + (uint64_t)(left + x)) * 4,
                        cursor->rgba + ((uint64_t)y * cursor->width + (uint64_t)x) * 4);
        }
    }
}
