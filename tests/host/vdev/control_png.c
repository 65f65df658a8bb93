/* control_png.c: writes a PNG with libpng into a growing buffer. */
#include "tests/host/vdev/control_png.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* These pictures are short-lived: prefer speed over size. */
#define COMPRESSION_LEVEL 1

struct buffer {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
};

static void append_png(png_structp png, png_bytep bytes, size_t length)
{
    struct buffer *buffer = png_get_io_ptr(png);

    if (length > buffer->capacity - buffer->length) {
        const size_t capacity = (buffer->length + length) * 2;
        uint8_t *grown = realloc(buffer->bytes, capacity);

        if (grown == NULL) {
            png_error(png, "memory is exhausted");
        }
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
}

static void flush_png(png_structp png)
{
    (void)png;
}

static void stay_silent(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* Contains every libpng call that may longjmp. */
static bool write_image(png_structp png, png_infop info, const uint8_t *rgba, uint32_t width, uint32_t height,
                        struct buffer *buffer)
{
    if (setjmp(png_jmpbuf(png)) != 0) {
        return false;
    }
    png_set_write_fn(png, buffer, append_png, flush_png);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, COMPRESSION_LEVEL);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++) {
        png_write_row(png, rgba + (size_t)y * width * 4);
    }
    png_write_end(png, info);
    return true;
}

bool agpu_png_encode(const uint8_t *rgba, uint32_t width, uint32_t height, uint8_t **out, size_t *out_length)
{
    struct buffer buffer = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, stay_silent);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    bool good = false;

    if (info != NULL) {
        good = write_image(png, info, rgba, width, height, &buffer);
    }
    png_destroy_write_struct(&png, &info);
    if (!good) {
        free(buffer.bytes);
        return false;
    }
    *out = buffer.bytes;
    *out_length = buffer.length;
    return true;
}
