/* scanout.c: scanout 0 and cursor registers (device.md 4.5, 4.8, 4.9). */
#include "tests/device/bus/scanout.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/dma.h"
#include "tests/device/bus/vblank.h"
#include "tests/device/bus/format.h"

#define SCANOUT_MAX_BYTES (64ull << 20)
#define CURSOR_MAX_BYTES  (4ull << 20)
#define OUTPUT_PIXEL_SIZE 4u /* limits count RGBA8 pixels */

void vgpu_surface_set_enable(struct vgpu_surface_registers *surface, uint32_t value)
{
    if (surface->enable && value == 0) {
        surface->staged = false;
    }
    surface->enable = value != 0;
}

void vgpu_surface_set_format(struct vgpu_surface_registers *surface, uint32_t value)
{
    surface->format = vgpu_format_find(value) != NULL ? value : AEROGPU_FORMAT_INVALID;
}

void vgpu_surface_set_gpa_lo(struct vgpu_surface_registers *surface, uint32_t value)
{
    surface->staged_lo = value;
    surface->staged = true;
}

void vgpu_surface_set_gpa_hi(struct vgpu_surface_registers *surface, uint32_t value)
{
    const uint32_t low = surface->staged ? surface->staged_lo : (uint32_t)surface->gpa;

    surface->gpa = (uint64_t)value << 32 | low;
    surface->staged = false;
}

void vgpu_surface_set_bgrx(struct vgpu_surface_registers *surface, bool bgrx)
{
    surface->format = bgrx ? AEROGPU_FORMAT_B8G8R8X8_UNORM : AEROGPU_FORMAT_INVALID;
}

bool vgpu_surface_is_bgrx(const struct vgpu_surface_registers *surface)
{
    return surface->format == AEROGPU_FORMAT_B8G8R8X8_UNORM;
}

uint32_t vgpu_surface_gpa_lo(const struct vgpu_surface_registers *surface)
{
    return surface->staged ? surface->staged_lo : (uint32_t)surface->gpa;
}

/* Rules common to both surfaces. pixel_size: bytes of a pixel. limit: maximum size of the image in bytes of
 * RGBA8. */
static const char *rows_obstacle(const struct vgpu_surface_registers *surface, uint32_t pixel_size,
                                 uint64_t limit)
{
    const uint64_t row = (uint64_t)surface->width * pixel_size;

    if (surface->width == 0 || surface->height == 0) {
        return "width or height is 0";
    }
    if (surface->gpa == 0) {
        return "the address is 0";
    }
    if (surface->pitch_bytes < row) {
        return "the pitch is smaller than a row";
    }
    if ((uint64_t)surface->width * surface->height > limit / OUTPUT_PIXEL_SIZE) {
        return "the image is too large";
    }
    if (vgpu_range_wraps(surface->gpa, (uint64_t)(surface->height - 1) * surface->pitch_bytes + row)) {
        return "the rows do not fit into the address space";
    }
    return NULL;
}

const char *vgpu_scanout_obstacle(const struct vgpu_surface_registers *surface)
{
    const struct vgpu_format *format = vgpu_format_find(surface->format);
    const char *obstacle;

    if (!surface->enable) {
        return "it is disabled";
    }
    if (format == NULL || format->kind != VGPU_FORMAT_COLOR) {
        return "the format cannot be shown";
    }
    obstacle = rows_obstacle(surface, format->block_bytes, SCANOUT_MAX_BYTES);
    if (obstacle == NULL && !surface->any_pitch && surface->pitch_bytes % format->block_bytes != 0) {
        return "the pitch is not a multiple of the pixel size";
    }
    return obstacle;
}

bool vgpu_scanout_presentable(const struct vgpu_surface_registers *surface)
{
    return vgpu_scanout_obstacle(surface) == NULL;
}

const char *vgpu_cursor_obstacle(const struct vgpu_surface_registers *surface)
{
    const struct vgpu_format *format = vgpu_format_find(surface->format);

    if (!surface->enable) {
        return "it is disabled";
    }
    if (format == NULL || format->kind != VGPU_FORMAT_COLOR || format->block_bytes != 4) {
        return "the format cannot be shown";
    }
    return rows_obstacle(surface, format->block_bytes, CURSOR_MAX_BYTES);
}

void vgpu_scanout_changed(struct vgpu_scanout *scanout)
{
    if (!scanout->surface.staged && vgpu_scanout_presentable(&scanout->surface)) {
        scanout->owns_output = true;
    }
}

void vgpu_scanout_write_enable(struct vgpu_bus *bus, struct vgpu_scanout *scanout, uint32_t value)
{
    const bool was = scanout->surface.enable;

    vgpu_vblank_catch_up(bus);
    vgpu_surface_set_enable(&scanout->surface, value);
    if (scanout->surface.enable && !was) {
        vgpu_vblank_start(bus);
    } else if (!scanout->surface.enable && was) {
        vgpu_vblank_stop(bus);
    }
    vgpu_scanout_changed(scanout);
}
