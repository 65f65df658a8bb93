/* scanout.c: scanout 0 and cursor registers: storage, staging, normalisation (device.md 4.5, 4.8, 4.9). */
#include "pci/registers.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

static uint32_t scanout_read(const struct agpu_test *t, uint32_t reg)
{
    return agpu_reg_read(&t->env->function, reg);
}

static void scanout_write(const struct agpu_test *t, uint32_t reg, uint32_t value)
{
    agpu_reg_write(&t->env->function, reg, value);
}

static void check_storage(struct agpu_test *t, const uint32_t *regs, unsigned count)
{
    static const uint32_t values[] = {1920, 0xFFFFFFFF, 0x80000000, 0};

    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < sizeof values / sizeof values[0]; j++) {
            scanout_write(t, regs[i], values[j]);
            agpu_check_eq_hex(t, scanout_read(t, regs[i]), values[j]);
        }
    }
}

static void scanout_storage(struct agpu_test *t)
{
    static const uint32_t regs[] = {AEROGPU_MMIO_REG_SCANOUT0_WIDTH, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT,
                                    AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES};

    check_storage(t, regs, 3);
}

static void cursor_storage(struct agpu_test *t)
{
    static const uint32_t regs[] = {AEROGPU_MMIO_REG_CURSOR_X,          AEROGPU_MMIO_REG_CURSOR_Y,
                                    AEROGPU_MMIO_REG_CURSOR_HOT_X,      AEROGPU_MMIO_REG_CURSOR_HOT_Y,
                                    AEROGPU_MMIO_REG_CURSOR_WIDTH,      AEROGPU_MMIO_REG_CURSOR_HEIGHT,
                                    AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES};

    check_storage(t, regs, 7);
}

static const uint32_t color_formats[] = {
    AEROGPU_FORMAT_B8G8R8A8_UNORM,      AEROGPU_FORMAT_B8G8R8X8_UNORM,
    AEROGPU_FORMAT_R8G8B8A8_UNORM,      AEROGPU_FORMAT_R8G8B8X8_UNORM,
    AEROGPU_FORMAT_B5G6R5_UNORM,        AEROGPU_FORMAT_B5G5R5A1_UNORM,
    AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB,
    AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB,
};

static void scanout_formats(struct agpu_test *t)
{
    for (unsigned i = 0; i < sizeof color_formats / sizeof color_formats[0]; i++) {
        scanout_write(t, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, color_formats[i]);
        agpu_check_eq_hex(t, scanout_read(t, AEROGPU_MMIO_REG_SCANOUT0_FORMAT), color_formats[i]);
    }
}

static void unknown_format(struct agpu_test *t)
{
    scanout_write(t, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    scanout_write(t, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, 0x1234);
    agpu_check_eq_hex(t, scanout_read(t, AEROGPU_MMIO_REG_SCANOUT0_FORMAT), AEROGPU_FORMAT_INVALID);
}

static void scanout_enable_normalised(struct agpu_test *t, uint32_t reg)
{
    static const uint32_t values[] = {1, 2, 0x80000000, 0xFFFFFFFF};

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        scanout_write(t, reg, values[i]);
        agpu_check_eq_hex(t, scanout_read(t, reg), 1);
        scanout_write(t, reg, 0);
        agpu_check_eq_hex(t, scanout_read(t, reg), 0);
    }
}

static void scanout_enable(struct agpu_test *t)
{
    scanout_enable_normalised(t, AEROGPU_MMIO_REG_SCANOUT0_ENABLE);
}

static void cursor_enable(struct agpu_test *t)
{
    scanout_enable_normalised(t, AEROGPU_MMIO_REG_CURSOR_ENABLE);
}

/* LO is staged and shows at once; HI commits both; HI alone keeps the low half. What is effective cannot be
 * read, but both halves read back what they hold. */
static void scanout_staged_values(struct agpu_test *t, uint32_t lo)
{
    scanout_write(t, lo, 0x11111000);
    agpu_check_eq_hex(t, scanout_read(t, lo), 0x11111000);
    scanout_write(t, lo + 4, 0x2);
    agpu_check_eq_hex(t, agpu_reg_read64(&t->env->function, lo), UINT64_C(0x211111000));
    scanout_write(t, lo + 4, 0x3);
    agpu_check_eq_hex(t, agpu_reg_read64(&t->env->function, lo), UINT64_C(0x311111000));
    scanout_write(t, lo, 0x44444000);
    scanout_write(t, lo, 0x55555000);
    agpu_check_eq_hex(t, scanout_read(t, lo), 0x55555000);
    agpu_check_eq_hex(t, scanout_read(t, lo + 4), 0x3);
    scanout_write(t, lo + 4, 0);
    agpu_check_eq_hex(t, agpu_reg_read64(&t->env->function, lo), 0x55555000);
}

static void scanout_staged(struct agpu_test *t)
{
    scanout_staged_values(t, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
}

static void cursor_staged(struct agpu_test *t)
{
    scanout_staged_values(t, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO);
}

/* Clearing ENABLE drops a staged LO. */
static void disable_drops_staged(struct agpu_test *t, uint32_t enable, uint32_t lo)
{
    agpu_reg_write64(&t->env->function, lo, 0x11111000);
    scanout_write(t, enable, 1);
    scanout_write(t, lo, 0x22222000);
    scanout_write(t, enable, 0);
    agpu_check_eq_hex(t, scanout_read(t, lo), 0x11111000);
    scanout_write(t, lo + 4, 0x1);
    agpu_check_eq_hex(t, agpu_reg_read64(&t->env->function, lo), UINT64_C(0x111111000));
}

static void scanout_disable(struct agpu_test *t)
{
    disable_drops_staged(t, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
}

static void cursor_disable(struct agpu_test *t)
{
    disable_drops_staged(t, AEROGPU_MMIO_REG_CURSOR_ENABLE, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO);
}

static const struct agpu_case cases[] = {
    {.id = "scanout.registers.storage",
     .spec = "device.md 4.8",
     .needs = AGPU_NEED_FUNCTION,
     .features = AEROGPU_FEATURE_SCANOUT,
     .run = scanout_storage},
    {.id = "scanout.registers.formats",
     .spec = "device.md 4.8",
     .needs = AGPU_NEED_FUNCTION,
     .features = AEROGPU_FEATURE_SCANOUT,
     .run = scanout_formats},
    {.id = "scanout.registers.unknown_format",
     .spec = "device.md 4.8",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .features = AEROGPU_FEATURE_SCANOUT,
     .run = unknown_format},
    {.id = "scanout.registers.enable",
     .spec = "device.md 4",
     .needs = AGPU_NEED_FUNCTION,
     .features = AEROGPU_FEATURE_SCANOUT,
     .run = scanout_enable},
    {.id = "scanout.address.staged",
     .spec = "device.md 4.5",
     .needs = AGPU_NEED_FUNCTION,
     .features = AEROGPU_FEATURE_SCANOUT,
     .run = scanout_staged},
    {.id = "scanout.address.disable_drops_staged",
     .spec = "device.md 4.5",
     .needs = AGPU_NEED_FUNCTION,
     .features = AEROGPU_FEATURE_SCANOUT,
     .run = scanout_disable},
    {.id = "scanout.cursor.storage",
     .spec = "device.md 4.9",
     .needs = AGPU_NEED_FUNCTION,
     .features = AEROGPU_FEATURE_CURSOR,
     .run = cursor_storage},
    {.id = "scanout.cursor.enable",
     .spec = "device.md 4.9",
     .needs = AGPU_NEED_FUNCTION,
     .features = AEROGPU_FEATURE_CURSOR,
     .run = cursor_enable},
    {.id = "scanout.cursor.staged",
     .spec = "device.md 4.5",
     .needs = AGPU_NEED_FUNCTION,
     .features = AEROGPU_FEATURE_CURSOR,
     .run = cursor_staged},
    {.id = "scanout.cursor.disable_drops_staged",
     .spec = "device.md 4.5",
     .needs = AGPU_NEED_FUNCTION,
     .features = AEROGPU_FEATURE_CURSOR,
     .run = cursor_disable},
};

AGPU_CASE_TABLE(agpu_cases_function_scanout, cases);
