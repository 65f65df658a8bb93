/* picture.c: the output of the device as a viewer sees it: scanout 0 with the cursor (device.md 4.8, 4.9). */
#include "pci/machine/test_system.h"
#include "tests/cases/rig/submit.h"

#define SCREEN_WIDTH  40u
#define SCREEN_HEIGHT 24u
#define SCREEN_PITCH  176u
#define CURSOR_WIDTH  8u
#define CURSOR_HEIGHT 6u
#define CURSOR_PITCH  48u
#define CURSOR_OFFSET 8192u /* in the rig's first memory, after the framebuffer */

static uint8_t *picture_memory(const struct agpu_test *t)
{
    return t->env->rig.memory[0].cpu;
}

/* Returns a byte of the framebuffer (step 37) or of the cursor (step 91): neighbours differ much. */
static uint8_t color_of(uint32_t x, uint32_t y, uint32_t channel, uint32_t step)
{
    return (uint8_t)(x * step + y * 101 + channel * 59);
}

/* Returns the alpha of a pixel of the cursor. */
static uint8_t alpha_of(uint32_t x, uint32_t y)
{
    static const uint8_t alphas[] = {0, 1, 64, 127, 128, 200, 254, 255};

    return alphas[(x + 3 * y) % (sizeof alphas)];
}

/* Fills memory and registers: both are B8G8R8A8, the cursor without position. */
static void picture_begin(const struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t address = t->env->rig.memory[0].device_address;

    for (uint32_t y = 0; y < SCREEN_HEIGHT; y++) {
        for (uint32_t i = 0; i < 4 * SCREEN_WIDTH; i++) {
            picture_memory(t)[y * SCREEN_PITCH + i] = color_of(i / 4, y, i % 4, 37);
        }
    }
    for (uint32_t y = 0; y < CURSOR_HEIGHT; y++) {
        for (uint32_t i = 0; i < 4 * CURSOR_WIDTH; i++) {
            picture_memory(t)[CURSOR_OFFSET + y * CURSOR_PITCH + i] =
                i % 4 == 3 ? alpha_of(i / 4, y) : color_of(i / 4, y, i % 4, 91);
        }
    }
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, SCREEN_WIDTH);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, SCREEN_HEIGHT);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, SCREEN_PITCH);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    if ((t->env->abi.features & AEROGPU_FEATURE_CURSOR) != 0) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_WIDTH, CURSOR_WIDTH);
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_HEIGHT, CURSOR_HEIGHT);
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, CURSOR_PITCH);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, address + CURSOR_OFFSET);
    }
}

static bool picture_read(const struct agpu_test *t, struct agpu_test_picture *picture)
{
    const struct agpu_platform *platform = t->platform;

    return platform->test->picture != NULL &&
           platform->test->picture(platform->ctx, &t->env->function.found.ref, picture);
}

/* Returns channel 0 to 2, blue first, of the picture with the cursor's first pixel at (left, top). */
static uint8_t picture_expected(uint32_t x, uint32_t y, uint32_t channel, int64_t left, int64_t top)
{
    const uint32_t below = color_of(x, y, channel, 37);
    const int64_t column = x - left, row = y - top;
    uint32_t alpha, above;

    if (column < 0 || row < 0 || column >= CURSOR_WIDTH || row >= CURSOR_HEIGHT) {
        return (uint8_t)below;
    }
    alpha = alpha_of((uint32_t)column, (uint32_t)row);
    above = color_of((uint32_t)column, (uint32_t)row, channel, 91);
    return (uint8_t)((above * alpha + below * (255 - alpha) + 127) / 255);
}

#define NO_CURSOR INT64_MIN / 2

static bool picture_check(struct agpu_test *t, int64_t left, int64_t top, const char *what)
{
    struct agpu_test_picture picture = {0};
    char line[160];

    if (!agpu_check_u64(t, picture_read(t, &picture), true, what, false, AGPU_HERE) ||
        !agpu_check_eq_u64(t, picture.width, SCREEN_WIDTH) ||
        !agpu_check_eq_u64(t, picture.height, SCREEN_HEIGHT)) {
        return false;
    }
    for (uint32_t i = 0; i < 3 * SCREEN_WIDTH * SCREEN_HEIGHT; i++) {
        const uint32_t x = i / 3 % SCREEN_WIDTH, y = i / 3 / SCREEN_WIDTH, channel = i % 3;
        const uint8_t found = picture.rgba[y * picture.pitch_bytes + 4 * x + 2 - channel];
        const uint8_t wanted = picture_expected(x, y, channel, left, top);

        if (found != wanted) {
            agpu_format_line(line, sizeof line, "%s: x %u, y %u, %s", what, x, y,
                             channel == 0   ? "blue"
                             : channel == 1 ? "green"
                                            : "red");
            return agpu_check_u64(t, found, wanted, line, true, AGPU_HERE);
        }
    }
    return agpu_check_passed(t);
}

/* The picture must be the framebuffer, also while half of an address is staged. */
static void picture_scanout(struct agpu_test *t)
{
    struct agpu_test_picture picture;

    picture_begin(t);
    agpu_require(t, picture_read(t, &picture), AGPU_SKIP_PICTURE);
    agpu_return_unless(picture_check(t, NO_CURSOR, NO_CURSOR, "picture without a cursor"));
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0x1000);
    picture_check(t, NO_CURSOR, NO_CURSOR, "picture while half of an address is staged");
}

/* The cursor must be blended at its position less its hot spot, both taken with their sign, and clipped. */
static void picture_cursor(struct agpu_test *t)
{
    static const struct {
        const char *what;
        uint32_t x, y, hot_x, hot_y;
    } places[] = {
        {"cursor inside", 5, 4, 0, 0},
        {"cursor with a hot spot", 10, 9, 3, 2},
        {"cursor over the left edge", (uint32_t)-3, 2, 0, 0},
        {"cursor over the upper edge", 6, (uint32_t)-2, 0, 0},
        {"cursor over the right edge", SCREEN_WIDTH - 4, 3, 0, 0},
        {"cursor over the lower edge", 7, SCREEN_HEIGHT - 3, 0, 0},
        {"cursor over a corner, with a hot spot", (uint32_t)-1, (uint32_t)-1, 2, 1},
        {"hot spot outside the cursor", 30, 20, CURSOR_WIDTH + 4, CURSOR_HEIGHT + 3},
        {"hot spot of more than 16 bits", 65540, 65542, 65536, 65536},
        {"cursor far to the right", 65536, 3, 0, 0},
        {"cursor far below", 6, 65536, 0, 0},
    };
    const struct agpu_function *function = &t->env->function;
    struct agpu_test_picture picture;

    picture_begin(t);
    agpu_require(t, picture_read(t, &picture), AGPU_SKIP_PICTURE);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_X, places[i].x);
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_Y, places[i].y);
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_HOT_X, places[i].hot_x);
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_HOT_Y, places[i].hot_y);
        agpu_return_unless(picture_check(t, (int64_t)(int32_t)places[i].x - places[i].hot_x,
                                         (int64_t)(int32_t)places[i].y - places[i].hot_y, places[i].what));
    }
}

static const struct agpu_case function_picture_cases[] = {
    {.id = "scanout.picture.framebuffer",
     .spec = "device.md 4.8",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_SCANOUT,
     .run = picture_scanout},
    {.id = "scanout.picture.cursor",
     .spec = "device.md 4.9",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR,
     .run = picture_cursor},
};

AGPU_CASE_TABLE(agpu_cases_function_picture, function_picture_cases);
