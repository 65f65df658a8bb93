/* test_legacy_identity.c: PCI identity and BARs of the legacy device, its gating and its reset
 * (legacy.md 1; device.md 1, 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/device/inspect/inspect.h"
#include "tests/unit/device_legacy/legacy_machine.h"

static uint32_t config(struct fake_machine *machine, uint32_t offset)
{
    return vgpu_device_config_read(machine->device, offset, 4);
}

static void config_set(struct fake_machine *machine, uint32_t offset, uint32_t value)
{
    vgpu_device_config_write(machine->device, offset, 4, value);
}

/* legacy.md 1: 1AED:0001, no subsystem, INTA#, no capabilities. */
static void identity(void **state)
{
    struct fake_machine *machine = *state;

    assert_int_equal(config(machine, 0x00), 0x00011AED);
    assert_int_equal(config(machine, 0x08), 0x03000000);
    assert_int_equal(config(machine, 0x0C) & 0x00FF0000, 0);
    assert_int_equal(config(machine, 0x2C), 0);
    assert_int_equal(config(machine, 0x34), 0);
    assert_int_equal(config(machine, 0x3C), 0x0100);
    assert_int_equal(config(machine, 0x04) & 0x00100000, 0);
    assert_string_equal(vgpu_device_abi_name(machine->device), "legacy");
}

/* legacy.md 1: BAR0 64 KiB, no other BAR, no ROM. */
static void bars(void **state)
{
    struct fake_machine *machine = *state;

    for (uint32_t offset = 0x10; offset <= 0x30; offset += 4) {
        if (offset < 0x28 || offset == 0x30) {
            config_set(machine, offset, 0xFFFFFFFF);
            assert_int_equal(config(machine, offset), offset == 0x10 ? 0xFFFF0000 : 0);
        }
    }
}

/* An access to BAR1 finds nothing; there is no memory to hand out. */
static void no_vram(void **state)
{
    struct fake_machine *machine = *state;
    const struct vgpu_device_vram vram = vgpu_device_vram(machine->device);

    assert_int_equal(vram.size, 0);
    assert_int_equal(vram.fd, -1);
    assert_null(vram.bytes);
    vgpu_device_bar_write(machine->device, VGPU_BAR_VRAM, 0, 4, 1);
    assert_int_equal(vgpu_device_bar_read(machine->device, VGPU_BAR_VRAM, 0, 4), 0xFFFFFFFF);
}

/* device.h: a legacy device with VRAM is no valid configuration. */
static void vram_refused(void **state)
{
    struct fake_machine *machine = *state;
    const struct vgpu_device_machine callbacks = machine_callbacks(machine);
    const struct vgpu_device_config bad = {.abi = VGPU_ABI_LEGACY, .vram_bytes = 1u << 20};

    assert_null(vgpu_device_create(&callbacks, &bad));
}

/* device.md 2: Memory space gates BAR0. */
static void memory_space(void **state)
{
    struct fake_machine *machine = *state;

    command_write(machine, VGPU_CONFIG_COMMAND_BUS_MASTER);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_MAGIC), 0xFFFFFFFF);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_TAIL, 5);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_MAGIC), AEROGPU_LEGACY_MMIO_MAGIC);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_TAIL), 0);
}

/* device.md 2 DEV: a device reset keeps identity and BARs and clears everything else. */
static void device_reset(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t offsets[] = {AEROGPU_LEGACY_REG_RING_BASE_LO,     AEROGPU_LEGACY_REG_RING_BASE_HI,
                                AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, AEROGPU_LEGACY_REG_RING_HEAD,
                                AEROGPU_LEGACY_REG_RING_TAIL,        AEROGPU_LEGACY_REG_SCANOUT_FB_LO,
                                AEROGPU_LEGACY_REG_SCANOUT_FB_HI,    AEROGPU_LEGACY_REG_SCANOUT_PITCH,
                                AEROGPU_LEGACY_REG_SCANOUT_WIDTH,    AEROGPU_LEGACY_REG_SCANOUT_HEIGHT};
    const size_t count = sizeof offsets / sizeof offsets[0];

    config_set(machine, 0x10, 0xFEB00000);
    for (size_t i = 0; i < count; i++) {
        reg_write(machine, offsets[i], 7);
    }
    vgpu_device_reset(machine->device);
    assert_int_equal(config(machine, 0x00), 0x00011AED);
    assert_int_equal(config(machine, 0x2C), 0);
    assert_int_equal(config(machine, 0x10), 0xFEB00000);
    assert_int_equal(config(machine, 0x14), 0);
    assert_int_equal(config(machine, 0x04) & 0xFFFF, 0);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(reg_read(machine, offsets[i]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(identity), TEST(bars), TEST(no_vram), TEST(vram_refused), TEST(memory_space), TEST(device_reset),
    };

    return cmocka_run_group_tests_name("legacy identity", tests, NULL, NULL);
}
