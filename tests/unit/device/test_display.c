/* test_display.c: what scanout 0 and the cursor show (device.md 4.8, 4.9). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/device/inspect/image.h"
#include "tests/device/inspect/inspect.h"
#include "tests/unit/device/fake_machine.h"

#define FB_GPA     (RAM_BASE + 0x10000)
#define CURSOR_GPA (RAM_BASE + 0x20000)

/* Converts and frees stored pixels. */
static void convert_display(struct vgpu_pixels *pixels, struct vgpu_image *out)
{
    *out = (struct vgpu_image){pixels->width, pixels->height, NULL};
    out->rgba = malloc((size_t)out->width * out->height * 4);
    assert_non_null(out->rgba);
    assert_null(vgpu_pixels_to_rgba(pixels, out->rgba)); /* what is presentable has a format that converts */
    vgpu_pixels_free(pixels);
}

/* The cursor's own picture with straight alpha; false when there is none. */
static bool display_read_cursor(struct vgpu_device *device, struct vgpu_image *out)
{
    struct vgpu_pixels pixels;
    int64_t left, top;

    if (vgpu_device_read_cursor(device, &pixels, &left, &top) != NULL) {
        return false;
    }
    convert_display(&pixels, out);
    return true;
}

/* What a monitor on scanout 0 would show: the framebuffer with the cursor on top; false when there is none. */
static bool display_read(struct vgpu_device *device, struct vgpu_image *out)
{
    struct vgpu_pixels pixels;
    struct vgpu_image cursor;
    int64_t left, top;

    if (vgpu_device_read_scanout(device, &pixels) != NULL) {
        return false;
    }
    convert_display(&pixels, out);
    if (vgpu_device_read_cursor(device, &pixels, &left, &top) == NULL) {
        convert_display(&pixels, &cursor);
        vgpu_cursor_compose(out, &cursor, left, top);
        free(cursor.rgba);
    }
    return true;
}

/* 4x3 screen, pitch 20, pixels of one value. */
static void show(struct fake_machine *machine, uint32_t format, uint32_t pixel)
{
    for (uint32_t i = 0; i < 60; i += 4) {
        memcpy(ram(machine, FB_GPA + i), &pixel, 4);
    }
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 4);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 3);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, format);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 20);
    reg_write64(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, FB_GPA);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
}

/* 2x2 cursor with pixels of one value, hot spot (1, 1), pointing at x, y. */
static void show_cursor(struct fake_machine *machine, uint32_t format, uint32_t pixel, int32_t x, int32_t y)
{
    for (uint32_t i = 0; i < 24; i += 4) {
        memcpy(ram(machine, CURSOR_GPA + i), &pixel, 4);
    }
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_WIDTH, 2);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_HEIGHT, 2);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_HOT_X, 1);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_HOT_Y, 1);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_X, (uint32_t)x);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_Y, (uint32_t)y);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_FORMAT, format);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, 9); /* any value that holds a row */
    reg_write64(machine, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, CURSOR_GPA);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
}

/* Pixel of the screen, R in the lowest byte. */
static uint32_t shown(struct fake_machine *machine, uint32_t x, uint32_t y)
{
    struct vgpu_image image;
    uint32_t pixel;

    assert_true(display_read(machine->device, &image));
    assert_int_equal(image.width, 4);
    assert_int_equal(image.height, 3);
    memcpy(&pixel, image.rgba + (y * image.width + x) * 4, 4);
    free(image.rgba);
    return pixel;
}

/* device.md 4.8: conversion to RGBA8; X8 is opaque. */
static void scanout_formats(void **state)
{
    struct fake_machine *machine = *state;

    show(machine, AEROGPU_FORMAT_B8G8R8X8_UNORM, 0x00112233);
    assert_int_equal(shown(machine, 3, 2), 0xFF332211);
    show(machine, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, 0x80112233);
    assert_int_equal(shown(machine, 0, 0), 0x80112233); /* no gamma */
    show(machine, AEROGPU_FORMAT_B5G6R5_UNORM, 0xF81FF81F);
    assert_int_equal(shown(machine, 1, 1), 0xFFFF00FF);
}

/* device.md 4.8, 2.1: no image when it is off, cannot be shown, or without Bus Master. */
static void nothing_shown(void **state)
{
    struct fake_machine *machine = *state;
    struct vgpu_image image;

    assert_false(display_read(machine->device, &image));
    assert_false(display_read_cursor(machine->device, &image));
    show(machine, AEROGPU_FORMAT_B8G8R8X8_UNORM, 1);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY);
    assert_false(display_read(machine->device, &image));
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY | VGPU_CONFIG_COMMAND_BUS_MASTER);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 15);
    assert_false(display_read(machine->device, &image));
}

/* device.md 4.8: a staged LO does not change what is shown. */
static void staged_address(void **state)
{
    struct fake_machine *machine = *state;

    show(machine, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0x01020304);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0);
    assert_int_equal(shown(machine, 0, 0), 0x01020304);
}

/* device.md 4.9: straight alpha with rounding, alpha 0 and 255, X8, and the result's alpha. */
static void cursor_blend(void **state)
{
    struct fake_machine *machine = *state;

    show(machine, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0x10646464);
    show_cursor(machine, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0x800000FF, 1, 1);
    /* (255*128 + 100*127 + 127) / 255 = 178, (0 + 100*127 + 127) / 255 = 50 */
    assert_int_equal(shown(machine, 0, 0), 0xFF3232B2);
    assert_int_equal(shown(machine, 2, 0), 0x10646464);
    show_cursor(machine, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0x00FFFFFF, 1, 1);
    assert_int_equal(shown(machine, 0, 0), 0x10646464);
    show_cursor(machine, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0xFF010203, 1, 1);
    assert_int_equal(shown(machine, 1, 0), 0xFF010203);
    show_cursor(machine, AEROGPU_FORMAT_B8G8R8X8_UNORM, 0x00010203, 1, 1);
    assert_int_equal(shown(machine, 0, 0), 0xFF030201);
}

/* device.md 4.9: signed position minus hot spot, clipped on every side; the memory of the scanout stays as it
 * is. */
static void cursor_clip(void **state)
{
    struct fake_machine *machine = *state;

    const struct {
        int32_t x, y;
        uint32_t covered; /* bit y * 4 + x */
    } places[] = {
        {1, 1, 0x033},
        {0, 0, 0x001},
        {4, 3, 0x800},
        {-1, 0, 0},
        {3, -1, 0},
        {99, 1, 0},
        {4, 0, 0x008},
        {INT32_MIN, INT32_MIN, 0},
        {INT32_MAX, INT32_MAX, 0},
    };

    show(machine, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0x11111111);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        show_cursor(machine, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0xFFFFFFFF, places[i].x, places[i].y);
        for (uint32_t at = 0; at < 12; at++) {
            const bool covered = (places[i].covered >> at & 1) != 0;

            assert_int_equal(shown(machine, at % 4, at / 4), covered ? 0xFFFFFFFF : 0x11111111);
        }
    }
    assert_int_equal(*(uint8_t *)ram(machine, FB_GPA), 0x11);
}

/* The cursor's own picture, also when no scanout is on. */
static void cursor_picture(void **state)
{
    struct fake_machine *machine = *state;
    struct vgpu_image image;

    show_cursor(machine, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0x44332211, 0, 0);
    assert_true(display_read_cursor(machine->device, &image));
    assert_int_equal(image.width * image.height, 4);
    assert_memory_equal(image.rgba, ((uint8_t[]){0x33, 0x22, 0x11, 0x44}), 4);
    free(image.rgba);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_setup, machine_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(scanout_formats), TEST(nothing_shown), TEST(staged_address),
        TEST(cursor_blend),    TEST(cursor_clip),   TEST(cursor_picture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
