/* pictures.c: the texels of the shared expected images. */
#include "tests/cases/rig/pictures.h"

#include "tests/cases/rig/scene.h"

uint32_t agpu_picture_nothing(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_NOTHING;
}

uint32_t agpu_picture_red(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_RED;
}

uint32_t agpu_picture_green(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_GREEN;
}

uint32_t agpu_picture_red_green(uint32_t x, uint32_t y)
{
    (void)y;
    return x < AGPU_EDGE / 2 ? AGPU_RED : AGPU_GREEN;
}
