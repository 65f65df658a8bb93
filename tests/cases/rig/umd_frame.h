/* umd_frame.h: scanout 0 over memory of a case's choice, and frames that the driver presents to it. */
#ifndef AGPU_CASES_RIG_UMD_FRAME_H
#define AGPU_CASES_RIG_UMD_FRAME_H

#include "tests/cases/rig/umd_views.h"

#define AGPU_FRAME_WIDTH  64u
#define AGPU_FRAME_HEIGHT 32u
/* What the memory is filled with before, and padding of rows keeps. */
#define AGPU_FRAME_FILL 0xABu

/* A framebuffer of B8G8R8X8 texels. */
struct agpu_frame {
    uint64_t address; /* as the device names it */
    uint32_t pitch;
    /* Fills row y with its bytes, pitch of them, as they are now. */
    bool (*read_row)(struct agpu_test *test, const struct agpu_frame *screen, uint32_t y, uint8_t *row);
    void *ctx; /* read_row's */
};

/* Shows it: programs the scanout and enables it. */
void agpu_frame_show(struct agpu_test *test, const struct agpu_frame *screen);
/* Scanout off, address 0. */
void agpu_frame_hide(struct agpu_test *test);
/* Presents frames of three colours from a render target of the driver and checks what stands in the framebuffer
 * after each: those colours, and the padding untouched; or, on a device that leaves the memory alone
 * (commands.md 11), what was there before. */
bool agpu_frame_check(struct agpu_test *test, const struct agpu_frame *screen);

#endif
