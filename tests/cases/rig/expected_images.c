/* expected_images.c: the texels of the shared expected images. */
#include "tests/cases/rig/expected_images.h"

#include "tests/cases/rig/scene.h"

uint32_t agpu_expected_nothing(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_NOTHING;
}

uint32_t agpu_expected_red(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_RED;
}

uint32_t agpu_expected_green(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_GREEN;
}

uint32_t agpu_expected_red_green(uint32_t x, uint32_t y)
{
    (void)y;
    return x < AGPU_EDGE / 2 ? AGPU_RED : AGPU_GREEN;
}
