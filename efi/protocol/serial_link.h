/* serial_link.h: one end of a control connection over a serial port: bytes in order, none lost and none twice, made of lines of
 * which each may get lost, come twice or be damaged (tests/host/ctl/README.md 6). No I/O: lines and the time go in, lines come
 * out. Both ends are alike. */
#ifndef AGPU_EFI_PROTOCOL_SERIAL_LINK_H
#define AGPU_EFI_PROTOCOL_SERIAL_LINK_H

#include "efi/protocol/serial_line.h"

/* Bytes under way without an acknowledgement. */
#define AGPU_SERIAL_WINDOW (8 * AGPU_SERIAL_PIECE_MAX)
/* So often the same is sent without an answer; in the end 3 s lie between. */
#define AGPU_SERIAL_TRIES 20

struct agpu_serial_link {
    uint64_t connection;
    bool image;                      /* which end this is */
    uint32_t first;                  /* the byte at out[0] */
    uint32_t next;                   /* the byte that is sent next: first to first + size */
    uint32_t wanted;                 /* of the other direction */
    uint8_t out[AGPU_SERIAL_WINDOW]; /* not acknowledged yet */
    size_t size;
    bool answer_due;   /* something came that has to be acknowledged */
    bool went_back;    /* to first, because the other end asked for it again */
    unsigned tries;    /* since it said that it had more */
    uint64_t again_ns; /* when what is under way is sent again */
    enum {
        AGPU_SERIAL_OPEN,
        AGPU_SERIAL_BROKEN,
        AGPU_SERIAL_ENDED
    } state; /* BROKEN: nobody answers; ENDED: by the other end */
};

/* connection: a number that nobody else on this line uses. */
void agpu_serial_link_begin(struct agpu_serial_link *link, uint64_t connection, bool image);

/* Gives it bytes to send; takes as many as it has room for. */
size_t agpu_serial_link_put(struct agpu_serial_link *link, const void *bytes, size_t size);

/* A line of this connection from the other end: how many of its last bytes are new, and the next ones. */
size_t agpu_serial_link_take(struct agpu_serial_link *link, const struct agpu_serial_line *line);

/* The line that is to be sent now; false: none. */
bool agpu_serial_link_next(struct agpu_serial_link *link, uint64_t now_ns, struct agpu_serial_line *out);

/* When agpu_serial_link_next() has one if nothing comes before; UINT64_MAX: never. */
uint64_t agpu_serial_link_deadline(const struct agpu_serial_link *link);

#endif
