/* png.c: PNG (ISO 15948) with one stored deflate block (RFC 1950, 1951). */
#include "tests/cases/harness/png.h"

#include <stdbool.h>
#include <string.h>

struct png_writer {
    uint8_t *out;
    size_t used;
};

static void put_byte(struct png_writer *w, uint32_t value)
{
    w->out[w->used++] = (uint8_t)value;
}

/* PNG and zlib count in big-endian. */
static void put_u32(struct png_writer *w, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        put_byte(w, value >> shift);
    }
}

static uint32_t png_crc32(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    return ~crc;
}

static uint32_t png_adler32(const uint8_t *bytes, size_t size)
{
    uint32_t a = 1, b = 0;

    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* A chunk's length is only known at its end; its checksum covers type and data. */
static size_t begin_chunk(struct png_writer *w, const char type[4])
{
    size_t start = w->used;

    put_u32(w, 0);
    for (unsigned i = 0; i < 4; i++) {
        put_byte(w, (uint8_t)type[i]);
    }
    return start;
}

static void end_chunk(struct png_writer *w, size_t start)
{
    struct png_writer length = {w->out, start};
    size_t data = start + 8;

    put_u32(&length, (uint32_t)(w->used - data));
    put_u32(w, png_crc32(w->out + start + 4, w->used - start - 4));
}

static void put_header(struct png_writer *w, uint32_t width, uint32_t height)
{
    size_t chunk = begin_chunk(w, "IHDR");

    put_u32(w, width);
    put_u32(w, height);
    put_byte(w, 8); /* bits a channel */
    put_byte(w, 6); /* RGBA */
    put_byte(w, 0); /* compression, filter and interlace methods */
    put_byte(w, 0);
    put_byte(w, 0);
    end_chunk(w, chunk);
}

static void put_texels(struct png_writer *w, const uint32_t *texels, uint32_t width, uint32_t height)
{
    size_t chunk = begin_chunk(w, "IDAT");
    uint32_t size = height * (4 * width + 1); /* below 65536, the maximum size of a stored block */
    size_t start;

    put_byte(w, 0x78);
    put_byte(w, 0x01);
    put_byte(w, 1); /* the last block, stored */
    put_byte(w, size);
    put_byte(w, size >> 8);
    put_byte(w, ~size);
    put_byte(w, ~size >> 8);
    start = w->used;
    for (uint32_t y = 0; y < height; y++) {
        put_byte(w, 0); /* no filter */
        for (uint32_t x = 0; x < width; x++) {
            for (int shift = 0; shift < 32; shift += 8) {
                put_byte(w, texels[y * width + x] >> shift);
            }
        }
    }
    put_u32(w, png_adler32(w->out + start, size));
    end_chunk(w, chunk);
}

size_t agpu_png_write(uint8_t out[AGPU_PNG_BYTES_MAX], const uint32_t *texels, uint32_t width,
                      uint32_t height)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    struct png_writer w = {out, sizeof signature};

    if (width == 0 || height == 0 || width > AGPU_PNG_EDGE_MAX || height > AGPU_PNG_EDGE_MAX) {
        return 0;
    }
    memcpy(out, signature, sizeof signature);
    put_header(&w, width, height);
    put_texels(&w, texels, width, height);
    end_chunk(&w, begin_chunk(&w, "IEND"));
    return w.used;
}
