/* stream_pieces.h: a long file of unknown length, over the lossless stream (tests/host/wire/README.md 1), in order: who fills it waits
 * for room, and nothing is given up for it. No I/O of its own. */
#ifndef AGPU_EFI_STREAM_PIECES_H
#define AGPU_EFI_STREAM_PIECES_H

#include "tests/cases/harness/stream.h"

/* What the stream must have free for a piece to go: records of a case come behind it, which wait for nobody. */
#define AGPU_STREAM_PIECES_ROOM ((size_t)1 << 20)
/* So long a piece waits for that. A collector takes a machine that says nothing for 15 s for a dead one. */
#define AGPU_STREAM_PIECES_WAIT_NS UINT64_C(12000000000)

struct agpu_stream_pieces {
    struct agpu_stream *stream; /* the caller's */
    void (*relax)(void);        /* one round of the network, while a piece waits */
    uint64_t sent;              /* bytes that the stream has */
    size_t filled;              /* of the piece that is being filled */
    uint64_t since_ns;          /* it is being filled since then */
    bool failed;                /* the file breaks off: nothing more is sent */
    uint8_t bytes[AGPU_STREAM_PIECE_MAX];
};

/* Waits until the stream takes pieces, for wait_ns at most. False: it does not. */
bool agpu_stream_pieces_begin(struct agpu_stream_pieces *pieces, struct agpu_stream *stream,
                              void (*relax)(void), uint64_t wait_ns);

/* size bytes more. False when they, or some before them, found no room in time. */
bool agpu_stream_pieces_put(struct agpu_stream_pieces *pieces, const void *bytes, size_t size);

/* Sends what there is of the last piece, if some of it has waited longer than wait_ns. False as above. */
bool agpu_stream_pieces_flush(struct agpu_stream_pieces *pieces, uint64_t wait_ns);

/* The end of a file that has at least one byte which was not flushed: its last piece says how long it is. False: the collector
 * does not get all of it. */
bool agpu_stream_pieces_end(struct agpu_stream_pieces *pieces);

#endif
