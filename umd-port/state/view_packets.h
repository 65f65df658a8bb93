/* view_packets.h: CREATE_TEXTURE_VIEW and DESTROY_TEXTURE_VIEW (commands.md 6.1). False: no room, nothing
 * recorded. */
#ifndef AGPU_UMD_STATE_VIEW_PACKETS_H
#define AGPU_UMD_STATE_VIEW_PACKETS_H

#include "umd-port/state/objects.h"

/* Record the view as described, for its resource's current handle. */
bool agpu_emit_create_view(struct agpu_cmd_writer *cmd, const struct agpu_view *view);
bool agpu_emit_destroy_view(struct agpu_cmd_writer *cmd, uint32_t handle);

#endif
