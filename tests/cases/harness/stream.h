/* stream.h: numbers and timestamps records and passes each to every sink (network, serial port, debugcon, screen). */
#ifndef AGPU_CASES_HARNESS_STREAM_H
#define AGPU_CASES_HARNESS_STREAM_H

#include "tests/cases/harness/record.h"

#define AGPU_STREAM_SINKS_MAX 8
#define AGPU_STREAM_PACKET_MAX                                                                               \
    1000 /* bytes of the largest extended netconsole packet (Linux MAX_PRINT_CHUNK) */

/* A destination for packets. packet() gets "<level>,<seq>,<us>,-;<text>\n", not terminated, valid during the call. It
 * must not block without a bound. It drops what it cannot deliver, since every other sink has the same record. */
struct agpu_sink {
    const char *name;
    void *ctx;
    /* 0: each record is one line (serial, debugcon, file). Otherwise 128..AGPU_STREAM_PACKET_MAX: a record whose
     * packet would be longer is split into several with ",ncfrag=<offset>/<total>" in the header and no newline. */
    size_t max_packet;
    void (*packet)(void *ctx, const char *packet, size_t length);
    /* Returns the number of packets that could not be delivered so far; NULL: the sink does not count them. */
    uint64_t (*lost)(void *ctx);
    /* For lossless sinks (tests/handbook/stream.md): returns true if a piece of a file fits now, and is then delivered.
     * NULL: never. */
    bool (*takes_piece)(void *ctx, size_t size);
    /* Sends a record like packet(), and the piece of a file that it announces. */
    void (*piece)(void *ctx, const char *packet, size_t length, const void *bytes, size_t size);
};

/* Maximum size of a piece, in bytes. */
#define AGPU_STREAM_PIECE_MAX 14000

/* Maximum length of a device name, in bytes. */
#define AGPU_STREAM_DEVICE_MAX 31

struct agpu_stream {
    uint64_t (*now_ns)(void *ctx);
    void *now_ctx;
    uint64_t start_ns;   /* zero of the timestamps: entry into the application */
    uint64_t plan_ns;    /* time of the first plan; 0: not yet sent */
    uint64_t seq;        /* number of the next record */
    const char *running; /* case that log records belong to; NULL: none */
    unsigned sending;    /* agpu_stream_send() calls in progress */
    const char *device;  /* all following records are about this device; NULL: none, or the only one */
    unsigned sink_count;
    struct {
        struct agpu_sink sink;
        bool busy;       /* in its packet(): a record sent from there skips this sink */
        uint64_t missed; /* number of records skipped for that reason */
    } sinks[AGPU_STREAM_SINKS_MAX];
};

/* Starts a stream without sinks. Timestamps count from start_ns on the clock now_ns(). */
void agpu_stream_init(struct agpu_stream *stream, uint64_t (*now_ns)(void *ctx), void *now_ctx,
                      uint64_t start_ns);

/* Adds a sink for all following records. Returns false if the table is full or the sink is invalid. */
bool agpu_stream_add_sink(struct agpu_stream *stream, const struct agpu_sink *sink);

/* Finishes the record and sends it to every sink under one sequence number. */
void agpu_stream_send(struct agpu_stream *stream, struct agpu_record *record);

/* Returns true if a lossless sink takes a file of this size now. */
bool agpu_stream_takes_pieces(const struct agpu_stream *stream, size_t size);

/* Does what agpu_stream_send() does for a record that announces a piece of at most AGPU_STREAM_PIECE_MAX bytes; sinks
 * that take pieces get it. */
void agpu_stream_send_piece(struct agpu_stream *stream, struct agpu_record *record, const void *bytes,
                            size_t size);

/* Resets the state of a send that was terminated and will not return: later records are sent normally. The number of
 * the interrupted record may be missing. */
void agpu_stream_abandon(struct agpu_stream *stream);

/* Returns the number of packets that all sinks together could not deliver so far. */
uint64_t agpu_stream_lost(const struct agpu_stream *stream);

/* Sends a log record of the running case. text is one line. */
void agpu_stream_log(struct agpu_stream *stream, enum agpu_log_level level, const char *text);

/* Like agpu_stream_log(), for a line formatted as by agpu_format(), cut after 599 characters. */
__attribute__((format(printf, 3, 4))) void
agpu_stream_format(struct agpu_stream *stream, enum agpu_log_level level, const char *format, ...);

#endif
