/* line_stream.c: cuts a byte stream into lines, in a buffer of bounded size. */
#include "tests/host/wire/line_stream.h"

#include <string.h>

static void finish_line(struct agpu_line_stream *stream, const char **line, size_t *length)
{
    size_t from = 0;
    size_t to = stream->length;

    while (to > from && stream->line[to - 1] == '\r') {
        to--;
    }
    while (from < to && stream->line[from] == '\r') { /* firmware that ends lines with LF CR */
        from++;
    }
    *line = stream->line + from;
    *length = to - from;
    stream->length = 0;
}

size_t agpu_line_stream_take(struct agpu_line_stream *stream, const char *bytes, size_t size,
                             const char **line, size_t *length)
{
    *line = NULL;
    const char *newline = memchr(bytes, '\n', size);
    size_t wanted = newline != NULL ? (size_t)(newline - bytes) : size;
    size_t room = AGPU_LINE_MAX - stream->length;
    size_t take = wanted < room ? wanted : room;
    memcpy(stream->line + stream->length, bytes, take);
    stream->length += take;
    if (newline != NULL && take == wanted) {
        finish_line(stream, line, length);
        return take + 1;
    }
    if (stream->length == AGPU_LINE_MAX) {
        finish_line(stream, line, length);
    }
    return take;
}

const char *agpu_line_stream_rest(struct agpu_line_stream *stream, size_t *length)
{
    const char *line = NULL;

    if (stream->length > 0) {
        finish_line(stream, &line, length);
    }
    return line;
}
