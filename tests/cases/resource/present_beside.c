/* present_beside.c: held fences and presents while something else changes: the page, Bus Master, the interrupt mask, an
 * earlier reset, the cursor, a second present (ring.md 4, 5, 7; device.md 2.1, 4.4, 4.9). */
#include <string.h>

#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/framebuffer.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vblank.h"

#define VSYNC AEROGPU_PRESENT_FLAG_VSYNC
#define TRIES 4u
#define PAGE  4096u
/* Rounds in which an edge may come before the change of the case. A normal machine needs few; a device that holds
 * nothing uses all. */
#define MISSES 20u

/* Posts one paced present with a doorbell, and waits until the device has taken its descriptor. */
static bool beside_hold(struct agpu_test *t, bool ex, uint32_t flags, uint32_t d3d9_flags)
{
    struct agpu_rig *rig = &t->env->rig;
    const struct agpu_ring *ring = &t->env->ring;
    struct agpu_submission submission;
    struct agpu_wait wait;

    agpu_rig_begin_over(rig);
    if (ex) {
        agpu_put_present_ex(rig, 0, flags, d3d9_flags);
    } else {
        agpu_put_present(rig, 0, flags);
    }
    if (!agpu_check(t, agpu_rig_finish(rig, &submission)) ||
        !agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission))) {
        return false;
    }
    agpu_doorbell(ring);
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_ROOM);
    while (agpu_ring_head(ring) != ring->tail && agpu_wait_again(&wait)) {
        ;
    }
    return true;
}

static bool beside_is_held(const struct agpu_test *t)
{
    /* All fences of these cases fit in the low half. */
    return agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) < t->env->rig.fence;
}

static void beside_check_misses(struct agpu_test *t, unsigned misses)
{
    agpu_check_true(t, misses < MISSES, "the fence of a paced present is held after its doorbell", AGPU_HERE);
}

/* Checks that the fence of a paced present completes at an edge after its doorbell: SEQ has moved. */
static bool beside_paced(struct agpu_test *t, uint64_t seq, const char *what, uint64_t round)
{
    uint64_t passed;

    if (!agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence))) {
        return false;
    }
    passed = agpu_vblank_passed(t, seq);
    return agpu_check_place(t, what, round, passed != 0, 1);
}

/* Every present with VSYNC must be paced, whatever its other flags. */
static void beside_flags(struct agpu_test *t)
{
    static const uint32_t flags[] = {VSYNC, VSYNC | 2, VSYNC | 0x10, VSYNC | 0x80000000, UINT32_MAX};

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < 4 * sizeof flags / sizeof flags[0]; i++) {
        const uint32_t seq = agpu_vblank_seq_low(t);

        agpu_return_unless(beside_hold(t, i % 4 != 0, flags[i / 4], i % 4 == 3 ? UINT32_MAX : i % 4 - 1));
        agpu_return_unless(
            beside_paced(t, seq, "an edge after the doorbell of a present with flags", flags[i / 4]));
    }
}

/* Without a fence page, presents must still be paced and fences must still raise interrupts. */
static void beside_no_page(struct agpu_test *t)
{
    const struct agpu_ring_config config = {.no_fence_page = true};

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t) && agpu_check_irq(t, AEROGPU_IRQ_FENCE));
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < TRIES; i++) {
        const uint32_t seq = agpu_vblank_seq_low(t);

        agpu_return_unless(beside_hold(t, false, VSYNC, 0));
        agpu_return_unless(beside_paced(t, seq, "an edge after a doorbell without a fence page, round", i));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_FENCE));
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    }
}

/* Given a held fence, switching Bus Master, Memory Space and INTx Disable must not release it. */
static void beside_command(struct agpu_test *t)
{
    static const uint16_t bits[] = {AGPU_PCI_COMMAND_MASTER, AGPU_PCI_COMMAND_MEMORY,
                                    AGPU_PCI_COMMAND_INTX_OFF, AGPU_PCI_COMMAND_IO};
    const struct agpu_function *function = &t->env->function;
    const uint16_t on = agpu_command_read(function);

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < sizeof bits / sizeof bits[0] * 2; i++) {
        const uint32_t seq = agpu_vblank_seq_low(t);

        agpu_return_unless(beside_hold(t, false, VSYNC, 0));
        agpu_command_write(function, on ^ bits[i / 2]);
        agpu_command_write(function, on);
        agpu_return_unless(
            beside_paced(t, seq, "an edge before a held fence, command bit turned over:", bits[i / 2]));
    }
}

/* A ring reset that drops held fences must not affect the fences after it. */
static void beside_reset(struct agpu_test *t)
{
    for (unsigned i = 0; i < TRIES; i++) {
        agpu_scanout_enable(t, 1);
        for (unsigned held = 0; held <= i % 3; held++) {
            agpu_return_unless(beside_hold(t, false, VSYNC, 0));
        }
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        t->env->rig.fence = 0;
        for (unsigned again = 0; again < 2; again++) {
            const uint32_t seq = agpu_vblank_seq_low(t);

            agpu_return_unless(beside_hold(t, again != 0, VSYNC, 0));
            agpu_return_unless(
                beside_paced(t, seq, "an edge after a doorbell after a reset with held fences, round", i));
        }
    }
}

/* The interrupt mask at the moment of completion must decide about the interrupt of a held fence, even if the ring is
 * disabled by then. Rounds in which an edge was quicker than the writes are repeated. */
static void beside_mask(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    unsigned misses = 0;

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < 3 * TRIES && misses < MISSES;) {
        const unsigned what = i % 3; /* masked, then not; the other way round; the ring disabled */
        const unsigned checks = t->checks;
        bool held;

        agpu_irq_enable(function, what == 0 ? 0 : AEROGPU_IRQ_FENCE);
        agpu_irq_ack(function, AEROGPU_IRQ_FENCE);
        agpu_return_unless(beside_hold(t, false, VSYNC, 0));
        if (what == 2) {
            agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        } else {
            agpu_irq_enable(function, what == 0 ? AEROGPU_IRQ_FENCE : 0);
        }
        held = beside_is_held(t);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
        if (!held) {
            agpu_check_drop(t, checks);
            misses++;
            continue;
        }
        agpu_return_unless(agpu_check_irq(t, what == 1 ? 0 : AEROGPU_IRQ_FENCE));
        i++;
    }
    beside_check_misses(t, misses);
}

/* A held fence must be written to the page that is programmed when it completes. */
static void beside_page(struct agpu_test *t)
{
    const struct agpu_ring_config config = {.no_fence_page = true}; /* the pages of the case, side by side */
    const struct agpu_function *function = &t->env->function;
    const struct agpu_dma *pages = &t->env->rig.memory[0];
    const uint64_t *values[2] = {(const void *)((const uint8_t *)pages->cpu + 8),
                                 (const void *)((const uint8_t *)pages->cpu + PAGE + 8)};
    unsigned misses = 0;

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, pages->device_address);
    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < TRIES && misses < MISSES;) {
        const unsigned to = (i + 1) % 2, checks = t->checks;
        struct agpu_wait wait;

        agpu_reg_write(function, AEROGPU_MMIO_REG_FENCE_GPA_LO,
                       (uint32_t)pages->device_address + (1 - to) * PAGE);
        agpu_return_unless(beside_hold(t, false, VSYNC, 0));
        agpu_reg_write(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, (uint32_t)pages->device_address + to * PAGE);
        if (!beside_is_held(t)) {
            agpu_check_drop(t, checks);
            misses++;
            continue;
        }
        agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
        while ((__atomic_load_n(values[to], __ATOMIC_ACQUIRE) != t->env->rig.fence || beside_is_held(t)) &&
               agpu_wait_again(&wait)) {
            ;
        }
        agpu_return_unless(agpu_check_place2(t, "the page to which FENCE_GPA moved while a fence was held:",
                                             to, "round", i, *values[to], t->env->rig.fence));
        agpu_return_unless(agpu_check_place2(t, "the page from which it moved:", 1 - to, "round", i,
                                             *values[1 - to] != t->env->rig.fence, 1));
        i++;
    }
    agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    beside_check_misses(t, misses);
}

/* A paced present that fails before it runs must complete its fence without an edge, although the scanout is on. */
static void beside_early_failure(struct agpu_test *t)
{
    agpu_scanout_enable(t, 1);
    for (unsigned kind = 0; kind < 4; kind++) {
        struct agpu_rig *rig = &t->env->rig;
        struct aerogpu_submit_desc desc;
        struct agpu_submission submission;

        agpu_rig_begin_over(rig);
        agpu_put_present(rig, 0, kind % 2 == 0 ? VSYNC : 0);
        agpu_rig_alloc(rig, 7, &rig->memory[0], 0);
        agpu_assert(t, agpu_rig_finish(rig, &submission));
        agpu_assert_ok(t, agpu_ring_describe(&submission, &desc));
        if (kind < 2) {
            agpu_rig_table_header(rig)->magic ^= 1;
        } else {
            agpu_rig_stream_header(rig)->magic ^= 1;
        }
        agpu_return_unless(agpu_run_faulty_desc(t, &desc, AEROGPU_ERROR_CMD_DECODE));
    }
}

/* Each present of a submission must show the target's contents at that moment: the last one decides. The cursor is no
 * part of the picture. */
static void beside_two(struct agpu_test *t)
{
    static const uint32_t cursor[][2] = {
        {AEROGPU_MMIO_REG_CURSOR_X, 2},      {AEROGPU_MMIO_REG_CURSOR_Y, 1},
        {AEROGPU_MMIO_REG_CURSOR_WIDTH, 4},  {AEROGPU_MMIO_REG_CURSOR_HEIGHT, 4},
        {AEROGPU_MMIO_REG_CURSOR_FORMAT, 1}, {AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, 16},
        {AEROGPU_MMIO_REG_CURSOR_ENABLE, 1},
    };
    const struct agpu_function *function = &t->env->function;
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_dma *image = &rig->memory[1];

    agpu_return_unless(agpu_screen_begin(t));
    memset(image->cpu, 0xE7, 64);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, (uint32_t)image->device_address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI, (uint32_t)(image->device_address >> 32));
    for (unsigned i = 0; i < sizeof cursor / sizeof cursor[0]; i++) {
        agpu_reg_write(function, cursor[i][0], cursor[i][1]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        agpu_screen_poison(t);
        for (uint32_t shown = 0; shown <= i; shown++) {
            agpu_put_targets(rig, agpu_put_screen_source(rig, &agpu_screen_source_plain, 300 + 8 * i + shown),
                             0);
            agpu_put_screen_present(rig, shown % 2 != 0, 0, 0);
        }
        agpu_screen_expect(&agpu_screen_plain, &agpu_screen_source_plain);
        agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(
            agpu_screen_check(t, &agpu_screen_plain, "the last of several presents, cursor on"));
    }
}

#define BESIDE_CASE(name, section, function)                                                                 \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case resource_present_beside_cases[] = {
    BESIDE_CASE("present.vsync.other_flags", "ring.md 7", beside_flags),
    BESIDE_CASE("present.vsync.without_fence_page", "ring.md 7", beside_no_page),
    BESIDE_CASE("present.vsync.command_register", "device.md 2.1", beside_command),
    BESIDE_CASE("present.vsync.behind_reset", "ring.md 7", beside_reset),
    BESIDE_CASE("present.vsync.mask_at_completion", "device.md 4.4", beside_mask),
    {.id = "present.vsync.page_at_completion",
     .spec = "ring.md 5",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_FENCE_PAGE,
     .run = beside_page},
    {.id = "present.vsync.early_failures",
     .spec = "ring.md 3.1",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_ERROR_INFO,
     .run = beside_early_failure},
    {.id = "present.screen.several_and_cursor",
     .spec = "commands.md 11",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_TRANSFER,
     .run = beside_two},
};

AGPU_CASE_TABLE(agpu_cases_resource_present_beside, resource_present_beside_cases);
