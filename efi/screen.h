/* screen.h: display for a person at the machine: identity, progress, totals, current case, last failures. */
#ifndef AGPU_EFI_SCREEN_H
#define AGPU_EFI_SCREEN_H

#include "tests/cases/harness/runner.h"
#include "tests/cases/harness/stream.h"

/* Takes the graphics consoles, or every console of the firmware if serial_free. Without a console the other
 * functions do nothing. Adds a sink that collects failures. build is shown in the title. */
void agpu_screen_open(struct agpu_stream *stream, const char *build, bool serial_free);

/* Progress callback of the runner; ctx is unused. */
void agpu_screen_progress(void *ctx, const struct agpu_progress *progress);

/* Forgets the groups and failures of an earlier run. */
void agpu_screen_restart(void);

/* Shows this text as the current activity, in place of a case, until the next progress. Draws at once. */
void agpu_screen_now(const char *text);

/* Draws changes, at most five times a second and for at most a thirtieth of the time. */
void agpu_screen_poll(void);

/* Draws at once, with the verdict in the last line. */
void agpu_screen_finish(const char *verdict, bool good);

/* Clears the console for the firmware. */
void agpu_screen_close(void);

#endif
