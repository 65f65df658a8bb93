/* scanout.h: registers of the two surfaces that are shown: scanout 0 and the cursor
 * (device.md 4.5, 4.8, 4.9). */
#ifndef AGPU_TESTS_DEVICE_SCANOUT_H
#define AGPU_TESTS_DEVICE_SCANOUT_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_device;

/* What both have in common. The address is written low half first; the high half commits. */
struct agpu_surface_registers {
    bool enable;
    uint32_t width;
    uint32_t height;
    uint32_t format; /* AEROGPU_FORMAT_*, INVALID for any other value written */
    uint32_t pitch_bytes;
    uint64_t gpa;       /* in effect */
    uint32_t staged_lo; /* valid when staged */
    bool staged;
    bool any_pitch; /* legacy: the pitch need not be a multiple of the pixel */
};

struct agpu_scanout {
    struct agpu_surface_registers surface;
    bool owns_output; /* has taken over from the legacy output */
};

struct agpu_cursor {
    struct agpu_surface_registers surface;
    uint32_t x; /* signed */
    uint32_t y;
    uint32_t hot_x;
    uint32_t hot_y;
};

/* Writes of ENABLE, FORMAT and the two address halves, with their side effects on the surface. */
void agpu_surface_set_enable(struct agpu_surface_registers *surface, uint32_t value);
void agpu_surface_set_format(struct agpu_surface_registers *surface, uint32_t value);
void agpu_surface_set_gpa_lo(struct agpu_surface_registers *surface, uint32_t value);
void agpu_surface_set_gpa_hi(struct agpu_surface_registers *surface, uint32_t value);

/* The legacy device's one format, X8R8G8B8, which is B8G8R8X8_UNORM here: set it, or INVALID; ask for it. */
void agpu_surface_set_bgrx(struct agpu_surface_registers *surface, bool bgrx);
bool agpu_surface_is_bgrx(const struct agpu_surface_registers *surface);

/* What FB_GPA_LO reads: the staged half if there is one. */
uint32_t agpu_surface_gpa_lo(const struct agpu_surface_registers *surface);

/* What keeps scanout 0 from being shown as it is programmed, as a phrase for people; NULL = it is presentable
 * (device.md 4.8). */
const char *agpu_scanout_obstacle(const struct agpu_surface_registers *surface);
bool agpu_scanout_presentable(const struct agpu_surface_registers *surface);

/* The same for the cursor, apart from Bus Master (device.md 4.9). */
const char *agpu_cursor_obstacle(const struct agpu_surface_registers *surface);
bool agpu_cursor_presentable(const struct agpu_surface_registers *surface);

/* After any write of a scanout register: takes over from the legacy output once the scanout is presentable
 * and no address half is staged. */
void agpu_scanout_changed(struct agpu_scanout *scanout);

/* A write of ENABLE with all that it sets off: the vblank clock starts or stops, take-over. scanout is that
 * of device. */
void agpu_scanout_write_enable(struct agpu_device *device, struct agpu_scanout *scanout, uint32_t value);

#endif
