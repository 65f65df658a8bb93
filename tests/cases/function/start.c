/* start.c: starts on a device that another driver left, and starts that fail (device.md 6). */
#include <string.h>

#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/quiesce.h"
#include "tests/cases/rig/life.h"
#include "tests/cases/rig/vblank.h"

/* The new driver's memory replaces the old one, which is poisoned and watched. */
static bool life_start_row(struct agpu_test *t, uint32_t left)
{
    const struct agpu_function *function = &t->env->function;
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_ring old = t->env->ring;
    const struct agpu_ring_config config = {.no_fence_page = old.page.cpu == NULL};
    struct agpu_display display;
    struct agpu_ring next;
    uint32_t words[AGPU_LIFE_WORDS];
    const bool vblank = (t->env->abi.features & AEROGPU_FEATURE_VBLANK) != 0;
    uint64_t seq;

    if (!agpu_life_leave(t, left)) {
        return false;
    }
    agpu_life_stop_d3d(t);
    agpu_life_read_screen(t, words);
    memset(words + AGPU_LIFE_SCREEN_WORDS, 0, AGPU_DISPLAY_CURSOR * sizeof words[0]);
    seq = vblank ? agpu_vblank_seq(t) : 0;
    agpu_function_restore(function);
    if (!agpu_check_ok(t, agpu_ring_start(&next, function, t->env->abi.features, &config))) {
        return false;
    }
    t->env->ring = next;
    t->env->errors = (struct agpu_case_errors){0};
    t->env->rig.fence = 0;
    agpu_display_begin(&display, function, t->env->abi.features);
    agpu_life_poison(&old.memory);
    agpu_life_poison(&old.page);
    agpu_life_check_quiet(t, "IRQ_STATUS after a start");
    agpu_life_check_screen(t, "register after a start, at", words);
    agpu_check(t, !vblank || agpu_vblank_seq(t) >= seq);
    agpu_life_wait(t);
    agpu_life_check_works(t);
    agpu_life_is_poison(t, "first byte written in the ring of the driver before, from", &old.memory);
    agpu_life_is_poison(t, "first byte written in the fence page of the driver before, from", &old.page);
    if (old.page.cpu != NULL) {
        platform->dma_free(platform->ctx, &old.page);
    }
    platform->dma_free(platform->ctx, &old.memory);
    agpu_screen_off(function, t->env->abi.features);
    return agpu_life_close_d3d(t);
}

/* Given scanout, cursor, causes, work and held fences that another driver left, a start must find its mode and nothing
 * else of it, and the device must not touch the memory of the old ring. */
static void life_starts_on_left(struct agpu_test *t)
{
    agpu_life_each(t, life_start_row);
}

/* A start up to any step, then the writes of a driver that gives up. The reset waits for Bus Master. */
static void life_fail_after(struct agpu_test *t, uint32_t steps)
{
    const struct agpu_function *function = &t->env->function;
    const struct agpu_ring *ring = &t->env->ring;
    const struct {
        uint32_t reg, value;
    } start[] = {
        {AEROGPU_MMIO_REG_IRQ_ENABLE, 0},
        {AEROGPU_MMIO_REG_IRQ_ACK, UINT32_MAX},
        {AEROGPU_MMIO_REG_RING_CONTROL, 0},
        {AEROGPU_MMIO_REG_RING_GPA_LO, (uint32_t)ring->memory.device_address},
        {AEROGPU_MMIO_REG_RING_GPA_HI, (uint32_t)(ring->memory.device_address >> 32)},
        {AEROGPU_MMIO_REG_RING_SIZE_BYTES, (uint32_t)ring->memory.size},
        {AEROGPU_MMIO_REG_FENCE_GPA_LO, (uint32_t)ring->page.device_address},
        {AEROGPU_MMIO_REG_FENCE_GPA_HI, (uint32_t)(ring->page.device_address >> 32)},
        {AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET},
        {AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE},
        {AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR},
        {AEROGPU_MMIO_REG_DOORBELL, 1},
    };
    static const uint32_t undo[] = {
        AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_MMIO_REG_FENCE_GPA_LO, AEROGPU_MMIO_REG_FENCE_GPA_HI,
        AEROGPU_MMIO_REG_RING_GPA_LO,  AEROGPU_MMIO_REG_RING_GPA_HI,  AEROGPU_MMIO_REG_RING_SIZE_BYTES,
        AEROGPU_MMIO_REG_IRQ_ENABLE,
    };

    for (uint32_t i = 0; i < steps && i < sizeof start / sizeof start[0]; i++) {
        agpu_reg_write(function, start[i].reg, start[i].value);
    }
    for (uint32_t i = 0; i < sizeof undo / sizeof undo[0]; i++) {
        agpu_reg_write(function, undo[i], 0);
    }
    agpu_irq_ack(function, UINT32_MAX);
}

/* Given a start that failed after any of its steps and cleared the registers, the device must not touch that memory
 * when a memory part becomes possible. A complete start must work. */
static void life_start_fails(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;

    for (uint32_t steps = 0; steps <= 12; steps++) {
        agpu_return_unless(agpu_check_ok(t, agpu_ring_suspend(ring)));
        agpu_life_master(t, false);
        life_fail_after(t, steps);
        agpu_life_poison(&ring->memory);
        agpu_life_poison(&ring->page);
        agpu_life_master(t, true);
        agpu_doorbell(ring);
        agpu_life_wait(t);
        agpu_life_check_quiet(t, "IRQ_STATUS after a start that failed");
        agpu_life_is_poison(t, "first byte written in the ring of a start that failed, from", &ring->memory);
        agpu_life_is_poison(t, "first byte written in the fence page of a start that failed, from",
                            &ring->page);
        agpu_return_unless(agpu_check_ok(t, agpu_ring_resume(ring)));
        t->env->rig.fence = 0;
        t->env->errors = (struct agpu_case_errors){0};
        agpu_return_unless(agpu_life_check_works(t));
    }
}

#define START_CASE(name, section, feature, function)                                                         \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = (feature), .run = (function)   \
    }

static const struct agpu_case function_start_cases[] = {
    START_CASE("ring.start.on_what_was_left", "device.md 6", 0, life_starts_on_left),
    START_CASE("ring.start.fails", "device.md 6", 0, life_start_fails),
};

AGPU_CASE_TABLE(agpu_cases_function_start, function_start_cases);
