/* framebuffer.h: what a flagged present has to write to the framebuffer of scanout 0, in the rig's first memory
 * (commands.md 11, device.md 4.8).
 *
 * A device may also leave the memory alone, which is the image then; agpu_screen_begin() finds out with a plain
 * present which of the two the device does, and agpu_screen_check() holds it to that. */
#ifndef AGPU_CASES_RIG_FRAMEBUFFER_H
#define AGPU_CASES_RIG_FRAMEBUFFER_H

#include "tests/cases/rig/submit.h"

#define AGPU_SCREEN_BYTES       16384u
#define AGPU_SCREEN_POISON      0xAB
#define AGPU_SCREEN_MEMORY      0u /* of the rig's */
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

extern uint8_t agpu_screen_image[AGPU_SCREEN_IMAGE_BYTES]; /* of the last source, tight */
extern bool agpu_screen_writes;                            /* the device writes at a flagged present */

bool agpu_screen_begin(struct agpu_test *test);

uint8_t *agpu_screen_memory(const struct agpu_test *test);
/* Nothing is expected in it yet. */
void agpu_screen_poison(const struct agpu_test *test);
/* Writes the registers; scanout on. */
void agpu_screen_configure(const struct agpu_test *test, const struct agpu_screen *screen);
/* From now on the image is expected in the framebuffer, converted and clipped. */
void agpu_screen_expect(const struct agpu_screen *screen, const struct agpu_screen_source *from);
/* The framebuffer is as expected, and so is what lies around it; the X byte is undefined. */
bool agpu_screen_check(struct agpu_test *test, const struct agpu_screen *screen, const char *what);

/* Returns a handle that no stream of the case has used. */
uint32_t agpu_screen_handle(struct agpu_rig *rig);
/* A new target with a new image, not bound yet; its handle. */
uint32_t agpu_put_screen_source(struct agpu_rig *rig, const struct agpu_screen_source *from, uint32_t seed);
void agpu_put_screen_present(struct agpu_rig *rig, bool ex, uint32_t scanout_id, uint32_t flags);
/* Runs the stream with these flags in its descriptor. */
bool agpu_screen_run(struct agpu_test *test, uint32_t desc_flags);
/* One image through one flagged present. */
bool agpu_screen_show(struct agpu_test *test, const struct agpu_screen *screen,
                      const struct agpu_screen_source *from, uint32_t seed, const char *what);
/* The same where the screen is as before: only what differs is written to its registers. */
bool agpu_screen_show_next(struct agpu_test *test, const struct agpu_screen *before,
                           const struct agpu_screen *screen, const struct agpu_screen_source *from,
                           uint32_t seed, const char *what);

#endif
