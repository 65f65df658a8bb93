/* line_stream.h: cuts the bytes of a serial port or debug console into lines, in bounded memory. */
#ifndef AGPU_HOST_WIRE_LINE_STREAM_H
#define AGPU_HOST_WIRE_LINE_STREAM_H

#include <stddef.h>

/* Room for a record, its header, and text that firmware left on the line in front of it. */
#define AGPU_LINE_MAX 16384

/* Zero-initialised is empty. */
struct agpu_line_stream {
    size_t length;
    char line[AGPU_LINE_MAX];
};

/* Takes bytes up to and including the first newline and returns how many it took. *line is then the complete line
 * without CR and LF, valid until the next call, or NULL while the line is incomplete. A line longer than
 * AGPU_LINE_MAX is returned in pieces. */
size_t agpu_line_stream_take(struct agpu_line_stream *stream, const char *bytes, size_t size,
                             const char **line, size_t *length);

/* Returns what is left when the stream ends without a newline; NULL if nothing. */
const char *agpu_line_stream_rest(struct agpu_line_stream *stream, size_t *length);

#endif
