/* stream.h: the command stream of one submission: copied once into private memory, split into packets,
 * dispatched packet by packet (commands.md 1, 3). */
#ifndef VGPU_ENGINE_STREAM_H
#define VGPU_ENGINE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_exec;
struct vgpu_archive;

/* Longest stream (ring.md 3.1). */
#define VGPU_STREAM_MAX_BYTES (64u << 20)

struct vgpu_stream {
    uint8_t *bytes; /* private copy of the packets; reused and grown from submission to submission */
    uint32_t capacity;
    uint32_t size;     /* of the packets, without the stream header */
    uint32_t position; /* of the next packet */
    uint32_t minor;    /* ABI minor of the stream header */
    bool vsync;        /* the stream had a present with VSYNC */
    bool scan_only;    /* after the first error: packets are only scanned for presents with VSYNC */
};

/* Fetches the stream at [gpa, gpa + capacity). Returns AEROGPU_ERROR_NONE or the error of ring.md 3.1; after
 * an error the stream is empty. BACKEND when memory is exhausted. */
uint32_t vgpu_stream_load(struct vgpu_exec *exec, struct vgpu_stream *stream, uint64_t gpa,
                          uint32_t capacity);

/* Executes up to the end or the first error, which is stored in *error (else unchanged). Returns false when
 * the work budget ran out first: call again. */
bool vgpu_stream_run(struct vgpu_exec *exec, struct vgpu_stream *stream, uint32_t *error);

/* Makes the stream empty; keeps the memory. */
void vgpu_stream_clear(struct vgpu_stream *stream);

void vgpu_stream_free(struct vgpu_stream *stream);

/* Visits the packets and the progress for save and restore. */
void vgpu_stream_visit(struct vgpu_stream *stream, struct vgpu_archive *archive);

#endif
