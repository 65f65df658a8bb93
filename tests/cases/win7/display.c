/* display.c: the display half of the kernel driver while the device works: WaitForVBlank, the scanline, another mode
 * and back; and a windowed present (vidmm.md 8, umd.md 3.1). */
#include <string.h>

#include "mm/runtime/vblank.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_views.h"
#include "tests/cases/rig/vblank.h"

#define WIDTH        64u
#define HEIGHT       60u
#define WAITS        4u
#define SHORT_TDR_NS UINT64_C(20000000) /* longer than a period */
#define TRIES        60u                /* attempts: a busy machine sees edges late */

/* Returns a mode with its own memory; screen->cpu is NULL after a recorded failure. */
static struct agpu_display_mode display_mode(struct agpu_test *t, uint32_t width, uint32_t height,
                                             uint32_t format, struct agpu_dma *screen)
{
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_display_mode mode = {
        .width = width, .height = height, .format = format, .pitch = width * 4 + 64, .enabled = true};

    memset(screen, 0, sizeof *screen);
    if (!platform->dma_alloc(platform->ctx, &t->env->function.found.ref, (uint64_t)mode.pitch * height,
                             screen)) {
        mode.address = screen->device_address;
        memset(screen->cpu, 0xAB, screen->size);
    } else {
        agpu_error(t, "no DMA memory for a screen");
        screen->cpu = NULL;
    }
    return mode;
}

static void display_free(struct agpu_test *t, struct agpu_display *display, struct agpu_dma *screen)
{
    agpu_display_set_mode(display, &(struct agpu_display_mode){.width = 0}, NULL);
    if (screen->cpu != NULL) {
        t->env->platform->dma_free(t->env->platform->ctx, screen);
    }
}

/* ---- WaitForVBlank ---- */

/* Checks WAITS waits in a row with work of the device between them: each ends at its own edge, so they take at least
 * WAITS - 1 periods. *every: none is left out, unless the machine paused. */
static bool display_waits(struct agpu_test *t, struct agpu_display *display, bool *every)
{
    struct agpu_runtime *runtime = t->env->umd.runtime;
    const uint64_t period = agpu_vblank_period(t);
    uint64_t first = 0, last = 0, edge = 0, began = 0;

    for (uint32_t i = 0; i < WAITS; i++) {
        if (!agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK) ||
            !agpu_check_eq_hex(t, (uint32_t)agpu_runtime_wait_vblank(runtime, display, &edge),
                               STATUS_SUCCESS) ||
            !agpu_check(t, edge > last)) {
            return false;
        }
        first = i == 0 ? edge : first;
        began = i == 0 ? agpu_now(t) : began;
        last = edge;
    }
    *every = last - first == WAITS - 1;
    /* The first may have been seen up to a period late; the clocks of machine and device may differ a little. */
    return agpu_check_within(t, agpu_now(t) - began, (WAITS - 2) * (period - period / 50), UINT64_MAX,
                             "nanoseconds for waits for a vblank in a row");
}

/* WaitForVBlank must return once for each edge, leave IRQ_ENABLE as it was and lose no fence. */
static void wait_is_paced(struct agpu_test *t)
{
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    const uint32_t mask = agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_IRQ_ENABLE);
    const unsigned checks = t->checks;
    struct agpu_display display;
    bool every = false;

    agpu_display_begin(&display, &t->env->function, t->env->abi.features);
    agpu_display_set_mode(&display, &(struct agpu_display_mode){.width = 0, .enabled = true},
                          NULL);          /* nothing to show */
    display.returned = UINT64_C(1) << 40; /* an edge in front of a reset, which starts the count again */
    for (uint32_t i = 0; i < TRIES && !every; i++) {
        agpu_check_drop(t, checks);
        if (!display_waits(t, &display, &every)) {
            break;
        }
    }
    agpu_check_true(t, every, "waits in a row see edges in a row", AGPU_HERE);
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_IRQ_ENABLE), mask);
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)); /* no fence was lost by it */
    agpu_check_eq_u64(t, kmd->completed, kmd->submitted);
    agpu_display_set_mode(&display, &(struct agpu_display_mode){.width = 0}, NULL);
}

static struct {
    const struct agpu_platform *real;
    uint32_t reads;
} counted;

static uint64_t counted_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                             unsigned size)
{
    counted.reads++;
    return counted.real->bar_read(ctx, function, bar, offset, size);
}

/* With the scanout off, WaitForVBlank must return although no edge comes, after one read of a register in each
 * millisecond and few more. */
static void wait_without_edges(struct agpu_test *t)
{
    struct agpu_platform platform = *t->env->platform;
    struct agpu_function function = t->env->function;
    struct agpu_display display;
    uint64_t began, took;

    counted.real = t->env->platform;
    platform.bar_read = counted_read;
    function.platform = &platform;
    agpu_display_begin(&display, &function, t->env->abi.features);
    agpu_display_set_mode(&display, &(struct agpu_display_mode){.width = 0}, NULL);
    counted.reads = 0;
    began = agpu_now(t);
    agpu_check_hr(t, (uint32_t)agpu_runtime_wait_vblank(t->env->umd.runtime, &display, NULL), STATUS_TIMEOUT);
    took = agpu_now(t) - began;
    agpu_check(t, took >= SHORT_TDR_NS);
    agpu_check(t, counted.reads <= took / 1000000 + 16);
}

static void display_short_tdr(struct agpu_runtime_config *config)
{
    config->kmd.tdr_timeout_ns = SHORT_TDR_NS;
}

/* ---- scanline ---- */

/* Takes one sample: a line of the mode or of the blanking after it, and the flag says which. */
static bool display_sample(struct agpu_test *t, struct agpu_display *display, struct agpu_display_line *line)
{
    return agpu_check(t, agpu_display_scanline(display, line)) &&
           agpu_check_within(t, line->total, HEIGHT + 1, 2 * HEIGHT, "lines in all") &&
           agpu_check_within(t, line->line, 0, line->total - 1, "scanline") &&
           agpu_check(t, line->in_vblank == (line->line >= HEIGHT));
}

/* The scanline must be in the blanking after an edge, and visible about half a period later, near the middle. An
 * attempt on a busy machine is repeated. */
static void scanline(struct agpu_test *t)
{
    struct agpu_display display;
    struct agpu_display_line line;
    struct agpu_vblank_edge edge = {0};
    const unsigned checks = t->checks;
    bool blank = false, middle = false;

    agpu_display_begin(&display, &t->env->function, t->env->abi.features);
    agpu_display_set_mode(
        &display, &(struct agpu_display_mode){.width = WIDTH, .height = HEIGHT, .enabled = true}, NULL);
    agpu_return_unless(agpu_vblank_read(t, &edge));
    for (uint32_t i = 0; i < TRIES && !(blank && middle); i++) {
        agpu_check_drop(t, checks);
        agpu_return_unless(agpu_vblank_next(t, &edge) && display_sample(t, &display, &line));
        blank |= line.in_vblank;
        agpu_vblank_stall(t, 4);
        agpu_return_unless(display_sample(t, &display, &line));
        middle |= !line.in_vblank && line.line >= HEIGHT / 4 && line.line < HEIGHT * 3 / 4;
    }
    agpu_check_true(t, blank, "after an edge the vertical blank is shown", AGPU_HERE);
    agpu_check_true(t, middle, "half a period later a line in the middle is shown", AGPU_HERE);
    agpu_display_set_mode(&display, &(struct agpu_display_mode){.width = 0}, NULL);
    agpu_check(t, !agpu_display_scanline(&display, &line));
}

/* ---- modes ---- */

/* A function whose registers and clock are these. */
static struct {
    struct agpu_platform platform;
    struct agpu_function function;
    uint64_t now, edge; /* the device's clock has another origin */
    uint32_t period;
    uint32_t away; /* ns that reading the edge takes */
} clocked;

static uint64_t clocked_now(void *ctx)
{
    (void)ctx;
    return clocked.now;
}

static uint64_t clocked_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                             unsigned size)
{
    (void)ctx, (void)function, (void)bar, (void)size;
    switch (offset) {
    case AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS:
        return clocked.period;
    case AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO:
        clocked.now += clocked.away;
        return (uint32_t)clocked.edge;
    case AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI:
        return clocked.edge >> 32;
    default:
        return 0;
    }
}

static void clocked_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                          unsigned size, uint64_t value)
{
    (void)ctx, (void)function, (void)bar, (void)offset, (void)size, (void)value;
}

/* The scanline must follow from the time since the edge that was seen soonest after it occurred, whatever the origin of
 * the device's clock. A new mode starts the estimate again. */
static void scanline_rows(struct agpu_test *t)
{
    enum { LINES = 400, LINE_NS = 1000, ALL = 421, PERIOD = ALL * LINE_NS, NONE = -1 };
    static const struct {
        uint32_t edge, now; /* after the first edge, in ns */
        uint32_t away, height, period;
        int line;
        bool new_mode, off;
    } rows[] = {
        {0, 0, 0, LINES, PERIOD, LINES, false, false},
        {0, LINE_NS, 0, LINES, PERIOD, LINES + 1, false, false},
        {0, 21 * LINE_NS - 1, 0, LINES, PERIOD, LINES + 20, false, false},
        {0, 21 * LINE_NS, 0, LINES, PERIOD, 0, false, false},
        {0, PERIOD - 1, 0, LINES, PERIOD, LINES - 1, false, false},
        {0, PERIOD, 0, LINES, PERIOD, LINES, false, false},
        {PERIOD, PERIOD + 10500, 0, LINES, PERIOD, LINES + 10, false, false},
        {PERIOD, PERIOD + 5000, 3000, LINES, PERIOD, LINES + 8, false, false},
        {2 * PERIOD, 2 * PERIOD - 2000, 0, LINES, PERIOD, LINES, false,
         false}, /* seen earlier than the first */
        {2 * PERIOD, 2 * PERIOD, 0, LINES, PERIOD, LINES + 2, false, false},
        {0, 0, 0, LINES, 0, NONE, false, false},
        {0, 0, 0, 0, PERIOD, NONE, false, false},
        {0, 0, 0, LINES, PERIOD, NONE, false, true},
        {0, 30000, 0, 200, 211 * LINE_NS, 200, true, false},
        {0, 41000, 0, 200, 211 * LINE_NS, 0, false, false},
    };
    struct agpu_display display;
    struct agpu_display_line line;

    clocked.platform = *t->env->platform;
    clocked.platform.now_ns = clocked_now;
    clocked.platform.bar_read = clocked_read;
    clocked.platform.bar_write = clocked_write;
    clocked.function = t->env->function;
    clocked.function.platform = &clocked.platform;
    for (uint32_t ahead = 0; ahead < 2; ahead++) { /* which of the clocks */
        agpu_display_begin(&display, &clocked.function, t->env->abi.features);
        clocked.edge = 0;
        clocked.period = PERIOD;
        display.mode = (struct agpu_display_mode){.height = LINES, .enabled = true};
        agpu_check(t, !agpu_display_scanline(&display, &line)); /* no edge yet */
        for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            clocked.edge = UINT64_C(20000000000) + rows[i].edge;
            clocked.now = UINT64_C(10000000000) + ahead * UINT64_C(20000000000) + rows[i].now;
            clocked.away = rows[i].away;
            clocked.period = rows[i].period;
            display.mode.height = rows[i].height;
            display.mode.enabled = !rows[i].off;
            if (rows[i].new_mode) {
                agpu_display_set_mode(
                    &display, &(struct agpu_display_mode){.height = rows[i].height, .enabled = true}, NULL);
            }
            agpu_check_place(t, "whether there is a line in row", i, agpu_display_scanline(&display, &line),
                             rows[i].line != NONE);
            if (rows[i].line != NONE) {
                agpu_check_place(t, "scanline of row", i, line.line, (uint64_t)rows[i].line);
                agpu_check_eq_u64(t, line.total, rows[i].height + rows[i].height / 20 + 1);
                agpu_check_eq_u64(t, line.in_vblank, line.line >= rows[i].height);
            }
        }
    }
}

static bool display_is_mode(struct agpu_test *t, const struct agpu_display *display,
                            const struct agpu_display_mode *expected)
{
    const struct agpu_display_mode mode = agpu_display_read_mode(display);

    return agpu_check_eq_u64(t, mode.width, expected->width) &&
           agpu_check_eq_u64(t, mode.height, expected->height) &&
           agpu_check_eq_u64(t, mode.format, expected->format) &&
           agpu_check_eq_u64(t, mode.pitch, expected->pitch) &&
           agpu_check_eq_hex(t, mode.address, expected->address) &&
           agpu_check(t, mode.enabled == expected->enabled) && agpu_check(t, mode.pitch >= mode.width * 4);
}

/* Presents a frame of one colour and looks for it on this screen. A device may leave the memory unchanged and show the
 * target itself (commands.md 11); *written records which of the two this one does. */
static bool display_frame(struct agpu_test *t, D3D10DDI_HRENDERTARGETVIEW view, D3D10DDI_HRESOURCE buffer,
                          const struct agpu_dma *screen, const struct agpu_dma *other, uint8_t blue,
                          int *written)
{
    const DXGI_DDI_ARG_PRESENT args = {.hSurfaceToPresent = buffer};
    uint8_t first;

    memset(screen->cpu, 0xAB, screen->size);
    memset(other->cpu, 0xAB, other->size);
    agpu_clear_view(t, view, 0, 0, (float)blue / 255.0f, 1);
    if (!agpu_check_hr(t, t->env->umd.context.pfnPresent(t->env->umd.device, &args), S_OK) ||
        !agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime))) {
        return false;
    }
    first = *(const uint8_t *)screen->cpu;
    if (*written < 0) {
        *written = t->env->model || first != 0xAB;
    }
    return agpu_check_u64(t, first, *written ? blue : 0xAB, "the first byte of the screen", false,
                          AGPU_HERE) &&
           agpu_check_filled(t, other->cpu, 0xAB, other->size); /* the screen that is not shown */
}

/* Given another mode and then the earlier one, the registers must be those of each, presents reach its screen, and the
 * vblank clock continues. */
static void mode_set_and_back(struct agpu_test *t)
{
    struct agpu_dma screens[2];
    struct agpu_display_mode modes[2], before;
    struct agpu_display display;
    struct agpu_vblank_edge edge = {0};
    D3D10DDI_HRENDERTARGETVIEW view;
    D3D10DDI_HRESOURCE buffer;
    int written = -1;
    bool ok;

    modes[0] = display_mode(t, WIDTH, HEIGHT, AEROGPU_FORMAT_B8G8R8X8_UNORM, &screens[0]);
    modes[1] = display_mode(t, 2 * WIDTH, HEIGHT / 2, AEROGPU_FORMAT_B8G8R8A8_UNORM, &screens[1]);
    agpu_display_begin(&display, &t->env->function, t->env->abi.features);
    buffer = agpu_make_target(t, DXGI_FORMAT_B8G8R8A8_UNORM, 2 * WIDTH, HEIGHT);
    view = agpu_make_rtv(t, buffer);
    ok = screens[0].cpu != NULL && screens[1].cpu != NULL && agpu_check(t, view.pDrvPrivate != NULL);
    if (ok) {
        agpu_bind_targets_of(t, &view, 1);
        agpu_display_set_mode(&display, &modes[0], NULL);
        ok = display_is_mode(t, &display, &modes[0]) &&
             display_frame(t, view, buffer, &screens[0], &screens[1], 200, &written);
    }
    if (ok) {
        agpu_display_set_mode(&display, &modes[1], &before);
        ok = agpu_check_eq_hex(t, before.address, modes[0].address) &&
             display_is_mode(t, &display, &modes[1]) &&
             display_frame(t, view, buffer, &screens[1], &screens[0], 100, &written);
    }
    if (ok) {
        agpu_display_set_mode(&display, &before, NULL);
        ok = display_is_mode(t, &display, &modes[0]) &&
             display_frame(t, view, buffer, &screens[0], &screens[1], 50, &written) &&
             agpu_vblank_read(t, &edge) && agpu_vblank_next(t, &edge); /* and the clock runs */
    }
    display_free(t, &display, &screens[0]);
    display_free(t, &display, &screens[1]);
}

#define V (AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK)
#define T AEROGPU_FEATURE_TRANSFER

static const struct agpu_case win7_display_cases[] = {
    AGPU_STACK_CASE("vblank.wait.paced", "vidmm.md 8", V, 0, .body = wait_is_paced),
    AGPU_STACK_CASE("vblank.wait.without_edges", "vidmm.md 8", V, 0, .body = wait_without_edges,
                    .configure = display_short_tdr),
    AGPU_STACK_CASE("vblank.scanline.moves", "vidmm.md 8", V, 0, .body = scanline),
    AGPU_STACK_CASE("vblank.scanline.rows", "vidmm.md 8", V, 0, .body = scanline_rows),
    AGPU_STACK_CASE("scanout.mode.set_and_back", "vidmm.md 8", V | T, 0, .body = mode_set_and_back),
};

AGPU_CASE_TABLE(agpu_cases_win7_display, win7_display_cases);
