/* crash.h: reports a processor exception in the image as a record with its place. It ends the running case
 * (guard.h), or, outside a case, the run. */
#ifndef AGPU_EFI_CRASH_H
#define AGPU_EFI_CRASH_H

#include "tests/cases/harness/stream.h"

/* Handles the exceptions that mean a bug (trap.h, open). When the guard cannot end the running case, sends a
 * log record of that case (text "exception ...", keys vector rip offset base address error rsp, and stack:
 * offsets of the callers), then calls at_crash, which must not return. running returns the id of the case,
 * NULL for none. */
void agpu_crash_hook(struct agpu_stream *stream, const char *(*running)(void), void (*at_crash)(void));

/* Returns the exceptions to the firmware; must be called before the image is unloaded. */
void agpu_crash_unhook(void);

#endif
