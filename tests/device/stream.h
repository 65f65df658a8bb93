/* stream.h: the command stream of one submission: fetched once into private memory, framed, dispatched packet
 * by packet (commands.md 1, 3). */
#ifndef AGPU_TESTS_DEVICE_STREAM_H
#define AGPU_TESTS_DEVICE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_device;

/* Longest stream (ring.md 3.1). */
#define AGPU_STREAM_MAX_BYTES (64u << 20)

struct agpu_stream {
    uint8_t *bytes; /* private copy of the packets; kept and grown from submission to submission */
    uint32_t capacity;
    uint32_t size;     /* of the packets, without the stream header */
    uint32_t position; /* of the next packet */
    uint32_t minor;    /* ABI minor of the stream header */
    bool vsync;        /* a present with VSYNC was seen */
    bool scan_only;    /* after the first error: packets are only scanned for such presents */
};

/* Fetches the stream at [gpa, gpa + capacity). Returns AEROGPU_ERROR_NONE or the error of ring.md 3.1; after
 * an error the stream is empty. BACKEND when memory is exhausted. */
uint32_t agpu_stream_load(struct agpu_device *device, struct agpu_stream *stream, uint64_t gpa,
                          uint32_t capacity);

/* Executes up to the end or the first error, which goes to *error (else unchanged). False when the work
 * budget ran out first: call again. */
bool agpu_stream_run(struct agpu_device *device, struct agpu_stream *stream, uint32_t *error);

/* Makes the stream empty; the memory stays. */
void agpu_stream_clear(struct agpu_stream *stream);

void agpu_stream_free(struct agpu_stream *stream);

#endif
