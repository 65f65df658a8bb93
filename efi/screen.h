/* screen.h: what someone standing at the machine sees: identity, progress, totals, current case, last
 * failures. */
#ifndef AGPU_EFI_SCREEN_H
#define AGPU_EFI_SCREEN_H

#include "tests/cases/harness/runner.h"
#include "tests/cases/harness/stream.h"

/* Takes the graphics consoles, or, if serial_free, every console of the firmware; without any all else does
 * nothing. Adds a sink that collects failures. build is shown in the title. */
void agpu_screen_open(struct agpu_stream *stream, const char *build, bool serial_free);

/* The runner's progress callback; ctx is unused. */
void agpu_screen_progress(void *ctx, const struct agpu_progress *progress);

/* Draws what changed, at most ten times a second and never for more than a tenth of the time. */
void agpu_screen_poll(void);

/* Draws at once, with a last line that says how it ended. */
void agpu_screen_finish(const char *verdict, bool good);

/* Leaves the firmware a clear console. */
void agpu_screen_close(void);

#endif
