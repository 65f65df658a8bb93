/* register_map.c: the whole page of BAR0 registers by name: the values that each stores, writes that must not affect
 * others, offsets between registers, 64-bit pairs in every order (device.md 3, 4, 4.5). */
#include "pci/machine/text.h"
#include "pci/protocol/register_table.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/rounds.h"

static const struct aerogpu_register registers[] = {
#define AEROGPU_REGISTER AEROGPU_REGISTER_RECORD
#include "pci/protocol/registers.def"
};

#define REGISTERS (sizeof registers / sizeof registers[0])
#define PAGE      0x1000u
#define MANY      1100u

#define CHANGES_A_LOOK 16u

/* Offsets without a register are always tested in this step, in bytes; all of them where that takes little time. */
#define UNLISTED_STEP 128u

static uint32_t map_read(const struct agpu_test *t, uint32_t at)
{
    return agpu_reg_read(&t->env->function, at);
}

static void map_write(const struct agpu_test *t, uint32_t at, uint32_t value)
{
    agpu_reg_write(&t->env->function, at, value);
}

/* Returns true if the features of this device include the register. */
static bool map_present(const struct agpu_test *t, const struct aerogpu_register *reg)
{
    return (reg->feature & ~t->env->abi.features) == 0;
}

static bool map_writable(const struct aerogpu_register *reg)
{
    return reg->kind == AEROGPU_REGISTER_STORAGE || reg->kind == AEROGPU_REGISTER_STAGED ||
           reg->kind == AEROGPU_REGISTER_FORMAT;
}

/* Checks that the register reads `expected`; the message has its name and the preceding action. */
static bool check_register(struct agpu_test *t, const struct aerogpu_register *reg, uint32_t expected,
                           const char *after, uint32_t value)
{
    const uint32_t found = map_read(t, reg->offset);
    char line[96];

    if (found == expected) {
        return agpu_check_passed(t);
    }
    agpu_format_line(line, sizeof line, "%s %s 0x%x", reg->name, after, value);
    return agpu_check_u64(t, found, expected, line, true, AGPU_HERE);
}

static const struct aerogpu_register *map_find(uint32_t at)
{
    return aerogpu_register_at(false, at);
}

/* ---- storage ---- */

/* Each register must store patterns as its kind allows. The ring is disabled and scanout is off, so addresses have no
 * effect. */
static void map_storage(struct agpu_test *t)
{
    static const uint32_t values[] = {0xFFFFFFFF, 0x0F0F00FF, 0x55555555, 0x80000001,
                                      0xAAAAAAAA, 0x12345678, 0};

    for (size_t i = 0; i < REGISTERS; i++) {
        const struct aerogpu_register *reg = &registers[i];

        if (!map_present(t, reg) ||
            (reg->kind != AEROGPU_REGISTER_STORAGE && reg->kind != AEROGPU_REGISTER_STAGED)) {
            continue;
        }
        for (unsigned j = 0; j < sizeof values / sizeof values[0]; j++) {
            map_write(t, reg->offset, values[j]);
            check_register(t, reg, values[j], "after writing", values[j]);
        }
    }
}

/* A register must store its value in many rounds: a write or read that fails once in some hundreds shows. */
static void map_many(struct agpu_test *t)
{
    static const uint32_t regs[] = {AEROGPU_MMIO_REG_RING_GPA_LO, AEROGPU_MMIO_REG_RING_GPA_HI,
                                    AEROGPU_MMIO_REG_IRQ_ENABLE};

    struct agpu_rounds rounds;

    for (agpu_rounds_begin(&rounds, t, MANY); agpu_rounds_next(&rounds);) {
        const struct aerogpu_register *reg = map_find(regs[rounds.number % 3]);
        const uint32_t value = rounds.number * 2654435761u;

        map_write(t, reg->offset, value);
        agpu_return_unless(check_register(t, reg, value, "after write number", rounds.number));
    }
}

static uint32_t map_own_value(const struct aerogpu_register *reg)
{
    return reg->kind == AEROGPU_REGISTER_FORMAT ? AEROGPU_FORMAT_R8G8B8A8_UNORM + (reg->offset >> 8) % 2
                                                : 0xC0000001u | reg->offset << 12 | reg->offset;
}

static void check_own_values(struct agpu_test *t, const char *after, uint32_t value)
{
    for (size_t i = 0; i < REGISTERS; i++) {
        const struct aerogpu_register *reg = &registers[i];

        if (map_present(t, reg) && map_writable(reg) &&
            !check_register(t, reg, map_own_value(reg), after, value)) {
            return;
        }
    }
}

static void write_own_values(const struct agpu_test *t, bool upwards)
{
    for (size_t i = 0; i < REGISTERS; i++) {
        const struct aerogpu_register *reg = &registers[upwards ? i : REGISTERS - 1 - i];

        if (map_present(t, reg) && map_writable(reg)) {
            map_write(t, reg->offset, map_own_value(reg));
        }
    }
}

/* Given a different value in every register, written in rising or falling order, each must read back its own, and the
 * read-only ones must not change. */
static void map_neighbours(struct agpu_test *t)
{
    uint32_t fixed[REGISTERS];

    for (size_t i = 0; i < REGISTERS; i++) {
        fixed[i] = map_read(t, registers[i].offset);
    }
    for (unsigned upwards = 0; upwards < 2; upwards++) {
        write_own_values(t, upwards);
        check_own_values(t,
                         upwards ? "when all were written upwards from" : "when all were written down from",
                         upwards ? 0 : PAGE);
        for (size_t i = 0; i < REGISTERS && upwards != 0; i++) {
            if (map_present(t, &registers[i]) && !map_writable(&registers[i])) {
                check_register(t, &registers[i], fixed[i], "when all others have values, round", upwards);
            }
        }
    }
}

/* Checks that the other registers still have their values after zeros or ones were written to one. Runs after every few
 * writes only: a lost value stays lost. */
static bool check_others(struct agpu_test *t, const struct aerogpu_register *reg, bool ones)
{
    for (size_t j = 0; j < REGISTERS; j++) {
        const struct aerogpu_register *other = &registers[j];

        if (other != reg && map_present(t, other) && map_writable(other) &&
            !check_register(t, other, map_own_value(other),
                            ones ? "when ones were written to it and others up to"
                                 : "when 0 was written to it and others up to",
                            reg->offset)) {
            return false;
        }
    }
    return true;
}

/* While every register has its own value, a write of zeros or ones to one must not change any other. */
static void map_one_changes(struct agpu_test *t)
{
    unsigned changed = 0;

    write_own_values(t, true);
    for (size_t i = 0; i < 2 * REGISTERS; i++) {
        const struct aerogpu_register *reg = &registers[i % REGISTERS];
        const bool ones = i >= REGISTERS;

        if (!map_present(t, reg) ||
            (reg->kind != AEROGPU_REGISTER_STORAGE && reg->kind != AEROGPU_REGISTER_STAGED)) {
            continue;
        }
        agpu_return_unless(check_register(t, reg, map_own_value(reg),
                                          "when others were changed, before it is", reg->offset));
        map_write(t, reg->offset, ones ? UINT32_MAX : 0);
        agpu_return_unless(changed++ % CHANGES_A_LOOK != 0 || check_others(t, reg, ones));
        map_write(t, reg->offset, map_own_value(reg));
    }
    check_own_values(t, "when all were changed and changed back up to", PAGE);
}

/* Each half of an address must take effect by itself and leave the other half (device.md 4.5). */
static void address_halves(struct agpu_test *t)
{
    static const uint32_t pairs[] = {AEROGPU_MMIO_REG_RING_GPA_LO, AEROGPU_MMIO_REG_FENCE_GPA_LO};
    static const uint32_t values[] = {0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x00000FFF, 0};

    for (unsigned i = 0; i < 2; i++) {
        const struct aerogpu_register *lo = map_find(pairs[i]);
        const struct aerogpu_register *hi = map_find(pairs[i] + 4);

        if (!map_present(t, lo)) {
            continue;
        }
        for (unsigned j = 0; j < sizeof values / sizeof values[0]; j++) {
            map_write(t, hi->offset, 0x89ABCDEF);
            map_write(t, lo->offset, values[j]);
            check_register(t, hi, 0x89ABCDEF, "after the low half was written:", values[j]);
            check_register(t, lo, values[j], "after writing", values[j]);
            map_write(t, lo->offset, 0x76543210);
            map_write(t, hi->offset, values[j]);
            check_register(t, lo, 0x76543210, "after the high half was written:", values[j]);
            check_register(t, hi, values[j], "after writing", values[j]);
        }
    }
}

/* ---- between them ---- */

static bool check_unlisted(struct agpu_test *t, uint32_t at)
{
    bool ok = true;

    /* An earlier read or write may show in it; the unlisted offset before this one has just read 0. */
    if (map_find(at - 4) != NULL || at % UNLISTED_STEP == 0) {
        ok = agpu_check_place(t, "unlisted register", at, map_read(t, at), 0);
    }

    map_write(t, at, UINT32_MAX);
    return agpu_check_place(t, "unlisted register after writing ones,", at, map_read(t, at), 0) && ok;
}

/* Offsets without a register must read 0, whatever was read or written before, and ignore writes: in the whole first
 * page, and after it where a device would alias if it ignored address bits. */
static void map_unlisted(struct agpu_test *t)
{
    unsigned failed = 0;

    write_own_values(t, true);
    map_read(t, AEROGPU_MMIO_REG_MAGIC); /* must not appear in the next read */
    for (uint32_t at = 0; at < PAGE && failed < 8; at += 4) {
        if (map_find(at) != NULL) {
            map_read(t, at);
        } else {
            failed += !check_unlisted(t, at);
        }
    }
    check_own_values(t, "after ones were written to the unlisted offsets below", PAGE);
    for (uint32_t base = PAGE; base < AEROGPU_PCI_BAR0_SIZE_BYTES && failed < 8; base += PAGE) {
        static const uint32_t offsets[] = {AEROGPU_MMIO_REG_MAGIC,         AEROGPU_MMIO_REG_RING_GPA_LO,
                                           AEROGPU_MMIO_REG_IRQ_ENABLE,    AEROGPU_MMIO_REG_SCANOUT0_WIDTH,
                                           AEROGPU_MMIO_REG_CURSOR_HEIGHT, PAGE - 4};

        for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
            map_write(t, base + offsets[i], 0x5A5A5A5A);
            failed += !agpu_check_place(t, "unlisted register", base + offsets[i],
                                        map_read(t, base + offsets[i]), 0);
        }
    }
    check_own_values(t, "when unlisted registers were written below", AEROGPU_PCI_BAR0_SIZE_BYTES);
    for (unsigned i = 0; i < 2;
         i++) { /* the write-only registers must not store anything either; the ring is off */
        map_write(t, AEROGPU_MMIO_REG_IRQ_ACK, i % 2 ? 0 : UINT32_MAX);
        map_write(t, AEROGPU_MMIO_REG_DOORBELL, i % 2 ? 0 : UINT32_MAX);
        check_own_values(t, "when all of these, IRQ_ACK and DOORBELL were written, round", i);
    }
    check_register(t, map_find(AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC, "at", 0);
}

/* ---- read-only and write-only, while they have something to lose ---- */

static bool make_pending(struct agpu_test *t, uint64_t fence)
{
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    t->env->rig.fence = fence - 1;
    return agpu_run_empty(t) && agpu_check_irq(t, AEROGPU_IRQ_FENCE) &&
           agpu_run_refused(t, fence + 0x10000, AEROGPU_SUBMIT_FLAG_NO_IRQ) &&
           agpu_check_completed(t, fence + 0x10000) &&
           agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
}

/* Writes to read-only registers must not change them while a fence, an error and interrupts are recorded in them. */
static void read_only_pending(struct agpu_test *t)
{
    agpu_return_unless(make_pending(t, UINT64_C(0x123456789ABCDEF0)));
    for (size_t i = 0; i < REGISTERS; i++) {
        const struct aerogpu_register *reg = &registers[i];
        const uint32_t before = map_read(t, reg->offset);
        const uint32_t values[] = {~before, 0, UINT32_MAX};

        if (!map_present(t, reg) ||
            (reg->kind != AEROGPU_REGISTER_CONSTANT && reg->kind != AEROGPU_REGISTER_LIVE)) {
            continue;
        }
        for (unsigned j = 0; j < sizeof values / sizeof values[0]; j++) {
            map_write(t, reg->offset, values[j]);
            check_register(t, reg, before, "is read-only; after writing", values[j]);
        }
    }
    agpu_check_eq_hex(t, map_read(t, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO), 0x9ABDDEF0);
    agpu_check_eq_hex(t, map_read(t, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI), 0x12345678);
    agpu_check_eq_hex(t, map_read(t, AEROGPU_MMIO_REG_ERROR_FENCE_LO), 0x9ABDDEF0);
    agpu_check_eq_hex(t, map_read(t, AEROGPU_MMIO_REG_ERROR_FENCE_HI), 0x12345678);
    agpu_check_eq_hex(t, map_read(t, AEROGPU_MMIO_REG_ERROR_COUNT), 1);
}

/* Write-only registers must read 0 while interrupts are pending, and an acknowledge must clear only its bits. */
static void write_only_pending(struct agpu_test *t)
{
    const struct aerogpu_register *ack = map_find(AEROGPU_MMIO_REG_IRQ_ACK);
    const struct aerogpu_register *doorbell = map_find(AEROGPU_MMIO_REG_DOORBELL);

    agpu_return_unless(make_pending(t, 0x100000));
    map_read(t, AEROGPU_MMIO_REG_IRQ_STATUS);
    check_register(t, ack, 0, "while pending:", AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    map_write(t, doorbell->offset, 0xDEADBEEF);
    check_register(t, doorbell, 0, "after writing", 0xDEADBEEF);
    map_write(t, ack->offset, 0x00FF00F0); /* contains no pending bit */
    check_register(t, ack, 0, "after writing", 0x00FF00F0);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    map_write(t, ack->offset, UINT32_MAX);
    check_register(t, ack, 0, "after writing", UINT32_MAX);
    agpu_check_irq(t, 0);
}

/* ---- live pairs ---- */

static const uint64_t carries[] = {
    UINT64_C(0x00000000FFFFFFFE), UINT64_C(0x00000000FFFFFFFF), UINT64_C(0x0000000100000000),
    UINT64_C(0x0000000100000001), UINT64_C(0x00000001FFFFFFFF), UINT64_C(0x0000000200000000),
    UINT64_C(0x0000FFFFFFFFFFFF), UINT64_C(0x0001000000000000), UINT64_C(0x7FFFFFFFFFFFFFFF),
    UINT64_C(0x8000000000000000), UINT64_C(0xFFFFFFFF00000000), UINT64_C(0xFFFFFFFF00000001),
};

/* Reads both halves of the pair: high first, low first, each alone. No read may depend on a previous one. */
static bool check_halves(struct agpu_test *t, uint32_t at, uint64_t value, unsigned order)
{
    const struct aerogpu_register *lo = map_find(at);
    const struct aerogpu_register *hi = map_find(at + 4);
    const struct aerogpu_register *halves[4] = {lo, hi, lo, hi};
    bool ok = true;

    for (unsigned i = 0; i < 4 && ok; i++) {
        const struct aerogpu_register *half = halves[order % 2 ? i : 3 - i];

        ok = check_register(t, half, (uint32_t)(half == hi ? value >> 32 : value), "in reading order",
                            order % 2);
    }
    return ok;
}

/* Given fences around every carry, both halves of COMPLETED_FENCE must be right in any order of reads. */
static void completed_pair(struct agpu_test *t)
{
    for (unsigned order = 0; order < 2; order++) {
        for (unsigned i = 0; i < sizeof carries / sizeof carries[0]; i++) {
            t->env->rig.fence = carries[i] - 1;
            agpu_return_unless(agpu_run_empty(t));
            if (t->env->ring.page.cpu == NULL) {
                agpu_check_completed(t, carries[i]);
            }
            agpu_return_unless(check_halves(t, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, carries[i], order + i));
        }
        agpu_assert_ok(t, t->env->transport.reset(t->env->transport.ctx));
        check_halves(t, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 0, order);
    }
}

/* Given failed fences around every carry, both halves of ERROR_FENCE must be right in any order of reads. */
static void error_fence_pair(struct agpu_test *t)
{
    for (unsigned order = 0; order < 2; order++) {
        for (unsigned i = 0; i < sizeof carries / sizeof carries[0]; i++) {
            /* Not agpu_run_refused(), which reads the pair itself. */
            agpu_return_unless(agpu_post_refused(t, carries[i], 0));
            agpu_doorbell(&t->env->ring);
            agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, carries[i]));
            agpu_return_unless(check_halves(t, AEROGPU_MMIO_REG_ERROR_FENCE_LO, carries[i], order + i));
        }
        agpu_assert_ok(t, t->env->transport.reset(t->env->transport.ctx));
    }
}

#define MAP_CASE(name, section, need, bits, function)                                                        \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = (need), .features = (bits), .run = (function)              \
    }
#define FUNCTION AGPU_NEED_FUNCTION
#define RING     AGPU_NEED_RING

static const struct agpu_case function_register_map_cases[] = {
    MAP_CASE("regs.access.storage", "device.md 4", FUNCTION, 0, map_storage),
    MAP_CASE("regs.access.neighbours", "device.md 4", FUNCTION, 0, map_neighbours),
    MAP_CASE("regs.access.one_changes", "device.md 4", FUNCTION, 0, map_one_changes),
    MAP_CASE("regs.access.many_times", "device.md 4", FUNCTION, 0, map_many),
    MAP_CASE("regs.access.address_halves", "device.md 4.5", FUNCTION, 0, address_halves),
    MAP_CASE("regs.access.unlisted", "device.md 3", FUNCTION, 0, map_unlisted),
    MAP_CASE("regs.access.read_only_pending", "device.md 3", RING, AEROGPU_FEATURE_ERROR_INFO,
             read_only_pending),
    MAP_CASE("regs.access.write_only_pending", "device.md 3", RING, AEROGPU_FEATURE_ERROR_INFO,
             write_only_pending),
    MAP_CASE("regs.pair.completed_fence", "device.md 4.5", RING, 0, completed_pair),
    MAP_CASE("regs.pair.error_fence", "device.md 4.5", RING, AEROGPU_FEATURE_ERROR_INFO, error_fence_pair),
};

AGPU_CASE_TABLE(agpu_cases_function_register_map, function_register_map_cases);
