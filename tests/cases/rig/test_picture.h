/* test_picture.h: a test picture for people who check a display: labeled corners, a border of one pixel, ramps of
 * each colour, lines that show a wrong pitch, text; and a cursor. */
#ifndef AGPU_CASES_RIG_TEST_PICTURE_H
#define AGPU_CASES_RIG_TEST_PICTURE_H

#include <stdint.h>

/* Pixels as B8G8R8X8 in memory: 0x00RRGGBB. */
struct agpu_picture {
    uint32_t *pixels;
    uint32_t width, height; /* at least 320 x 240 */
    uint32_t pitch;         /* in pixels */
};

/* Draws the whole picture; text: lines separated by '\n', in the middle. */
void agpu_picture_draw(const struct agpu_picture *picture, const char *text);

/* Draws an arrow of edge x edge pixels as B8G8R8A8, with its tip at 0,0; no row padding. */
void agpu_picture_cursor(uint32_t *pixels, uint32_t edge);

#endif
