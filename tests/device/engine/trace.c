/* trace.c: writes one JSON line for each submission. */
#include "tests/device/engine/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/bus/bus.h"
#include "tests/device/engine/names.h"

/* Size of a line: the bounded lists at their longest, with names, and the fixed part. */
#define LINE_BYTES 8192u

struct submission_line {
    size_t length;
    char text[LINE_BYTES];
};

__attribute__((format(printf, 2, 3))) static void add(struct submission_line *line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int added = vsnprintf(line->text + line->length, LINE_BYTES - line->length, format, arguments);
    va_end(arguments);
    if (added > 0 && (size_t)added < LINE_BYTES - line->length) { /* a part that does not fit is left out */
        line->length += (size_t)added;
    }
}

/* Cost of writing a line, in bytes of the work budget: one or two microseconds. */
#define LINE_COST 4096

static void write_line(struct vgpu_trace *trace, struct submission_line *line)
{
    trace->bus->budget -= LINE_COST;
    add(line, "}\n");
    trace->log.line(trace->log.ctx, line->text, line->length);
}

static uint64_t trace_now(const struct vgpu_trace *trace)
{
    return trace->bus->machine.now_ns(trace->bus->machine.ctx);
}

void vgpu_trace_begin(struct vgpu_trace *trace)
{
    if (trace->log.line != NULL) {
        *trace = (struct vgpu_trace){.bus = trace->bus, .log = trace->log, .begin_ns = trace_now(trace)};
    }
}

void vgpu_trace_packet(struct vgpu_trace *trace, uint32_t opcode)
{
    if (trace->log.line == NULL) {
        return;
    }
    trace->packets++;
    if (trace->run_count > 0 && trace->runs[trace->run_count - 1].opcode == opcode &&
        trace->omitted_packets == 0) {
        trace->runs[trace->run_count - 1].count++;
    } else if (trace->run_count < VGPU_TRACE_RUNS) {
        trace->runs[trace->run_count++] = (struct vgpu_trace_run){opcode, 1};
    } else {
        trace->omitted_packets++;
    }
}

void vgpu_trace_resource(struct vgpu_trace *trace, uint32_t handle)
{
    if (trace->log.line == NULL) {
        return;
    }
    for (uint32_t i = 0; i < trace->resource_count; i++) {
        if (trace->resources[i] == handle) {
            return;
        }
    }
    if (trace->resource_count < VGPU_TRACE_RESOURCES) {
        trace->resources[trace->resource_count++] = handle;
    } else {
        trace->omitted_resources++;
    }
}

static void add_packets(struct submission_line *line, const struct vgpu_trace *trace)
{
    add(line, ",\"packets\":%" PRIu32 ",\"ops\":[", trace->packets);
    for (uint32_t i = 0; i < trace->run_count; i++) {
        const struct vgpu_trace_run *run = &trace->runs[i];

        add(line, "%s[\"%s\",%" PRIu32 "]", i > 0 ? "," : "", vgpu_opcode_name(run->opcode), run->count);
    }
    add(line, "]");
    if (trace->omitted_packets > 0) {
        add(line, ",\"packets_omitted\":%" PRIu32, trace->omitted_packets);
    }
}

static void add_resources(struct submission_line *line, const struct vgpu_trace *trace)
{
    add(line, ",\"resources\":[");
    for (uint32_t i = 0; i < trace->resource_count; i++) {
        add(line, "%s%" PRIu32, i > 0 ? "," : "", trace->resources[i]);
    }
    add(line, "]");
    if (trace->omitted_resources > 0) {
        add(line, ",\"resources_omitted\":%" PRIu32, trace->omitted_resources);
    }
}

static void add_error(struct submission_line *line, uint32_t code)
{
    const char *name = vgpu_error_name(code);

    add(line, ",\"error\":%" PRIu32 ",\"error_name\":\"%s\"", code, name != NULL ? name : "INTERNAL");
}

void vgpu_trace_end(struct vgpu_trace *trace, const struct aerogpu_submit_desc *desc, uint32_t stream_bytes,
                    uint32_t allocs, uint32_t error)
{
    const uint64_t end_ns = trace->log.line != NULL ? trace_now(trace) : 0;
    struct submission_line line = {0};

    if (trace->log.line == NULL) {
        return;
    }
    add(&line, "{\"t_ns\":%" PRIu64 ",\"run_ns\":%" PRIu64 ",\"fence\":%" PRIu64, end_ns,
        end_ns - trace->begin_ns, desc->signal_fence);
    add(&line, ",\"context\":%" PRIu32 ",\"flags\":%" PRIu32, desc->context_id, desc->flags);
    add(&line, ",\"stream_bytes\":%" PRIu32 ",\"allocs\":%" PRIu32, stream_bytes, allocs);
    add_packets(&line, trace);
    add_resources(&line, trace);
    add_error(&line, error);
    write_line(trace, &line);
}

void vgpu_trace_event(struct vgpu_trace *trace, const char *event, uint32_t code)
{
    struct submission_line line = {0};

    if (trace->log.line == NULL) {
        return;
    }
    add(&line, "{\"t_ns\":%" PRIu64 ",\"event\":\"%s\"", trace_now(trace), event);
    add_error(&line, code);
    write_line(trace, &line);
}

void vgpu_trace_legacy_submission(struct vgpu_trace *trace, const struct vgpu_trace_legacy *submission)
{
    static const char *const types[] = {"NONE", "RENDER", "PRESENT", "PAGING"}; /* legacy.md 4 */
    const size_t count = sizeof types / sizeof types[0];
    struct submission_line line = {0};

    if (trace->log.line == NULL) {
        return;
    }
    add(&line, "{\"t_ns\":%" PRIu64 ",\"fence\":%" PRIu32 ",\"flags\":%" PRIu32, trace_now(trace),
        submission->fence, submission->flags);
    add(&line, ",\"type\":\"%s\",\"stream_bytes\":%" PRIu32 ",\"allocs\":%" PRIu32 ",\"malformed\":%s",
        submission->type < count ? types[submission->type] : "UNKNOWN", submission->command_bytes,
        submission->allocations, submission->malformed ? "true" : "false");
    write_line(trace, &line);
}
