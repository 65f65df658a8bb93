/* umd_frame.h: scanout 0 over memory that the case chooses, and frames that the driver presents to it. */
#ifndef AGPU_CASES_RIG_UMD_FRAME_H
#define AGPU_CASES_RIG_UMD_FRAME_H

#include "tests/cases/rig/umd_views.h"

#define AGPU_FRAME_WIDTH  64u
#define AGPU_FRAME_HEIGHT 32u
/* Initial contents of the memory, which row padding keeps. */
#define AGPU_FRAME_FILL 0xABu

/* A framebuffer of B8G8R8X8 texels. */
struct agpu_frame {
    uint64_t address; /* as the device uses it */
    uint32_t pitch;
    /* reads the current pitch bytes of row y */
    bool (*read_row)(struct agpu_test *test, const struct agpu_frame *screen, uint32_t y, uint8_t *row);
    void *ctx; /* for read_row */
};

/* Programs the scanout and enables it. */
void agpu_frame_show(struct agpu_test *test, const struct agpu_frame *screen);
/* Disables the scanout and sets its address to 0. */
void agpu_frame_hide(struct agpu_test *test);
/* Presents frames of three colours from a render target of the driver and checks the framebuffer after each. It has
 * those colours, with unchanged padding, or the old contents on a device that leaves the memory alone (commands.md
 * 11). */
bool agpu_frame_check(struct agpu_test *test, const struct agpu_frame *screen);

#endif
