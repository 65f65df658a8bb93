/* away.c: power without a capability, and the release of the display (device.md 6; vidmm.md 7). */
#include "mm/kmd/adapter.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/quiesce.h"
#include "tests/cases/rig/life.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vblank.h"

/* Checks that the display is off and that no edge comes, nor a write to any of these memories. */
static void life_check_off(struct agpu_test *t)
{
    static const uint32_t off[] = {AEROGPU_MMIO_REG_SCANOUT0_ENABLE,    AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO,
                                   AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, AEROGPU_MMIO_REG_CURSOR_ENABLE,
                                   AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO,   AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI};
    const struct agpu_dma *const memory[] = {&t->env->ring.memory, &t->env->ring.page, &t->env->rig.cmd,
                                             &t->env->rig.memory[AGPU_LIFE_SCREEN]};
    const bool vblank = (t->env->abi.features & AEROGPU_FEATURE_VBLANK) != 0;
    const uint64_t seq = vblank ? agpu_vblank_seq(t) : 0;

    for (uint32_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        agpu_life_poison(memory[i]);
    }
    for (uint32_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        agpu_check_place(t, "register outside D0, at", off[i], agpu_reg_read(&t->env->function, off[i]), 0);
    }
    agpu_doorbell(&t->env->ring);
    agpu_life_wait(t);
    agpu_life_check_quiet(t, "IRQ_STATUS outside D0");
    agpu_check_eq_u64(t, vblank ? agpu_vblank_seq(t) : 0, seq);
    for (uint32_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        agpu_life_is_poison(t, "first byte written outside D0, from", memory[i]);
    }
}

static bool life_power_row(struct agpu_test *t, uint32_t left)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_display display;
    uint32_t words[AGPU_LIFE_WORDS], mask;
    const bool paced =
        (left & AGPU_LIFE_SCREEN_ON) != 0 && (t->env->abi.features & AEROGPU_FEATURE_VBLANK) != 0;

    agpu_display_begin(&display, function, t->env->abi.features);
    if (!agpu_life_leave(t, left)) {
        return false;
    }
    agpu_function_restore(function);
    agpu_life_read_screen(t, words);
    agpu_life_stop_d3d(t);
    if (!agpu_check_ok(t, agpu_kmd_adapter_leave_d0(&t->env->adapter, &display, &mask))) {
        return false;
    }
    life_check_off(t);
    if (!agpu_check_ok(t, agpu_kmd_adapter_enter_d0(&t->env->adapter, &display, mask)) ||
        !agpu_life_continue_d3d(t) || !agpu_life_close_d3d(t)) {
        return false;
    }
    t->env->rig.fence = 0;
    t->env->errors = (struct agpu_case_errors){0};
    agpu_rig_begin_over(&t->env->rig);
    agpu_life_check_screen(t, "register in D0 again, at", words);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), mask);
    agpu_check_completed(t, 0);
    if (paced && !agpu_vblank_wait_seq(t, agpu_vblank_seq(t) + 1)) {
        return false;
    }
    agpu_check_eq_hex(t, agpu_irq_status(function), mask & (paced ? AEROGPU_IRQ_SCANOUT_VBLANK : 0));
    agpu_irq_enable(function, 0);
    if (!agpu_life_check_works(t)) {
        return false;
    }
    agpu_screen_off(function, t->env->abi.features);
    return agpu_check_ok(t, agpu_ring_reset(&t->env->ring));
}

/* Given scanout, cursor, pending causes, work and held fences, the device must touch no memory after a driver has left
 * D0. Display, causes and ring must work when it enters D0 again. */
static void life_power(struct agpu_test *t)
{
    agpu_life_each(t, life_power_row);
}

/* A driver that releases the display must see no edge and no vblank interrupt until it acquires it again, with the mode
 * and the cursor as before; neither must be enabled at address 0. */
static void life_display(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_display display;
    uint32_t words[AGPU_LIFE_WORDS];

    agpu_display_begin(&display, function, t->env->abi.features);
    for (uint32_t round = 0; round < 3; round++) {
        agpu_life_show(t, AGPU_LIFE_SCREEN_ON | AGPU_LIFE_CURSOR_ON);
        agpu_display_watch_vblank(&display, round != 1);
        agpu_life_read_screen(t, words);
        agpu_display_release(&display);
        agpu_irq_ack(function, AEROGPU_IRQ_SCANOUT_VBLANK);
        agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), 0);
        agpu_life_wait(t);
        agpu_check_irq(t, 0);
        agpu_display_acquire(&display);
        agpu_life_check_screen(t, "register of the display acquired again, at", words);
        agpu_return_unless(agpu_vblank_wait_seq(t, agpu_vblank_seq(t) + 1));
        agpu_check_irq(t, round != 1 ? AEROGPU_IRQ_SCANOUT_VBLANK : 0);
    }
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, 0);
    agpu_display_release(&display);
    agpu_display_acquire(&display);
    agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 0);
    agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_CURSOR_ENABLE), 0);
}

/* A driver must leave the registers of a block, and the vblank interrupt, as they are if it has no feature bit for
 * them. That holds for a start, a mode set, a release and an acquisition. */
static void life_display_features(struct agpu_test *t)
{
    static const uint64_t blocks[] = {AEROGPU_FEATURE_SCANOUT, AEROGPU_FEATURE_CURSOR,
                                      AEROGPU_FEATURE_VBLANK};
    const struct agpu_function *function = &t->env->function;
    struct agpu_display display;
    struct agpu_display_mode mode;
    uint32_t words[AGPU_LIFE_WORDS];

    for (uint32_t without = 0; without < sizeof blocks / sizeof blocks[0]; without++) {
        const uint64_t features = t->env->abi.features & ~blocks[without];
        const bool scanout = without != 0, cursor = without != 1, vblank = without != 2;

        agpu_life_show(t, AGPU_LIFE_SCREEN_ON);
        agpu_display_begin(&display, function, features);
        agpu_check_eq_u64(t, display.mode.width != 0, scanout);
        agpu_life_show(t, AGPU_LIFE_SCREEN_ON | AGPU_LIFE_CURSOR_ON);
        agpu_life_read_screen(t, words);
        if (!cursor) {
            agpu_display_begin(&display, function, features);
            agpu_life_check_screen(t, "register after a start without its feature, at", words);
        }
        agpu_display_watch_vblank(&display, true);
        agpu_display_release(&display);
        agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE), !scanout);
        agpu_check_eq_u64(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) != 0, !scanout);
        agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_CURSOR_ENABLE), !cursor);
        agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE),
                          vblank ? 0 : AEROGPU_IRQ_SCANOUT_VBLANK);
        agpu_display_acquire(&display);
        agpu_life_check_screen(t, "register after a driver without the feature of a block, at", words);
        agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE),
                          AEROGPU_IRQ_SCANOUT_VBLANK);
        agpu_display_set_mode(&display, &(struct agpu_display_mode){.width = 1}, &mode);
        agpu_check_eq_u64(t, mode.width != 0, scanout);
        agpu_check_eq_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE), !scanout);
    }
}

#define AWAY_CASE(name, section, feature, function)                                                          \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = (feature), .run = (function)   \
    }

static const struct agpu_case function_away_cases[] = {
    AWAY_CASE("ring.power.without_capability", "device.md 6", 0, life_power),
    AWAY_CASE("scanout.owner.released_and_acquired", "device.md 6",
              AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_VBLANK, life_display),
    AWAY_CASE("scanout.owner.without_a_feature", "device.md 4.1",
              AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_VBLANK,
              life_display_features),
};

AGPU_CASE_TABLE(agpu_cases_function_away, function_away_cases);
