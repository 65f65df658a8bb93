/* test_config_space.c: PCI identity, BARs and the gating by the command register (device.md 1, 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/unit/device/fake_machine.h"

static uint32_t config(struct fake_machine *machine, uint32_t offset, uint32_t size)
{
    return vgpu_device_config_read(machine->device, offset, size);
}

static void config_set(struct fake_machine *machine, uint32_t offset, uint32_t size, uint32_t value)
{
    vgpu_device_config_write(machine->device, offset, size, value);
}

/* device.md 1: every identity field, at every width. */
static void identity(void **state)
{
    struct fake_machine *machine = *state;

    assert_int_equal(config(machine, 0x00, 4), 0x0001A3A0);
    assert_int_equal(config(machine, 0x00, 2), 0xA3A0);
    assert_int_equal(config(machine, 0x02, 2), 0x0001);
    assert_int_equal(config(machine, 0x08, 4), 0x03000000);
    assert_int_equal(config(machine, 0x0B, 1), 0x03);
    assert_int_equal(config(machine, 0x0E, 1), 0x00);
    assert_int_equal(config(machine, 0x2C, 4), 0x0001A3A0);
    assert_int_equal(config(machine, 0x34, 4), 0);
    assert_int_equal(config(machine, 0x3D, 1), 1);
    assert_int_equal(config(machine, 0x06, 2) & 0x10, 0); /* no capability list */
}

/* device.md 2: identity, status, pin and capability pointer are read-only. */
static void read_only(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t offsets[] = {0x00, 0x08, 0x28, 0x2C, 0x34, 0x38, 0x40, 0xFC};

    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const uint32_t before = config(machine, offsets[i], 4);

        config_set(machine, offsets[i], 4, 0xFFFFFFFF);
        assert_int_equal(config(machine, offsets[i], 4), before);
    }
    config_set(machine, 0x04, 4, 0xFFFF0006);
    assert_int_equal(config(machine, 0x04, 4), 0x00000006);
    config_set(machine, 0x3C, 4, 0xFFFFFFFF);
    assert_int_equal(config(machine, 0x3C, 4), 0x000001FF); /* line is plain storage, pin is not */
}

/* device.md 1: BAR sizing; absent BARs and ROM read 0. */
static void bars(void **state)
{
    struct fake_machine *machine = *state;

    for (uint32_t offset = 0x10; offset <= 0x30; offset += 4) {
        if (offset != 0x2C) {
            config_set(machine, offset, 4, 0xFFFFFFFF);
        }
    }
    assert_int_equal(config(machine, 0x10, 4), 0xFFFF0000);
    assert_int_equal(config(machine, 0x14, 4), 0xFC000008);
    for (uint32_t offset = 0x18; offset <= 0x24; offset += 4) {
        assert_int_equal(config(machine, offset, 4), 0);
    }
    assert_int_equal(config(machine, 0x30, 4), 0);
    config_set(machine, 0x13, 1, 0xE0); /* a byte write moves its lane only */
    assert_int_equal(config(machine, 0x10, 4), 0xE0FF0000);
}

/* device.h: an access that crosses a dword is truncated to it, one outside reads 0. */
static void odd_accesses(void **state)
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

/* device.md 2, bit 1: without Memory space BARs read all ones, writes are lost. */
static void memory_space_gates_bars(void **state)
{
    struct fake_machine *machine = *state;

    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_X, 5);
    vgpu_device_bar_write(machine->device, VGPU_BAR_VRAM, 16, 4, 0x12345678);
    command_write(machine, VGPU_CONFIG_COMMAND_BUS_MASTER);
    assert_int_equal(vgpu_device_bar_read(machine->device, VGPU_BAR_REGISTERS, 0, 1), 0xFF);
    assert_int_equal(vgpu_device_bar_read(machine->device, VGPU_BAR_REGISTERS, 0, 2), 0xFFFF);
    assert_int_equal(vgpu_device_bar_read(machine->device, VGPU_BAR_REGISTERS, 0, 4), 0xFFFFFFFF);
    assert_true(vgpu_device_bar_read(machine->device, VGPU_BAR_VRAM, 16, 8) == UINT64_MAX);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_X, 9);
    vgpu_device_bar_write(machine->device, VGPU_BAR_VRAM, 16, 4, 0);
    command_write(machine, VGPU_CONFIG_COMMAND_BUS_MASTER | VGPU_CONFIG_COMMAND_MEMORY);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_CURSOR_X), 5);
    assert_int_equal(vgpu_device_bar_read(machine->device, VGPU_BAR_VRAM, 16, 4), 0x12345678);
}

/* device.md 5: VRAM takes every access size, zero at power-on, all ones beyond its end. */
static void vram(void **state)
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
    assert_int_equal(vgpu_device_bar_read(device, VGPU_BAR_VRAM, 0, 3), 0xFFFFFF); /* no such width */
}

/* device.md 2: after PCI reset command is 0, BARs stay; device.h: VRAM cleared, the rest as at power-on. */
static void function_reset(void **state)
{
    struct fake_machine *machine = *state;

    config_set(machine, 0x10, 4, 0xE0000000);
    config_set(machine, 0x14, 4, 0xD0000000);
    config_set(machine, 0x3C, 1, 11);
    vgpu_device_bar_write(machine->device, VGPU_BAR_VRAM, 4, 4, 7);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    reg_write(machine, AEROGPU_MMIO_REG_IRQ_ENABLE, 2);
    reg_write64(machine, AEROGPU_MMIO_REG_RING_GPA_LO, 0x123456789);
    clock_advance(machine, 100000000);
    assert_true(machine->intx);
    vgpu_device_reset(machine->device);
    assert_false(machine->intx);
    assert_int_equal(config(machine, 0x04, 2), 0);
    assert_int_equal(config(machine, 0x10, 4), 0xE0000000);
    assert_int_equal(config(machine, 0x14, 4), 0xD0000008);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY);
    assert_int_equal(vgpu_device_bar_read(machine->device, VGPU_BAR_VRAM, 4, 4), 0);
    for (uint32_t offset = AEROGPU_MMIO_REG_RING_GPA_LO; offset < 0x600; offset += 4) {
        if (offset != AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS) {
            assert_int_equal(reg_read(machine, offset), 0);
        }
    }
}

/* device.h: what vgpu_device_create() refuses. */
static void invalid_configuration(void **state)
{
    struct fake_machine *machine = *state;
    struct vgpu_device_machine none = {0};
    const struct vgpu_device_machine callbacks = machine_callbacks(machine);
    const struct vgpu_device_machine *good = &callbacks;

    assert_null(vgpu_device_create(NULL, NULL));
    assert_null(vgpu_device_create(&none, NULL));
    assert_null(vgpu_device_create(good, &(struct vgpu_device_config){.fault = "no_such_fault"}));
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_setup, machine_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(identity),
        TEST(read_only),
        TEST(bars),
        TEST(odd_accesses),
        TEST(memory_space_gates_bars),
        TEST(vram),
        TEST(function_reset),
        TEST(invalid_configuration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
