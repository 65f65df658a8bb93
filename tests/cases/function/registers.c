/* registers.c: the BAR0 register file: identification, reset values, access kinds, access sizes (device.md
 * 3, 4). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

static uint32_t function_registers_read(const struct agpu_test *t, uint32_t reg)
{
    return agpu_reg_read(&t->env->function, reg);
}

static void function_registers_write(const struct agpu_test *t, uint32_t reg, uint32_t value)
{
    agpu_reg_write(&t->env->function, reg, value);
}

static uint64_t read_sized(const struct agpu_test *t, uint64_t offset, uint32_t size)
{
    const struct agpu_platform *platform = t->env->platform;

    return platform->bar_read(platform->ctx, &t->env->function.found.ref, AEROGPU_PCI_BAR0_INDEX, offset,
                              size);
}

static void write_sized(const struct agpu_test *t, uint64_t offset, uint32_t size, uint64_t value)
{
    const struct agpu_platform *platform = t->env->platform;

    platform->bar_write(platform->ctx, &t->env->function.found.ref, AEROGPU_PCI_BAR0_INDEX, offset, size,
                        value);
}

static void function_registers_identification(struct agpu_test *t)
{
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC);
    agpu_check_eq_u64(t, function_registers_read(t, AEROGPU_MMIO_REG_ABI_VERSION) >> 16, AEROGPU_ABI_MAJOR);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_FEATURES_LO),
                      (uint32_t)t->env->abi.features);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_FEATURES_HI),
                      (uint32_t)(t->env->abi.features >> 32));
}

static void features_match_minor(struct agpu_test *t)
{
    uint16_t minor = agpu_abi_minor(&t->env->abi);

    /* TRANSFER came with 1.1, ERROR_INFO with 1.3 (commands.md 13). */
    if (t->env->abi.features & AEROGPU_FEATURE_TRANSFER) {
        agpu_check(t, minor >= 1);
    }
    if (t->env->abi.features & AEROGPU_FEATURE_ERROR_INFO) {
        agpu_check(t, minor >= 3);
    }
}

static void reset_values(struct agpu_test *t)
{
    static const uint32_t zero[] = {
        AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI,
        AEROGPU_MMIO_REG_IRQ_STATUS,         AEROGPU_MMIO_REG_ERROR_CODE,
        AEROGPU_MMIO_REG_ERROR_FENCE_LO,     AEROGPU_MMIO_REG_ERROR_FENCE_HI,
        AEROGPU_MMIO_REG_ERROR_COUNT,        AEROGPU_MMIO_REG_RING_CONTROL,
    };

    /* The harness has just reset the device. */
    for (unsigned i = 0; i < sizeof zero / sizeof zero[0]; i++) {
        agpu_check_eq_hex(t, function_registers_read(t, zero[i]), 0);
    }
}

static void function_registers_read_only(struct agpu_test *t)
{
    static const uint32_t regs[] = {
        AEROGPU_MMIO_REG_MAGIC,
        AEROGPU_MMIO_REG_ABI_VERSION,
        AEROGPU_MMIO_REG_FEATURES_LO,
        AEROGPU_MMIO_REG_FEATURES_HI,
        AEROGPU_MMIO_REG_COMPLETED_FENCE_LO,
        AEROGPU_MMIO_REG_COMPLETED_FENCE_HI,
        AEROGPU_MMIO_REG_IRQ_STATUS,
        AEROGPU_MMIO_REG_ERROR_CODE,
        AEROGPU_MMIO_REG_ERROR_FENCE_LO,
        AEROGPU_MMIO_REG_ERROR_FENCE_HI,
        AEROGPU_MMIO_REG_ERROR_COUNT,
        AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO,
        AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_HI,
        AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO,
        AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI,
        AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS,
    };

    for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        uint32_t before = function_registers_read(t, regs[i]);

        function_registers_write(t, regs[i], ~before);
        agpu_check_eq_hex(t, function_registers_read(t, regs[i]), before);
    }
}

static void function_registers_write_only(struct agpu_test *t)
{
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_IRQ_ACK), 0);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_DOORBELL), 0);
    function_registers_write(t, AEROGPU_MMIO_REG_IRQ_ACK, UINT32_MAX);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_IRQ_ACK), 0);
}

static void function_registers_unlisted(struct agpu_test *t)
{
    static const uint32_t regs[] = {0x0010, 0x00FC, 0x0110, 0x0128, 0x0204, 0x030C,
                                    0x0320, 0x0434, 0x052C, 0x0FFC, 0x8000, 0xFFFC};

    for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        agpu_check_eq_hex(t, function_registers_read(t, regs[i]), 0);
        function_registers_write(t, regs[i], UINT32_MAX);
        agpu_check_eq_hex(t, function_registers_read(t, regs[i]), 0);
    }
}

static void plain_storage(struct agpu_test *t)
{
    static const uint32_t regs[] = {
        AEROGPU_MMIO_REG_RING_GPA_LO,  AEROGPU_MMIO_REG_RING_GPA_HI,  AEROGPU_MMIO_REG_RING_SIZE_BYTES,
        AEROGPU_MMIO_REG_FENCE_GPA_LO, AEROGPU_MMIO_REG_FENCE_GPA_HI, AEROGPU_MMIO_REG_IRQ_ENABLE,
    };
    static const uint32_t values[] = {0xFFFFF000, 0x5AA55000, 0x00001000, 0};

    /* The ring is disabled, so the addresses are only stored. */
    for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        for (unsigned j = 0; j < sizeof values / sizeof values[0]; j++) {
            function_registers_write(t, regs[i], values[j]);
            agpu_check_eq_hex(t, function_registers_read(t, regs[i]), values[j]);
        }
    }
}

static void function_registers_neighbours(struct agpu_test *t)
{
    function_registers_write(t, AEROGPU_MMIO_REG_RING_GPA_LO, 0x11111000);
    function_registers_write(t, AEROGPU_MMIO_REG_RING_GPA_HI, 0x22222222);
    function_registers_write(t, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0x33333333);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_RING_GPA_LO), 0x11111000);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_RING_GPA_HI), 0x22222222);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_RING_SIZE_BYTES), 0x33333333);
}

static void irq_enable_width(struct agpu_test *t)
{
    /* ERROR (bit 31) may assert nothing here: no error is pending. */
    function_registers_write(t, AEROGPU_MMIO_REG_IRQ_ENABLE, UINT32_MAX);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_IRQ_ENABLE), UINT32_MAX);
}

static void ring_control(struct agpu_test *t)
{
    static const struct {
        uint32_t written, expected;
    } steps[] = {
        {AEROGPU_RING_CONTROL_ENABLE, 1},
        {0, 0},
        {AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET, 1},
        {AEROGPU_RING_CONTROL_RESET, 0},
        {0xFFFFFFFC, 0},
        {0xFFFFFFFD, 1},
    };

    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        function_registers_write(t, AEROGPU_MMIO_REG_RING_CONTROL, steps[i].written);
        agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_RING_CONTROL), steps[i].expected);
    }
}

static void narrow_reads(struct agpu_test *t)
{
    for (uint32_t lane = 0; lane < 4; lane++) {
        agpu_check_eq_hex(t, read_sized(t, AEROGPU_MMIO_REG_MAGIC + lane, 1),
                          (AEROGPU_MMIO_MAGIC >> (8 * lane)) & 0xFF);
    }
    for (uint32_t lane = 0; lane < 4; lane += 2) {
        agpu_check_eq_hex(t, read_sized(t, AEROGPU_MMIO_REG_MAGIC + lane, 2),
                          (AEROGPU_MMIO_MAGIC >> (8 * lane)) & 0xFFFF);
    }
}

static void narrow_writes(struct agpu_test *t)
{
    function_registers_write(t, AEROGPU_MMIO_REG_IRQ_ENABLE, 0x11223344);
    write_sized(t, AEROGPU_MMIO_REG_IRQ_ENABLE + 1, 1, 0xAA);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_IRQ_ENABLE), 0x1122AA44);
    write_sized(t, AEROGPU_MMIO_REG_IRQ_ENABLE + 2, 2, 0xBBCC);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_IRQ_ENABLE), 0xBBCCAA44);
}

static void wide_access(struct agpu_test *t)
{
    agpu_check_eq_hex(t, read_sized(t, AEROGPU_MMIO_REG_MAGIC, 8),
                      (uint64_t)t->env->abi.version << 32 | AEROGPU_MMIO_MAGIC);
    write_sized(t, AEROGPU_MMIO_REG_RING_GPA_LO, 8, UINT64_C(0x1234567890ABC000));
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_RING_GPA_LO), 0x90ABC000);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_RING_GPA_HI), 0x12345678);
}

static void unaligned_read(struct agpu_test *t)
{
    uint64_t dword = read_sized(t, AEROGPU_MMIO_REG_MAGIC + 2, 4);

    agpu_require(t, dword != UINT32_MAX, "a machine that makes unaligned register accesses");
    /* The low two address bits of a 4-byte access are dropped (device.md 3, the model's choice). */
    agpu_check_eq_hex(t, dword, AEROGPU_MMIO_MAGIC);
    /* A crossing 16-bit access is truncated to the first dword. */
    agpu_check_eq_hex(t, read_sized(t, AEROGPU_MMIO_REG_MAGIC + 3, 2), AEROGPU_MMIO_MAGIC >> 24);
}

static const struct agpu_case cases[] = {
    {.id = "regs.identification",
     .spec = "device.md 4.1",
     .needs = AGPU_NEED_FUNCTION,
     .run = function_registers_identification},
    {.id = "regs.features.match_minor",
     .spec = "commands.md 13",
     .needs = AGPU_NEED_FUNCTION,
     .run = features_match_minor},
    {.id = "regs.reset_values", .spec = "device.md 4", .needs = AGPU_NEED_FUNCTION, .run = reset_values},
    {.id = "regs.access.read_only",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .run = function_registers_read_only},
    {.id = "regs.access.write_only_reads_zero",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .run = function_registers_write_only},
    {.id = "regs.access.unlisted",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .run = function_registers_unlisted},
    {.id = "regs.access.storage", .spec = "device.md 4", .needs = AGPU_NEED_FUNCTION, .run = plain_storage},
    {.id = "regs.access.neighbours",
     .spec = "device.md 4",
     .needs = AGPU_NEED_FUNCTION,
     .run = function_registers_neighbours},
    {.id = "regs.irq_enable.all_bits",
     .spec = "device.md 4",
     .needs = AGPU_NEED_FUNCTION,
     .run = irq_enable_width},
    {.id = "regs.ring_control.reads_enable",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_FUNCTION,
     .run = ring_control},
    {.id = "regs.width.narrow_reads",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = narrow_reads},
    {.id = "regs.width.narrow_writes",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = narrow_writes},
    {.id = "regs.width.wide",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = wide_access},
    {.id = "regs.width.unaligned",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = unaligned_read},
};

AGPU_CASE_TABLE(agpu_cases_function_registers, cases);
