/* stream_pieces.h: sends a long file of unknown length over the lossless stream (tests/handbook/stream.md
 * 1), in order. The writer waits for space; nothing is dropped to make some. No I/O of its own. */
#ifndef AGPU_EFI_STREAM_PIECES_H
#define AGPU_EFI_STREAM_PIECES_H

#include "tests/cases/harness/stream.h"

/* Free bytes that the stream must have before a piece is sent: the records of a case, which do not wait, need
 * space after it. */
#define AGPU_STREAM_PIECES_ROOM ((size_t)1 << 20)
/* Longest wait for that space. The collector treats a machine that is silent for 15 s as dead. */
#define AGPU_STREAM_PIECES_WAIT_NS UINT64_C(12000000000)

struct agpu_stream_pieces {
    struct agpu_stream *stream; /* owned by the caller */
    void (*relax)(void);        /* services the network once, while a piece waits */
    uint64_t sent;              /* bytes handed to the stream */
    size_t filled;              /* bytes in the current piece */
    uint64_t since_ns;          /* time of its first byte */
    bool failed;                /* the file is cut off: nothing more is sent */
    uint8_t bytes[AGPU_STREAM_PIECE_MAX];
};

/* Waits until the stream accepts pieces, at most wait_ns. False: it does not. */
bool agpu_stream_pieces_begin(struct agpu_stream_pieces *pieces, struct agpu_stream *stream,
                              void (*relax)(void), uint64_t wait_ns);

/* Appends size bytes. False when these, or earlier ones, found no space in time. */
bool agpu_stream_pieces_put(struct agpu_stream_pieces *pieces, const void *bytes, size_t size);

/* Sends the bytes of the last piece if one of them has waited longer than wait_ns. False as above. */
bool agpu_stream_pieces_flush(struct agpu_stream_pieces *pieces, uint64_t wait_ns);

/* Ends a file that has at least one byte not yet flushed: its last piece carries the length. False: the
 * collector does not get the whole file. */
bool agpu_stream_pieces_end(struct agpu_stream_pieces *pieces);

#endif
