/* scanout.h: registers of the two surfaces that are shown: scanout 0 and the cursor
 * (device.md 4.5, 4.8, 4.9). */
#ifndef AGPU_TESTS_DEVICE_SCANOUT_H
#define AGPU_TESTS_DEVICE_SCANOUT_H

#include <stdbool.h>
#include <stdint.h>

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

/* What FB_GPA_LO reads: the staged half if there is one. */
uint32_t agpu_surface_gpa_lo(const struct agpu_surface_registers *surface);

/* True when scanout 0 can be shown as it is programmed (device.md 4.8). */
bool agpu_scanout_presentable(const struct agpu_surface_registers *surface);

/* True when the cursor can be shown as it is programmed, apart from Bus Master (device.md 4.9). */
bool agpu_cursor_presentable(const struct agpu_surface_registers *surface);

/* After any write of a scanout register: takes over from the legacy output once the scanout is presentable
 * and no address half is staged. */
void agpu_scanout_changed(struct agpu_scanout *scanout);

#endif
