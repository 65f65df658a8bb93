/* packets.h: the packets that create, fill and announce resources (commands.md 6). All return false when there is no
 * room; then the writer's error is set and nothing was recorded. */
#ifndef AGPU_UMD_RESOURCE_PACKETS_H
#define AGPU_UMD_RESOURCE_PACKETS_H

#include "umd-port/base/resource.h"
#include "umd-port/base/writer.h"

bool agpu_emit_create_buffer(struct agpu_cmd_writer *cmd, const struct agpu_resource *resource,
                             uint32_t usage_flags);
bool agpu_emit_create_texture(struct agpu_cmd_writer *cmd, const struct agpu_resource *resource,
                              uint32_t usage_flags);
bool agpu_emit_destroy_resource(struct agpu_cmd_writer *cmd, uint32_t handle);
bool agpu_emit_dirty_range(struct agpu_cmd_writer *cmd, uint32_t handle, uint64_t offset, uint64_t bytes);
/* Records UPLOAD_RESOURCE with room for `bytes` of data, which the caller fills. NULL: no room. */
static inline uint8_t *agpu_emit_upload(struct agpu_cmd_writer *cmd, uint32_t handle, uint64_t offset,
                                        uint64_t bytes)
{
    struct aerogpu_cmd_upload_resource *packet;

    if (bytes % 4 == 0 && bytes < UINT32_MAX - sizeof *packet) { /* no padding: same as a fixed packet */
        packet = agpu_cmd_reserve(cmd, AEROGPU_CMD_UPLOAD_RESOURCE, (uint32_t)(sizeof *packet + bytes));
    } else {
        packet = agpu_cmd_append_room(cmd, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof *packet, (size_t)bytes);
    }
    if (packet == NULL) {
        return NULL;
    }
    packet->resource_handle = handle;
    packet->reserved0 = 0;
    packet->offset_bytes = offset;
    packet->size_bytes = bytes;
    return (uint8_t *)(packet + 1);
}
bool agpu_emit_export(struct agpu_cmd_writer *cmd, uint32_t handle, uint64_t share_token);
bool agpu_emit_import(struct agpu_cmd_writer *cmd, uint32_t handle, uint64_t share_token);

#endif
