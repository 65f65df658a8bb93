/* serial_line.h: a part of a control connection as a line of text, for a serial port that also carries
 * records as lines (tests/handbook/control.md 5). A reader of records sees one line that is not a record, and
 * noise damages only the line that it hits. */
#ifndef AGPU_EFI_PROTOCOL_SERIAL_LINE_H
#define AGPU_EFI_PROTOCOL_SERIAL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Payload bytes of a line: few, because a receiver with a FIFO of 16 bytes that polls too late loses the
 * whole line. */
#define AGPU_SERIAL_PIECE_MAX 96

/* "~agpu>", to the image, or "~agpu<", from it; in hexadecimal: kind (1), connection (8), at (4), wanted (4),
 * bytes, CRC-32 (4). */
#define AGPU_SERIAL_MARK       "~agpu"
#define AGPU_SERIAL_HEAD       17
#define AGPU_SERIAL_LINE_MAX   (6 + 2 * (AGPU_SERIAL_HEAD + AGPU_SERIAL_PIECE_MAX + 4))
#define AGPU_SERIAL_OUTPUT_MAX (AGPU_SERIAL_LINE_MAX + 2) /* with the line ends around it */

enum agpu_serial_kind {
    AGPU_SERIAL_DATA = 1, /* any number of bytes; with none, the line only carries wanted */
    AGPU_SERIAL_END = 2,  /* there is no such connection, or not any more */
};

struct agpu_serial_line {
    bool to_image;
    enum agpu_serial_kind kind;
    uint64_t connection;
    uint32_t at;     /* position of the first byte in its direction, modulo 2^32 */
    uint32_t wanted; /* position of the next byte expected from the other direction */
    size_t size;
    uint8_t bytes[AGPU_SERIAL_PIECE_MAX];
};

/* Writes a line and returns its size. It also starts with a line end, so that half a line in front of it is
 * not taken as a part of it. */
size_t agpu_serial_line_write(const struct agpu_serial_line *line, char text[AGPU_SERIAL_OUTPUT_MAX]);

/* Reads a line without its end; ignores blanks and CR around it. False when it is not such a line, or
 * damaged. */
bool agpu_serial_line_read(const char *text, size_t size, struct agpu_serial_line *out);

/* True when the text starts like such a line, damaged or not. */
bool agpu_serial_line_is_meant(const char *text, size_t size);

#endif
