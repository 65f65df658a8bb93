/* display.h: the display half of the kernel driver: mode of the scanout, vblank edges, the line that is shown
 * (device.md 4.7, 4.8; vidmm.md 8). It never waits. */
#ifndef AGPU_MM_KMD_DISPLAY_H
#define AGPU_MM_KMD_DISPLAY_H

#include "pci/registers.h"

/* What scanout 0 shows. */
struct agpu_display_mode {
    uint32_t width, height;
    uint32_t format; /* AEROGPU_FORMAT_* */
    uint32_t pitch;  /* bytes */
    uint64_t address;
    bool enabled;
};

/* Zeroed, then begun; function belongs to the caller. */
struct agpu_display {
    const struct agpu_function *function;
    struct agpu_display_mode mode; /* as it was set */
    uint64_t returned;             /* number of the edge that a wait last ended with */
    int64_t offset_ns;             /* clock of the machine minus the device's, at most */
    bool has_offset;
};

/* Takes the mode that the registers say. */
void agpu_display_begin(struct agpu_display *display, const struct agpu_function *function);
/* Sets the registers in the documented order, with the scanout off meanwhile; *before (may be NULL) is the mode until
 * then, good for setting it back. */
void agpu_display_set_mode(struct agpu_display *display, const struct agpu_display_mode *mode,
                           struct agpu_display_mode *before);
struct agpu_display_mode agpu_display_read_mode(const struct agpu_display *display);

/* Edges so far. */
uint64_t agpu_display_edges(const struct agpu_display *display);

/* Whether it counts another one than since, a value of agpu_display_edges() by few edges ago: one register instead of
 * three. */
bool agpu_display_edge_came(const struct agpu_display *display, uint64_t since);
/* Lets the vblank interrupt come, and keeps it away again; other causes are left as they are. */
void agpu_display_watch_vblank(const struct agpu_display *display, bool on);

/* The line that is shown now, from the phase of the refresh: after an edge come the lines of the vertical blank, numbered from the
 * mode's height on, then the visible ones. */
struct agpu_display_line {
    uint32_t line, total;
    bool in_vblank; /* line >= the mode's height */
};
/* False when no edge was seen yet, or the scanout is off. */
bool agpu_display_scanline(struct agpu_display *display, struct agpu_display_line *out);

#endif
