/* crash.h: a processor exception in the image becomes a record with the place: the end of the case when one is under way
 * (guard.h), else the last record of the run, instead of silence. */
#ifndef AGPU_EFI_CRASH_H
#define AGPU_EFI_CRASH_H

#include "tests/cases/harness/stream.h"

/* Takes the exceptions that mean a bug (trap.h, open). On one that no guarded call can be ended by, a log record of the
 * running case is sent (text "exception ...", keys vector rip offset base address error rsp, and stack: offsets of the
 * callers), then at_crash is called, which must not return. running is asked for the case's id, NULL for none. */
void agpu_crash_hook(struct agpu_stream *stream, const char *(*running)(void), void (*at_crash)(void));

/* Gives the exceptions back to the firmware; the image must not be unloaded before. */
void agpu_crash_unhook(void);

#endif
