/* registers.c: identity, configuration space and registers of the legacy device (legacy.md 1, 2). */
#include "pci/protocol/register_table.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/legacy_rig.h"
#include "tests/cases/rig/place.h"

#define BAR0_BYTES 65536u

static const struct aerogpu_register legacy_registers[] = {
#define AEROGPU_REGISTER AEROGPU_REGISTER_RECORD
#include "pci/protocol/legacy_registers.def"
};
#define REGISTERS (sizeof legacy_registers / sizeof legacy_registers[0])

static uint32_t legacy_registers_config(const struct agpu_test *t, uint32_t offset, uint32_t size)
{
    return agpu_config_read(agpu_legacy_rig(t).function, offset, size);
}

/* Vendor, device, class and interrupt pin must be those of the legacy device, without a capability list. */
static void legacy_registers_identity(struct agpu_test *t)
{
    if (t->env->abi.crossed) { /* MAGIC took precedence, and the log has a warning */
        agpu_choice(t, "identity", "A3A0:0001 with the legacy registers");
        agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_VENDOR_ID, 2), AEROGPU_PCI_VENDOR_ID);
        agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_DEVICE_ID, 2), AEROGPU_PCI_DEVICE_ID);
    } else {
        agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_VENDOR_ID, 2), AEROGPU_LEGACY_PCI_VENDOR_ID);
        agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_DEVICE_ID, 2), AEROGPU_LEGACY_PCI_DEVICE_ID);
        agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_SUBSYSTEM_VENDOR, 4), 0);
    }
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_CLASS, 1), 0x03);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_SUBCLASS, 1), 0);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_PROG_IF, 1), 0);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_INTERRUPT_PIN, 1), 1);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_STATUS, 2) & AGPU_PCI_STATUS_CAPABILITIES, 0);
    agpu_check_eq_hex(t, legacy_registers_config(t, AGPU_PCI_CAPABILITY_POINTER, 1), 0);
}

/* The legacy device must have a 32-bit, non-prefetchable BAR0 of its register size, and the model no other BAR: known
 * devices store writes to missing BARs (device.md 1). */
static void legacy_registers_bars(struct agpu_test *t)
{
    const struct agpu_function *function = agpu_legacy_rig(t).function;

    agpu_check_eq_hex(t, function->bars[0].size, BAR0_BYTES);
    agpu_check(t, !function->bars[0].prefetchable);
    agpu_check(t, !function->bars[0].is_64bit);
    for (unsigned i = 1; t->env->model && i < AGPU_PCI_BAR_COUNT; i++) {
        agpu_check_place(t, "size of the absent BAR", i, function->bars[i].size, 0);
    }
}

/* MAGIC, VERSION and the features must identify the legacy device. */
static void legacy_registers_magic(struct agpu_test *t)
{
    struct agpu_legacy_rig rig = agpu_legacy_rig(t);

    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_MAGIC), AEROGPU_LEGACY_MMIO_MAGIC);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_VERSION), AEROGPU_LEGACY_MMIO_VERSION);
    agpu_check_eq_hex(t, rig.magic, AEROGPU_LEGACY_MMIO_MAGIC);
    agpu_check_eq_hex(t, rig.version, AEROGPU_LEGACY_MMIO_VERSION);
    agpu_check_eq_hex(t, rig.features & ~(uint64_t)AEROGPU_LEGACY_FEATURE_VBLANK, 0);
    if (t->env->model) { /* other devices may have anything there (legacy.md 1) */
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_FEATURES_LO),
                          AEROGPU_LEGACY_FEATURE_VBLANK);
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_FEATURES_HI), 0);
    }
}

/* With Memory Space clear, a register write must have no effect. */
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

/* Returns true for storage without effect while there are no entries. Writing RING_ENTRY_COUNT empties the ring,
 * IRQ_ENABLE is an extension. */
static bool is_stored(const struct aerogpu_register *reg)
{
    return (reg->kind == AEROGPU_REGISTER_STORAGE || reg->kind == AEROGPU_REGISTER_STAGED) &&
           reg->feature == 0 && reg->offset != AEROGPU_LEGACY_REG_RING_ENTRY_COUNT;
}

static uint32_t legacy_own_value(uint32_t reg)
{
    return 0xC0000001u | reg << 12 | reg;
}

static void check_own(struct agpu_test *t, const char *what)
{
    for (size_t i = 0; i < REGISTERS; i++) {
        const uint32_t at = legacy_registers[i].offset;

        if (is_stored(&legacy_registers[i])) {
            agpu_check_place(t, what, at, agpu_legacy_read(t, at), legacy_own_value(at));
        }
    }
}

static void write_own(struct agpu_test *t, bool upwards)
{
    for (size_t i = 0; i < REGISTERS; i++) {
        const struct aerogpu_register *reg = &legacy_registers[upwards ? i : REGISTERS - 1 - i];

        if (is_stored(reg)) {
            agpu_legacy_write(t, reg->offset, legacy_own_value(reg->offset));
        }
    }
}

/* Storage registers must hold every value, each its own at the same time. */
static void legacy_registers_storage(struct agpu_test *t)
{
    static const uint32_t values[] = {0xFFFFFFFF, 0x55555555, 0xAAAAAAAA, 0x12345678, 0x80000001, 0};

    for (size_t i = 0; i < REGISTERS; i++) {
        for (unsigned j = 0; j < sizeof values / sizeof values[0] && is_stored(&legacy_registers[i]); j++) {
            agpu_legacy_write(t, legacy_registers[i].offset, values[j]);
            agpu_check_place(t, "register", legacy_registers[i].offset,
                             agpu_legacy_read(t, legacy_registers[i].offset), values[j]);
        }
    }
    for (unsigned upwards = 0; upwards < 2; upwards++) {
        write_own(t, upwards != 0);
        check_own(t, "while all have values, register");
    }
}

/* RING_ENTRY_COUNT must accept any number, set head and tail to 0, and keep the ring base. */
static void entry_count(struct agpu_test *t)
{
    static const uint32_t counts[] = {1, 3, 1000003, 0xFFFFFFFF, 0}; /* no power-of-two rule */

    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_BASE_LO, 0x12345000);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_BASE_HI, 0x6789);
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_HEAD, 7);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_TAIL, 9);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, counts[i]);
        agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT), counts[i]);
        agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_HEAD), 0);
        agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_TAIL), 0);
        agpu_check_place(t, "RING_BASE_LO after RING_ENTRY_COUNT became", counts[i],
                         agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_BASE_LO), 0x12345000);
        agpu_check_place(t, "RING_BASE_HI after RING_ENTRY_COUNT became", counts[i],
                         agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_BASE_HI), 0x6789);
    }
}

static void check_ignores_writes(struct agpu_test *t, const uint32_t *regs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t before = agpu_legacy_read(t, regs[i]);

        agpu_legacy_write(t, regs[i], ~before);
        agpu_check_place(t, "read-only register", regs[i], agpu_legacy_read(t, regs[i]), before);
        agpu_legacy_write(t, regs[i], UINT32_MAX);
        agpu_check_place(t, "read-only register", regs[i], agpu_legacy_read(t, regs[i]), before);
    }
}

/* A write to a read-only register must not change it. */
static void legacy_registers_read_only(struct agpu_test *t)
{
    static const uint32_t regs[] = {AEROGPU_LEGACY_REG_MAGIC, AEROGPU_LEGACY_REG_VERSION,
                                    AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_REG_FENCE_COMPLETED,
                                    AEROGPU_LEGACY_REG_FEATURES_LO};

    check_ignores_writes(t, regs, sizeof regs / sizeof regs[0]);
}

/* RING_DOORBELL and INT_ACK must read 0. */
static void legacy_registers_write_only(struct agpu_test *t)
{
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_DOORBELL), 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_ACK), 0);
}

/* Offsets without a register must read 0 and ignore writes: the whole first page, and places where registers would
 * alias if address bits were ignored. */
static void legacy_registers_unlisted(struct agpu_test *t)
{
    unsigned failed = 0;

    write_own(t, true);
    for (uint32_t at = 0; at < BAR0_BYTES && failed < 8;
         at += at < 0x1000 || at % 0x1000 < 0x40 ? 4 : 0xFC0) {
        if (aerogpu_register_at(true, at) != NULL) {
            agpu_legacy_read(t, at);
            continue;
        }
        failed += !agpu_check_place(t, "unlisted register", at, agpu_legacy_read(t, at), 0);
        agpu_legacy_write(t, at, 0x5A5A5A5A);
        failed += !agpu_check_place(t, "unlisted register after a write,", at, agpu_legacy_read(t, at), 0);
    }
    check_own(t, "after writes of unlisted ones, register");
}

/* Given a pending fence interrupt, status registers must ignore writes, and INT_ACK and the doorbell must read 0. */
static void legacy_pending(struct agpu_test *t)
{
    static const uint32_t regs[] = {AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_REG_FENCE_COMPLETED};

    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_INT_FENCE);
    check_ignores_writes(t, regs, 2);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, 0x100);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_ACK), 0);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_DOORBELL, 0xDEADBEEF);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_DOORBELL), 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), AEROGPU_LEGACY_INT_FENCE);
}

/* Byte and word accesses must read and write only their lanes of a dword register. */
static void legacy_registers_lanes(struct agpu_test *t)
{
    const struct agpu_function *function = agpu_legacy_rig(t).function;
    const struct agpu_platform *platform = function->platform;

    for (uint32_t lane = 0; lane < 4; lane++) {
        agpu_check_eq_hex(
            t, platform->bar_read(platform->ctx, &function->found.ref, 0, AEROGPU_LEGACY_REG_MAGIC + lane, 1),
            (AEROGPU_LEGACY_MMIO_MAGIC >> (8 * lane)) & 0xFF);
    }
    for (uint32_t size = 1; size <= 2; size++) {
        for (uint32_t lane = 0; lane < 4; lane += size) {
            const uint32_t at = AEROGPU_LEGACY_REG_SCANOUT_WIDTH + lane;
            const uint32_t mask = (size == 1 ? 0xFFu : 0xFFFFu) << (8 * lane);

            agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 0x11223344);
            platform->bar_write(platform->ctx, &function->found.ref, 0, at, size,
                                (0xAABBCCDDu & mask) >> (8 * lane));
            agpu_check_place2(t, "SCANOUT_WIDTH after a write at", at, "of bytes:", size,
                              agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_WIDTH),
                              (0x11223344u & ~mask) | (0xAABBCCDDu & mask));
            agpu_check_place2(t, "SCANOUT_WIDTH read at", at, "in bytes:", size,
                              platform->bar_read(platform->ctx, &function->found.ref, 0, at, size),
                              (0xAABBCCDDu & mask) >> (8 * lane));
        }
    }
}

#define REGISTER_CASE(name, section, function)                                                               \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_FUNCTION, .flags = AGPU_CASE_LEGACY,             \
        .run = (function)                                                                                    \
    }

static const struct agpu_case legacy_registers_cases[] = {
    REGISTER_CASE("discovery.legacy.identity", "legacy.md 1", legacy_registers_identity),
    REGISTER_CASE("discovery.legacy.bars", "legacy.md 1", legacy_registers_bars),
    REGISTER_CASE("discovery.legacy.magic", "legacy.md 1", legacy_registers_magic),
    REGISTER_CASE("discovery.legacy.memory_gates_writes", "legacy.md 2", memory_gates),
    REGISTER_CASE("regs.legacy.storage", "legacy.md 2", legacy_registers_storage),
    REGISTER_CASE("regs.legacy.entry_count_empties", "legacy.md 2", entry_count),
    REGISTER_CASE("regs.legacy.read_only", "legacy.md 2", legacy_registers_read_only),
    REGISTER_CASE("regs.legacy.write_only", "legacy.md 2", legacy_registers_write_only),
    REGISTER_CASE("regs.legacy.unlisted", "legacy.md 2", legacy_registers_unlisted),
    {.id = "regs.legacy.pending",
     .spec = "legacy.md 2",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_LEGACY,
     .run = legacy_pending},
    REGISTER_CASE("regs.legacy.lanes", "legacy.md 2", legacy_registers_lanes),
};

AGPU_CASE_TABLE(agpu_cases_legacy_registers, legacy_registers_cases);
