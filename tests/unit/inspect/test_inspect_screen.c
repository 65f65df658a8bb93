/* test_inspect_screen.c: the presentable rule condition by condition, and copies of scanout and cursor from
 * the device (device.md 2.1, 4.8, 4.9). */
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/device/bus/scanout.h"
#include "tests/device/inspect/inspect.h"
#include "tests/device/inspect/screen.h"
#include "tests/unit/device/fake_machine.h"
#include "tests/unit/test.h"

#define FB (RAM_BASE + 0x10000)

static const struct vgpu_surface_registers good = {.enable = true,
                                                   .width = 100,
                                                   .height = 10,
                                                   .format = AEROGPU_FORMAT_B8G8R8X8_UNORM,
                                                   .pitch_bytes = 400,
                                                   .gpa = 0x1000};

#define WITH(member, value)                                                                                  \
    ({                                                                                                       \
        struct vgpu_surface_registers changed = good;                                                        \
        changed.member = (value);                                                                            \
        changed;                                                                                             \
    })

static void assert_scanout(struct vgpu_surface_registers surface, bool presentable)
{
    assert_int_equal(vgpu_scanout_presentable(&surface), presentable);
    assert_int_equal(vgpu_scanout_obstacle(&surface) == NULL, presentable);
}

static void assert_cursor(struct vgpu_surface_registers surface, bool presentable)
{
    assert_int_equal(vgpu_cursor_obstacle(&surface) == NULL, presentable);
    assert_int_equal(vgpu_cursor_obstacle(&surface) == NULL, presentable);
}

/* device.md 4.8: each condition on its own, on both sides of its boundary. */
TEST(scanout_rule)
{
    struct vgpu_surface_registers surface;

    assert_scanout(good, true);
    assert_scanout(WITH(enable, false), false);
    assert_scanout(WITH(width, 0), false);
    assert_scanout(WITH(height, 0), false);
    assert_scanout(WITH(gpa, 0), false);
    assert_scanout(WITH(gpa, 1), true);
    assert_scanout(WITH(pitch_bytes, 396), false);
    assert_scanout(WITH(pitch_bytes, 404), true);
    assert_scanout(WITH(pitch_bytes, 402), false); /* not a multiple of the pixel size */
    assert_scanout(WITH(staged, true), true);      /* a staged LO does not change what is shown */
    surface = WITH(pitch_bytes, 402);
    surface.any_pitch = true; /* legacy.md 2 */
    assert_scanout(surface, true);
    /* FB_GPA + (HEIGHT-1)*PITCH + WIDTH*bpp may not reach 2^64. */
    assert_scanout(WITH(gpa, UINT64_MAX - 9 * 400 - 400), true);
    assert_scanout(WITH(gpa, UINT64_MAX - 9 * 400 - 399), false);
}

/* device.md 4.8: WIDTH*HEIGHT*4 <= 64 MiB, whatever the pixel size. */
TEST(scanout_size)
{
    struct vgpu_surface_registers surface = good;

    surface.width = 4096;
    surface.height = 4096;
    surface.pitch_bytes = 4096 * 4;
    assert_scanout(surface, true);
    surface.height = 4097;
    assert_scanout(surface, false);
    surface.format = AEROGPU_FORMAT_B5G6R5_UNORM;
    assert_scanout(surface, false);
    surface.width = UINT32_MAX; /* products beyond 32 bits */
    surface.height = UINT32_MAX;
    surface.pitch_bytes = UINT32_MAX;
    assert_scanout(surface, false);
}

/* device.md 4.8, 4.9: formats that can be shown. */
TEST(formats)
{
    for (uint32_t format = 0; format < 80; format++) {
        const bool wide = (format >= 1 && format <= 4) || (format >= 7 && format <= 10);

        assert_scanout(WITH(format, format), wide || format == 5 || format == 6);
        assert_cursor(WITH(format, format), wide);
    }
}

/* device.md 4.9: the pitch need not be a multiple of the pixel size; 4 MiB at most. */
TEST(cursor_rule)
{
    struct vgpu_surface_registers surface;

    assert_cursor(good, true);
    assert_cursor(WITH(enable, false), false);
    assert_cursor(WITH(width, 0), false);
    assert_cursor(WITH(height, 0), false);
    assert_cursor(WITH(gpa, 0), false);
    assert_cursor(WITH(pitch_bytes, 399), false);
    assert_cursor(WITH(pitch_bytes, 401), true);
    assert_cursor(WITH(gpa, UINT64_MAX - 9 * 400 - 399), false);
    surface = good;
    surface.width = 1024;
    surface.height = 1024;
    surface.pitch_bytes = 4096;
    assert_cursor(surface, true);
    surface.height = 1025;
    assert_cursor(surface, false);
}

static void show(struct fake_machine *machine, uint32_t width, uint32_t height, uint64_t gpa)
{
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, width);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, height);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, width * 4 + 16);
    reg_write64(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, gpa);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
}

FIXTURE(machine_setup, machine_teardown);

/* Copies rows without padding. Unmapped memory reads as FF. A device reset disables the scanout. */
TEST(scanout_copy)
{
    struct fake_machine *machine = *state;
    struct vgpu_pixels pixels;

    for (uint32_t y = 0; y < 2; y++) {
        memset(ram(machine, FB + y * 28), 0x10 + (int)y, 12);
        memset(ram(machine, FB + y * 28 + 12), 0xEE, 16);
    }
    show(machine, 3, 2, FB);
    assert_null(vgpu_device_read_scanout(machine->device, &pixels));
    assert_int_equal(pixels.row_bytes * pixels.rows, 24);
    for (uint32_t i = 0; i < 24; i++) {
        assert_int_equal(pixels.bytes[i], 0x10 + i / 12);
    }
    vgpu_pixels_free(&pixels);
    reg_write64(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, RAM_BASE + RAM_SIZE - 28);
    assert_null(vgpu_device_read_scanout(machine->device, &pixels));
    assert_int_equal(pixels.bytes[11], 0);
    assert_int_equal(pixels.bytes[12], 0xFF);
    vgpu_pixels_free(&pixels);
    vgpu_device_reset(machine->device);
    assert_string_equal(vgpu_device_read_scanout(machine->device, &pixels), "it is disabled");
    assert_null(pixels.bytes);
}

/* device.md 2.1: the device fetches nothing while Bus Master is 0. */
TEST(bus_master)
{
    struct fake_machine *machine = *state;
    struct vgpu_pixels pixels;
    unsigned calls;

    show(machine, 3, 2, FB);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY);
    calls = machine->dma_calls;
    assert_string_equal(vgpu_device_read_scanout(machine->device, &pixels), "Bus Master is off");
    assert_int_equal(machine->dma_calls, calls);
}

/* inspect.h: an image whose edge exceeds the limit is presentable, but is refused here. */
TEST(too_long)
{
    struct fake_machine *machine = *state;
    struct vgpu_pixels pixels;

    show(machine, 1, VGPU_IMAGE_MAX_EDGE + 1, FB);
    assert_string_equal(vgpu_device_read_scanout(machine->device, &pixels),
                        "the image is too large to be looked at");
    assert_null(pixels.bytes);
}

/* FB_GPA may lie in BAR1 (device.md 4.8). */
TEST(scanout_in_vram)
{
    struct fake_machine *machine = *state;
    struct vgpu_pixels pixels;

    vgpu_device_config_write(machine->device, 0x14, 4, 0xE0000000);
    memset((uint8_t *)vgpu_device_vram(machine->device).bytes + 0x40000, 0x5A, 64);
    show(machine, 3, 2, 0xE0040000);
    assert_null(vgpu_device_read_scanout(machine->device, &pixels));
    assert_int_equal(pixels.bytes[0], 0x5A);
    vgpu_pixels_free(&pixels);
}

/* device.md 4.9: the top-left corner is (X - HOT_X, Y - HOT_Y), X and Y signed, in more than 32 bits. */
TEST(cursor_place)
{
    struct fake_machine *machine = *state;
    struct vgpu_pixels pixels;
    int64_t left, top;

    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_X, (uint32_t)-5);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_Y, 0x80000000);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_HOT_X, 3);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_HOT_Y, 0xFFFFFFFF);
    assert_string_equal(vgpu_device_read_cursor(machine->device, &pixels, &left, &top), "it is disabled");
    assert_true(left == -8);
    assert_true(top == -2147483648ll - 4294967295ll);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_WIDTH, 2);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_HEIGHT, 2);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, 8);
    reg_write64(machine, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, FB);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
    assert_null(vgpu_device_read_cursor(machine->device, &pixels, &left, &top));
    assert_int_equal(pixels.rows * pixels.row_bytes, 16);
    vgpu_pixels_free(&pixels);
}
