/* scanout.h: registers of scanout 0 and the cursor (device.md 4.5, 4.8, 4.9). */
#ifndef VGPU_BUS_SCANOUT_H
#define VGPU_BUS_SCANOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/bus.h"

/* Writes of ENABLE, FORMAT and the two address halves, with their side effects on the surface. */
void vgpu_surface_set_enable(struct vgpu_surface_registers *surface, uint32_t value);
void vgpu_surface_set_format(struct vgpu_surface_registers *surface, uint32_t value);
void vgpu_surface_set_gpa_lo(struct vgpu_surface_registers *surface, uint32_t value);
void vgpu_surface_set_gpa_hi(struct vgpu_surface_registers *surface, uint32_t value);

/* Sets or tests the only format of the legacy device, X8R8G8B8, which is B8G8R8X8_UNORM here; false sets
 * INVALID. */
void vgpu_surface_set_bgrx(struct vgpu_surface_registers *surface, bool bgrx);
bool vgpu_surface_is_bgrx(const struct vgpu_surface_registers *surface);

/* Value that FB_GPA_LO reads: the staged half if there is one. */
uint32_t vgpu_surface_gpa_lo(const struct vgpu_surface_registers *surface);

/* Returns the reason, as a phrase for people, why scanout 0 cannot be shown as programmed; NULL = it is
 * presentable (device.md 4.8). */
const char *vgpu_scanout_obstacle(const struct vgpu_surface_registers *surface);
bool vgpu_scanout_presentable(const struct vgpu_surface_registers *surface);

/* Like vgpu_scanout_obstacle(), for the cursor, without the check of Bus Master (device.md 4.9). */
const char *vgpu_cursor_obstacle(const struct vgpu_surface_registers *surface);

/* Call after any write of a scanout register: takes over from the legacy output once the scanout is
 * presentable and no address half is staged. */
void vgpu_scanout_changed(struct vgpu_scanout *scanout);

/* Writes ENABLE with its effects: starts or stops the vblank clock, take-over. scanout belongs to bus. */
void vgpu_scanout_write_enable(struct vgpu_bus *bus, struct vgpu_scanout *scanout, uint32_t value);

#endif
