/* serial_line.h: a piece of a control connection as a line of text, for a serial port on which records are lines too
 * (tests/host/ctl/README.md 6): who reads those sees one line that is no record, and noise costs the line that it hits. */
#ifndef AGPU_EFI_PROTOCOL_SERIAL_LINE_H
#define AGPU_EFI_PROTOCOL_SERIAL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that one line carries: few, for whoever has a FIFO of 16 bytes and looks too late loses all of the line. */
#define AGPU_SERIAL_PIECE_MAX 96

/* "~agpu>", to the image, or "~agpu<", from it; in hexadecimal: kind (1), connection (8), at (4), wanted (4), bytes, CRC-32 (4). */
#define AGPU_SERIAL_MARK       "~agpu"
#define AGPU_SERIAL_HEAD       17
#define AGPU_SERIAL_LINE_MAX   (6 + 2 * (AGPU_SERIAL_HEAD + AGPU_SERIAL_PIECE_MAX + 4))
#define AGPU_SERIAL_OUTPUT_MAX (AGPU_SERIAL_LINE_MAX + 2) /* with the ends of lines around it */

enum agpu_serial_kind {
    AGPU_SERIAL_DATA = 1, /* any many bytes, also none: then it says only what is wanted */
    AGPU_SERIAL_END = 2,  /* there is no such connection, or none any more */
};

struct agpu_serial_line {
    bool to_image;
    enum agpu_serial_kind kind;
    uint64_t connection;
    uint32_t at;     /* which byte of its direction, modulo 2^32, the first of these is */
    uint32_t wanted; /* the byte of the other direction that comes next */
    size_t size;
    uint8_t bytes[AGPU_SERIAL_PIECE_MAX];
};

/* The text of a line, which begins with a line end, too, so that half a line in front of it is not a part of it. Its size. */
size_t agpu_serial_line_write(const struct agpu_serial_line *line, char text[AGPU_SERIAL_OUTPUT_MAX]);

/* Reads a line without its end; blanks and CR around it do not count. False when it is none of these, or was damaged. */
bool agpu_serial_line_read(const char *text, size_t size, struct agpu_serial_line *out);

/* Is it meant to be one, whatever came of it? */
bool agpu_serial_line_is_meant(const char *text, size_t size);

#endif
