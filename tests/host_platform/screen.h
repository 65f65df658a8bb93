/* screen.h: shows a run in one process as agpu run does: progress, evidence, verdict, reports. */
#ifndef AGPU_TESTS_HOST_PLATFORM_SCREEN_H
#define AGPU_TESTS_HOST_PLATFORM_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct inprocess_screen;

/* out: folder for the reports, NULL: none. quiet: cases that passed are not shown. argv: the command of this run, for
 * the line that repeats a case. Returns NULL with a message on stderr. */
struct inprocess_screen *inprocess_screen_open(const char *out, bool quiet, char *const *argv);

/* Takes one record with its header, as a stream sends it to a sink; ctx is the screen. */
void inprocess_screen_packet(void *ctx, const char *packet, size_t length);

/* Writes the reports and the summary, and frees the screen. Returns true when all reports are written, and the
 * verdict that was shown is PASS. */
bool inprocess_screen_close(struct inprocess_screen *screen);

#endif
