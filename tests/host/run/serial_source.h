/* serial_source.h: the records of a serial console, or of a log that somebody else has written: a file, a pipe, a terminal
 * device. */
#ifndef AGPU_HOST_RUN_SERIAL_SOURCE_H
#define AGPU_HOST_RUN_SERIAL_SOURCE_H

#include "tests/host/run/session.h"

/* Cuts what `nc -u -l` writes, where a fragment ends without a line end, into one packet a line: the length of the first
 * packet of line, which is all of it unless another is glued to it. */
size_t agpu_glued_packet(const char *line, size_t length);

struct agpu_serial_source {
    const char *path; /* "-": standard input */
    unsigned baud;    /* of a terminal device; 0: as it is set */
    int signal_fd;    /* SIGINT, SIGTERM, SIGHUP; -1: none is looked at */
};

/* Feeds the session from the source until its end or, of one that has none, until half a second behind the summary, or the
 * session's bounds. The signal that ended it, 0: none; -1 with a line on stderr when it cannot be read. */
int agpu_serial_feed(const struct agpu_serial_source *source, struct agpu_session *session);

#endif
