/* discovery.c: PCI identity, configuration space, BARs and what the command register gates (device.md
 * 1, 2). */
#include "pci/registers.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

static uint32_t discovery_config(const struct agpu_test *t, uint32_t offset, uint32_t size)
{
    return agpu_config_read(&t->env->function, offset, size);
}

static void discovery_identity(struct agpu_test *t)
{
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_VENDOR_ID, 2), AEROGPU_PCI_VENDOR_ID);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_DEVICE_ID, 2), AEROGPU_PCI_DEVICE_ID);
}

static void discovery_subsystem(struct agpu_test *t)
{
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_SUBSYSTEM_VENDOR, 2), AEROGPU_PCI_SUBSYSTEM_VENDOR_ID);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_SUBSYSTEM_ID, 2), AEROGPU_PCI_SUBSYSTEM_ID);
}

static void class_code(struct agpu_test *t)
{
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_CLASS, 1), AEROGPU_PCI_CLASS_CODE_DISPLAY_CONTROLLER);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_SUBCLASS, 1), AEROGPU_PCI_SUBCLASS_VGA_COMPATIBLE);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_PROG_IF, 1), AEROGPU_PCI_PROG_IF);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_REVISION, 1), 0);
}

static void header_type(struct agpu_test *t)
{
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_HEADER_TYPE, 1), 0);
}

static void interrupt_pin(struct agpu_test *t)
{
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_INTERRUPT_PIN, 1), 1);
}

static void no_capabilities(struct agpu_test *t)
{
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_STATUS, 2) & AGPU_PCI_STATUS_CAPABILITIES, 0);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_CAPABILITY_POINTER, 1), 0);
}

static void read_only_identity(struct agpu_test *t)
{
    static const uint32_t offsets[] = {AGPU_PCI_VENDOR_ID, AGPU_PCI_REVISION, AGPU_PCI_SUBSYSTEM_VENDOR,
                                       AGPU_PCI_CAPABILITY_POINTER};

    for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        uint32_t before = discovery_config(t, offsets[i], 4);

        agpu_config_write(&t->env->function, offsets[i], 4, ~before);
        agpu_check_eq_hex(t, discovery_config(t, offsets[i], 4), before);
    }
}

static void interrupt_line(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint32_t before = discovery_config(t, AGPU_PCI_INTERRUPT_LINE, 1);

    agpu_config_write(function, AGPU_PCI_INTERRUPT_LINE, 1, before ^ 0x5A);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_INTERRUPT_LINE, 1), before ^ 0x5A);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_INTERRUPT_PIN, 1), 1);
    agpu_config_write(function, AGPU_PCI_INTERRUPT_LINE, 1, before);
}

static void config_lanes(struct agpu_test *t)
{
    for (uint32_t offset = 0; offset < 0x40; offset += 4) {
        uint32_t dword = discovery_config(t, offset, 4);

        for (uint32_t lane = 0; lane < 4; lane++) {
            agpu_check_eq_hex(t, discovery_config(t, offset + lane, 1), (dword >> (8 * lane)) & 0xFF);
        }
        agpu_check_eq_hex(t, discovery_config(t, offset, 2), dword & 0xFFFF);
        agpu_check_eq_hex(t, discovery_config(t, offset + 2, 2), dword >> 16);
    }
}

static void discovery_bar0(struct agpu_test *t)
{
    const struct agpu_bar_info *bar = &t->env->function.bars[AEROGPU_PCI_BAR0_INDEX];

    agpu_check_eq_hex(t, bar->size, AEROGPU_PCI_BAR0_SIZE_BYTES);
    agpu_check(t, !bar->prefetchable);
    agpu_check(t, !bar->is_64bit);
    agpu_check_eq_hex(t, bar->address & (bar->size - 1), 0);
}

static void discovery_bar1(struct agpu_test *t)
{
    const struct agpu_bar_info *bar = &t->env->function.bars[AEROGPU_PCI_BAR1_INDEX];

    agpu_check(t, bar->size >= 512 * 1024);
    agpu_check_eq_hex(t, bar->size & (bar->size - 1), 0);
    agpu_check(t, bar->prefetchable);
    agpu_check(t, !bar->is_64bit);
    agpu_metric(t, "bar1_bytes", bar->size, "B");
}

static void other_bars(struct agpu_test *t)
{
    for (unsigned i = 2; i < AGPU_PCI_BAR_COUNT; i++) {
        agpu_check_eq_hex(t, t->env->function.saved_bars[i], 0);
    }
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_ROM_BAR, 4), 0);
}

static void command_bits(struct agpu_test *t)
{
    static const uint16_t bits[] = {AGPU_PCI_COMMAND_MEMORY, AGPU_PCI_COMMAND_MASTER,
                                    AGPU_PCI_COMMAND_INTX_OFF};
    const struct agpu_function *function = &t->env->function;
    uint16_t on = agpu_command_read(function);

    agpu_check_eq_hex(t, on & (AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER),
                      AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER);
    for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        uint16_t flipped = on ^ bits[i];

        agpu_command_write(function, flipped);
        agpu_check_eq_hex(t, agpu_command_read(function), flipped);
        agpu_command_write(function, on);
        agpu_check_eq_hex(t, agpu_command_read(function), on);
    }
}

static void status_not_writable(struct agpu_test *t)
{
    uint32_t before = discovery_config(t, AGPU_PCI_COMMAND, 4);

    agpu_config_write(&t->env->function, AGPU_PCI_COMMAND, 4, before ^ 0x00700000);
    agpu_check_eq_hex(t, discovery_config(t, AGPU_PCI_COMMAND, 4), before);
}

/* What an address reads that nothing decodes is the machine's affair: all ones on a bus that floats high,
 * zero in some emulators. It is not the device's register, which memory_gates_writes shows to be
 * untouched. */
static void memory_gates_reads(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint16_t on = agpu_command_read(function);
    uint32_t magic, ring_size;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0x1234);
    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MEMORY);
    magic = agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC);
    ring_size = agpu_reg_read(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES);
    agpu_command_write(function, on);
    agpu_check(t, magic == UINT32_MAX || magic == 0);
    agpu_check_eq_hex(t, ring_size, magic);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC);
}

static void memory_gates_writes(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint16_t on = agpu_command_read(function);

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0x1234);
    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MEMORY);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0x5678);
    agpu_command_write(function, on);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES), 0x1234);
}

static void io_does_not_gate(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint16_t on = agpu_command_read(function);

    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_IO);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC);
    agpu_command_write(function, on);
}

static void vram_storage(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const struct agpu_platform *platform = t->env->platform;
    static const uint32_t sizes[] = {1, 2, 4, 8};
    uint64_t at = AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES;

    for (unsigned i = 0; i < 4; i++) {
        uint64_t mask = sizes[i] == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * sizes[i])) - 1;
        uint64_t value = UINT64_C(0x8877665544332211) & mask;

        platform->bar_write(platform->ctx, &function->found.ref, AEROGPU_PCI_BAR1_INDEX, at, sizes[i], value);
        agpu_check_eq_hex(
            t, platform->bar_read(platform->ctx, &function->found.ref, AEROGPU_PCI_BAR1_INDEX, at, sizes[i]),
            value);
        at += 8;
    }
}

static const struct agpu_case cases[] = {
    {.id = "discovery.identity.vendor_device",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = discovery_identity},
    {.id = "discovery.identity.subsystem",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = discovery_subsystem},
    {.id = "discovery.identity.class", .spec = "device.md 1", .needs = AGPU_NEED_FUNCTION, .run = class_code},
    {.id = "discovery.identity.header_type",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = header_type},
    {.id = "discovery.identity.interrupt_pin",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = interrupt_pin},
    {.id = "discovery.identity.no_capabilities",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = no_capabilities},
    {.id = "discovery.identity.read_only",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = read_only_identity},
    {.id = "discovery.config.interrupt_line",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = interrupt_line},
    {.id = "discovery.config.lanes", .spec = "device.md 2", .needs = AGPU_NEED_FUNCTION, .run = config_lanes},
    {.id = "discovery.config.status_not_writable",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = status_not_writable},
    {.id = "discovery.bar.registers",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .run = discovery_bar0},
    {.id = "discovery.bar.vram", .spec = "device.md 1", .needs = AGPU_NEED_FUNCTION, .run = discovery_bar1},
    {.id = "discovery.bar.others_absent",
     .spec = "device.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = other_bars},
    {.id = "discovery.bar.vram_storage",
     .spec = "device.md 5",
     .needs = AGPU_NEED_FUNCTION,
     .run = vram_storage},
    {.id = "discovery.command.bits", .spec = "device.md 2", .needs = AGPU_NEED_FUNCTION, .run = command_bits},
    {.id = "discovery.command.memory_gates_reads",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = memory_gates_reads},
    {.id = "discovery.command.memory_gates_writes",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = memory_gates_writes},
    {.id = "discovery.command.io_does_not_gate",
     .spec = "device.md 2",
     .needs = AGPU_NEED_FUNCTION,
     .run = io_does_not_gate},
};

AGPU_CASE_TABLE(agpu_cases_function_discovery, cases);
