/* life.h: states in which a driver may leave a device, and what must hold when the next one takes it (device.md 6). */
#ifndef AGPU_CASES_RIG_LIFE_H
#define AGPU_CASES_RIG_LIFE_H

#include "mm/kmd/display.h"
#include "tests/cases/harness/check.h"

#define AGPU_LIFE_SCREEN 0u /* of the rig's memory: the image of scanout or cursor */

/* The state in which a driver leaves the device. */
enum agpu_life_left {
    AGPU_LIFE_RING = 0x00, /* the ring runs */
    AGPU_LIFE_SCREEN_ON = 0x01,
    AGPU_LIFE_CURSOR_ON = 0x02,
    AGPU_LIFE_CAUSES = 0x04,  /* enabled and pending */
    AGPU_LIFE_POSTED = 0x08,  /* work without a doorbell */
    AGPU_LIFE_HELD = 0x10,    /* presents that wait for edges, and work after them */
    AGPU_LIFE_STOPPED = 0x20, /* work with a doorbell, while Bus Master is off */
    AGPU_LIFE_D3D = 0x40,     /* an open Direct3D device */
};

struct agpu_life_row {
    const char *what;
    uint32_t left;     /* enum agpu_life_left */
    uint64_t features; /* that it needs */
};
#define AGPU_LIFE_ROWS 9u
extern const struct agpu_life_row agpu_life_rows[AGPU_LIFE_ROWS];

/* Calls row for each state that the device's features allow, until one returns false, which fails the case with the
 * name of that state. */
void agpu_life_each(struct agpu_test *t, bool (*row)(struct agpu_test *t, uint32_t left));

/* Brings the device into the state of a row. Each function that returns false has recorded a failure. */
bool agpu_life_leave(struct agpu_test *t, uint32_t left);
/* Writes values other than the reset values into every register of the scanout or cursor that is on in this state. */
void agpu_life_show(const struct agpu_test *t, uint32_t left);
/* Sets or clears Bus Master. */
void agpu_life_master(const struct agpu_test *t, bool on);

/* These do nothing without an open Direct3D device. The first: the driver takes no more work. */
void agpu_life_stop_d3d(struct agpu_test *t);
/* In D0 again: the application must learn of a reset, and a new Direct3D device must work. */
bool agpu_life_continue_d3d(struct agpu_test *t);
bool agpu_life_close_d3d(struct agpu_test *t);

/* Fills memory, which may be none, and checks that nothing was written since. what ends in "from": its addresses
 * follow. */
void agpu_life_poison(const struct agpu_dma *memory);
bool agpu_life_is_poison(struct agpu_test *t, const char *what, const struct agpu_dma *memory);

/* Lets time pass for everything that the device must not do any more. */
void agpu_life_wait(struct agpu_test *t);
/* Checks that neither a cause nor an error is left, and that the line is inactive. */
void agpu_life_check_quiet(struct agpu_test *t, const char *what);
/* Runs work in the ring and takes its interrupts as a driver does. */
bool agpu_life_check_works(struct agpu_test *t);

/* The registers of scanout and cursor. */
#define AGPU_LIFE_SCREEN_WORDS                                                                               \
    ((AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI - AEROGPU_MMIO_REG_SCANOUT0_ENABLE) / 4 + 1)
#define AGPU_LIFE_WORDS (AGPU_LIFE_SCREEN_WORDS + AGPU_DISPLAY_CURSOR)
void agpu_life_read_screen(const struct agpu_test *t, uint32_t words[AGPU_LIFE_WORDS]);
void agpu_life_check_screen(struct agpu_test *t, const char *what, const uint32_t words[AGPU_LIFE_WORDS]);

#endif
