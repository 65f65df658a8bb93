/* scanout.c: scanout 0 and cursor registers (device.md 4.5, 4.8, 4.9). */
#include "tests/device/scanout.h"

#include <stddef.h>

#include "pci/aerogpu_pci.h"
#include "tests/device/dma.h"
#include "tests/device/format.h"

#define SCANOUT_MAX_BYTES (64ull << 20)
#define CURSOR_MAX_BYTES  (4ull << 20)
#define OUTPUT_PIXEL_SIZE 4u /* limits count RGBA8 pixels */

void agpu_surface_set_enable(struct agpu_surface_registers *surface, uint32_t value)
{
    if (surface->enable && value == 0) {
        surface->staged = false;
    }
    surface->enable = value != 0;
}

void agpu_surface_set_format(struct agpu_surface_registers *surface, uint32_t value)
{
    surface->format = agpu_format_find(value) != NULL ? value : AEROGPU_FORMAT_INVALID;
}

void agpu_surface_set_gpa_lo(struct agpu_surface_registers *surface, uint32_t value)
{
    surface->staged_lo = value;
    surface->staged = true;
}

void agpu_surface_set_gpa_hi(struct agpu_surface_registers *surface, uint32_t value)
{
    const uint32_t low = surface->staged ? surface->staged_lo : (uint32_t)surface->gpa;

    surface->gpa = (uint64_t)value << 32 | low;
    surface->staged = false;
}

uint32_t agpu_surface_gpa_lo(const struct agpu_surface_registers *surface)
{
    return surface->staged ? surface->staged_lo : (uint32_t)surface->gpa;
}

/* The rows lie inside the address space and the image inside limit bytes of RGBA8. */
static bool rows_fit(const struct agpu_surface_registers *surface, uint32_t pixel_size, uint64_t limit)
{
    const uint64_t row = (uint64_t)surface->width * pixel_size;
    uint64_t span;

    if (surface->width == 0 || surface->height == 0 || surface->gpa == 0 || surface->pitch_bytes < row ||
        (uint64_t)surface->width * surface->height > limit / OUTPUT_PIXEL_SIZE) {
        return false;
    }
    span = (uint64_t)(surface->height - 1) * surface->pitch_bytes + row;
    return !agpu_range_wraps(surface->gpa, span);
}

bool agpu_scanout_presentable(const struct agpu_surface_registers *surface)
{
    const struct agpu_format *format = agpu_format_find(surface->format);

    return surface->enable && format != NULL && format->kind == AGPU_FORMAT_COLOR &&
           rows_fit(surface, format->block_bytes, SCANOUT_MAX_BYTES) &&
           surface->pitch_bytes % format->block_bytes == 0;
}

bool agpu_cursor_presentable(const struct agpu_surface_registers *surface)
{
    const struct agpu_format *format = agpu_format_find(surface->format);

    return surface->enable && format != NULL && format->kind == AGPU_FORMAT_COLOR &&
           format->block_bytes == 4 && rows_fit(surface, format->block_bytes, CURSOR_MAX_BYTES);
}

void agpu_scanout_changed(struct agpu_scanout *scanout)
{
    if (!scanout->surface.staged && agpu_scanout_presentable(&scanout->surface)) {
        scanout->owns_output = true;
    }
}
