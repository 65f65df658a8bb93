/* stream_scan.c: scans a stream for its size and its need of an allocation table. */
#include "mm/kmd/stream_scan.h"

#include <stddef.h>
#include <string.h>

#include "ring/protocol/packet_table.h"

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

/* Returns a 32-bit member of a packet, 0 when the packet is too short to have it. */
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
#define AEROGPU_PACKET(NAME, name, tag, smallest, class, listed, allocs, ...)                                \
    case AEROGPU_CMD_##NAME: {                                                                               \
        const struct aerogpu_packet_allocs need = allocs;                                                    \
        return need.always != 0 ||                                                                           \
               (need.mask != 0 && (member(packet, hdr->size_bytes, 4u * need.word) & need.mask) != 0);       \
    }
#include "ring/protocol/packets.def"
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
