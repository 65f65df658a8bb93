/* registers.c: the BAR0 register file: identification, reset values, access kinds, access sizes (device.md
 * 3, 4). */
#include "pci/protocol/register_table.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/vblank.h"

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

/* MAGIC, ABI_VERSION and FEATURES must read the identification of the device. */
static void function_registers_identification(struct agpu_test *t)
{
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC);
    agpu_check_eq_u64(t, function_registers_read(t, AEROGPU_MMIO_REG_ABI_VERSION) >> 16, AEROGPU_ABI_MAJOR);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_FEATURES_LO),
                      (uint32_t)t->env->abi.features);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_FEATURES_HI),
                      (uint32_t)(t->env->abi.features >> 32));
}

#define REFERENCE_FEATURES                                                                                   \
    (AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_SCANOUT |                         \
     AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO)

/* The device must not announce a feature that is newer than its ABI minor, or a bit that no minor up to its own
 * defines. */
static void features_match_minor(struct agpu_test *t)
{
    uint16_t minor = agpu_abi_minor(&t->env->abi);

    /* TRANSFER came with ABI 1.1, ERROR_INFO with 1.3 (commands.md 13). */
    if (t->env->abi.features & AEROGPU_FEATURE_TRANSFER) {
        agpu_check(t, minor >= 1);
    }
    if (t->env->abi.features & AEROGPU_FEATURE_ERROR_INFO) {
        agpu_check(t, minor >= 3);
    }
    if (minor <= AEROGPU_ABI_MINOR) {
        agpu_check_eq_hex(t, t->env->abi.features & ~(uint64_t)REFERENCE_FEATURES, 0);
    }
}

/* A device of ABI 1.4 must have these features (VBLANK only if its host has a clock); a newer minor may have more. Most
 * cases skip without one of them, so this case reports a missing one. */
static void features_reference(struct agpu_test *t)
{
    const uint32_t found = function_registers_read(t, AEROGPU_MMIO_REG_FEATURES_LO);
    const uint32_t period = function_registers_read(t, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
    const bool vblank = period != 0;
    const uint32_t waived = (uint32_t)t->env->requirement.waived; /* features that this device may lack */
    const uint32_t wanted =
        REFERENCE_FEATURES & (vblank ? UINT32_MAX : ~AEROGPU_FEATURE_VBLANK) & (~waived | found);

    agpu_require_because(t, agpu_abi_minor(&t->env->abi) >= AEROGPU_ABI_MINOR, AGPU_SKIP_ABI,
                         "every feature of today (ABI 1.4)");
    agpu_check_eq_hex(t, found & REFERENCE_FEATURES, wanted);
    if (t->env->model) {
        agpu_check_eq_hex(t, found, wanted);
        agpu_check_eq_u64(t, agpu_abi_minor(&t->env->abi), AEROGPU_ABI_MINOR);
    }
}

/* A ring reset keeps storage registers, identification and the vblank clock (device.md 4.2). */
static bool is_cleared_by_ring_reset(const struct aerogpu_register *reg)
{
    return (reg->kind == AEROGPU_REGISTER_LIVE && reg->feature != AEROGPU_FEATURE_VBLANK) ||
           reg->kind == AEROGPU_REGISTER_CONTROL || reg->kind == AEROGPU_REGISTER_ORDER;
}

/* After a ring reset, each register that it clears must read its reset value. */
static void reset_values(struct agpu_test *t)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);

    /* The fixture has just reset the device. */
    for (size_t i = 0; i < count; i++) {
        if (is_cleared_by_ring_reset(&registers[i])) {
            agpu_check_place(t, "after a reset register", registers[i].offset,
                             function_registers_read(t, registers[i].offset), registers[i].reset);
        }
    }
}

/* A write to a read-only register must not change it. */
static void function_registers_read_only(struct agpu_test *t)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);

    for (size_t i = 0; i < count; i++) {
        const uint32_t at = registers[i].offset;

        if (registers[i].access == AEROGPU_REGISTER_RO) {
            const uint32_t before = function_registers_read(t, at);

            function_registers_write(t, at, ~before);
            agpu_check_place(t, "read-only register", at, function_registers_read(t, at), before);
        }
    }
}

/* IRQ_ACK and DOORBELL, which are write-only, must read 0, also after a write. */
static void function_registers_write_only(struct agpu_test *t)
{
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_IRQ_ACK), 0);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_DOORBELL), 0);
    function_registers_write(t, AEROGPU_MMIO_REG_IRQ_ACK, UINT32_MAX);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_IRQ_ACK), 0);
}

/* IRQ_ENABLE must store all 32 bits. */
static void irq_enable_width(struct agpu_test *t)
{
    /* The write includes ERROR (bit 31), which must not assert anything: no error is pending. */
    function_registers_write(t, AEROGPU_MMIO_REG_IRQ_ENABLE, UINT32_MAX);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_IRQ_ENABLE), UINT32_MAX);
}

/* RING_CONTROL must read back bit 0 alone; RESET reads 0. */
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

/* ---- widths (device.md 3) ---- */

/* Reads each byte and word lane of a dword register. Uses several registers so that each lane sees different bytes. */
static void check_lanes(struct agpu_test *t, uint32_t at, uint32_t value)
{
    for (uint32_t lane = 0; lane < 4; lane++) {
        agpu_check_place(t, "byte of BAR0 at", at + lane, read_sized(t, at + lane, 1),
                         (value >> (8 * lane)) & 0xFF);
    }
    for (uint32_t lane = 0; lane < 4; lane += 2) {
        agpu_check_place(t, "word of BAR0 at", at + lane, read_sized(t, at + lane, 2),
                         (value >> (8 * lane)) & 0xFFFF);
    }
}

/* A byte or word read must return its lanes of the dword register. */
static void narrow_reads(struct agpu_test *t)
{
    static const uint32_t values[] = {0x8899AABB, 0x11223344, 0xFF00FF80};

    check_lanes(t, AEROGPU_MMIO_REG_MAGIC, AEROGPU_MMIO_MAGIC);
    check_lanes(t, AEROGPU_MMIO_REG_ABI_VERSION, t->env->abi.version);
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        function_registers_write(t, AEROGPU_MMIO_REG_IRQ_ENABLE, values[i]);
        function_registers_write(t, AEROGPU_MMIO_REG_RING_GPA_HI, ~values[i]);
        check_lanes(t, AEROGPU_MMIO_REG_IRQ_ENABLE, values[i]);
        check_lanes(t, AEROGPU_MMIO_REG_RING_GPA_HI, ~values[i]);
    }
    check_lanes(t, AEROGPU_MMIO_REG_IRQ_ACK, 0);
    check_lanes(t, AEROGPU_MMIO_REG_DOORBELL, 0);
}

/* Checks that a byte or word write changes only its lanes of a storage register, and nothing in its neighbours. */
static bool check_narrow_write(struct agpu_test *t, uint32_t at, uint32_t size, uint32_t lane)
{
    const uint32_t mask = (size == 1 ? 0xFFu : 0xFFFFu) << (8 * lane);
    const uint32_t written = 0xAABBCCDDu & mask;
    uint32_t before, after;

    function_registers_write(t, at, 0x11223344);
    before = function_registers_read(t, at - 4);
    after = function_registers_read(t, at + 4);
    write_sized(t, at + lane, size, written >> (8 * lane));
    return agpu_check_place2(t, "a register after a write at", at + lane, "of bytes:", size,
                             function_registers_read(t, at), (0x11223344u & ~mask) | written) &&
           agpu_check_place(t, "the register in front of", at, function_registers_read(t, at - 4), before) &&
           agpu_check_place(t, "the register behind", at, function_registers_read(t, at + 4), after);
}

/* A byte or word write must change only its lanes, for each register with a value in all lanes, and must not change its
 * neighbours. */
static void narrow_writes(struct agpu_test *t)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);

    for (size_t i = 0; i < count; i++) {
        if (registers[i].access != AEROGPU_REGISTER_RW ||
            (registers[i].kind != AEROGPU_REGISTER_STORAGE && registers[i].kind != AEROGPU_REGISTER_STAGED) ||
            (registers[i].feature & ~t->env->abi.features) != 0) {
            continue;
        }
        for (uint32_t lane = 0; lane < 6; lane++) { /* bytes at 0 to 3, words at 0 and 2 */
            agpu_return_unless(
                check_narrow_write(t, registers[i].offset, lane < 4 ? 1 : 2, lane < 4 ? lane : lane % 4 * 2));
        }
        function_registers_write(t, registers[i].offset, 0);
    }
}

/* Registers of work, errors and edges must show the same in accesses of all widths. Devices that do not support 64-bit
 * accesses read 0. */
static void every_register(struct agpu_test *t)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);
    const bool wide = t->env->model || read_sized(t, AEROGPU_MMIO_REG_MAGIC, 8) != 0;
    const uint64_t edges = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT;

    t->env->rig.fence = UINT64_C(0x1122334455667788);
    agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, 0));
    if ((t->env->abi.features & edges) == edges) {
        agpu_scanout_enable(t, 1);
        agpu_return_unless(agpu_vblank_wait_seq(t, agpu_vblank_seq(t) + 1));
        agpu_scanout_enable(t, 0);
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = registers[i].offset;

        if (registers[i].access == AEROGPU_REGISTER_WO ||
            (registers[i].feature & ~t->env->abi.features) != 0) {
            continue;
        }
        check_lanes(t, at, function_registers_read(t, at));
        if (at % 8 == 0 && wide) {
            agpu_check_place(t, "8 bytes of BAR0 at", at, read_sized(t, at, 8),
                             (uint64_t)function_registers_read(t, at + 4) << 32 |
                                 function_registers_read(t, at));
        }
    }
}

/* A narrow write to a write-only register must act for the bits of its lanes and no others: a doorbell rings, an
 * acknowledge clears. */
static void narrow_orders(struct agpu_test *t)
{
    struct agpu_submission submission = {0};

    for (uint32_t lane = 0; lane < 6; lane++) { /* bytes at 0 to 3, words at 0 and 2 */
        submission.fence = ++t->env->rig.fence;
        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
        write_sized(t, AEROGPU_MMIO_REG_DOORBELL + (lane < 4 ? lane : lane % 4 * 2), lane < 4 ? 1 : 2, 1);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, submission.fence));
    }
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NO_IRQ));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    check_lanes(t, AEROGPU_MMIO_REG_IRQ_STATUS, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    write_sized(t, AEROGPU_MMIO_REG_IRQ_ACK + 1, 1, 0xFF);
    write_sized(t, AEROGPU_MMIO_REG_IRQ_ACK + 2, 1, 0xFF);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    write_sized(t, AEROGPU_MMIO_REG_IRQ_ACK + 2, 2, 0xFFFF);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    write_sized(t, AEROGPU_MMIO_REG_IRQ_ACK, 1, 0xFF);
    agpu_check_irq(t, 0);
    agpu_return_unless(agpu_run_empty(t));
    write_sized(t, AEROGPU_MMIO_REG_IRQ_ENABLE + 3, 1, 0x80);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    write_sized(t, AEROGPU_MMIO_REG_IRQ_ENABLE, 1, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_check_irq(t, 0);
    agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NO_IRQ));
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    write_sized(t, AEROGPU_MMIO_REG_IRQ_ACK + 3, 1, 0xFF);
    agpu_check_irq(t, 0);
}

/* An 8-byte access must act as two dword accesses, low then high. Devices that do not support it read 0 and ignore the
 * write. */
static void wide_access(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t magic = (uint64_t)t->env->abi.version << 32 | AEROGPU_MMIO_MAGIC;
    const bool none = !t->env->model && read_sized(t, AEROGPU_MMIO_REG_MAGIC, 8) == 0;
    const uint64_t before = UINT64_C(0x0FEDCBA987654321), value = UINT64_C(0x1234567890ABC000);

    agpu_check_eq_hex(t, read_sized(t, AEROGPU_MMIO_REG_MAGIC, 8), none ? 0 : magic);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, before);
    agpu_check_eq_hex(t, read_sized(t, AEROGPU_MMIO_REG_RING_GPA_LO, 8), none ? 0 : before);
    write_sized(t, AEROGPU_MMIO_REG_RING_GPA_LO, 8, value);
    agpu_check_eq_hex(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_RING_GPA_LO), none ? before : value);
    write_sized(t, AEROGPU_MMIO_REG_RING_GPA_LO, 8, (uint32_t)value); /* the high half is 0 */
    agpu_check_eq_hex(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_RING_GPA_LO),
                      none ? before : (uint32_t)value);
    if ((t->env->abi.features & AEROGPU_FEATURE_CURSOR) == 0 || none) {
        return;
    }
    /* The pair is staged: only low before high commits both. Switching the cursor off discards the uncommitted half. */
    agpu_reg_write64(function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, before);
    function_registers_write(t, AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
    write_sized(t, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, 8, value);
    function_registers_write(t, AEROGPU_MMIO_REG_CURSOR_ENABLE, 0);
    agpu_check_eq_hex(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO), value);
}

/* An unaligned read must change no register. Its result is unspecified (device.md 3); the model drops the low address
 * bits. */
static void unaligned_read(struct agpu_test *t)
{
    uint64_t dword, word;

    function_registers_write(t, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0x12345678);
    dword = read_sized(t, AEROGPU_MMIO_REG_MAGIC + 2, 4);
    word = read_sized(t, AEROGPU_MMIO_REG_MAGIC + 3, 2);
    if (t->env->model && dword != UINT32_MAX) { /* otherwise the machine does not make such accesses */
        agpu_check_eq_hex(t, dword, AEROGPU_MMIO_MAGIC);
        agpu_check_eq_hex(t, word, AEROGPU_MMIO_MAGIC >> 24);
    }
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC);
    agpu_check_eq_hex(t, function_registers_read(t, AEROGPU_MMIO_REG_RING_SIZE_BYTES), 0x12345678);
}

static const struct agpu_case function_registers_cases[] = {
    {.id = "regs.identification",
     .spec = "device.md 4.1",
     .needs = AGPU_NEED_FUNCTION,
     .run = function_registers_identification},
    {.id = "regs.features.match_minor",
     .spec = "commands.md 13",
     .needs = AGPU_NEED_FUNCTION,
     .run = features_match_minor},
    {.id = "regs.features.reference",
     .spec = "device.md 4.1",
     .needs = AGPU_NEED_FUNCTION,
     .run = features_reference},
    {.id = "regs.reset_values", .spec = "device.md 4", .needs = AGPU_NEED_FUNCTION, .run = reset_values},
    {.id = "regs.access.read_only",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .run = function_registers_read_only},
    {.id = "regs.access.write_only_reads_zero",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .run = function_registers_write_only},
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
     .run = narrow_reads},
    {.id = "regs.width.narrow_writes",
     .spec = "device.md 3",
     .needs = AGPU_NEED_FUNCTION,
     .run = narrow_writes},
    {.id = "regs.width.every_register",
     .spec = "device.md 3",
     .needs = AGPU_NEED_RING,
     .run = every_register,
     .features = AEROGPU_FEATURE_ERROR_INFO},
    {.id = "regs.width.narrow_orders",
     .spec = "device.md 3",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_ERROR_INFO,
     .run = narrow_orders},
    {.id = "regs.width.wide", .spec = "device.md 3", .needs = AGPU_NEED_FUNCTION, .run = wide_access},
    {.id = "regs.width.unaligned", .spec = "device.md 3", .needs = AGPU_NEED_FUNCTION, .run = unaligned_read},
};

AGPU_CASE_TABLE(agpu_cases_function_registers, function_registers_cases);
