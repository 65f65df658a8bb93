/* registers.c: identity, configuration space and registers of the legacy device (legacy.md 1, 2). */
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/legacy_rig.h"

#define BAR0_BYTES 65536u

static uint32_t legacy_registers_config(const struct agpu_test *t, uint32_t offset, uint32_t size)
{
    return agpu_config_read(agpu_legacy_rig(t).function, offset, size);
}

static void legacy_registers_identity(struct agpu_test *t)
{
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_VENDOR_ID, 2), AEROGPU_LEGACY_PCI_VENDOR_ID);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_DEVICE_ID, 2), AEROGPU_LEGACY_PCI_DEVICE_ID);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_SUBSYSTEM_VENDOR, 4), 0);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_CLASS, 1), 0x03);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_SUBCLASS, 1), 0);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_PROG_IF, 1), 0);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_INTERRUPT_PIN, 1), 1);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_STATUS, 2) & AGPU_PCI_STATUS_CAPABILITIES, 0);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_CAPABILITY_POINTER, 1), 0);
}

static void legacy_registers_bars(struct agpu_test *t)
{
    const struct agpu_function *function = agpu_legacy_rig(t).function;

    agpu_check_eq_hex(t, function->bars[0].size, BAR0_BYTES);
    agpu_check(t, !function->bars[0].prefetchable);
    agpu_check(t, !function->bars[0].is_64bit);
    for (unsigned i = 1; i < AGPU_PCI_BAR_COUNT; i++) {
        agpu_check_eq_hex(t, function->bars[i].size, 0);
    }
}

static void legacy_registers_magic(struct agpu_test *t)
{
    struct agpu_legacy_rig rig = agpu_legacy_rig(t);

    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_MAGIC), AEROGPU_LEGACY_MMIO_MAGIC);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_VERSION), AEROGPU_LEGACY_MMIO_VERSION);
    agpu_check_eq_hex(t, rig.magic, AEROGPU_LEGACY_MMIO_MAGIC);
    agpu_check_eq_hex(t, rig.version, AEROGPU_LEGACY_MMIO_VERSION);
    agpu_check_eq_hex(t, rig.features & ~(uint64_t)AEROGPU_LEGACY_FEATURE_VBLANK, 0);
}

static void memory_gates(struct agpu_test *t)
{
    const struct agpu_function *function = agpu_legacy_rig(t).function;
    uint16_t on = agpu_command_read(function);

    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 0x1234);
    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MEMORY);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 0x5678);
    agpu_command_write(function, on);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_WIDTH), 0x1234);
}

static void legacy_registers_storage(struct agpu_test *t)
{
    /* Without entries nothing is read from what these name. */
    static const uint32_t regs[] = {AEROGPU_LEGACY_REG_RING_BASE_LO,  AEROGPU_LEGACY_REG_RING_BASE_HI,
                                    AEROGPU_LEGACY_REG_RING_HEAD,     AEROGPU_LEGACY_REG_RING_TAIL,
                                    AEROGPU_LEGACY_REG_SCANOUT_PITCH, AEROGPU_LEGACY_REG_SCANOUT_WIDTH,
                                    AEROGPU_LEGACY_REG_SCANOUT_HEIGHT};

    for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        agpu_legacy_write(t, regs[i], 0xA5A5A5A4);
        agpu_check_eq_hex(t, agpu_legacy_read(t, regs[i]), 0xA5A5A5A4);
        agpu_legacy_write(t, regs[i], 0);
        agpu_check_eq_hex(t, agpu_legacy_read(t, regs[i]), 0);
    }
}

static void entry_count(struct agpu_test *t)
{
    static const uint32_t counts[] = {1, 3, 1000003, 0xFFFFFFFF, 0}; /* no power-of-two rule */

    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_HEAD, 7);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_TAIL, 9);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, counts[i]);
        agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT), counts[i]);
        agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_HEAD), 0);
        agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_TAIL), 0);
    }
}

static void check_ignores_writes(struct agpu_test *t, const uint32_t *regs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t before = agpu_legacy_read(t, regs[i]);

        agpu_legacy_write(t, regs[i], ~before);
        agpu_check_eq_hex(t, agpu_legacy_read(t, regs[i]), before);
    }
}

static void legacy_registers_read_only(struct agpu_test *t)
{
    static const uint32_t regs[] = {AEROGPU_LEGACY_REG_MAGIC, AEROGPU_LEGACY_REG_VERSION,
                                    AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_REG_FENCE_COMPLETED,
                                    AEROGPU_LEGACY_REG_FEATURES_LO};

    check_ignores_writes(t, regs, sizeof regs / sizeof regs[0]);
}

static void legacy_registers_write_only(struct agpu_test *t)
{
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_DOORBELL), 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_ACK), 0);
}

static void legacy_registers_unlisted(struct agpu_test *t)
{
    static const uint32_t regs[] = {0x0028, 0x002C, 0x003C, 0x0040, 0x00FC,        0x011C,
                                    0x0200, 0x02FC, 0x0500, 0x8000, BAR0_BYTES - 4};

    for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        agpu_check_eq_hex(t, agpu_legacy_read(t, regs[i]), 0);
    }
    check_ignores_writes(t, regs, sizeof regs / sizeof regs[0]);
}

static void legacy_registers_lanes(struct agpu_test *t)
{
    const struct agpu_function *function = agpu_legacy_rig(t).function;
    const struct agpu_platform *platform = function->platform;

    for (uint32_t lane = 0; lane < 4; lane++) {
        agpu_check_eq_hex(
            t, platform->bar_read(platform->ctx, &function->found.ref, 0, AEROGPU_LEGACY_REG_MAGIC + lane, 1),
            (AEROGPU_LEGACY_MMIO_MAGIC >> (8 * lane)) & 0xFF);
    }
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 0x11223344);
    platform->bar_write(platform->ctx, &function->found.ref, 0, AEROGPU_LEGACY_REG_SCANOUT_WIDTH + 2, 2,
                        0xABCD);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_WIDTH), 0xABCD3344);
    platform->bar_write(platform->ctx, &function->found.ref, 0, AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 1, 0x55);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_WIDTH), 0xABCD3355);
}

#define REGISTER_CASE(name, section, function)                                                               \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_FUNCTION, .flags = AGPU_CASE_LEGACY,             \
        .run = (function)                                                                                    \
    }

static const struct agpu_case cases[] = {
    REGISTER_CASE("discovery.legacy.identity", "legacy.md 1", legacy_registers_identity),
    REGISTER_CASE("discovery.legacy.bars", "legacy.md 1", legacy_registers_bars),
    REGISTER_CASE("discovery.legacy.magic", "legacy.md 1", legacy_registers_magic),
    REGISTER_CASE("discovery.legacy.memory_gates_writes", "legacy.md 2", memory_gates),
    REGISTER_CASE("regs.legacy.storage", "legacy.md 2", legacy_registers_storage),
    REGISTER_CASE("regs.legacy.entry_count_empties", "legacy.md 2", entry_count),
    REGISTER_CASE("regs.legacy.read_only", "legacy.md 2", legacy_registers_read_only),
    REGISTER_CASE("regs.legacy.write_only", "legacy.md 2", legacy_registers_write_only),
    REGISTER_CASE("regs.legacy.unlisted", "legacy.md 2", legacy_registers_unlisted),
    REGISTER_CASE("regs.legacy.lanes", "legacy.md 2", legacy_registers_lanes),
};

AGPU_CASE_TABLE(agpu_cases_legacy_registers, cases);
