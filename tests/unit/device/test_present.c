/* test_present.c: PRESENT writes the bound target to the scanout; take-over of the output (commands.md 11,
 * device.md 4.8, 4.9). Pacing is in test_vblank.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/unit/device/packets_short.h"

#define FB_GPA (ALLOC_GPA + 0x40000)

static void set_scanout(struct fake_driver *driver, uint32_t format, uint32_t width, uint32_t height,
                        uint32_t pitch, uint64_t gpa)
{
    struct fake_machine *machine = driver->machine;

    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, width);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, height);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, format);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, pitch);
    reg_write64(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, gpa);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
}

/* Clears target 1 (4x4 RGBA) and presents it. */
static void present(struct fake_driver *driver, uint32_t flags)
{
    stream_begin(driver);
    STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present);
    prepare(driver);
    driver->desc.flags = flags;
    post(driver);
    ring_doorbell(driver);
}

static void make_target(struct fake_driver *driver)
{
    stream_begin(driver);
    add_texture(driver, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    add_targets(driver, 1, 0);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 0.2f, 0, 0.4f);
    submit_good(driver);
}

static uint32_t pixel_at(struct fake_driver *driver, uint32_t offset)
{
    uint32_t pixel;

    memcpy(&pixel, ram(driver->machine, FB_GPA + offset), 4);
    return pixel;
}

/* commands.md 11: converted to SCANOUT0_FORMAT, clipped to the smaller of both, at SCANOUT0_PITCH. */
static void converts_and_clips(void **state)
{
    struct fake_driver *driver = *state;

    make_target(driver);
    set_scanout(driver, AEROGPU_FORMAT_B8G8R8X8_UNORM, 3, 8, 32, FB_GPA);
    present(driver, AEROGPU_SUBMIT_FLAG_PRESENT);
    assert_int_equal(error_count(driver), 0);
    for (uint32_t y = 0; y < 8; y++) {
        for (uint32_t x = 0; x < 8; x++) {
            assert_int_equal(pixel_at(driver, y * 32 + x * 4), x < 3 && y < 4 ? 0xFFFF3300 : 0);
        }
    }
    set_scanout(driver, AEROGPU_FORMAT_B5G6R5_UNORM, 4, 1, 8, FB_GPA);
    present(driver, AEROGPU_SUBMIT_FLAG_PRESENT);
    assert_int_equal(pixel_at(driver, 0), 0xF980F980);
}

/* commands.md 11: without the descriptor flag, a target, or with scanout off or without size, memory is the
 * image as it is. */
static void leaves_memory_alone(void **state)
{
    struct fake_driver *driver = *state;

    make_target(driver);
    set_scanout(driver, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 16, FB_GPA);
    present(driver, 0);
    reg_write(driver->machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    present(driver, AEROGPU_SUBMIT_FLAG_PRESENT);
    set_scanout(driver, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0, 4, 16, FB_GPA);
    present(driver, AEROGPU_SUBMIT_FLAG_PRESENT);
    set_scanout(driver, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 16, FB_GPA);
    stream_begin(driver);
    add_targets(driver, 0, 0);
    submit_good(driver);
    present(driver, AEROGPU_SUBMIT_FLAG_PRESENT);
    assert_int_equal(pixel_at(driver, 0), 0);
    assert_int_equal(error_count(driver), 0);
}

/* commands.md 11: a configuration that cannot be shown is BACKEND; the fence completes. */
static void bad_configuration(void **state)
{
    struct fake_driver *driver = *state;

    const struct {
        uint32_t format, pitch;
        uint64_t gpa;
    } bad[] = {{AEROGPU_FORMAT_R8G8B8A8_UNORM, 16, 0},
               {AEROGPU_FORMAT_R8G8B8A8_UNORM, 12, FB_GPA},
               {AEROGPU_FORMAT_R8G8B8A8_UNORM, 18, FB_GPA},
               {AEROGPU_FORMAT_D32_FLOAT, 16, FB_GPA},
               {0, 16, FB_GPA},
               {AEROGPU_FORMAT_R8G8B8A8_UNORM, 16, UINT64_MAX - 32}};

    make_target(driver);
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        set_scanout(driver, bad[i].format, 4, 4, bad[i].pitch, bad[i].gpa);
        present(driver, AEROGPU_SUBMIT_FLAG_PRESENT);
        assert_int_equal(error_count(driver), i + 1);
        assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_BACKEND);
        assert_int_equal(completed_fence(driver), driver->fence);
    }
}

/* device.md 4.8: FB_GPA may point into BAR1. */
static void framebuffer_in_vram(void **state)
{
    struct fake_driver *driver = *state;
    struct vgpu_device *device = driver->machine->device;
    uint32_t pixel;

    vgpu_device_config_write(device, 0x14, 4, 0xD0000000);
    make_target(driver);
    set_scanout(driver, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 16, 0xD0040000);
    present(driver, AEROGPU_SUBMIT_FLAG_PRESENT);
    memcpy(&pixel, (uint8_t *)vgpu_device_vram(device).bytes + 0x40000, 4);
    assert_int_equal(pixel, 0x660033FF);
    assert_int_equal(error_count(driver), 0);
}

/* device.md 4.8: the first presentable configuration takes over, a staged LO waits for HI; ownership stays
 * until reset. */
static void take_over(void **state)
{
    struct fake_driver *driver = *state;
    struct fake_machine *machine = driver->machine;
    const struct vgpu_scanout *scanout = &machine->device->scanout;

    set_scanout(driver, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 16, 0);
    assert_false(scanout->owns_output);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, (uint32_t)FB_GPA);
    assert_false(scanout->owns_output);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0);
    assert_true(scanout->owns_output);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    assert_true(scanout->owns_output);
    vgpu_device_reset(machine->device);
    assert_false(scanout->owns_output);
}

/* device.md 4.8, 4.9: limits of what can be shown. */
static void presentable(void **state)
{
    struct vgpu_surface_registers good = {
        .enable = true, .width = 4096, .height = 4096, .format = 1, .pitch_bytes = 16384, .gpa = 1 << 20};
    struct vgpu_surface_registers bad;

    (void)state;
    assert_true(vgpu_scanout_presentable(&good)); /* exactly 64 MiB */
    bad = good, bad.height = 4097;
    assert_false(vgpu_scanout_presentable(&bad));
    bad = good, bad.width = bad.height = 0xFFFFFFFF;
    assert_false(vgpu_scanout_presentable(&bad));
    bad = good, bad.gpa = UINT64_MAX - 4096ull * 16384 + 1;
    assert_false(vgpu_scanout_presentable(&bad)); /* ends exactly at 2^64: a wrap */
    good.width = good.height = 1024;
    good.pitch_bytes = 4098;
    assert_false(vgpu_scanout_presentable(&good)); /* no multiple of the pixel */
    assert_null(vgpu_cursor_obstacle(&good));      /* the cursor takes any pitch */
    bad = good, bad.height = 1025;
    assert_non_null(vgpu_cursor_obstacle(&bad));
    bad = good, bad.format = AEROGPU_FORMAT_B5G6R5_UNORM;
    assert_non_null(vgpu_cursor_obstacle(&bad));
    bad = good, bad.enable = false;
    assert_non_null(vgpu_cursor_obstacle(&bad));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(converts_and_clips),  TEST(leaves_memory_alone), TEST(bad_configuration),
        TEST(framebuffer_in_vram), TEST(take_over),           cmocka_unit_test(presentable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
