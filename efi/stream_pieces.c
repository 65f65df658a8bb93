/* stream_pieces.c: fills a piece, waits for space, and sends it. */
#include "efi/stream_pieces.h"

#include <string.h>

#include "efi/protocol/stream_frame.h"

static uint64_t now_ns(const struct agpu_stream_pieces *pieces)
{
    return pieces->stream->now_ns(pieces->stream->now_ctx);
}

static bool wait_for_room(struct agpu_stream_pieces *pieces, uint64_t wait_ns)
{
    const uint64_t began = now_ns(pieces);

    while (!agpu_stream_takes_pieces(pieces->stream, AGPU_STREAM_PIECES_ROOM)) {
        if (now_ns(pieces) - began >= wait_ns) {
            return false;
        }
        pieces->relax();
    }
    return true;
}

bool agpu_stream_pieces_begin(struct agpu_stream_pieces *pieces, struct agpu_stream *stream,
                              void (*relax)(void), uint64_t wait_ns)
{
    pieces->stream = stream;
    pieces->relax = relax;
    pieces->sent = pieces->filled = 0;
    pieces->failed = !wait_for_room(pieces, wait_ns);
    return !pieces->failed;
}

/* size: of the file, 0 until its end is known. */
static void send_piece(struct agpu_stream_pieces *pieces, uint64_t size)
{
    struct agpu_record record;

    if (pieces->failed || pieces->filled == 0) {
        return;
    }
    pieces->failed = !wait_for_room(pieces, AGPU_STREAM_PIECES_WAIT_NS);
    if (pieces->failed) {
        return;
    }
    agpu_record_begin(&record, AGPU_RECORD_ARTIFACT, NULL);
    agpu_record_string(&record, AGPU_KEY(ARTIFACT, name), AGPU_WIRE_CAPTURE);
    agpu_record_u64(&record, AGPU_KEY(ARTIFACT, size), size);
    agpu_record_u64(&record, AGPU_KEY(ARTIFACT, offset), pieces->sent);
    agpu_record_u64(&record, AGPU_KEY(ARTIFACT, bytes), pieces->filled);
    agpu_stream_send_piece(pieces->stream, &record, pieces->bytes, pieces->filled);
    pieces->sent += pieces->filled;
    pieces->filled = 0;
}

bool agpu_stream_pieces_put(struct agpu_stream_pieces *pieces, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;

    while (size > 0 && !pieces->failed) {
        if (pieces->filled == sizeof pieces->bytes) {
            send_piece(pieces, 0); /* not earlier: the last piece must carry the size */
            continue;
        }
        const size_t room = sizeof pieces->bytes - pieces->filled, part = size < room ? size : room;

        if (pieces->filled == 0) {
            pieces->since_ns = now_ns(pieces);
        }
        memcpy(pieces->bytes + pieces->filled, from, part);
        pieces->filled += part;
        from += part;
        size -= part;
    }
    return !pieces->failed;
}

bool agpu_stream_pieces_flush(struct agpu_stream_pieces *pieces, uint64_t wait_ns)
{
    if (wait_ns == 0 || now_ns(pieces) - pieces->since_ns > wait_ns) {
        send_piece(pieces, 0);
    }
    return !pieces->failed;
}

bool agpu_stream_pieces_end(struct agpu_stream_pieces *pieces)
{
    const bool ends = pieces->filled != 0;

    send_piece(pieces, pieces->sent + pieces->filled);
    return ends && !pieces->failed;
}
