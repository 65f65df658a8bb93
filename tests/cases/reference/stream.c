/* stream.c: frames and executes the packets of a stream (commands.md 1 to 3). */
#include "tests/cases/reference/stream.h"

#include <string.h>

#include "ring/protocol/packet_table.h"
#include "tests/cases/reference/bind.h"
#include "tests/cases/reference/compute.h"
#include "tests/cases/reference/content.h"
#include "tests/cases/reference/draw.h"
#include "tests/cases/reference/fixed.h"
#include "tests/cases/reference/objects.h"
#include "tests/cases/reference/program.h"
#include "tests/cases/reference/share.h"
#include "tests/cases/reference/target.h"

static const struct aerogpu_packet *packet_of(uint32_t opcode)
{
    static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
    };

    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        if (packets[i].opcode == opcode) {
            return &packets[i];
        }
    }
    return NULL;
}

/* Returns whether a packet contains its payload, padded to 4. */
static bool holds_payload(const uint8_t *packet, uint32_t size, const struct aerogpu_packet *row)
{
    uint64_t count = 0, room = size - row->size;

    if (row->payload.kind != AEROGPU_PAYLOAD_BYTES && row->payload.kind != AEROGPU_PAYLOAD_ELEMENTS) {
        return true;
    }
    memcpy(&count, packet + row->payload.count_word * 4u, row->payload.count_words * 4u);
    return count <= room / row->payload.element_bytes;
}

/* Packets that a device without this feature or of an earlier minor skips by their size (device.md 4.1). */
static bool skips(const struct agpu_ref *ref, uint32_t opcode)
{
    const bool copy = opcode == AEROGPU_CMD_COPY_BUFFER || opcode == AEROGPU_CMD_COPY_TEXTURE2D;
    const bool view = opcode == AEROGPU_CMD_CREATE_TEXTURE_VIEW || opcode == AEROGPU_CMD_DESTROY_TEXTURE_VIEW;

    return (copy && (ref->config.features & AEROGPU_FEATURE_TRANSFER) == 0) ||
           (view && (ref->config.abi_version & 0xFFFFu) < 4);
}

/* Each of the three executes its own packets; one of them at most is concerned. */
static enum aerogpu_error set_state(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd)
{
    enum aerogpu_error error = agpu_ref_bind(ref, cmd);

    error = error == AEROGPU_ERROR_NONE ? agpu_ref_program(ref, cmd) : error;
    return error == AEROGPU_ERROR_NONE ? agpu_ref_fixed(ref, cmd) : error;
}

static enum aerogpu_error execute_packet(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd)
{
    switch (cmd->opcode) {
    case AEROGPU_CMD_CREATE_BUFFER:
        return agpu_ref_create_buffer(ref, (const void *)cmd);
    case AEROGPU_CMD_CREATE_TEXTURE2D:
        return agpu_ref_create_texture(ref, (const void *)cmd);
    case AEROGPU_CMD_DESTROY_RESOURCE:
        return agpu_ref_destroy(
            ref, ((const struct aerogpu_cmd_destroy_resource *)(const void *)cmd)->resource_handle);
    case AEROGPU_CMD_CREATE_TEXTURE_VIEW:
        return agpu_ref_create_view(ref, (const void *)cmd);
    case AEROGPU_CMD_RESOURCE_DIRTY_RANGE:
        return agpu_ref_dirty(ref, (const void *)cmd);
    case AEROGPU_CMD_UPLOAD_RESOURCE:
        return agpu_ref_upload(ref, (const void *)cmd);
    case AEROGPU_CMD_COPY_BUFFER:
        return agpu_ref_copy_buffer(ref, (const void *)cmd);
    case AEROGPU_CMD_COPY_TEXTURE2D:
        return agpu_ref_copy_texture(ref, (const void *)cmd);
    case AEROGPU_CMD_CLEAR:
        return agpu_ref_clear(ref, (const void *)cmd);
    case AEROGPU_CMD_DRAW:
        return agpu_ref_draw(ref, (const void *)cmd);
    case AEROGPU_CMD_DRAW_INDEXED:
        return agpu_ref_draw_indexed(ref, (const void *)cmd);
    case AEROGPU_CMD_DISPATCH:
        return agpu_ref_dispatch(ref, (const void *)cmd);
    case AEROGPU_CMD_PRESENT:
    case AEROGPU_CMD_PRESENT_EX:
        return agpu_ref_present(ref);
    case AEROGPU_CMD_EXPORT_SHARED_SURFACE:
        return agpu_ref_export(ref, (const void *)cmd);
    case AEROGPU_CMD_IMPORT_SHARED_SURFACE:
        return agpu_ref_import(ref, (const void *)cmd);
    case AEROGPU_CMD_RELEASE_SHARED_SURFACE:
        return agpu_ref_release_token(
            ref, ((const struct aerogpu_cmd_release_shared_surface *)(const void *)cmd)->share_token);
    default:
        return set_state(ref, cmd);
    }
}

enum aerogpu_error agpu_ref_execute(struct agpu_ref *ref)
{
    const uint32_t size = ref->work.size;

    for (uint32_t at = sizeof(struct aerogpu_cmd_stream_header); at < size;) {
        const uint8_t *packet = ref->work.stream + at;
        const struct aerogpu_packet *row;
        struct aerogpu_cmd_hdr header;
        enum aerogpu_error error;

        if (size - at < sizeof header) {
            return AGPU_REF_INVALID;
        }
        memcpy(&header, packet, sizeof header);
        if (header.size_bytes < sizeof header || header.size_bytes % 4 != 0 ||
            header.size_bytes > size - at) {
            return AGPU_REF_INVALID;
        }
        row = packet_of(header.opcode);
        if (row != NULL && !skips(ref, header.opcode)) {
            ref->counts.packets++;
            if (header.size_bytes < row->smallest || !holds_payload(packet, header.size_bytes, row)) {
                return AGPU_REF_INVALID;
            }
            error = execute_packet(ref, (const void *)packet);
            if (error != AEROGPU_ERROR_NONE) {
                return error;
            }
        }
        at += header.size_bytes;
    }
    return AEROGPU_ERROR_NONE;
}
