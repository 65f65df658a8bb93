/* screen.h: shows a run in one process as agpu run does: progress, evidence, verdict, reports. */
#ifndef AGPU_TESTS_HOST_PLATFORM_SCREEN_H
#define AGPU_TESTS_HOST_PLATFORM_SCREEN_H

#include "tests/host_platform/inprocess_options.h"

struct inprocess_screen;

/* options->records: only prints the records. Keeps a pointer to the options. Returns NULL with a message on stderr. */
struct inprocess_screen *inprocess_screen_open(const struct inprocess_options *options);

/* Prints one record with its header; with --quiet only if it is about a failure. ctx is the options. */
void inprocess_print_packet(void *ctx, const char *packet, size_t length);

/* Takes one record with its header, as a stream sends it to a sink; ctx is the screen. */
void inprocess_screen_packet(void *ctx, const char *packet, size_t length);

/* Adds a line about the device to the reports. */
void inprocess_screen_problem(struct inprocess_screen *screen, const char *line, size_t length);

/* The process of the device ended: words says why. Returns the case after which another one continues; NULL: the run
 * ends, for example because it must not continue. */
const char *inprocess_screen_resume(struct inprocess_screen *screen, const char *words, bool may_continue);

/* Writes the reports and the summary, and frees the screen. Returns true when all reports are written, and the
 * verdict that was shown is PASS. */
bool inprocess_screen_close(struct inprocess_screen *screen);

#endif
