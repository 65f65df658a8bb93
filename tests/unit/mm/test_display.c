/* test_display.c: mode, vblank edges and scanline of the kernel driver's display half, and the runtime's wait for an
 * edge, over registers driven by a clock (device.md 4.7, 4.8; vidmm.md 8). */
#include <string.h>

#include "mm/kmd/display.h"
#include "mm/runtime/vblank.h"
#include "stack.h"
#include "tests/unit/test.h"

#define PERIOD 16000000u
#define HEIGHT 400u
#define WRITES 64u

static struct {
    struct agpu_platform platform; /* the stack's platform, with registers */
    struct stack stack;
    struct agpu_function function;
    struct agpu_display display;
    uint32_t registers[0x600 / 4];
    uint32_t written[WRITES]; /* register writes, in order */
    uint32_t writes;
    bool stopped; /* no edges occur */
    bool watched; /* the interrupt was enabled during a wait */
    uint64_t begun;
    uint64_t edges_before; /* edges at the start of the test */
} t;

static uint32_t *reg(uint32_t offset)
{
    return &t.registers[offset / 4];
}

static void run_clock(void)
{
    uint64_t edges = t.edges_before + (t.stack.machine.now - t.begun) / PERIOD;

    if (t.stopped) {
        return;
    }
    uint64_t time = edges != 0 ? t.begun + (edges - t.edges_before) * PERIOD : 0;
    memcpy(reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO), &edges, sizeof edges);
    memcpy(reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO), &time, sizeof time);
}

static uint64_t bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                         unsigned size)
{
    (void)ctx, (void)function;
    assert_int_equal(bar, 0);
    assert_int_equal(size, 4);
    run_clock();
    return *reg((uint32_t)offset);
}

static void bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                      unsigned size, uint64_t value)
{
    (void)ctx, (void)function, (void)bar, (void)size;
    assert_in_range(t.writes, 0, WRITES - 1);
    t.written[t.writes++] = (uint32_t)offset;
    *reg((uint32_t)offset) = (uint32_t)value;
}

static void note_watched(struct fake_mm_machine *machine)
{
    (void)machine;
    t.watched |= (*reg(AEROGPU_MMIO_REG_IRQ_ENABLE) & AEROGPU_IRQ_SCANOUT_VBLANK) != 0;
}

static int setup(void **state)
{
    (void)state;
    memset(&t, 0, sizeof t);
    stack_open(&t.stack, NULL);
    t.platform = t.stack.machine.platform;
    t.platform.bar_read = bar_read;
    t.platform.bar_write = bar_write;
    t.function.platform = &t.platform;
    t.stack.machine.on_relax = note_watched;
    t.begun = t.stack.machine.now;
    *reg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) = 1;
    *reg(AEROGPU_MMIO_REG_SCANOUT0_WIDTH) = 640;
    *reg(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT) = HEIGHT;
    *reg(AEROGPU_MMIO_REG_SCANOUT0_FORMAT) = 2;
    *reg(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES) = 2560;
    *reg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) = 0x1000;
    *reg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI) = 0x2;
    *reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS) = PERIOD;
    *reg(AEROGPU_MMIO_REG_CURSOR_ENABLE) = *reg(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES) = 1;
    agpu_display_begin(&t.display, &t.function, UINT64_MAX);
    t.writes = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    stack_close(&t.stack);
    return 0;
}

static void pass(uint64_t ns)
{
    t.stack.machine.now += ns;
}

/* ---- mode ---- */

static const struct agpu_display_mode second = {320, 200, 1, 1280, 0x300004000ull, true};

FIXTURE(setup, teardown);

/* Disable first, enable last, and no enable if the mode is off. */
TEST(mode_in_the_documented_order)
{
    struct agpu_display_mode off = second;

    agpu_display_set_mode(&t.display, &second, NULL);
    assert_int_equal(t.writes, 8);
    assert_int_equal(t.written[0], AEROGPU_MMIO_REG_SCANOUT0_ENABLE);
    for (uint32_t i = 1; i < 7; i++) {
        assert_int_not_equal(t.written[i], AEROGPU_MMIO_REG_SCANOUT0_ENABLE);
    }
    assert_int_equal(t.written[5], AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
    assert_int_equal(t.written[6], AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI);
    assert_int_equal(t.written[7], AEROGPU_MMIO_REG_SCANOUT0_ENABLE);
    off.enabled = false;
    agpu_display_set_mode(&t.display, &off, NULL);
    assert_int_equal(t.writes, 15);
    assert_int_equal(*reg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 0);
}

/* ---- ownership ---- */

TEST(enables_nothing_at_address_0)
{
    *reg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) = *reg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI) = 0;
    for (uint32_t half = 0; half < 3; half++) {
        *reg(AEROGPU_MMIO_REG_CURSOR_ENABLE) = 1;
        *reg(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO) = half == 1;
        *reg(AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI) = half == 2;
        agpu_display_release(&t.display);
        t.writes = 0;
        agpu_display_acquire(&t.display);
        assert_int_equal(*reg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 0);
        assert_int_equal(*reg(AEROGPU_MMIO_REG_CURSOR_ENABLE), half != 0);
        assert_int_equal(*reg(AEROGPU_MMIO_REG_IRQ_ENABLE), 0);
        t.writes = 0;
    }
}

/* ---- waits ---- */

TEST(other_causes_stay_as_they_are)
{
    *reg(AEROGPU_MMIO_REG_IRQ_ENABLE) = AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR;
    assert_int_equal(agpu_runtime_wait_vblank(t.stack.runtime, &t.display, NULL), STATUS_SUCCESS);
    assert_int_equal(*reg(AEROGPU_MMIO_REG_IRQ_ENABLE), AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
}

/* After a reset the device counts from 0: the wait ends at the next edge, not at the old count. */
TEST(a_device_that_counts_anew)
{
    uint64_t edge;

    t.edges_before = 1000;
    assert_int_equal(agpu_runtime_wait_vblank(t.stack.runtime, &t.display, &edge), STATUS_SUCCESS);
    assert_int_equal(edge, 1001);
    t.edges_before = 0;
    t.begun = t.stack.machine.now;
    assert_int_equal(agpu_runtime_wait_vblank(t.stack.runtime, &t.display, &edge), STATUS_SUCCESS);
    assert_int_equal(edge, 1);
}

/* A later wait does not return the edge of an earlier one, even if the counter has not moved since. */
TEST(each_edge_ends_one_wait)
{
    uint64_t edge;

    t.display.returned = 0;
    assert_int_equal(agpu_runtime_wait_vblank(t.stack.runtime, &t.display, &edge), STATUS_SUCCESS);
    assert_int_equal(t.display.returned, edge);
    pass(PERIOD / 2);
    assert_int_equal(agpu_runtime_wait_vblank(t.stack.runtime, &t.display, &edge), STATUS_SUCCESS);
    assert_int_equal(edge, 2);
}
