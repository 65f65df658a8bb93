/* display.h: the display part of the kernel driver: scanout mode, ownership, vblank edges, current scanline (device.md
 * 4.7 to 4.9; vidmm.md 7, 8). It never waits. */
#ifndef AGPU_MM_KMD_DISPLAY_H
#define AGPU_MM_KMD_DISPLAY_H

#include "pci/registers.h"

/* Mode of scanout 0. */
struct agpu_display_mode {
    uint32_t width, height;
    uint32_t format; /* AEROGPU_FORMAT_* */
    uint32_t pitch;  /* bytes */
    uint64_t address;
    bool enabled;
};

/* The cursor registers from CURSOR_ENABLE to CURSOR_PITCH_BYTES, which follow each other. */
#define AGPU_DISPLAY_CURSOR ((AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES - AEROGPU_MMIO_REG_CURSOR_ENABLE) / 4u + 1u)

/* Zero it, then call agpu_display_begin(); the caller owns function. */
struct agpu_display {
    const struct agpu_function *function;
    uint64_t features;                    /* AEROGPU_FEATURE_*, of agpu_display_begin() */
    struct agpu_display_mode mode;        /* as it was set */
    uint32_t cursor[AGPU_DISPLAY_CURSOR]; /* as agpu_display_release() found it */
    bool vblank_watched;                  /* likewise */
    uint64_t returned;                    /* number of the edge that ended the last wait */
    int64_t offset_ns;                    /* upper bound of the machine's clock minus the device's */
    bool has_offset;
};

/* Takes over the display at a start: reads the current mode, which stays, and clears the cursor registers. From here
 * on the registers of a block are used only if its bit is in features (device.md 4.1). */
void agpu_display_begin(struct agpu_display *display, const struct agpu_function *function,
                        uint64_t features);

/* Releases the display: remembers mode, cursor and vblank interrupt, and turns all three off, with addresses 0. */
void agpu_display_release(struct agpu_display *display);
/* Acquires it again: restores what agpu_display_release() found. Enables neither scanout nor cursor at address 0. */
void agpu_display_acquire(struct agpu_display *display);
/* Sets the registers in the documented order, with the scanout off meanwhile. *before (may be NULL) gets the previous
 * mode, for restoring it. */
void agpu_display_set_mode(struct agpu_display *display, const struct agpu_display_mode *mode,
                           struct agpu_display_mode *before);
struct agpu_display_mode agpu_display_read_mode(const struct agpu_display *display);

/* Returns the number of edges so far. */
uint64_t agpu_display_edges(const struct agpu_display *display);

/* True when the edge counter differs from since, a recent value of agpu_display_edges(). Reads one register instead of
 * three. */
bool agpu_display_edge_came(const struct agpu_display *display, uint64_t since);
/* Enables or disables the vblank interrupt; other causes keep their state. */
void agpu_display_watch_vblank(const struct agpu_display *display, bool on);

/* The current scanline, from the phase of the refresh. An edge is followed by the lines of the vertical blank, numbered
 * from the mode's height on, then by the visible lines. */
struct agpu_display_line {
    uint32_t line, total;
    bool in_vblank; /* line >= the mode's height */
};
/* False when no edge has occurred yet, or the scanout is off. */
bool agpu_display_scanline(struct agpu_display *display, struct agpu_display_line *out);

#endif
