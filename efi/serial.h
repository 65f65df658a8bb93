/* serial.h: record sink on the first serial port, queued, so that a 115200 baud line does not slow the
 * cases. */
#ifndef AGPU_EFI_SERIAL_H
#define AGPU_EFI_SERIAL_H

#include "tests/cases/harness/stream.h"

/* Adds the sink, which queues records until a port is opened. Does not touch the firmware. */
void agpu_serial_add_sink(struct agpu_stream *stream);

/* Finds the port; returns its kind ("EFI_SERIAL_IO", "COM1"), or NULL, and the sink then drops its
 * records. */
const char *agpu_serial_open(void);

/* Receiver of the bytes of the port (control/service.h). came gets bytes as they arrive. next_line is polled for
 * lines of at most AGPU_SERIAL_OUTPUT_MAX bytes; they are sent between records, alternating with them. */
struct agpu_serial_peer {
    void *ctx;
    void (*came)(void *ctx, const char *bytes, size_t size);
    size_t (*next_line)(void *ctx, char *text);
};

/* Starts passing bytes to the peer. Disconnects the firmware's console from the port, because the console would read
 * them first. Stores the peer's ctx. Returns NULL, or why it failed. */
const char *agpu_serial_talk(const struct agpu_serial_peer *peer);

/* Stops passing bytes to the peer, as after a crash of the image. */
void agpu_serial_hush(void);
/* Stops, and reconnects the firmware's console to the port. */
void agpu_serial_end_talk(void);

/* Drops the queue and accepts no more records. */
void agpu_serial_close(void);

/* Writes as much as fits into the port's FIFO. Blocks no longer than sending one FIFO takes. */
void agpu_serial_poll(void);

/* True when everything has been sent, or can never be sent. */
bool agpu_serial_drained(void);

#endif
