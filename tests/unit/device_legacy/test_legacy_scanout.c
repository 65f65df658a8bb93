/* test_legacy_scanout.c: scanout registers, readback and the vblank counters of the legacy device (legacy.md
 * 2; device.md 4.5, 4.7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/device/bus/vblank.h"
#include "tests/device/inspect/image.h"
#include "tests/device/inspect/inspect.h"
#include "tests/unit/device_legacy/legacy_machine.h"

#define FB    (RAM_BASE + 0x10000)
#define SEQ   0x420u
#define TIME  0x428u
#define PITCH 18u /* of 4 pixels; no multiple of 4 */

static void show(struct fake_machine *machine)
{
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 4);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_HEIGHT, 2);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FORMAT, AEROGPU_LEGACY_SCANOUT_X8R8G8B8);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_PITCH, PITCH);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, (uint32_t)FB);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FB_HI, 0);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
}

/* Format 1 is stored, anything else reads back 0. */
static void format(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t bad[] = {0, 2, 7, 0x80000001};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FORMAT, AEROGPU_LEGACY_SCANOUT_X8R8G8B8);
        assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_SCANOUT_FORMAT), 1);
        reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FORMAT, bad[i]);
        assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_SCANOUT_FORMAT), 0);
    }
}

/* ENABLE is normalised; 1 -> 0 drops a staged FB_LO. */
static void enable(void **state)
{
    struct fake_machine *machine = *state;

    show(machine);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0x100);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE), 1);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, 0x77777777);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_SCANOUT_FB_LO), 0x77777777);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_SCANOUT_FB_LO), (uint32_t)FB);
}

static void assert_shown(struct fake_machine *machine, const uint8_t first[4])
{
    struct vgpu_pixels pixels;
    uint8_t rgba[4 * 2 * 4];

    assert_null(vgpu_device_read_scanout(machine->device, &pixels));
    assert_int_equal(pixels.width, 4);
    assert_int_equal(pixels.height, 2);
    assert_null(vgpu_pixels_to_rgba(&pixels, rgba));
    assert_memory_equal(rgba, first, 4);
    vgpu_pixels_free(&pixels);
}

/* Bytes B, G, R, X; opaque; any pitch of a row or more; LO is staged until HI. */
static void readback(void **state)
{
    struct fake_machine *machine = *state;
    const uint8_t stored[] = {0x11, 0x22, 0x33, 0x44};

    memcpy(ram(machine, FB), stored, 4);
    show(machine);
    assert_shown(machine, (const uint8_t[]){0x33, 0x22, 0x11, 0xFF});
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, (uint32_t)FB + 0x1000);
    assert_shown(machine, (const uint8_t[]){0x33, 0x22, 0x11, 0xFF});
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FB_HI, 0);
    assert_shown(machine, (const uint8_t[]){0, 0, 0, 0xFF});
}

/* Each condition for readback, on its own. */
static void not_shown(void **state)
{
    struct fake_machine *machine = *state;

    const struct {
        uint32_t offset, value;
    } breaks[] = {
        {AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0},        {AEROGPU_LEGACY_REG_SCANOUT_FORMAT, 2},
        {AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 0},         {AEROGPU_LEGACY_REG_SCANOUT_HEIGHT, 0},
        {AEROGPU_LEGACY_REG_SCANOUT_PITCH, 4 * 4 - 1},
    };
    struct vgpu_pixels pixels;

    for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
        show(machine);
        reg_write(machine, breaks[i].offset, breaks[i].value);
        assert_non_null(vgpu_device_read_scanout(machine->device, &pixels));
        assert_null(pixels.bytes);
    }
    show(machine);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, 0);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_FB_HI, 0);
    assert_non_null(vgpu_device_read_scanout(machine->device, &pixels));
    show(machine);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY);
    assert_string_equal(vgpu_device_read_scanout(machine->device, &pixels), "Bus Master is off");
}

/* The counters run only while the scanout is on; the first edge is one period after the write. */
static void vblank_counters(void **state)
{
    struct fake_machine *machine = *state;
    const uint64_t start = machine->now;

    clock_advance(machine, 5 * VGPU_VBLANK_PERIOD_NS);
    assert_int_equal(reg_read64(machine, SEQ), 0);
    assert_int_equal(reg_read64(machine, TIME), 0);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    machine->now += VGPU_VBLANK_PERIOD_NS - 1;
    assert_int_equal(reg_read64(machine, SEQ), 0);
    machine->now += 1;
    assert_int_equal(reg_read64(machine, SEQ), 1);
    assert_int_equal(reg_read64(machine, TIME), start + 6 * VGPU_VBLANK_PERIOD_NS);
    clock_advance(machine, 2 * VGPU_VBLANK_PERIOD_NS);
    assert_int_equal(reg_read64(machine, SEQ), 3);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
    clock_advance(machine, 4 * VGPU_VBLANK_PERIOD_NS);
    assert_int_equal(reg_read64(machine, SEQ), 3);
}

/* 1 -> 0 clears a pending vblank interrupt. */
static void disable_clears_irq(void **state)
{
    struct fake_machine *machine = *state;

    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    reg_write(machine, 0x304, 2);
    clock_advance(machine, VGPU_VBLANK_PERIOD_NS);
    assert_true(machine->intx);
    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
    assert_false(machine->intx);
    assert_int_equal(reg_read(machine, 0x300), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(format),    TEST(enable),          TEST(readback),
        TEST(not_shown), TEST(vblank_counters), TEST(disable_clears_irq),
    };

    return cmocka_run_group_tests_name("legacy scanout", tests, NULL, NULL);
}
