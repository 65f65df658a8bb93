/* run_stream.h: the lossless stream of the single machine that `agpu run` started (tests/handbook/stream.md). */
#ifndef AGPU_HOST_RUN_RUN_STREAM_H
#define AGPU_HOST_RUN_RUN_STREAM_H

#include "tests/host/run/session.h"
#include "tests/host/run/streams.h"

struct agpu_run_stream {
    struct agpu_session *session;
    struct agpu_streams *streams; /* NULL: the machine has no network */
    struct agpu_allowed allowed;
    uint64_t deadline_us;              /* latest time for the next agpu_run_stream_serve() */
    char boot[AGPU_WIRE_BOOT_MAX + 1]; /* the boot that the items belong to */
    struct agpu_intake_run taken;
    uint64_t kept;
};

/* Accepts connections on the socket (-1: none) for the session. credentials stay the caller's. Returns false with
 * errno set. */
bool agpu_run_stream_open(struct agpu_run_stream *stream, int socket,
                          const struct agpu_credentials *credentials, struct agpu_session *session);

/* Returns a descriptor that is readable when there is work; -1 without a socket. */
int agpu_run_stream_fd(const struct agpu_run_stream *stream);

/* Handles all pending work, without waiting. */
void agpu_run_stream_serve(struct agpu_run_stream *stream, uint64_t now_us);

/* Takes all remaining input after the machine has ended. */
void agpu_run_stream_drain(struct agpu_run_stream *stream, uint64_t now_us);

void agpu_run_stream_close(struct agpu_run_stream *stream);

#endif
