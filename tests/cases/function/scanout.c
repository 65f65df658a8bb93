/* scanout.c: registers of scanout 0 and cursor: storage, independence, staging, the effect of enables and of a ring
 * reset (device.md 4.2, 4.5, 4.8, 4.9). A driver cannot read the displayed picture; resource/present_screen.c checks
 * what presents write. */
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/rig/submit.h"

enum scanout_kind {
    KIND_PLAIN,
    KIND_ENABLE, /* any value except 0 reads back as 1 */
    KIND_FORMAT, /* known formats only */
    KIND_LO,     /* staged */
    KIND_HI,
};

struct scanout_register {
    const char *name;
    uint32_t reg;
    enum scanout_kind kind;
};

#define SCANOUT_REG(name, kind)                                                                              \
    {                                                                                                        \
#name, AEROGPU_MMIO_REG_##name, kind                                                                 \
    }

static const struct scanout_register scanout_registers[] = {
    SCANOUT_REG(SCANOUT0_ENABLE, KIND_ENABLE),     SCANOUT_REG(SCANOUT0_WIDTH, KIND_PLAIN),
    SCANOUT_REG(SCANOUT0_HEIGHT, KIND_PLAIN),      SCANOUT_REG(SCANOUT0_FORMAT, KIND_FORMAT),
    SCANOUT_REG(SCANOUT0_PITCH_BYTES, KIND_PLAIN), SCANOUT_REG(SCANOUT0_FB_GPA_LO, KIND_LO),
    SCANOUT_REG(SCANOUT0_FB_GPA_HI, KIND_HI),
};

static const struct scanout_register cursor_registers[] = {
    SCANOUT_REG(CURSOR_ENABLE, KIND_ENABLE),     SCANOUT_REG(CURSOR_X, KIND_PLAIN),
    SCANOUT_REG(CURSOR_Y, KIND_PLAIN),           SCANOUT_REG(CURSOR_HOT_X, KIND_PLAIN),
    SCANOUT_REG(CURSOR_HOT_Y, KIND_PLAIN),       SCANOUT_REG(CURSOR_WIDTH, KIND_PLAIN),
    SCANOUT_REG(CURSOR_HEIGHT, KIND_PLAIN),      SCANOUT_REG(CURSOR_FORMAT, KIND_FORMAT),
    SCANOUT_REG(CURSOR_FB_GPA_LO, KIND_LO),      SCANOUT_REG(CURSOR_FB_GPA_HI, KIND_HI),
    SCANOUT_REG(CURSOR_PITCH_BYTES, KIND_PLAIN),
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define SCANOUT_COUNT   COUNT_OF(scanout_registers)
#define CURSOR_COUNT    COUNT_OF(cursor_registers)
#define ALL_COUNT       (SCANOUT_COUNT + CURSOR_COUNT)

/* Returns a register of either block by its number; on a device without cursor only those of the scanout. */
static const struct scanout_register *scanout_register(unsigned index)
{
    return index < SCANOUT_COUNT ? &scanout_registers[index] : &cursor_registers[index - SCANOUT_COUNT];
}

static unsigned scanout_register_count(const struct agpu_test *t)
{
    return (t->env->abi.features & AEROGPU_FEATURE_CURSOR) != 0 ? ALL_COUNT : SCANOUT_COUNT;
}

static uint32_t scanout_read(const struct agpu_test *t, uint32_t reg)
{
    return agpu_reg_read(&t->env->function, reg);
}

static void scanout_write(const struct agpu_test *t, uint32_t reg, uint32_t value)
{
    agpu_reg_write(&t->env->function, reg, value);
}

/* Checks one register. what describes the preceding action; the record has both. */
static bool scanout_check(struct agpu_test *t, const struct scanout_register *at, uint32_t expected,
                          const char *what)
{
    const uint32_t actual = scanout_read(t, at->reg);
    char buffer[160];

    if (actual == expected) {
        return agpu_check_passed(t);
    }
    agpu_format_line(buffer, sizeof buffer, "%s %s", at->name, what);
    return agpu_check_u64(t, actual, expected, buffer, true, AGPU_HERE);
}

static const uint32_t color_formats[] = {
    AEROGPU_FORMAT_B8G8R8A8_UNORM,      AEROGPU_FORMAT_B8G8R8X8_UNORM,
    AEROGPU_FORMAT_R8G8B8A8_UNORM,      AEROGPU_FORMAT_R8G8B8X8_UNORM,
    AEROGPU_FORMAT_B5G6R5_UNORM,        AEROGPU_FORMAT_B5G5R5A1_UNORM,
    AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB,
    AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB,
};

/* ---- one register by itself ---- */

/* For any two bits, a pattern has 1 and 0 in them, and another has 0 and 1: they show a bit that is lost, stuck, or
 * coupled to another. */
static const uint32_t patterns[] = {0x55555555, 0xAAAAAAAA, 0x33333333, 0xCCCCCCCC, 0x0F0F0F0F,
                                    0xF0F0F0F0, 0x00FF00FF, 0xFF00FF00, 0x0000FFFF, 0xFFFF0000};

static void scanout_check_storage(struct agpu_test *t, const struct scanout_register *registers,
                                  unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (registers[i].kind != KIND_PLAIN) {
            continue;
        }
        for (unsigned j = 0; j < COUNT_OF(patterns); j++) {
            scanout_write(t, registers[i].reg, patterns[j]);
            agpu_return_unless(scanout_check(t, &registers[i], patterns[j], "stores patterns of bits"));
        }
        scanout_write(t, registers[i].reg, UINT32_MAX);
        agpu_return_unless(scanout_check(t, &registers[i], UINT32_MAX, "stores all ones"));
        scanout_write(t, registers[i].reg, 1920);
        agpu_return_unless(scanout_check(t, &registers[i], 1920, "stores 1920 over all ones"));
        scanout_write(t, registers[i].reg, 0);
        agpu_return_unless(scanout_check(t, &registers[i], 0, "stores 0"));
    }
}

/* Each scanout register must store every bit pattern that its kind permits. */
static void scanout_storage(struct agpu_test *t)
{
    scanout_check_storage(t, scanout_registers, SCANOUT_COUNT);
}

/* Each cursor register must store every bit pattern that its kind permits. */
static void cursor_storage(struct agpu_test *t)
{
    scanout_check_storage(t, cursor_registers, CURSOR_COUNT);
}

static const struct scanout_register *scanout_find(const struct scanout_register *registers,
                                                   enum scanout_kind kind)
{
    while (registers->kind != kind) {
        registers++;
    }
    return registers;
}

static void scanout_check_formats(struct agpu_test *t, const struct scanout_register *at)
{
    for (unsigned i = 0; i < 2 * COUNT_OF(color_formats); i++) {
        const uint32_t format = color_formats[i * 7 % COUNT_OF(color_formats)];

        scanout_write(t, at->reg, format);
        agpu_return_unless(scanout_check(t, at, format, "stores each colour format"));
    }
}

/* SCANOUT0_FORMAT must store known formats, and read an unknown one as 0 or as written. */
static void scanout_formats(struct agpu_test *t)
{
    scanout_check_formats(t, scanout_find(scanout_registers, KIND_FORMAT));
}

/* CURSOR_FORMAT must store known formats, and read an unknown one as 0 or as written. */
static void cursor_formats(struct agpu_test *t)
{
    scanout_check_formats(t, scanout_find(cursor_registers, KIND_FORMAT));
}

/* An unknown format must read back as 0 (our model) or as it was written, never as the previous format. */
static void unknown_format(struct agpu_test *t)
{
    static const uint32_t unknown[] = {0x1234, 0x0B, 0x1F, 0x22, 0x80, 0x10001, UINT32_MAX};
    static const uint32_t not_shown[] = {AEROGPU_FORMAT_D24_UNORM_S8_UINT, AEROGPU_FORMAT_D32_FLOAT,
                                         AEROGPU_FORMAT_BC1_RGBA_UNORM, AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB};

    for (unsigned i = 0; i < scanout_register_count(t); i++) {
        const struct scanout_register *at = scanout_register(i);

        for (unsigned j = 0; j < COUNT_OF(unknown) && at->kind == KIND_FORMAT; j++) {
            scanout_write(t, at->reg, AEROGPU_FORMAT_B8G8R8A8_UNORM);
            scanout_write(t, at->reg, unknown[j]);
            if (t->env->model || scanout_read(t, at->reg) != unknown[j]) {
                agpu_return_unless(
                    scanout_check(t, at, AEROGPU_FORMAT_INVALID, "after an unknown format was written"));
            }
        }
        if (at->kind == KIND_FORMAT) {
            agpu_choice(t,
                        at->reg == AEROGPU_MMIO_REG_SCANOUT0_FORMAT ? "unknown_scanout_format"
                                                                    : "unknown_cursor_format",
                        scanout_read(t, at->reg) == AEROGPU_FORMAT_INVALID ? "reads 0" : "reads as written");
        }
        /* Our model stores a valid format even if it cannot be displayed. */
        for (unsigned j = 0; j < COUNT_OF(not_shown) && at->kind == KIND_FORMAT; j++) {
            scanout_write(t, at->reg, AEROGPU_FORMAT_B8G8R8A8_UNORM);
            scanout_write(t, at->reg, not_shown[j]);
            if (t->env->model || scanout_read(t, at->reg) != AEROGPU_FORMAT_INVALID) {
                agpu_return_unless(
                    scanout_check(t, at, not_shown[j], "after a format that cannot be shown was written"));
            }
        }
    }
}

static void scanout_enable_normalised(struct agpu_test *t, const struct scanout_register *at)
{
    for (unsigned bit = 0; bit <= 32; bit++) {
        scanout_write(t, at->reg, bit < 32 ? UINT32_C(1) << bit : UINT32_MAX);
        agpu_return_unless(scanout_check(t, at, 1, "after any value but 0"));
        scanout_write(t, at->reg, 0);
        agpu_return_unless(bit % 8 != 0 || scanout_check(t, at, 0, "after 0"));
    }
}

/* SCANOUT0_ENABLE must read 1 after a write of any value except 0. */
static void scanout_enable(struct agpu_test *t)
{
    scanout_enable_normalised(t, scanout_find(scanout_registers, KIND_ENABLE));
}

/* CURSOR_ENABLE must read 1 after a write of any value except 0. */
static void cursor_enable(struct agpu_test *t)
{
    scanout_enable_normalised(t, scanout_find(cursor_registers, KIND_ENABLE));
}

/* ---- all of them together ---- */

/* Returns a different value for each register. No combination is a valid mode: the pitch is too small. */
static uint32_t scanout_value(const struct scanout_register *at, unsigned index, unsigned round)
{
    switch (at->kind) {
    case KIND_ENABLE:
        return round % 2;
    case KIND_FORMAT:
        return color_formats[(index + round) % COUNT_OF(color_formats)];
    case KIND_PLAIN:
        if (at->reg == AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES ||
            at->reg == AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES) {
            return 16 + index + 32 * round;
        }
        break;
    case KIND_LO:
    case KIND_HI:
        break;
    }
    /* Each byte identifies register and round; the top bit is set in every second round. */
    return (round % 2 != 0 ? 0x80000000u : 0x01000000u) | (0x10u + index) << 16 | (0x40u + index) << 8 |
           (0x81u + index + 32 * round);
}

static bool scanout_check_all(struct agpu_test *t, const uint32_t *values, const char *what)
{
    bool ok = true;

    for (unsigned i = 0; i < scanout_register_count(t); i++) {
        ok &= scanout_check(t, scanout_register(i), values[i], what);
    }
    return ok;
}

/* Given a different value in each register, written in rising and in falling order (HI always after LO), each must read
 * back its own; then a write to one must leave all others. */
static void scanout_independence(struct agpu_test *t)
{
    const unsigned count = scanout_register_count(t);
    uint32_t values[ALL_COUNT];

    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < count; i++) {
            const unsigned index = round < 2 ? i : count - 1 - i;
            const struct scanout_register *at = scanout_register(index);

            values[index] = scanout_value(at, index, round);
            scanout_write(t, at->reg, values[index]);
            if (at->kind == KIND_LO && round >= 2) { /* its HI was written before it */
                scanout_write(t, at->reg + 4, values[index + 1]);
            }
        }
        agpu_return_unless(scanout_check_all(t, values, "after all were written"));
    }
    for (unsigned i = 0; i < count; i++) {
        const struct scanout_register *at = scanout_register(i);

        values[i] = scanout_value(at, i, at->kind == KIND_ENABLE ? 0 : 4);
        scanout_write(t, at->reg, values[i]);
        /* Checks all registers every few writes: a lost value stays lost, unless one of the next few writes replaces
         * it, and the loops above wrote these in both orders. */
        agpu_return_unless(i % 5 != 0 || scanout_check_all(t, values, "after another register was written"));
        if (at->kind == KIND_LO) {
            scanout_write(t, at->reg + 4, values[i + 1]);
            agpu_return_unless(scanout_check_all(t, values, "after an address was committed"));
        }
    }
    scanout_check_all(t, values, "after other registers were written");
}

/* Writes every register, the enables as the caller asks. */
static void scanout_fill(const struct agpu_test *t, uint32_t *values, unsigned round, uint32_t scanout_on,
                         uint32_t cursor_on)
{
    for (unsigned i = 0; i < scanout_register_count(t); i++) {
        const struct scanout_register *at = scanout_register(i);

        values[i] = scanout_value(at, i, round);
        if (at->kind == KIND_ENABLE) {
            values[i] = i == 0 ? scanout_on : cursor_on;
        }
        scanout_write(t, at->reg, values[i]);
    }
}

/* Each transition between the enable states of scanout and cursor must leave all other registers unchanged. */
static void scanout_enable_keeps(struct agpu_test *t)
{
    const bool cursor = scanout_register_count(t) == ALL_COUNT;
    uint32_t values[ALL_COUNT];

    for (uint32_t from = 0; from < 4; from++) {
        scanout_fill(t, values, from, from & 1, from >> 1);
        for (uint32_t i = 0; i < 8; i++) {
            const uint32_t to = i % 2 == 0 ? i / 2 : from;

            values[0] = to & 1;
            scanout_write(t, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, values[0]);
            if (cursor) {
                values[SCANOUT_COUNT] = to >> 1;
                scanout_write(t, AEROGPU_MMIO_REG_CURSOR_ENABLE, values[SCANOUT_COUNT]);
            }
        }
        /* A value that was lost during the transitions is still missing here. */
        agpu_return_unless(scanout_check_all(t, values, "after the ENABLEs were written"));
    }
}

/* A ring reset must keep scanout and cursor registers, including halves of addresses that are only staged. */
static void scanout_survives_reset(struct agpu_test *t)
{
    uint32_t values[ALL_COUNT];

    for (uint32_t on = 0; on < 4; on++) {
        scanout_fill(t, values, on, on & 1, on >> 1);
        for (unsigned i = 0; i < scanout_register_count(t); i++) {
            if (scanout_register(i)->kind == KIND_LO) {
                values[i] = ~values[i];
                scanout_write(t, scanout_register(i)->reg, values[i]);
            }
        }
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        agpu_return_unless(scanout_check_all(t, values, "after a ring reset"));
    }
}

/* ---- the staged address ---- */

static bool scanout_check_address(struct agpu_test *t, const struct scanout_register *lo, uint64_t expected,
                                  const char *what)
{
    return scanout_check(t, lo, (uint32_t)expected, what) &&
           scanout_check(t, lo + 1, (uint32_t)(expected >> 32), what);
}

/* LO is staged and reads back at once; HI commits both; HI alone keeps the low half. The committed address cannot be
 * read, but both halves must read back the stored value. */
static void scanout_staged_values(struct agpu_test *t, const struct scanout_register *lo)
{
    for (unsigned i = 0; i < COUNT_OF(patterns); i++) {
        scanout_write(t, lo->reg, patterns[i]);
        agpu_return_unless(scanout_check(t, lo, patterns[i], "shows a staged half at once"));
        scanout_write(t, lo->reg + 4, ~patterns[i]);
        agpu_return_unless(
            scanout_check_address(t, lo, (uint64_t)~patterns[i] << 32 | patterns[i], "of a committed pair"));
    }
    scanout_write(t, lo->reg, 0x11111000);
    scanout_write(t, lo->reg + 4, 0x2);
    scanout_write(t, lo->reg + 4, 0x3);
    agpu_return_unless(scanout_check_address(t, lo, UINT64_C(0x311111000), "after HI without LO"));
    scanout_write(t, lo->reg, 0x44444000);
    scanout_write(t, lo->reg, 0x55555000);
    agpu_return_unless(scanout_check_address(t, lo, UINT64_C(0x355555000), "after two LO"));
    scanout_write(t, lo->reg + 4, 0);
    agpu_return_unless(scanout_check_address(t, lo, 0x55555000, "after their HI"));
    scanout_write(t, lo->reg + 4, UINT32_MAX);
    agpu_return_unless(scanout_check_address(t, lo, UINT64_C(0xFFFFFFFF55555000), "after HI of all ones"));
    scanout_write(t, lo->reg, UINT32_MAX);
    scanout_write(t, lo->reg + 4, 0);
    agpu_return_unless(scanout_check_address(t, lo, UINT32_MAX, "after LO of all ones"));
}

/* The scanout's framebuffer address must read back the stored value of each half, in any order of writes. */
static void scanout_staged(struct agpu_test *t)
{
    scanout_staged_values(t, scanout_find(scanout_registers, KIND_LO));
}

/* The cursor's framebuffer address must read back the stored value of each half, in any order of writes. */
static void cursor_staged(struct agpu_test *t)
{
    scanout_staged_values(t, scanout_find(cursor_registers, KIND_LO));
}

/* Clearing ENABLE must drop a staged LO; another write to ENABLE, or to another register, must not. */
static void disable_drops_staged(struct agpu_test *t, const struct scanout_register *enable,
                                 const struct scanout_register *lo)
{
    static const uint32_t kept_by[][2] = {{0, 0}, {0, 1}, {0, 0x80000000}, {1, 1}, {1, 0x100}};

    for (unsigned i = 0; i < COUNT_OF(kept_by); i++) {
        scanout_write(t, enable->reg, kept_by[i][0]);
        agpu_reg_write64(&t->env->function, lo->reg, 0x11111000);
        scanout_write(t, lo->reg, 0x22222000);
        scanout_write(t, enable->reg, kept_by[i][1]);
        agpu_return_unless(
            scanout_check(t, lo, 0x22222000, "staged, after a write of ENABLE other than 1 -> 0"));
        scanout_write(t, lo->reg + 4, 0x7);
        agpu_return_unless(scanout_check_address(t, lo, UINT64_C(0x722222000),
                                                 "committed, after a write of ENABLE other than 1 -> 0"));
    }
    agpu_reg_write64(&t->env->function, lo->reg, 0x11111000);
    scanout_write(t, enable->reg, 1);
    scanout_write(t, lo->reg, 0x22222000);
    scanout_write(t, enable->reg, 0);
    agpu_return_unless(scanout_check_address(t, lo, 0x11111000, "after ENABLE 1 -> 0"));
    scanout_write(t, lo->reg + 4, 0x1);
    agpu_return_unless(scanout_check_address(t, lo, UINT64_C(0x111111000), "after ENABLE 1 -> 0 and HI"));
}

/* Clearing SCANOUT0_ENABLE must drop a staged low half of the address, and no other write may. */
static void scanout_disable(struct agpu_test *t)
{
    disable_drops_staged(t, scanout_find(scanout_registers, KIND_ENABLE),
                         scanout_find(scanout_registers, KIND_LO));
}

/* Clearing CURSOR_ENABLE must drop a staged low half of the address, and no other write may. */
static void cursor_disable(struct agpu_test *t)
{
    disable_drops_staged(t, scanout_find(cursor_registers, KIND_ENABLE),
                         scanout_find(cursor_registers, KIND_LO));
}

/* An address that is staged in one block (scanout, cursor) must not change by any write to the other block. */
static void staged_apart(struct agpu_test *t)
{
    const struct scanout_register *blocks[2] = {scanout_registers, cursor_registers};

    for (unsigned i = 0; i < 2; i++) {
        const struct scanout_register *mine = blocks[i], *other = blocks[1 - i];
        const uint32_t lo = scanout_find(mine, KIND_LO)->reg;
        const uint32_t other_lo = scanout_find(other, KIND_LO)->reg;

        scanout_write(t, mine->reg, 1);
        agpu_reg_write64(&t->env->function, lo, UINT64_C(0x511111000));
        agpu_reg_write64(&t->env->function, other_lo, UINT64_C(0x633333000));
        scanout_write(t, lo, 0x22222000);
        scanout_write(t, other->reg, 1);
        scanout_write(t, other_lo, 0x44444000);
        scanout_write(t, other_lo + 4, 0x9);
        scanout_write(t, other_lo, 0x77777000);
        scanout_write(t, other->reg, 0);
        agpu_return_unless(scanout_check_address(t, scanout_find(other, KIND_LO), UINT64_C(0x944444000),
                                                 "beside a staged half of the other block"));
        agpu_return_unless(scanout_check_address(t, scanout_find(mine, KIND_LO), UINT64_C(0x522222000),
                                                 "staged, after the other block's was dropped"));
        scanout_write(t, mine->reg, 0);
        agpu_return_unless(scanout_check_address(t, scanout_find(mine, KIND_LO), UINT64_C(0x511111000),
                                                 "dropped, the other block's having been committed"));
    }
}

#define SCANOUT_CASE(name, section, feature_bits, function)                                                  \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_FUNCTION, .features = (feature_bits),            \
        .run = (function)                                                                                    \
    }
#define S AEROGPU_FEATURE_SCANOUT
#define C AEROGPU_FEATURE_CURSOR

static const struct agpu_case function_scanout_cases[] = {
    SCANOUT_CASE("scanout.registers.storage", "device.md 4.8", S, scanout_storage),
    SCANOUT_CASE("scanout.registers.formats", "device.md 4.8", S, scanout_formats),
    SCANOUT_CASE("scanout.registers.unknown_format", "device.md 4.8", S, unknown_format),
    SCANOUT_CASE("scanout.registers.enable", "device.md 4", S, scanout_enable),
    SCANOUT_CASE("scanout.registers.independent", "device.md 4", S, scanout_independence),
    SCANOUT_CASE("scanout.registers.enable_keeps_the_rest", "device.md 4.8", S, scanout_enable_keeps),
    {.id = "scanout.registers.survive_ring_reset",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .features = S,
     .run = scanout_survives_reset},
    SCANOUT_CASE("scanout.address.staged", "device.md 4.5", S, scanout_staged),
    SCANOUT_CASE("scanout.address.disable_drops_staged", "device.md 4.5", S, scanout_disable),
    SCANOUT_CASE("scanout.address.staged_apart", "device.md 4.5", S | C, staged_apart),
    SCANOUT_CASE("scanout.cursor.storage", "device.md 4.9", C, cursor_storage),
    SCANOUT_CASE("scanout.cursor.formats", "device.md 4.9", C, cursor_formats),
    SCANOUT_CASE("scanout.cursor.enable", "device.md 4.9", C, cursor_enable),
    SCANOUT_CASE("scanout.cursor.staged", "device.md 4.5", C, cursor_staged),
    SCANOUT_CASE("scanout.cursor.disable_drops_staged", "device.md 4.5", C, cursor_disable),
};

AGPU_CASE_TABLE(agpu_cases_function_scanout, function_scanout_cases);
