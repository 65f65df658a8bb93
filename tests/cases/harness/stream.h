/* stream.h: numbers and stamps records and hands each to every sink (network, serial port, debugcon,
 * screen). */
#ifndef AGPU_CASES_HARNESS_STREAM_H
#define AGPU_CASES_HARNESS_STREAM_H

#include "tests/cases/harness/record.h"

#define AGPU_STREAM_SINKS_MAX 8
#define AGPU_STREAM_PACKET_MAX                                                                               \
    1000 /* bytes of the largest extended netconsole packet (Linux MAX_PRINT_CHUNK) */

/* Where packets go. packet() gets "<level>,<seq>,<us>,-;<text>\n", not terminated, valid during the call. It
 * must not block without bound; what it cannot deliver it drops, since every other sink has the same
 * record. */
struct agpu_sink {
    const char *name;
    void *ctx;
    /* 0: every record whole, as one line (serial, debugcon, file). Otherwise a record whose packet would be
     * longer is split into several with ",ncfrag=<offset>/<total>" in the header and no newline;
     * 128..AGPU_STREAM_PACKET_MAX. */
    size_t max_packet;
    void (*packet)(void *ctx, const char *packet, size_t length);
    /* How many packets could not be delivered so far; NULL: the sink does not know. */
    uint64_t (*lost)(void *ctx);
    /* For sinks that bring all (host/wire/README.md): is there room for a piece of a file now, which then arrives? NULL: never. */
    bool (*takes_piece)(void *ctx, size_t size);
    /* packet() of a record, and the piece of a file that it announces. */
    void (*piece)(void *ctx, const char *packet, size_t length, const void *bytes, size_t size);
};

/* Bytes of a piece. */
#define AGPU_STREAM_PIECE_MAX 14000

/* Bytes of the name of one of several devices. */
#define AGPU_STREAM_DEVICE_MAX 31

struct agpu_stream {
    uint64_t (*now_ns)(void *ctx);
    void *now_ctx;
    uint64_t start_ns;   /* application entry: zero of the timestamps */
    uint64_t plan_ns;    /* when the first plan was sent; 0: not yet */
    uint64_t seq;        /* of the next record */
    const char *running; /* case that log records belong to; NULL: to none */
    unsigned sending;    /* agpu_stream_send() calls under way */
    const char
        *device; /* which of several devices all records are of from now on; NULL: there is one, or of none */
    unsigned sink_count;
    struct {
        struct agpu_sink sink;
        bool busy;       /* inside its packet(): a record sent from there skips this sink */
        uint64_t missed; /* records skipped so */
    } sinks[AGPU_STREAM_SINKS_MAX];
};

/* Starts a stream without sinks. Timestamps count from start_ns, in the time of now_ns(). */
void agpu_stream_init(struct agpu_stream *stream, uint64_t (*now_ns)(void *ctx), void *now_ctx,
                      uint64_t start_ns);

/* Adds a sink for the records from now on; false when the table is full or the sink is not usable. */
bool agpu_stream_add_sink(struct agpu_stream *stream, const struct agpu_sink *sink);

/* Finishes the record and sends it to every sink under one sequence number. */
void agpu_stream_send(struct agpu_stream *stream, struct agpu_record *record);

/* Can a file of so many bytes go to a sink that brings all? */
bool agpu_stream_takes_pieces(const struct agpu_stream *stream, size_t size);

/* As agpu_stream_send(), of a record that announces a piece: at most AGPU_STREAM_PIECE_MAX bytes, for the sinks that take them. */
void agpu_stream_send_piece(struct agpu_stream *stream, struct agpu_record *record, const void *bytes,
                            size_t size);

/* Whoever was sending will not come back: the next record is sent as ever. Its number may be lost. */
void agpu_stream_abandon(struct agpu_stream *stream);

/* Packets that sinks could not deliver so far, of all of them together. */
uint64_t agpu_stream_lost(const struct agpu_stream *stream);

/* Sends a log record of the running case. text is one line. */
void agpu_stream_log(struct agpu_stream *stream, enum agpu_log_level level, const char *text);

/* The same of a line formatted as by agpu_format(), cut after 599 characters. */
__attribute__((format(printf, 3, 4))) void
agpu_stream_format(struct agpu_stream *stream, enum agpu_log_level level, const char *format, ...);

#endif
