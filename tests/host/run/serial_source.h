/* serial_source.h: reads the records of a serial console, or of a log: a file, a pipe, a terminal device. */
#ifndef AGPU_HOST_RUN_SERIAL_SOURCE_H
#define AGPU_HOST_RUN_SERIAL_SOURCE_H

#include "tests/host/run/session.h"

/* Splits the output of `nc -u -l`, where a fragment has no line end, into one packet per line. Returns the length of
 * the first packet of line: all of it, unless another one follows without a line end. */
size_t agpu_glued_packet(const char *line, size_t length);

struct agpu_serial_source {
    const char *path; /* "-": standard input */
    unsigned baud;    /* speed of a terminal device; 0: unchanged */
    int signal_fd;    /* SIGINT, SIGTERM, SIGHUP; -1: none is watched */
};

/* Feeds the session from the source: until its end; if it has no end, until half a second after the summary; or
 * until a time limit of the session. Returns the signal that ended it, 0: none; -1 with a line on stderr when it
 * cannot be read. */
int agpu_serial_feed(const struct agpu_serial_source *source, struct agpu_session *session);

#endif
