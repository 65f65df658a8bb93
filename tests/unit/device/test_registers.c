/* test_registers.c: access rules of BAR0 and the plain registers (device.md 3, 4, 4.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/versioned/registers.h"
#include "tests/unit/device/fake_machine.h"

static uint64_t read_at(struct fake_machine *machine, uint64_t offset, uint32_t size)
{
    return vgpu_device_bar_read(machine->device, VGPU_BAR_REGISTERS, offset, size);
}

static void write_at(struct fake_machine *machine, uint64_t offset, uint32_t size, uint64_t value)
{
    vgpu_device_bar_write(machine->device, VGPU_BAR_REGISTERS, offset, size, value);
}

/* device.md 4: reset values of the identification block. */
static void identification(void **state)
{
    struct fake_machine *machine = *state;

    assert_int_equal(reg_read(machine, 0x0000), 0x55504741);
    assert_int_equal(reg_read(machine, 0x0004), 0x00010004);
    assert_int_equal(reg_read(machine, 0x0008), 0x3F);
    assert_int_equal(reg_read(machine, 0x000C), 0);
    assert_int_equal(reg_read(machine, 0x0430), 16666667);
}

/* device.md 3: narrow reads are the lanes of the dword. */
static void narrow_reads(void **state)
{
    struct fake_machine *machine = *state;

    assert_int_equal(read_at(machine, 0, 1), 0x41);
    assert_int_equal(read_at(machine, 3, 1), 0x55);
    assert_int_equal(read_at(machine, 2, 2), 0x5550);
    assert_int_equal(read_at(machine, 1, 2), 0x5047);
    assert_int_equal(read_at(machine, 3, 2), 0x55);       /* crosses: truncated to the first dword */
    assert_int_equal(read_at(machine, 2, 4), 0x55504741); /* unaligned: low address bits dropped */
    assert_true(read_at(machine, 0, 8) == 0x0001000455504741ull);
    assert_true(read_at(machine, 4, 8) == 0x0000003F00010004ull);
}

/* device.md 3: narrow writes read, modify and write the dword. */
static void narrow_writes(void **state)
{
    struct fake_machine *machine = *state;

    write_at(machine, 0x504, 4, 0x11223344);
    write_at(machine, 0x505, 1, 0xAA);
    assert_int_equal(reg_read(machine, 0x504), 0x1122AA44);
    write_at(machine, 0x506, 2, 0xBBCC);
    assert_int_equal(reg_read(machine, 0x504), 0xBBCCAA44);
    write_at(machine, 0x507, 2, 0x77DD); /* crosses: truncated */
    assert_int_equal(reg_read(machine, 0x504), 0xDDCCAA44);
    assert_int_equal(reg_read(machine, 0x508), 0);
    write_at(machine, 0x504, 8, 0x0000000600000005);
    assert_int_equal(reg_read(machine, 0x504), 5);
    assert_int_equal(reg_read(machine, 0x508), 6);
    write_at(machine, 0x504, 3, 9); /* no such width */
    assert_int_equal(reg_read(machine, 0x504), 5);
}

/* device.md 3: unlisted offsets and write-only registers read 0; writes to the former change nothing
 * anywhere. */
static void unlisted_offsets(void **state)
{
    struct fake_machine *machine = *state;

    for (uint32_t offset = 0; offset < 0x10000; offset += 4) {
        if (vgpu_register_name(offset) == NULL) {
            write_at(machine, offset, 4, 0xFFFFFFFF);
            assert_int_equal(reg_read(machine, offset), 0);
        }
    }
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_DOORBELL), 0);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_IRQ_ACK), 0);
    assert_int_equal(read_at(machine, 0x10000, 4), 0);
    assert_int_equal(read_at(machine, UINT64_MAX - 3, 4), 0);
    write_at(machine, 0x10000, 4, 1);
    write_at(machine, UINT64_MAX, 1, 1);
    assert_false(vgpu_device_needs_service(machine->device));
}

/* device.md 4: read-only registers ignore writes. */
static void read_only(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t offsets[] = {0x0000, 0x0004, 0x0008, 0x000C, 0x0130, 0x0134, 0x0300, 0x0310,
                                0x0314, 0x0318, 0x031C, 0x0420, 0x0424, 0x0428, 0x042C, 0x0430};

    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const uint32_t before = reg_read(machine, offsets[i]);

        reg_write(machine, offsets[i], ~before);
        assert_int_equal(reg_read(machine, offsets[i]), before);
    }
}

/* device.md 4: plain storage reads back all 32 bits, each on its own, and starts at 0. */
static void plain_storage(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t offsets[] = {0x0100, 0x0104, 0x0108, 0x0120, 0x0124, 0x0304, 0x0404, 0x0408,
                                0x0410, 0x0504, 0x0508, 0x050C, 0x0510, 0x0514, 0x0518, 0x0528};
    const size_t count = sizeof offsets / sizeof offsets[0];

    for (size_t i = 0; i < count; i++) {
        assert_int_equal(reg_read(machine, offsets[i]), 0);
        reg_write(machine, offsets[i], 0xA5000000u + (uint32_t)i);
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(reg_read(machine, offsets[i]), 0xA5000000u + i);
    }
}

/* device.md 4, 4.8: enables are normalised, unknown formats store 0. */
static void normalised(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t enables[] = {AEROGPU_MMIO_REG_SCANOUT0_ENABLE, AEROGPU_MMIO_REG_CURSOR_ENABLE};
    const uint32_t formats[] = {AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_MMIO_REG_CURSOR_FORMAT};

    for (size_t i = 0; i < 2; i++) {
        reg_write(machine, enables[i], 0x80000000);
        assert_int_equal(reg_read(machine, enables[i]), 1);
        reg_write(machine, enables[i], 0);
        assert_int_equal(reg_read(machine, enables[i]), 0);
        reg_write(machine, formats[i], AEROGPU_FORMAT_B5G6R5_UNORM);
        assert_int_equal(reg_read(machine, formats[i]), AEROGPU_FORMAT_B5G6R5_UNORM);
        reg_write(machine, formats[i], 11);
        assert_int_equal(reg_read(machine, formats[i]), 0);
        reg_write(machine, formats[i], 0xFFFFFFFF);
        assert_int_equal(reg_read(machine, formats[i]), 0);
    }
}

/* device.md 4.5: LO is staged, HI commits, HI alone keeps the low half, disabling drops what is staged. */
static void staged_addresses(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t blocks[][2] = {
        {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, AEROGPU_MMIO_REG_SCANOUT0_ENABLE},
        {AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, AEROGPU_MMIO_REG_CURSOR_ENABLE},
    };

    for (size_t i = 0; i < 2; i++) {
        const uint32_t low = blocks[i][0];

        reg_write(machine, blocks[i][1], 1);
        reg_write(machine, low, 0x1000);
        assert_int_equal(reg_read(machine, low), 0x1000); /* shows at once */
        reg_write(machine, low + 4, 2);
        reg_write(machine, low + 4, 3); /* without a staged low half */
        assert_true(reg_read64(machine, low) == 0x300001000ull);
        reg_write(machine, low, 0x2000);
        reg_write(machine, blocks[i][1], 1); /* no 1 -> 0: stays staged */
        assert_int_equal(reg_read(machine, low), 0x2000);
        reg_write(machine, blocks[i][1], 0);
        assert_int_equal(reg_read(machine, low), 0x1000);
        reg_write(machine, low + 4, 4);
        assert_true(reg_read64(machine, low) == 0x400001000ull);
    }
}

/* device.md 4.2: only ENABLE reads back. */
static void ring_control(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t written[] = {1, 0, 3, 2, 0xFFFFFFFF, 0xFFFFFFFC};
    const uint32_t expected[] = {1, 0, 1, 0, 1, 0};

    for (size_t i = 0; i < 6; i++) {
        reg_write(machine, AEROGPU_MMIO_REG_RING_CONTROL, written[i]);
        assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_RING_CONTROL), expected[i]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_setup, machine_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(identification),   TEST(narrow_reads),     TEST(narrow_writes),
        TEST(unlisted_offsets), TEST(read_only),        TEST(plain_storage),
        TEST(normalised),       TEST(staged_addresses), TEST(ring_control),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
