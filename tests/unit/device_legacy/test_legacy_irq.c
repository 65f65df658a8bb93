/* test_legacy_irq.c: INT_STATUS, the maskable extension beside it, the interrupt line (legacy.md 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "tests/device/bus/config_space.h"
#include "tests/device/bus/vblank.h"
#include "tests/unit/device_legacy/legacy_machine.h"

#define IRQ_STATUS 0x300u
#define IRQ_ENABLE 0x304u
#define IRQ_ACK    0x308u
#define IRQ_FENCE  1u
#define IRQ_VBLANK 2u

#define RING (RAM_BASE + 0x1000)

/* One submission with the next fence. */
static void complete_fence(struct fake_machine *machine)
{
    struct aerogpu_legacy_ring_entry_submit *entry = ram(machine, RING);
    const uint32_t fence = reg_read(machine, AEROGPU_LEGACY_REG_FENCE_COMPLETED) + 1;

    *entry =
        (struct aerogpu_legacy_ring_entry_submit){.type = AEROGPU_LEGACY_RING_ENTRY_SUBMIT, .fence = fence};
    reg_write(machine, AEROGPU_LEGACY_REG_RING_BASE_LO, (uint32_t)RING);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 2);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_TAIL, 1);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_FENCE_COMPLETED), fence);
}

/* INT_STATUS is unmasked; IRQ_STATUS latches with it, also while masked. */
static void fence_interrupt(void **state)
{
    struct fake_machine *machine = *state;

    complete_fence(machine);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_STATUS), AEROGPU_LEGACY_INT_FENCE);
    assert_int_equal(reg_read(machine, IRQ_STATUS), IRQ_FENCE);
    assert_int_equal(reg_read(machine, IRQ_ENABLE), 0);
    assert_true(machine->intx);
}

/* INT_ACK bit 0 also clears IRQ_STATUS bit 0; other bits clear nothing. */
static void int_ack(void **state)
{
    struct fake_machine *machine = *state;

    complete_fence(machine);
    reg_write(machine, AEROGPU_LEGACY_REG_INT_ACK, 0xFFFFFFFE);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_STATUS), 1);
    assert_int_equal(reg_read(machine, IRQ_STATUS), 1);
    assert_true(machine->intx);
    reg_write(machine, AEROGPU_LEGACY_REG_INT_ACK, 1);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_STATUS), 0);
    assert_int_equal(reg_read(machine, IRQ_STATUS), 0);
    assert_false(machine->intx);
}

/* IRQ_ACK does not clear INT_STATUS: alone it does not drop a fence interrupt. */
static void irq_ack(void **state)
{
    struct fake_machine *machine = *state;

    reg_write(machine, IRQ_ENABLE, IRQ_FENCE);
    complete_fence(machine);
    reg_write(machine, IRQ_ACK, IRQ_FENCE);
    assert_int_equal(reg_read(machine, IRQ_STATUS), 0);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_STATUS), 1);
    assert_true(machine->intx);
    reg_write(machine, AEROGPU_LEGACY_REG_INT_ACK, 1);
    assert_false(machine->intx);
}

/* Clearing IRQ_ENABLE does not clear bit 0, and does not touch the line that INT_STATUS drives. */
static void fence_bit_stays(void **state)
{
    struct fake_machine *machine = *state;

    reg_write(machine, IRQ_ENABLE, IRQ_FENCE);
    complete_fence(machine);
    reg_write(machine, IRQ_ENABLE, 0);
    assert_int_equal(reg_read(machine, IRQ_STATUS), IRQ_FENCE);
    assert_true(machine->intx);
    assert_int_equal(machine->intx_changes, 1);
}

/* INTx disable in configuration space forces the line inactive and no more. */
static void intx_disable(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t on = VGPU_CONFIG_COMMAND_MEMORY | VGPU_CONFIG_COMMAND_BUS_MASTER;

    complete_fence(machine);
    command_write(machine, on | VGPU_CONFIG_COMMAND_INTX_OFF);
    assert_false(machine->intx);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_STATUS), 1);
    command_write(machine, on);
    assert_true(machine->intx);
}

/* VBLANK latches only while enabled; clearing the enable bit clears it. */
static void vblank_interrupt(void **state)
{
    struct fake_machine *machine = *state;

    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    clock_advance(machine, VGPU_VBLANK_PERIOD_NS);
    assert_int_equal(reg_read(machine, IRQ_STATUS), 0);
    reg_write(machine, IRQ_ENABLE, IRQ_VBLANK);
    clock_advance(machine, VGPU_VBLANK_PERIOD_NS);
    assert_int_equal(reg_read(machine, IRQ_STATUS), IRQ_VBLANK);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_STATUS), 0);
    assert_true(machine->intx);
    reg_write(machine, AEROGPU_LEGACY_REG_INT_ACK, 0xFFFFFFFF); /* is for INT_STATUS */
    assert_int_equal(reg_read(machine, IRQ_STATUS), IRQ_VBLANK);
    reg_write(machine, IRQ_ACK, IRQ_VBLANK);
    assert_false(machine->intx);
    clock_advance(machine, VGPU_VBLANK_PERIOD_NS);
    assert_true(machine->intx);
    reg_write(machine, IRQ_ENABLE, 0);
    assert_int_equal(reg_read(machine, IRQ_STATUS), 0);
    assert_false(machine->intx);
}

/* Enabling catches the clock up first: an edge that was due does not interrupt, the next one does. */
static void vblank_enable_catches_up(void **state)
{
    struct fake_machine *machine = *state;

    reg_write(machine, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    machine->now += VGPU_VBLANK_PERIOD_NS + 5; /* no service point in between */
    vgpu_device_bar_write(machine->device, VGPU_BAR_REGISTERS, IRQ_ENABLE, 4, IRQ_VBLANK);
    assert_int_equal(reg_read(machine, IRQ_STATUS), 0);
    assert_int_equal(reg_read(machine, 0x420), 1);
    machine->now += VGPU_VBLANK_PERIOD_NS;
    assert_int_equal(reg_read(machine, IRQ_STATUS), IRQ_VBLANK);
}

/* A device reset drops everything and the line. */
static void device_reset(void **state)
{
    struct fake_machine *machine = *state;

    reg_write(machine, IRQ_ENABLE, IRQ_FENCE | IRQ_VBLANK);
    complete_fence(machine);
    vgpu_device_reset(machine->device);
    assert_false(machine->intx);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_STATUS), 0);
    assert_int_equal(reg_read(machine, IRQ_STATUS), 0);
    assert_int_equal(reg_read(machine, IRQ_ENABLE), 0);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_FENCE_COMPLETED), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fence_interrupt), TEST(int_ack),          TEST(irq_ack),      TEST(fence_bit_stays),
        TEST(intx_disable),    TEST(vblank_interrupt), TEST(device_reset), TEST(vblank_enable_catches_up),
    };

    return cmocka_run_group_tests_name("legacy irq", tests, NULL, NULL);
}
