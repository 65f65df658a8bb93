/* serial.h: record sink on the first serial port, queued, so that a 115200 baud line does not slow the
 * cases. */
#ifndef AGPU_EFI_SERIAL_H
#define AGPU_EFI_SERIAL_H

#include "tests/cases/harness/stream.h"

/* Adds the sink: it keeps what it gets until a port is opened. Nothing of the firmware is touched. */
void agpu_serial_add_sink(struct agpu_stream *stream);

/* Finds the port; returns what it is ("EFI_SERIAL_IO", "COM1") or NULL, when the sink forgets its records. */
const char *agpu_serial_open(void);

/* Somebody at the other end is listened to (control/service.h). came gets bytes as they come; says is asked for lines, each of
 * which, of AGPU_SERIAL_OUTPUT_MAX bytes at most, goes between two records, and by turns with them. */
struct agpu_serial_peer {
    void *ctx;
    void (*came)(void *ctx, const char *bytes, size_t size);
    size_t (*says)(void *ctx, char *text);
};

/* Begins that: the firmware's console is taken off the port, for it would read what is for us. The peer's ctx is kept. NULL, or
 * why not. */
const char *agpu_serial_talk(const struct agpu_serial_peer *peer);

/* Nobody is listened to any more, as when the image has crashed. */
void agpu_serial_hush(void);
/* And the port is given back to the firmware's console. */
void agpu_serial_end_talk(void);

/* Forgets what is queued and takes no more. */
void agpu_serial_close(void);

/* Writes as much as fits into the port's FIFO. Never blocks longer than a FIFO's worth takes. */
void agpu_serial_poll(void);

/* True when everything has left, or can not leave. */
bool agpu_serial_drained(void);

#endif
