/* view_packets.c: texture view packets. */
#include "umd-port/state/view_packets.h"

bool agpu_emit_create_view(struct agpu_cmd_writer *cmd, const struct agpu_view *view)
{
    struct aerogpu_cmd_create_texture_view *packet =
        agpu_cmd_reserve(cmd, AEROGPU_CMD_CREATE_TEXTURE_VIEW, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->view_handle = view->handle;
    packet->texture_handle = view->resource->handle;
    packet->format = view->format;
    packet->base_mip_level = view->first_mip;
    packet->mip_level_count = view->mips;
    packet->base_array_layer = view->first_layer;
    packet->array_layer_count = view->layers;
    packet->reserved0 = 0;
    return true;
}

bool agpu_emit_destroy_view(struct agpu_cmd_writer *cmd, uint32_t handle)
{
    struct aerogpu_cmd_destroy_texture_view *packet =
        agpu_cmd_reserve(cmd, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->view_handle = handle;
    packet->reserved0 = 0;
    return true;
}
