/* serial_link.h: one end of a control connection over a serial port: bytes in order, none lost and none
 * twice, over lines that may be lost, repeated or damaged (tests/handbook/control.md 5). No I/O: takes lines
 * and the time, returns lines. Both ends are alike. */
#ifndef AGPU_EFI_PROTOCOL_SERIAL_LINK_H
#define AGPU_EFI_PROTOCOL_SERIAL_LINK_H

#include "efi/protocol/serial_line.h"

/* Unacknowledged bytes. */
#define AGPU_SERIAL_WINDOW (8 * AGPU_SERIAL_PIECE_MAX)
/* Transmissions of the same data without an answer before the link is broken; the last are 3 s apart. */
#define AGPU_SERIAL_TRIES 20

struct agpu_serial_link {
    uint64_t connection;
    bool image;                      /* this is the image's end */
    uint32_t first;                  /* position of out[0] */
    uint32_t next;                   /* position of the next byte to send: first to first + size */
    uint32_t wanted;                 /* expected from the other direction */
    uint8_t out[AGPU_SERIAL_WINDOW]; /* unacknowledged bytes */
    size_t size;
    bool answer_due;   /* an acknowledgement must be sent */
    bool went_back;    /* resent from first, because the other end asked for it again */
    unsigned tries;    /* transmissions since the other end acknowledged new bytes */
    uint64_t again_ns; /* time of the next retransmission */
    enum {
        AGPU_SERIAL_OPEN,
        AGPU_SERIAL_BROKEN,
        AGPU_SERIAL_ENDED
    } state; /* BROKEN: the other end does not answer; ENDED: the other end closed it */
};

/* connection: a number that no other end on this line uses. */
void agpu_serial_link_begin(struct agpu_serial_link *link, uint64_t connection, bool image);

/* Queues bytes to send; returns how many fitted. */
size_t agpu_serial_link_put(struct agpu_serial_link *link, const void *bytes, size_t size);

/* Processes a line of this connection from the other end. Returns how many of its last bytes are new and next
 * in order. */
size_t agpu_serial_link_take(struct agpu_serial_link *link, const struct agpu_serial_line *line);

/* Returns the line to send now; false: none. */
bool agpu_serial_link_next(struct agpu_serial_link *link, uint64_t now_ns, struct agpu_serial_line *out);

/* Time at which agpu_serial_link_next() has a line if no line arrives before; UINT64_MAX: never. */
uint64_t agpu_serial_link_deadline(const struct agpu_serial_link *link);

#endif
