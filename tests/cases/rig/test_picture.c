/* test_picture.c: draws the test picture. */
#include "tests/cases/rig/test_picture.h"

#include <stdbool.h>

#include "tests/cases/rig/font.h"

#define RED   0xFF0000u
#define GREEN 0x00FF00u
#define BLUE  0x0000FFu
#define WHITE 0xFFFFFFu
#define GREY  0x404040u
#define BLACK 0u

static void fill_box(const struct agpu_picture *picture, uint32_t x, uint32_t y, uint32_t width,
                     uint32_t height, uint32_t colour)
{
    for (uint32_t row = y; row < y + height && row < picture->height; row++) {
        for (uint32_t column = x; column < x + width && column < picture->width; column++) {
            picture->pixels[(uint64_t)row * picture->pitch + column] = colour;
        }
    }
}

static void draw_letter(const struct agpu_picture *picture, uint32_t x, uint32_t y, uint32_t scale,
                        uint32_t colour, char letter)
{
    for (unsigned column = 0; column < AGPU_FONT_COLUMNS; column++) {
        for (unsigned row = 0; row < AGPU_FONT_ROWS; row++) {
            if (agpu_font_dot(letter, column, row)) {
                fill_box(picture, x + column * scale, y + row * scale, scale, scale, colour);
            }
        }
    }
}

static uint32_t line_length(const char *text)
{
    uint32_t length = 0;

    while (text[length] != '\0' && text[length] != '\n') {
        length++;
    }
    return length;
}

static void draw_line(const struct agpu_picture *picture, uint32_t x, uint32_t y, uint32_t scale,
                      uint32_t colour, const char *text)
{
    for (uint32_t i = 0, length = line_length(text); i < length; i++) {
        draw_letter(picture, x + i * (AGPU_FONT_COLUMNS + 1) * scale, y, scale, colour, text[i]);
    }
}

/* Each corner has its own colour and name, so a picture that is mirrored, turned or cut is recognized at once. */
static void draw_corners(const struct agpu_picture *picture)
{
    const uint32_t edge = picture->height / 8, scale = edge / 24 + 1;
    const uint32_t right = picture->width - edge - 2, bottom = picture->height - edge - 2;

    fill_box(picture, 2, 2, edge, edge, RED);
    fill_box(picture, right, 2, edge, edge, GREEN);
    fill_box(picture, 2, bottom, edge, edge, BLUE);
    fill_box(picture, right, bottom, edge, edge, WHITE);
    draw_line(picture, 2 + scale * 2, 2 + scale * 2, scale, WHITE, "TL");
    draw_line(picture, right + scale * 2, 2 + scale * 2, scale, BLACK, "TR");
    draw_line(picture, 2 + scale * 2, bottom + scale * 2, scale, WHITE, "BL");
    draw_line(picture, right + scale * 2, bottom + scale * 2, scale, BLACK, "BR");
}

/* White on the outermost pixels, black next to it: missing if an edge is cut off. */
static void draw_border(const struct agpu_picture *picture)
{
    const uint32_t w = picture->width, h = picture->height;

    fill_box(picture, 0, 0, w, 1, WHITE);
    fill_box(picture, 0, h - 1, w, 1, WHITE);
    fill_box(picture, 0, 0, 1, h, WHITE);
    fill_box(picture, w - 1, 0, 1, h, WHITE);
}

/* Each colour and grey from dark to bright: swapped or missing bits make steps. */
static void draw_ramps(const struct agpu_picture *picture)
{
    static const uint32_t parts[] = {0x010000, 0x000100, 0x000001, 0x010101};
    const uint32_t left = picture->height / 8 + 8, width = picture->width - 2 * left;
    const uint32_t height = picture->height / 24;

    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t x = 0; x < width; x++) {
            fill_box(picture, left + x, 8 + i * height, 1, height, parts[i] * (x * 255 / (width - 1)));
        }
    }
}

/* Vertical, horizontal and diagonal lines of one pixel: a wrong pitch slants the vertical ones and bends the diagonal
 * one. */
static void draw_lines(const struct agpu_picture *picture)
{
    const uint32_t left = picture->height / 8 + 8, width = picture->width - 2 * left;
    const uint32_t height = picture->height / 6, top = picture->height - height - 8;

    for (uint32_t x = 0; x < width; x += 8) {
        fill_box(picture, left + x, top, 1, height, x < width / 2 ? WHITE : GREEN);
    }
    for (uint32_t y = 0; y < height; y += 8) {
        fill_box(picture, left, top + y, width / 2, 1, GREY);
    }
    for (uint32_t y = 0; y < height; y++) {
        fill_box(picture, left + y * width / height, top + y, 2, 1, RED);
    }
}

static void draw_text(const struct agpu_picture *picture, const char *text)
{
    const uint32_t scale = picture->width / 400 + 1, step = (AGPU_FONT_ROWS + 4) * scale;
    uint32_t y = picture->height / 3;

    for (; y + step < picture->height; y += step) {
        const uint32_t length = line_length(text), wide = length * (AGPU_FONT_COLUMNS + 1) * scale;

        draw_line(picture, wide < picture->width ? (picture->width - wide) / 2 : 2, y, scale, WHITE, text);
        if (text[length] == '\0') {
            return;
        }
        text += length + 1;
    }
}

void agpu_picture_draw(const struct agpu_picture *picture, const char *text)
{
    fill_box(picture, 0, 0, picture->width, picture->height, 0x101820);
    draw_border(picture);
    draw_ramps(picture);
    draw_lines(picture);
    draw_corners(picture);
    draw_text(picture, text);
}

void agpu_picture_cursor(uint32_t *pixels, uint32_t edge)
{
    for (uint32_t y = 0; y < edge; y++) {
        for (uint32_t x = 0; x < edge; x++) {
            const bool inside = x <= y && y < edge * 3 / 4 + x / 3 && x < edge * 2 / 3;
            const bool rim =
                inside && (x == 0 || x + 1 >= y || y + 2 >= edge * 3 / 4 + x / 3 || x + 2 >= edge * 2 / 3);

            pixels[y * edge + x] = !inside ? 0 : rim ? 0xFF000000u : 0xFFFFFF00u;
        }
    }
}
