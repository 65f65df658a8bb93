/* tap.h: a platform wrapper that records what driver and devices do to each other: the guest's view of a capture, for
 * each function separately. Freestanding: in the image, and around the device in one process. */
#ifndef AGPU_CAPTURE_TAP_H
#define AGPU_CAPTURE_TAP_H

#include "tests/capture/tap_functions.h"

/* Wraps inner. Memory comes from the inner machine's heap; false if there is too little, or the file cannot be
 * started. tap must not be moved afterwards. */
bool agpu_tap_init(struct agpu_tap *tap, const struct agpu_platform *inner,
                   const struct agpu_tap_config *config);

/* To be called before and after each case. id must stay valid until its end; name: of the result; bad: it is worse
 * than a skip. */
void agpu_tap_case_begin(struct agpu_tap *tap, const char *id, uint32_t index);
void agpu_tap_case_end(struct agpu_tap *tap, uint32_t result, const char *name, bool bad);

/* Ends the file and frees the memory. Returns false if the file is not complete. */
bool agpu_tap_close(struct agpu_tap *tap);

#endif
