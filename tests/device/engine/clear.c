/* clear.c: CLEAR on the CPU: every bound target, whole surface (commands.md 11, 15). */
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/fill.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/pixel.h"
#include "tests/device/engine/state.h"
#include "tests/device/engine/target.h"

#define D24_DEPTH_MASK   0x00FFFFFFu
#define D24_STENCIL_MASK 0xFF000000u

typedef void fill_row(void *row, uint32_t value, uint32_t mask, uint64_t bytes);

static void fill_words(void *row, uint32_t value, uint32_t mask, uint64_t bytes)
{
    if (mask == ~0u) {
        vgpu_fill32(row, value, bytes);
    } else {
        vgpu_fill32_masked(row, value, mask, bytes);
    }
}

static void fill_halves(void *row, uint32_t value, uint32_t mask, uint64_t bytes)
{
    (void)mask;
    vgpu_fill16(row, (uint16_t)value, bytes);
}

/* Fills the pixels of the subresource, never its row padding. */
static void fill_target(struct vgpu_exec *exec, const struct vgpu_target *target, uint32_t value,
                        uint32_t mask)
{
    const struct vgpu_subresource *sub = &target->sub;
    fill_row *row = target->format->block_bytes == 2 ? fill_halves : fill_words;

    vgpu_resource_change(exec, target->resource, sub->offset, sub->pitch * sub->rows);
    vgpu_exec_spend(exec, (sub->row_bytes + VGPU_COST_ROW) * sub->rows + VGPU_COST_ROW);
    if (sub->pitch == sub->row_bytes) {
        row(target->resource->data + sub->offset, value, mask, sub->row_bytes * sub->rows);
        return;
    }
    for (uint32_t y = 0; y < sub->rows; y++) {
        row(target->resource->data + sub->offset + y * sub->pitch, value, mask, sub->row_bytes);
    }
}

static void clear_color(struct vgpu_exec *exec, const struct vgpu_target *target,
                        const struct aerogpu_cmd_clear *clear)
{
    fill_target(exec, target, vgpu_pixel_from_color(target->format_number, clear->color_rgba_f32), ~0u);
}

static void clear_depth(struct vgpu_exec *exec, const struct vgpu_target *target,
                        const struct aerogpu_cmd_clear *clear)
{
    uint32_t value = vgpu_pixel_from_depth(target->format_number, clear->depth_f32);
    uint32_t mask = 0;

    if (target->format_number == AEROGPU_FORMAT_D32_FLOAT) { /* has no stencil */
        mask = (clear->flags & AEROGPU_CLEAR_DEPTH) != 0 ? ~0u : 0;
    } else {
        mask |= (clear->flags & AEROGPU_CLEAR_DEPTH) != 0 ? D24_DEPTH_MASK : 0;
        mask |= (clear->flags & AEROGPU_CLEAR_STENCIL) != 0 ? D24_STENCIL_MASK : 0;
        value |= clear->stencil << 24;
    }
    if (mask != 0) {
        fill_target(exec, target, value, mask);
    }
}

uint32_t vgpu_packet_clear(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_clear *clear = packet;
    const uint32_t depth_flags = AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL;
    const struct vgpu_state *state = &exec->state;
    struct vgpu_target targets[AEROGPU_MAX_RENDER_TARGETS];
    struct vgpu_target depth;
    uint32_t count = 0;

    (void)size;
    if ((clear->flags & (AEROGPU_CLEAR_COLOR | depth_flags)) == 0) {
        return AEROGPU_ERROR_NONE;
    }
    (void)vgpu_state_resolve(exec, 0, false, false); /* finds targets created after their binding */
    for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS; i++) {
        if (state->colors[i].handle != 0 &&
            !vgpu_target_describe(&state->colors[i], false, &targets[count++])) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    if (state->depth.handle != 0 && !vgpu_target_describe(&state->depth, true, &depth)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    for (uint32_t i = 0; i < count && (clear->flags & AEROGPU_CLEAR_COLOR) != 0; i++) {
        clear_color(exec, &targets[i], clear);
    }
    if (state->depth.handle != 0 && (clear->flags & depth_flags) != 0) {
        clear_depth(exec, &depth, clear);
    }
    return AEROGPU_ERROR_NONE;
}
