/* trace.h: the log of submissions as the model's files feed it: what one submission did, collected in
 * fixed room, written as one JSON line when it completes. */
#ifndef VGPU_ENGINE_TRACE_H
#define VGPU_ENGINE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/submission_log.h"

struct aerogpu_submit_desc;
struct vgpu_bus;

/* What one line lists at most; the rest is counted. */
#define VGPU_TRACE_RUNS      64u
#define VGPU_TRACE_RESOURCES 64u

/* Packets of one opcode that follow each other. */
struct vgpu_trace_run {
    uint32_t opcode;
    uint32_t count;
};

struct vgpu_trace {
    struct vgpu_bus *bus;
    struct vgpu_submission_log log;
    uint64_t begin_ns;
    uint32_t packets;
    uint32_t run_count;
    struct vgpu_trace_run runs[VGPU_TRACE_RUNS];
    uint32_t omitted_packets;
    uint32_t resource_count;
    uint32_t resources[VGPU_TRACE_RESOURCES];
    uint32_t omitted_resources; /* touches, not handles */
};

/* A submission of the legacy device, as its log line shows it. */
struct vgpu_trace_legacy {
    uint32_t fence;
    uint32_t flags;
    uint32_t type; /* of the descriptor; 0 when it is malformed */
    uint32_t command_bytes;
    uint32_t allocations;
    bool malformed;
};

/* All of these do nothing while trace->log.line is NULL. A submission begins: its descriptor has been read. */
void vgpu_trace_begin(struct vgpu_trace *trace);
void vgpu_trace_packet(struct vgpu_trace *trace, uint32_t opcode);
void vgpu_trace_resource(struct vgpu_trace *trace, uint32_t handle);
/* It is done, its error (AEROGPU_ERROR_*) is recorded, its fence is not yet signalled. */
void vgpu_trace_end(struct vgpu_trace *trace, const struct aerogpu_submit_desc *desc, uint32_t stream_bytes,
                    uint32_t allocs, uint32_t error);

/* code: AEROGPU_ERROR_* or 0. */
void vgpu_trace_event(struct vgpu_trace *trace, const char *event, uint32_t code);
void vgpu_trace_legacy_submission(struct vgpu_trace *trace, const struct vgpu_trace_legacy *submission);

#endif
