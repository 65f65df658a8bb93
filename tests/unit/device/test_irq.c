/* test_irq.c: interrupt causes, mask, acknowledge, line; error registers (device.md 2, 4.4, 4.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/unit/device/fake_driver.h"

#define BUS (VGPU_CONFIG_COMMAND_MEMORY | VGPU_CONFIG_COMMAND_BUS_MASTER)

static void enable(struct fake_driver *driver, uint32_t mask)
{
    reg_write(driver->machine, AEROGPU_MMIO_REG_IRQ_ENABLE, mask);
}

static uint32_t status(struct fake_driver *driver)
{
    return reg_read(driver->machine, AEROGPU_MMIO_REG_IRQ_STATUS);
}

static void ack(struct fake_driver *driver, uint32_t bits)
{
    reg_write(driver->machine, AEROGPU_MMIO_REG_IRQ_ACK, bits);
}

/* An error without a fence: a doorbell on a ring without address. */
static void provoke_error(struct fake_driver *driver)
{
    reg_write64(driver->machine, AEROGPU_MMIO_REG_RING_GPA_LO, 0);
    ring_doorbell(driver);
    reg_write64(driver->machine, AEROGPU_MMIO_REG_RING_GPA_LO, RING_GPA);
}

/* device.md 4.4: FENCE latches only while enabled. */
static void fence_latches_when_enabled(void **state)
{
    struct fake_driver *driver = *state;

    submit_good(driver);
    assert_int_equal(status(driver), 0);
    enable(driver, AEROGPU_IRQ_FENCE);
    assert_int_equal(status(driver), 0); /* not latched afterwards */
    submit_good(driver);
    assert_int_equal(status(driver), AEROGPU_IRQ_FENCE);
    assert_true(driver->machine->intx);
    ack(driver, ~AEROGPU_IRQ_FENCE);
    assert_true(driver->machine->intx);
    ack(driver, AEROGPU_IRQ_FENCE);
    assert_int_equal(status(driver), 0);
    assert_false(driver->machine->intx);
}

/* ring.md 4: NO_IRQ, stale and zero fences raise nothing. */
static void quiet_fences(void **state)
{
    struct fake_driver *driver = *state;
    const uint64_t fences[] = {0, 1, 1};

    enable(driver, AEROGPU_IRQ_FENCE);
    prepare(driver);
    driver->desc.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ;
    post(driver);
    ring_doorbell(driver);
    assert_int_equal(completed_fence(driver), 1);
    for (size_t i = 0; i < 3; i++) {
        prepare(driver);
        driver->desc.signal_fence = fences[i];
        post(driver);
        ring_doorbell(driver);
        assert_int_equal(completed_fence(driver), 1);
    }
    assert_int_equal(status(driver), 0);
}

/* device.md 4.4: disabling FENCE clears it when pending, ERROR survives and asserts when enabled later. */
static void disabling(void **state)
{
    struct fake_driver *driver = *state;

    enable(driver, AEROGPU_IRQ_FENCE);
    submit_good(driver);
    provoke_error(driver);
    assert_int_equal(status(driver), AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    enable(driver, 0);
    assert_int_equal(status(driver), AEROGPU_IRQ_ERROR);
    assert_false(driver->machine->intx);
    enable(driver, AEROGPU_IRQ_ERROR);
    assert_true(driver->machine->intx);
    assert_int_equal(status(driver), AEROGPU_IRQ_ERROR);
}

/* device.md 2, bit 10: the line is forced inactive, the bits are not touched. */
static void intx_disable(void **state)
{
    struct fake_driver *driver = *state;

    enable(driver, AEROGPU_IRQ_ERROR);
    provoke_error(driver);
    assert_true(driver->machine->intx);
    command_write(driver->machine, BUS | VGPU_CONFIG_COMMAND_INTX_OFF);
    assert_false(driver->machine->intx);
    assert_int_equal(status(driver), AEROGPU_IRQ_ERROR);
    command_write(driver->machine, BUS);
    assert_true(driver->machine->intx);
}

/* device.md 2.1: INTx is not gated by Bus Master. */
static void bus_master_does_not_gate_intx(void **state)
{
    struct fake_driver *driver = *state;

    provoke_error(driver);
    command_write(driver->machine, VGPU_CONFIG_COMMAND_MEMORY);
    enable(driver, AEROGPU_IRQ_ERROR);
    assert_true(driver->machine->intx);
}

/* device.md 4.6: registers of the last error; the count grows; ACK leaves them alone. */
static void error_registers(void **state)
{
    struct fake_driver *driver = *state;

    provoke_error(driver);
    assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_CMD_DECODE);
    assert_int_equal(reg_read64(driver->machine, AEROGPU_MMIO_REG_ERROR_FENCE_LO), 0);
    driver->fence = 0x1234567800ull;
    stream_begin(driver);
    stream_header(driver)->size_bytes = 4096;
    submit_bad(driver, AEROGPU_ERROR_OOB);
    ack(driver, ~0u);
    assert_int_equal(error_count(driver), 2);
    assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_FENCE_HI), 0x12);
    assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_FENCE_LO), 0x34567801);
}

/* device.md 3: a byte write to IRQ_ACK clears only bits in its lane. */
static void byte_ack(void **state)
{
    struct fake_driver *driver = *state;

    enable(driver, AEROGPU_IRQ_FENCE);
    submit_good(driver);
    provoke_error(driver);
    vgpu_device_bar_write(driver->machine->device, VGPU_BAR_REGISTERS, AEROGPU_MMIO_REG_IRQ_ACK + 3, 1, 0xFF);
    assert_int_equal(status(driver), AEROGPU_IRQ_FENCE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fence_latches_when_enabled),    TEST(quiet_fences),    TEST(disabling), TEST(intx_disable),
        TEST(bus_master_does_not_gate_intx), TEST(error_registers), TEST(byte_ack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
