#include "mm/kmd/stream_scan.h"

#include <stddef.h>
#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"

#define HEADER ((uint32_t)sizeof(struct aerogpu_cmd_stream_header))

uint32_t agpu_stream_size(const void *stream, uint32_t length)
{
    struct aerogpu_cmd_stream_header header;

    if (stream == NULL || length < HEADER) {
        return 0;
    }
    memcpy(&header, stream, sizeof header);
    return header.size_bytes >= HEADER && header.size_bytes <= length ? header.size_bytes : 0;
}

/* A 32-bit member of a packet, 0 when the packet is too short to have it. */
static uint32_t member(const uint8_t *packet, uint32_t packet_size, size_t offset)
{
    uint32_t value = 0;

    if (offset + sizeof value <= packet_size) {
        memcpy(&value, packet + offset, sizeof value);
    }
    return value;
}

static bool packet_needs_table(const uint8_t *packet, const struct aerogpu_cmd_hdr *hdr)
{
    switch (hdr->opcode) {
    case AEROGPU_CMD_CREATE_BUFFER:
        return member(packet, hdr->size_bytes,
                      offsetof(struct aerogpu_cmd_create_buffer, backing_alloc_id)) != 0;
    case AEROGPU_CMD_CREATE_TEXTURE2D:
        return member(packet, hdr->size_bytes,
                      offsetof(struct aerogpu_cmd_create_texture2d, backing_alloc_id)) != 0;
    case AEROGPU_CMD_RESOURCE_DIRTY_RANGE:
        /* whether that resource has guest memory is not known here: any dirty range wants a table */
        return true;
    case AEROGPU_CMD_COPY_BUFFER:
        return (member(packet, hdr->size_bytes, offsetof(struct aerogpu_cmd_copy_buffer, flags)) &
                AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0;
    case AEROGPU_CMD_COPY_TEXTURE2D:
        return (member(packet, hdr->size_bytes, offsetof(struct aerogpu_cmd_copy_texture2d, flags)) &
                AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0;
    default:
        return false;
    }
}

bool agpu_stream_needs_table(const void *stream, uint32_t size)
{
    const uint8_t *bytes = stream;
    struct aerogpu_cmd_hdr hdr;

    for (uint32_t at = HEADER; at < size && size - at >= sizeof hdr; at += hdr.size_bytes) {
        memcpy(&hdr, bytes + at, sizeof hdr);
        if (hdr.size_bytes < sizeof hdr || hdr.size_bytes % 4u != 0 || hdr.size_bytes > size - at) {
            return false;
        }
        if (packet_needs_table(bytes + at, &hdr)) {
            return true;
        }
    }
    return false;
}
