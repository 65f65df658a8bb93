/* serial.h: record sink on the first serial port, queued, so that a 115200 baud line does not slow the
 * cases. */
#ifndef AGPU_EFI_SERIAL_H
#define AGPU_EFI_SERIAL_H

#include "tests/cases/harness/stream.h"

/* Adds the sink: it keeps what it gets until a port is opened. Nothing of the firmware is touched. */
void agpu_serial_add_sink(struct agpu_stream *stream);

/* Finds the port; returns what it is ("EFI_SERIAL_IO", "COM1") or NULL, when the sink forgets its records. */
const char *agpu_serial_open(void);

/* Forgets what is queued and takes no more. */
void agpu_serial_close(void);

/* Writes as much as fits into the port's FIFO. Never blocks longer than a FIFO's worth takes. */
void agpu_serial_poll(void);

/* True when everything has left, or can not leave. */
bool agpu_serial_drained(void);

#endif
