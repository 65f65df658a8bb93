/* test_legacy_registers.c: the register map of the legacy device and its access rules (legacy.md 2; device.md
 * 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/device/inspect/inspect.h"
#include "tests/unit/device_legacy/legacy_machine.h"

/* Every offset of the table in legacy.md 2. */
static const uint32_t listed[] = {0x0000, 0x0004, 0x0008, 0x000C, 0x0010, 0x0014, 0x0018,
                                  0x001C, 0x0020, 0x0024, 0x0030, 0x0034, 0x0038, 0x0100,
                                  0x0104, 0x0108, 0x010C, 0x0110, 0x0114, 0x0118, 0x0300,
                                  0x0304, 0x0308, 0x0420, 0x0424, 0x0428, 0x042C, 0x0430};

static bool is_listed(uint32_t offset)
{
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
        if (listed[i] == offset) {
            return true;
        }
    }
    return false;
}

/* legacy.md 2: reset values. */
static void reset_values(void **state)
{
    struct fake_machine *machine = *state;

    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
        uint32_t expected = 0;

        switch (listed[i]) {
        case 0x0000:
            expected = 0x41524750;
            break;
        case 0x0004:
            expected = 0x00010000;
            break;
        case 0x0008:
            expected = 0x8;
            break;
        case 0x0430:
            expected = 16666667;
            break;
        }
        assert_int_equal(reg_read(machine, listed[i]), expected);
    }
}

/* legacy.md 1: the magic spells "ARGP" from its most significant byte on: in memory it is 50 47 52 41. */
static void magic_bytes(void **state)
{
    struct fake_machine *machine = *state;
    const uint8_t bytes[] = {0x50, 0x47, 0x52, 0x41};

    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(vgpu_device_bar_read(machine->device, VGPU_BAR_REGISTERS, i, 1), bytes[i]);
    }
}

/* legacy.md 2: read-only registers. */
static void read_only(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t offsets[] = {0x00, 0x04, 0x08, 0x0C, 0x30, 0x38, 0x300, 0x420, 0x424, 0x428, 0x42C, 0x430};

    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const uint32_t before = reg_read(machine, offsets[i]);

        reg_write(machine, offsets[i], ~before);
        assert_int_equal(reg_read(machine, offsets[i]), before);
    }
}

/* legacy.md 2: plain storage, every bit, each register on its own. FB_LO is staged but reads back at once. */
static void plain_storage(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t offsets[] = {0x10, 0x14, 0x18, 0x1C, 0x20, 0x100, 0x104, 0x108, 0x10C, 0x110, 0x304};
    const size_t count = sizeof offsets / sizeof offsets[0];

    for (size_t i = 0; i < count; i++) {
        reg_write(machine, offsets[i], 0xA5000000u + (uint32_t)i);
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(reg_read(machine, offsets[i]), 0xA5000000u + i);
    }
    for (size_t i = 0; i < count; i++) {
        if (offsets[i] != 0x18) { /* would reset head and tail */
            reg_write(machine, offsets[i], ~(0xA5000000u + (uint32_t)i));
            assert_int_equal(reg_read(machine, offsets[i]), ~(0xA5000000u + (uint32_t)i));
        }
    }
}

/* legacy.md 2: RING_ENTRY_COUNT takes any value and sets head and tail to 0. */
static void entry_count(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t counts[] = {3, 0, 0xFFFFFFFF, 1000};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        reg_write(machine, AEROGPU_LEGACY_REG_RING_HEAD, 11);
        reg_write(machine, AEROGPU_LEGACY_REG_RING_TAIL, 12);
        assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 11);
        reg_write(machine, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, counts[i]);
        assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT), counts[i]);
        assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 0);
        assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_TAIL), 0);
    }
}

/* legacy.md 2: write-only registers read 0; unlisted offsets read 0 and ignore writes, and are counted. */
static void unlisted_offsets(void **state)
{
    struct fake_machine *machine = *state;
    struct vgpu_unmodelled miss;
    uint32_t position = 0;
    uint32_t count = 0;

    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_DOORBELL), 0);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_ACK), 0);
    assert_int_equal(reg_read(machine, 0x308), 0);
    for (uint32_t offset = 0; offset < 0x10000; offset += 4) {
        if (!is_listed(offset)) {
            vgpu_device_bar_write(machine->device, VGPU_BAR_REGISTERS, offset, 4, 0xFFFFFFFF);
            assert_int_equal(reg_read(machine, offset), 0);
        }
    }
    while (vgpu_device_unmodelled(machine->device, &position, &miss)) {
        assert_false(is_listed(miss.offset));
        assert_int_equal(miss.reads, 1);
        assert_int_equal(miss.writes, 1);
        count++;
    }
    assert_int_equal(count, 0x10000 / 4 - sizeof listed / sizeof listed[0]);
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) { /* nothing spilled over */
        const uint32_t value = reg_read(machine, listed[i]);

        assert_true(value == 0 || listed[i] <= 0x8 || listed[i] == 0x430);
    }
}

/* device.md 3: widths other than 32 bits. */
static void narrow_accesses(void **state)
{
    struct fake_machine *machine = *state;
    struct vgpu_device *device = machine->device;

    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 0x11223344);
    vgpu_device_bar_write(device, VGPU_BAR_REGISTERS, AEROGPU_LEGACY_REG_SCANOUT_WIDTH + 1, 1, 0xAA);
    vgpu_device_bar_write(device, VGPU_BAR_REGISTERS, AEROGPU_LEGACY_REG_SCANOUT_WIDTH + 2, 2, 0xBBCC);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_SCANOUT_WIDTH), 0xBBCCAA44);
    vgpu_device_bar_write(device, VGPU_BAR_REGISTERS, AEROGPU_LEGACY_REG_RING_BASE_LO, 8, 0x0000000200000001);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_BASE_LO), 1);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_BASE_HI), 2);
    assert_true(vgpu_device_bar_read(device, VGPU_BAR_REGISTERS, 0, 8) == 0x0001000041524750ull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reset_values), TEST(magic_bytes),      TEST(read_only),       TEST(plain_storage),
        TEST(entry_count),  TEST(unlisted_offsets), TEST(narrow_accesses),
    };

    return cmocka_run_group_tests_name("legacy registers", tests, NULL, NULL);
}
