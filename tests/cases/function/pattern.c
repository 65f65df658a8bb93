/* pattern.c: a test picture with a moving cursor on scanout 0, for a person at the board to assess (device.md 4.8,
 * 4.9). Runs only on request (pattern_s=) and checks what a driver can read back. */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "tests/cases/rig/rig.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/test_picture.h"

#define WIDTH       1024u
#define HEIGHT      768u
#define PITCH       4160u /* bytes; not the size of a row, so a device that assumes that shows slanting lines */
#define CURSOR_EDGE 48u
#define STEP_NS     UINT64_C(16000000)

static void pattern_draw(struct agpu_test *t, const struct agpu_dma *memory)
{
    const struct agpu_picture picture = {memory->cpu, WIDTH, HEIGHT, PITCH / 4};
    char buffer[300];

    agpu_format_line(buffer, sizeof buffer,
                     "AEROGPU SCANOUT 0\n1024 X 768, B8G8R8X8, PITCH 4160\n"
                     "AT 0x%jx\nABI %u.%u, FEATURES 0x%jx\n"
                     "CORNERS: RED GREEN BLUE WHITE\nTHE ARROW MOVES IN A DIAMOND",
                     memory->device_address, t->env->abi.version >> 16, t->env->abi.version & 0xFFFF,
                     t->env->abi.features);
    agpu_picture_draw(&picture, buffer);
}

static void pattern_show(struct agpu_test *t, const struct agpu_dma *memory)
{
    const struct agpu_function *function = &t->env->function;

    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, WIDTH);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, HEIGHT);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8X8_UNORM);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, PITCH);
    agpu_reg_write64(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, memory->device_address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
}

static void pattern_show_cursor(struct agpu_test *t, const struct agpu_dma *memory)
{
    const struct agpu_function *function = &t->env->function;

    agpu_picture_cursor(memory->cpu, CURSOR_EDGE);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_WIDTH, CURSOR_EDGE);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_HEIGHT, CURSOR_EDGE);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, CURSOR_EDGE * 4);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_HOT_X, 0);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_HOT_Y, 0);
    agpu_reg_write64(&t->env->function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, memory->device_address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
}

/* Returns a value that moves from 0 to `most` and back, repeatedly. */
static uint32_t pattern_swing(uint32_t step, uint32_t most)
{
    const uint32_t place = step % (2 * most);

    return place <= most ? place : 2 * most - place;
}

static bool pattern_move_cursor(struct agpu_test *t, uint32_t step)
{
    const struct agpu_function *function = &t->env->function;
    const uint32_t x = pattern_swing(step * 4, WIDTH - CURSOR_EDGE);
    const uint32_t y = pattern_swing(step * 4 + HEIGHT / 2, HEIGHT - CURSOR_EDGE);

    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_X, x);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_Y, y);
    return agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_CURSOR_X), x) &&
           agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_CURSOR_Y), y);
}

/* Shows a picture by which a person assesses the display (corners, ramps, lines, text and a moving arrow); scanout must
 * stay enabled. */
static void pattern_shown(struct agpu_test *t)
{
    const bool cursor = (t->env->abi.features & AEROGPU_FEATURE_CURSOR) != 0;
    const struct agpu_platform *platform = t->platform;
    const uint64_t until = platform->now_ns(platform->ctx) + t->stress_ns;
    const struct agpu_dma *memory = agpu_rig_more(&t->env->rig, PITCH * HEIGHT);
    const struct agpu_dma *arrow = agpu_rig_more(&t->env->rig, CURSOR_EDGE * CURSOR_EDGE * 4);

    if (memory == NULL || arrow == NULL) {
        agpu_error(t, "no memory for the picture");
        return;
    }
    pattern_draw(t, memory);
    pattern_show(t, memory);
    if (cursor) {
        pattern_show_cursor(t, arrow);
    }
    for (uint32_t step = 0; platform->now_ns(platform->ctx) < until && agpu_time_left(t); step++) {
        struct agpu_wait wait;

        agpu_return_unless(!cursor || pattern_move_cursor(t, step));
        agpu_return_unless(
            agpu_check_eq_u64(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 1));
        agpu_wait_begin_ns(&wait, platform, AGPU_RELAX_IDLE, STEP_NS);
        while (agpu_wait_again(&wait)) {
        }
    }
}

static const struct agpu_case function_pattern_cases[] = {
    {.id = "scanout.pattern.shown",
     .spec = "device.md 4.8",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_ON_REQUEST,
     .features = AEROGPU_FEATURE_SCANOUT,
     .run = pattern_shown},
};

AGPU_CASE_TABLE(agpu_cases_function_pattern, function_pattern_cases);
