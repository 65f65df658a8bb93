/* power.c: the power states and resets that a function may have (device.md 2.2). */
#include "pci/power.h"

#include "pci/protocol/register_table.h"
#include "pci/registers.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vblank.h"

static bool has_vblank(const struct agpu_test *t)
{
    const uint64_t wanted = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT;

    return (t->env->abi.features & wanted) == wanted;
}

/* Writes values other than the reset values to some registers, and lets the vblank clock run. */
static void mark_registers(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    if (has_vblank(t)) {
        agpu_scanout_enable(t, 1);
        agpu_return_unless(agpu_vblank_wait_seq(t, agpu_vblank_seq(t) + 2));
        agpu_scanout_enable(t, 0);
    }
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 640);
    agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_ERROR);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), AEROGPU_IRQ_ERROR);
}

/* Checks the reset values of device.md 4, except the identification. SEQ may start at 1 (device.md 4.7). */
static void check_reset_registers(struct agpu_test *t)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);

    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC);
    for (size_t i = 0; i < count; i++) {
        if (registers[i].kind != AEROGPU_REGISTER_CONSTANT &&
            registers[i].feature != AEROGPU_FEATURE_VBLANK) {
            agpu_check_place(t, "register after the reset, at", registers[i].offset,
                             agpu_reg_read(&t->env->function, registers[i].offset), registers[i].reset);
        }
    }
    if (has_vblank(t)) {
        agpu_check_within(t, agpu_vblank_seq(t), 0, 1, "VBLANK_SEQ after the reset");
    }
}

/* Checks what a driver needs after the function is back: a ring, and work in it. */
static void check_works(struct agpu_test *t)
{
    const struct agpu_ring_config config = {0};

    agpu_return_unless(agpu_check_ok(t, agpu_ring_restart(t->env, &config)));
    for (unsigned i = 0; i < 3; i++) {
        agpu_return_unless(agpu_run_empty(t));
    }
}

/* ---- D3hot ---- */

/* device.md 2: the machine decides what a read returns that no device decodes. QEMU removes the BARs from the bus
 * itself, without asking the device (tests/device/vfio/README.md). */
static bool nobody_answers(uint32_t value)
{
    return value == UINT32_MAX || value == 0;
}

/* Given a power management capability, a function in D3hot must not answer register accesses, and must work again in
 * D0: with its state if the capability says so, otherwise with reset values. */
static void power_d3hot(struct agpu_test *t)
{
    struct agpu_function *function = &t->env->function;
    struct agpu_config_saved saved;
    uint32_t magic;
    bool keeps;

    agpu_require(t, agpu_capability_find(function, AGPU_CAPABILITY_POWER) != 0, AGPU_SKIP_CAPABILITY);
    keeps = agpu_power_keeps_state(function);
    agpu_return_unless(agpu_run_empty(t));
    mark_registers(t);
    agpu_config_save(function, &saved);
    for (unsigned i = 0; i < 2; i++) { /* the second write changes nothing */
        agpu_check_ok(t, agpu_power_set(function, AGPU_POWER_D3HOT));
        agpu_check_eq_u64(t, agpu_power_state(function), AGPU_POWER_D3HOT);
    }
    agpu_check_eq_hex(t, agpu_config_read(function, AGPU_PCI_VENDOR_ID, 2), AEROGPU_PCI_VENDOR_ID);
    magic = agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC);
    agpu_check_place(t, "all ones or 0, since the device does not answer in D3hot, in the register at",
                     AEROGPU_MMIO_REG_MAGIC, magic, nobody_answers(magic) ? magic : UINT32_MAX);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 123); /* must have no effect */
    agpu_check_ok(t, agpu_power_set(function, AGPU_POWER_D0));
    agpu_check_eq_u64(t, agpu_power_state(function), AGPU_POWER_D0);
    agpu_config_restore(function, &saved);
    if (keeps) {
        agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH), 640);
        agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), AEROGPU_IRQ_ERROR);
        agpu_return_unless(agpu_run_empty(t)); /* in the same ring as before */
    } else {
        check_reset_registers(t);
    }
    check_works(t);
}

/* ---- resets ---- */

static void after_reset(struct agpu_test *t, enum agpu_status status, const struct agpu_config_saved *saved)
{
    const struct agpu_function *function = &t->env->function;

    agpu_return_unless(agpu_check_ok(t, status));
    agpu_check_eq_hex(t,
                      agpu_command_read(function) &
                          (AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER | AGPU_PCI_COMMAND_INTX_OFF),
                      0);
    agpu_config_restore(function, saved);
    check_reset_registers(t);
    check_works(t);
}

/* Given function level reset, it must restore the reset values of registers and command register, and a ring must work
 * afterwards. */
static void power_function_reset(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_config_saved saved;

    agpu_require(t, agpu_reset_has_function_level(function), AGPU_SKIP_CAPABILITY);
    agpu_return_unless(agpu_run_empty(t));
    mark_registers(t);
    agpu_config_save(function, &saved);
    after_reset(t, agpu_reset_function(function), &saved);
}

/* Given a bridge above the function, a secondary bus reset must restore the reset values, and a ring must work
 * afterwards. */
static void power_bus_reset(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_config_saved saved;
    struct agpu_pci_ref bridge;

    agpu_require(t, agpu_reset_find_bridge(function, &bridge), AGPU_SKIP_BRIDGE);
    agpu_return_unless(agpu_run_empty(t));
    mark_registers(t);
    agpu_config_save(function, &saved);
    after_reset(t, agpu_reset_bus(function, &bridge), &saved);
}

#define POWER_CASE(name, function)                                                                           \
    {                                                                                                        \
        .id = (name), .spec = "device.md 2.2", .needs = AGPU_NEED_RING, .run = (function)                    \
    }

static const struct agpu_case function_power_cases[] = {
    POWER_CASE("discovery.power.d3hot", power_d3hot),
    POWER_CASE("discovery.reset.function", power_function_reset),
    POWER_CASE("discovery.reset.bus", power_bus_reset),
};

AGPU_CASE_TABLE(agpu_cases_function_power, function_power_cases);
