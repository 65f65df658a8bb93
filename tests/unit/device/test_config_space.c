/* test_config_space.c: accesses that a guest on a real bus cannot make, and refused configurations. */
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/unit/device/fake_machine.h"
#include "tests/unit/test.h"

static uint32_t config(struct fake_machine *machine, uint32_t offset, uint32_t size)
{
    return vgpu_device_config_read(machine->device, offset, size);
}

static void config_set(struct fake_machine *machine, uint32_t offset, uint32_t size, uint32_t value)
{
    vgpu_device_config_write(machine->device, offset, size, value);
}

FIXTURE(machine_setup, machine_teardown);

/* device.h: an access that crosses a dword is truncated to it; an access outside reads 0. */
TEST(odd_accesses)
{
    struct fake_machine *machine = *state;

    assert_int_equal(config(machine, 0x03, 2), 0x00);
    assert_int_equal(config(machine, 0x01, 4), 0x0001A3);
    assert_int_equal(config(machine, 0x100, 4), 0);
    assert_int_equal(config(machine, 0x00, 3), 0x01A3A0);
    assert_int_equal(config(machine, 0x00, 8), 0);
    config_set(machine, 0xFFFFFFFC, 4, 1);
    config_set(machine, 0x3C, 0, 1);
    assert_int_equal(config(machine, 0x3C, 1), 0);
}

/* device.md 5: VRAM accepts every access size, is zero at power-on, and reads as all ones past its end. */
TEST(vram)
{
    struct fake_machine *machine = *state;
    struct vgpu_device *device = machine->device;
    const struct vgpu_device_vram memory = vgpu_device_vram(device);

    assert_int_equal(memory.size, 64u << 20);
    assert_int_equal(vgpu_device_bar_read(device, VGPU_BAR_VRAM, memory.size - 8, 8), 0);
    vgpu_device_bar_write(device, VGPU_BAR_VRAM, 0x40001, 8, 0x1122334455667788);
    assert_int_equal(vgpu_device_bar_read(device, VGPU_BAR_VRAM, 0x40001, 1), 0x88);
    assert_int_equal(vgpu_device_bar_read(device, VGPU_BAR_VRAM, 0x40003, 2), 0x5566);
    assert_int_equal(((uint8_t *)memory.bytes)[0x40008], 0x11);
    assert_int_equal(vgpu_device_bar_read(device, VGPU_BAR_VRAM, memory.size - 2, 4), 0xFFFFFFFF);
    assert_int_equal(vgpu_device_bar_read(device, VGPU_BAR_VRAM, UINT64_MAX, 4), 0xFFFFFFFF);
    vgpu_device_bar_write(device, VGPU_BAR_VRAM, UINT64_MAX, 4, 1);
    assert_int_equal(vgpu_device_bar_read(device, VGPU_BAR_VRAM, 0, 3), 0xFFFFFF); /* not a valid size */
}

/* device.h: configurations that vgpu_device_create() refuses. */
TEST(invalid_configuration)
{
    struct fake_machine *machine = *state;
    struct vgpu_device_machine none = {0};
    const struct vgpu_device_machine callbacks = machine_callbacks(machine);
    const struct vgpu_device_machine *good = &callbacks;

    assert_null(vgpu_device_create(NULL, NULL));
    assert_null(vgpu_device_create(&none, NULL));
    assert_null(vgpu_device_create(good, &(struct vgpu_device_config){.vram_bytes = 0x40000}));
    assert_null(vgpu_device_create(good, &(struct vgpu_device_config){.vram_bytes = 0x180000}));
    assert_null(vgpu_device_create(good, &(struct vgpu_device_config){.vram_bytes = 1ull << 32}));
    struct vgpu_device *small = vgpu_device_create(good, &(struct vgpu_device_config){.vram_bytes = 0x80000});
    assert_non_null(small);
    vgpu_device_config_write(small, 0x14, 4, 0xFFFFFFFF);
    assert_int_equal(vgpu_device_config_read(small, 0x14, 4), 0xFFF80008);
    vgpu_device_destroy(small);
    vgpu_device_destroy(NULL);
}
