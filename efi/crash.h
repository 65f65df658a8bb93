/* crash.h: a processor exception in the image becomes a log record with the place, instead of silence. */
#ifndef AGPU_EFI_CRASH_H
#define AGPU_EFI_CRASH_H

#include "tests/cases/harness/stream.h"

/* Registers with the firmware's processor driver for the exceptions that mean a bug. On one of them a log
 * record of the running case is sent (text "exception ...", keys vector rip offset base address error rsp,
 * and stack: offsets of possible callers), then at_crash is called, which must not return. running is asked
 * for the case's id, NULL for none. */
void agpu_crash_hook(struct agpu_stream *stream, const char *(*running)(void), void (*at_crash)(void));

/* Gives the exceptions back to the firmware; the image must not be unloaded before. */
void agpu_crash_unhook(void);

/* Where the image was loaded. */
uint64_t agpu_crash_image_base(void);

#endif
