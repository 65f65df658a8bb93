/* framebuffer.h: checks what a flagged present writes to the framebuffer of scanout 0, in the rig's first memory
 * (commands.md 11, device.md 4.8).
 *
 * A device may also leave the memory alone, and then the image is the memory itself. agpu_screen_begin() detects with
 * a plain present which of the two the device does, and agpu_screen_check() expects that from then on. */
#ifndef AGPU_CASES_RIG_FRAMEBUFFER_H
#define AGPU_CASES_RIG_FRAMEBUFFER_H

#include "tests/cases/rig/submit.h"

#define AGPU_SCREEN_BYTES       16384u
#define AGPU_SCREEN_POISON      0xAB
#define AGPU_SCREEN_MEMORY      0u /* index in the rig's memory */
#define AGPU_SCREEN_IMAGE_BYTES 4000u

/* Scanout 0; offset of the framebuffer in the memory. */
struct agpu_screen {
    uint32_t format, width, height, pitch, offset;
};

/* A target with an image in it. */
struct agpu_screen_source {
    uint32_t format, width, height;
};

extern const struct agpu_screen agpu_screen_plain;
extern const struct agpu_screen_source agpu_screen_source_plain;

extern uint8_t agpu_screen_image[AGPU_SCREEN_IMAGE_BYTES]; /* the last source, without padding */
extern bool agpu_screen_writes; /* the device writes the framebuffer at a flagged present */

bool agpu_screen_begin(struct agpu_test *test);

uint8_t *agpu_screen_memory(const struct agpu_test *test);
/* Starts without an expected image. */
void agpu_screen_poison(const struct agpu_test *test);
/* Writes the registers and enables the scanout. */
void agpu_screen_configure(const struct agpu_test *test, const struct agpu_screen *screen);
/* Expects the image in the framebuffer from now on, converted and clipped. */
void agpu_screen_expect(const struct agpu_screen *screen, const struct agpu_screen_source *from);
/* Checks the framebuffer and the memory around it; the X byte is undefined. */
bool agpu_screen_check(struct agpu_test *test, const struct agpu_screen *screen, const char *what);

/* Returns a handle that no stream of the case has used. */
uint32_t agpu_screen_handle(struct agpu_rig *rig);
/* Creates a target with a new image, not yet bound, and returns its handle. */
uint32_t agpu_put_screen_source(struct agpu_rig *rig, const struct agpu_screen_source *from, uint32_t seed);
void agpu_put_screen_present(struct agpu_rig *rig, bool ex, uint32_t scanout_id, uint32_t flags);
/* Runs the stream with these flags in its descriptor. */
bool agpu_screen_run(struct agpu_test *test, uint32_t desc_flags);
/* Shows one image with one flagged present. */
bool agpu_screen_show(struct agpu_test *test, const struct agpu_screen *screen,
                      const struct agpu_screen_source *from, uint32_t seed, const char *what);
/* Like agpu_screen_show(), on a screen that was set up before: writes only the registers that change. */
bool agpu_screen_show_next(struct agpu_test *test, const struct agpu_screen *before,
                           const struct agpu_screen *screen, const struct agpu_screen_source *from,
                           uint32_t seed, const char *what);

#endif
