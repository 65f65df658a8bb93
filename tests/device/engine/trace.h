/* trace.h: log of submissions: collects the events of one submission in fixed memory and writes them as one
 * JSON line when it completes. */
#ifndef VGPU_ENGINE_TRACE_H
#define VGPU_ENGINE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/submission_log.h"

struct aerogpu_submit_desc;
struct vgpu_bus;

/* Maximum number of items listed in one line; the others are counted. */
#define VGPU_TRACE_RUNS      64u
#define VGPU_TRACE_RESOURCES 64u

/* Consecutive packets of one opcode. */
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
    uint32_t omitted_resources; /* number of accesses, not of handles */
};

/* A submission of the legacy device, as its log line reports it. */
struct vgpu_trace_legacy {
    uint32_t fence;
    uint32_t flags;
    uint32_t type; /* of the descriptor; 0 when it is malformed */
    uint32_t command_bytes;
    uint32_t allocations;
    bool malformed;
};

/* All of these functions do nothing while trace->log.line is NULL. vgpu_trace_begin() starts a submission
 * whose descriptor has been read. */
void vgpu_trace_begin(struct vgpu_trace *trace);
void vgpu_trace_packet(struct vgpu_trace *trace, uint32_t opcode);
void vgpu_trace_resource(struct vgpu_trace *trace, uint32_t handle);
/* Ends a submission: its error (AEROGPU_ERROR_*) is recorded, its fence is not signalled yet. */
void vgpu_trace_end(struct vgpu_trace *trace, const struct aerogpu_submit_desc *desc, uint32_t stream_bytes,
                    uint32_t allocs, uint32_t error);

/* code: AEROGPU_ERROR_* or 0. */
void vgpu_trace_event(struct vgpu_trace *trace, const char *event, uint32_t code);
void vgpu_trace_legacy_submission(struct vgpu_trace *trace, const struct vgpu_trace_legacy *submission);

#endif
