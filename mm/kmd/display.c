/* display.c: mode, ownership, vblank edges and scanline (device.md 4.7 to 4.9; vidmm.md 7, 8). */
#include "mm/kmd/display.h"

#include "pci/protocol/aerogpu_pci.h"

static uint32_t cursor_register(uint32_t index)
{
    return AEROGPU_MMIO_REG_CURSOR_ENABLE + 4u * index;
}

static void clear_cursor(const struct agpu_display *display)
{
    for (uint32_t i = 0; i < AGPU_DISPLAY_CURSOR && (display->features & AEROGPU_FEATURE_CURSOR); i++) {
        agpu_reg_write(display->function, cursor_register(i), 0);
    }
}

void agpu_display_begin(struct agpu_display *display, const struct agpu_function *function, uint64_t features)
{
    *display = (struct agpu_display){.function = function, .features = features};
    display->mode = agpu_display_read_mode(display);
    clear_cursor(display);
}

void agpu_display_release(struct agpu_display *display)
{
    const struct agpu_function *function = display->function;

    display->mode = agpu_display_read_mode(display);
    for (uint32_t i = 0; i < AGPU_DISPLAY_CURSOR && (display->features & AEROGPU_FEATURE_CURSOR); i++) {
        display->cursor[i] = agpu_reg_read(function, cursor_register(i));
    }
    if (display->features & AEROGPU_FEATURE_SCANOUT) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0);
    }
    if (display->features & AEROGPU_FEATURE_VBLANK) {
        display->vblank_watched =
            (agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE) & AEROGPU_IRQ_SCANOUT_VBLANK) != 0;
        agpu_display_watch_vblank(display, false);
    }
    clear_cursor(display);
}

void agpu_display_acquire(struct agpu_display *display)
{
    const struct agpu_function *function = display->function;
    struct agpu_display_mode mode = display->mode;
    uint32_t address = 0;

    mode.enabled = mode.enabled && mode.address != 0;
    agpu_display_set_mode(display, &mode, NULL);
    if (display->features & AEROGPU_FEATURE_CURSOR) {
        for (uint32_t i = 1; i < AGPU_DISPLAY_CURSOR; i++) {
            const uint32_t reg = cursor_register(i);

            agpu_reg_write(function, reg, display->cursor[i]);
            if (reg == AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO || reg == AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI) {
                address |= display->cursor[i];
            }
        }
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_ENABLE, address != 0 ? display->cursor[0] : 0);
    }
    if (display->vblank_watched) {
        agpu_display_watch_vblank(display, true);
    }
}

struct agpu_display_mode agpu_display_read_mode(const struct agpu_display *display)
{
    const struct agpu_function *function = display->function;

    if (!(display->features & AEROGPU_FEATURE_SCANOUT)) {
        return (struct agpu_display_mode){0};
    }
    return (struct agpu_display_mode){
        .width = agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH),
        .height = agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT),
        .format = agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT),
        .pitch = agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES),
        .address = agpu_reg_read64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO),
        .enabled = agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE) != 0,
    };
}

void agpu_display_set_mode(struct agpu_display *display, const struct agpu_display_mode *mode,
                           struct agpu_display_mode *before)
{
    const struct agpu_function *function = display->function;

    if (before != NULL) {
        *before = agpu_display_read_mode(display);
    }
    if (!(display->features & AEROGPU_FEATURE_SCANOUT)) {
        return;
    }
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, mode->width);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, mode->height);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, mode->format);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, mode->pitch);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, mode->address);
    if (mode->enabled) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    }
    display->mode = *mode;
    display->has_offset = false; /* the clock of edges starts again */
}

bool agpu_display_edge_came(const struct agpu_display *display, uint64_t since)
{
    return agpu_reg_read(display->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO) != (uint32_t)since;
}

uint64_t agpu_display_edges(const struct agpu_display *display)
{
    return agpu_reg_read64(display->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
}

void agpu_display_watch_vblank(const struct agpu_display *display, bool on)
{
    const uint32_t mask = agpu_reg_read(display->function, AEROGPU_MMIO_REG_IRQ_ENABLE);

    agpu_reg_write(display->function, AEROGPU_MMIO_REG_IRQ_ENABLE,
                   on ? mask | AEROGPU_IRQ_SCANOUT_VBLANK : mask & ~AEROGPU_IRQ_SCANOUT_VBLANK);
}

bool agpu_display_scanline(struct agpu_display *display, struct agpu_display_line *out)
{
    const struct agpu_function *function = display->function;
    const uint64_t period = agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
    const uint64_t edge = agpu_reg_read64(function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
    /* Read the clock after the edge, so that the edge is never later, however long the processor was away in
     * between. */
    const uint64_t now_ns = function->platform->now_ns(function->platform->ctx);
    const uint32_t height = display->mode.height;
    const uint32_t blank = height / 20u + 1u;
    const uint32_t total = height + blank;

    if (!display->mode.enabled || period == 0 || height == 0 || edge == 0) {
        return false;
    }
    /* The device's clock has its own origin (device.md 4.7), before or after the machine's. The driver sees an edge
     * only after it occurred, so the smallest distance so far is the best estimate. */
    const int64_t distance = (int64_t)(now_ns - edge);
    if (!display->has_offset || distance < display->offset_ns) {
        display->offset_ns = distance;
        display->has_offset = true;
    }
    const uint64_t since = (uint64_t)distance - (uint64_t)display->offset_ns;
    const uint32_t behind_edge = (uint32_t)(since % period * total / period);
    out->total = total;
    out->line = behind_edge < blank ? height + behind_edge : behind_edge - blank;
    out->in_vblank = out->line >= height;
    return true;
}
