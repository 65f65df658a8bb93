/* stream.c: command streams (commands.md 1, 3; ring.md 3.1, 7). */
#include "tests/device/engine/stream.h"

#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/bus/dma.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/executor.h"
#include "tests/device/engine/packets.h"
#include "tests/device/engine/trace.h"

/* First allocation: enough for the streams of ordinary submissions. */
#define FIRST_CAPACITY (64u << 10)

static bool reserve_copy(struct vgpu_stream *stream, uint32_t size)
{
    uint32_t capacity = stream->capacity > 0 ? stream->capacity : FIRST_CAPACITY;
    uint8_t *bytes;

    if (size <= stream->capacity) {
        return true;
    }
    while (capacity < size) { /* size <= 64 MiB, so the loop ends */
        capacity *= 2;
    }
    bytes = malloc(capacity);
    if (bytes == NULL) {
        return false;
    }
    free(stream->bytes);
    stream->bytes = bytes;
    stream->capacity = capacity;
    return true;
}

uint32_t vgpu_stream_load(struct vgpu_exec *exec, struct vgpu_stream *stream, uint64_t gpa, uint32_t capacity)
{
    struct aerogpu_cmd_stream_header header;
    uint32_t size;

    if (vgpu_range_wraps(gpa, capacity)) {
        return AEROGPU_ERROR_OOB;
    }
    if (capacity < sizeof header) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    vgpu_dma_read(exec->bus, gpa, &header, sizeof header);
    if (header.magic != AEROGPU_CMD_STREAM_MAGIC || header.abi_version >> 16 != AEROGPU_ABI_MAJOR ||
        header.size_bytes < sizeof header || header.size_bytes % 4 != 0) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (header.size_bytes > capacity) {
        return AEROGPU_ERROR_OOB;
    }
    if (header.size_bytes > VGPU_STREAM_MAX_BYTES) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    size = header.size_bytes - (uint32_t)sizeof header;
    if (!reserve_copy(stream, size)) {
        return AEROGPU_ERROR_BACKEND;
    }
    vgpu_dma_read(exec->bus, gpa + sizeof header, stream->bytes, size);
    vgpu_exec_spend(exec, size);
    stream->size = size;
    stream->minor = header.abi_version & 0xFFFFu;
    return AEROGPU_ERROR_NONE;
}

/* A present with VSYNC paces the submission, even if it is shorter than its structure or follows an error
 * (ring.md 7). */
static void note_vsync(struct vgpu_stream *stream, const struct aerogpu_cmd_hdr *packet)
{
    const struct aerogpu_cmd_present *present = (const void *)packet;

    if ((packet->opcode == AEROGPU_CMD_PRESENT || packet->opcode == AEROGPU_CMD_PRESENT_EX) &&
        packet->size_bytes >= sizeof *present && (present->flags & AEROGPU_PRESENT_FLAG_VSYNC) != 0) {
        stream->vsync = true;
    }
}

/* The scan for VSYNC presents ends at one that is too short to have flags. */
static bool ends_scan(const struct aerogpu_cmd_hdr *packet)
{
    return (packet->opcode == AEROGPU_CMD_PRESENT || packet->opcode == AEROGPU_CMD_PRESENT_EX) &&
           packet->size_bytes < sizeof(struct aerogpu_cmd_present);
}

/* True for packets that an older or smaller device does not know (commands.md 13). */
static bool is_beyond(const struct vgpu_exec *exec, uint32_t opcode)
{
    switch (opcode) {
    case AEROGPU_CMD_COPY_BUFFER:
    case AEROGPU_CMD_COPY_TEXTURE2D:
        return (exec->bus->features & AEROGPU_FEATURE_TRANSFER) == 0;
    case AEROGPU_CMD_CREATE_TEXTURE_VIEW:
    case AEROGPU_CMD_DESTROY_TEXTURE_VIEW:
        return (exec->bus->abi_version & 0xFFFFu) < 4u;
    default:
        return false;
    }
}

static uint32_t execute_packet(struct vgpu_exec *exec, const struct vgpu_stream *stream,
                               const struct aerogpu_cmd_hdr *packet)
{
    const struct vgpu_packet_type *type = vgpu_packet_type(packet->opcode);

    if (type == NULL || is_beyond(exec, packet->opcode)) {
        exec->bus->stats.unknown_packets++;
        return AEROGPU_ERROR_NONE;
    }
    if (packet->size_bytes < type->size) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    const uint32_t minor = exec->bus->abi_version & 0xFFFFu;
    exec->minor = stream->minor < minor ? stream->minor : minor;
    exec->bus->stats.packets[packet->opcode]++; /* known, so below VGPU_STATS_OPCODES */
    vgpu_trace_packet(exec->trace, packet->opcode);
    if (exec->bus->executor != VGPU_EXECUTOR_COMPLETE) {
        return vgpu_execute_less(exec, type, packet);
    }
    return type->execute(exec, packet, packet->size_bytes);
}

/* Handles one packet. Returns false at the end of the stream. */
static bool step_packet(struct vgpu_exec *exec, struct vgpu_stream *stream, uint32_t *error)
{
    const uint32_t left = stream->size - stream->position;
    const struct aerogpu_cmd_hdr *packet = (const void *)(stream->bytes + stream->position);

    if (left < sizeof *packet || packet->size_bytes < sizeof *packet || packet->size_bytes % 4 != 0 ||
        packet->size_bytes > left) {
        if (!stream->scan_only) {
            *error = AEROGPU_ERROR_CMD_DECODE;
        }
        return false;
    }
    if (!stream->scan_only) {
        const uint32_t found = execute_packet(exec, stream, packet);

        if (found != AEROGPU_ERROR_NONE) {
            *error = found;
            stream->scan_only = true;
        }
    }
    note_vsync(stream, packet);
    stream->position += packet->size_bytes;
    return !(stream->scan_only && ends_scan(packet));
}

bool vgpu_stream_run(struct vgpu_exec *exec, struct vgpu_stream *stream, uint32_t *error)
{
    while (stream->position < stream->size) {
        if (!vgpu_bus_spend(exec->bus, VGPU_COST_PACKET)) {
            return false;
        }
        if (!step_packet(exec, stream, error)) {
            break;
        }
    }
    stream->position = stream->size;
    return true;
}

void vgpu_stream_clear(struct vgpu_stream *stream)
{
    stream->size = 0;
    stream->position = 0;
    stream->vsync = false;
    stream->scan_only = false;
}

void vgpu_stream_free(struct vgpu_stream *stream)
{
    free(stream->bytes);
    memset(stream, 0, sizeof *stream);
}

static const struct vgpu_field stream_fields[] = {
    VGPU_FIELD_UP_TO(vgpu_stream, size, VGPU_STREAM_MAX_BYTES),
    VGPU_FIELD_UP_TO(vgpu_stream, position, VGPU_STREAM_MAX_BYTES),
    VGPU_FIELD(vgpu_stream, minor),
    VGPU_FIELD(vgpu_stream, vsync),
    VGPU_FIELD(vgpu_stream, scan_only),
};

void vgpu_stream_visit(struct vgpu_stream *stream, struct vgpu_archive *archive)
{
    VGPU_ARCHIVE_FIELDS(archive, stream, stream_fields);
    if (archive->loading &&
        (!vgpu_archive_expect(archive,
                              stream->size <= archive->left && stream->size % 4 == 0 &&
                                  stream->position <= stream->size && stream->position % 4 == 0,
                              "a position inside the packets of the submission") ||
         !vgpu_archive_expect(archive, reserve_copy(stream, stream->size), "memory for the packets"))) {
        vgpu_stream_clear(stream);
        return;
    }
    vgpu_archive_bytes(archive, stream->bytes, stream->size);
}
