/* present.c: PRESENT and PRESENT_EX. The image is guest memory at FB_GPA; a submission flagged PRESENT first
 * writes the bound colour target there (commands.md 11; pacing is in stream.c and fence.c). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/bus/dma.h"
#include "tests/device/bus/scanout.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/pixel.h"
#include "tests/device/engine/state.h"
#include "tests/device/engine/target.h"

#define PART_PIXELS 512u

static uint32_t smaller_edge(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Converts one row and writes it to guest memory. */
static void show_row(struct vgpu_bus *bus, const struct vgpu_target *from, uint32_t y, uint32_t width)
{
    const struct vgpu_surface_registers *to = &bus->scanout.surface;
    const uint32_t to_bytes = vgpu_format_find(to->format)->block_bytes;
    const uint8_t *pixels = from->resource->data + from->sub.offset + y * from->sub.pitch;
    uint64_t gpa = to->gpa + (uint64_t)y * to->pitch_bytes;
    uint8_t part[PART_PIXELS * 4];

    while (width > 0) {
        const uint32_t count = smaller_edge(width, PART_PIXELS);

        for (uint32_t x = 0; x < count; x++) {
            uint8_t rgba[4];

            vgpu_pixel_unpack(from->format_number, pixels + (size_t)x * from->format->block_bytes, rgba);
            vgpu_pixel_pack(to->format, rgba, part + (size_t)x * to_bytes);
        }
        vgpu_dma_write(bus, gpa, part, (uint64_t)count * to_bytes);
        pixels += (size_t)count * from->format->block_bytes;
        gpa += (uint64_t)count * to_bytes;
        width -= count;
    }
}

/* Returns the first bound colour target, NULL when there is none. */
static const struct vgpu_slot *first_color(const struct vgpu_state *state)
{
    for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS; i++) {
        if (state->colors[i].handle != 0) {
            return &state->colors[i];
        }
    }
    return NULL;
}

static uint32_t present_source(struct vgpu_exec *exec)
{
    struct vgpu_bus *bus = exec->bus;
    const struct vgpu_surface_registers *to = &bus->scanout.surface;
    const struct vgpu_slot *slot = first_color(&exec->state);
    struct vgpu_target from;

    (void)vgpu_state_resolve(exec, 0, false, false);
    if ((exec->flags & AEROGPU_SUBMIT_FLAG_PRESENT) == 0 || !to->enable || to->width == 0 ||
        to->height == 0 || slot == NULL) {
        return AEROGPU_ERROR_NONE;
    }
    if (!vgpu_scanout_presentable(to) || !vgpu_target_describe(slot, false, &from)) {
        return AEROGPU_ERROR_BACKEND; /* writeback of the presented surface failed (device.md 4.6) */
    }
    const uint32_t width = smaller_edge(to->width, from.sub.width);
    const uint32_t height = smaller_edge(to->height, from.sub.height);

    vgpu_resource_touch(exec, from.resource);
    vgpu_exec_spend(exec, ((uint64_t)width * 16 + VGPU_COST_ROW) *
                              height); /* converting a pixel costs more than copying it */
    for (uint32_t y = 0; y < height; y++) {
        show_row(bus, &from, y, width);
    }
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_present(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    (void)packet; /* scanout_id and flags other than VSYNC, which the stream has recorded, have no effect */
    (void)size;
    return present_source(exec);
}
