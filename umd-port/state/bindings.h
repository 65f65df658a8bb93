/* bindings.h: target and view slots: changes bindings and records the packets for them. The cache always matches the
 * stream: when there is no room for a packet, the old binding stays (umd.md 10). */
#ifndef AGPU_UMD_STATE_BINDINGS_H
#define AGPU_UMD_STATE_BINDINGS_H

#include "umd-port/base/context.h"

/* Codes of a stage in packets (commands.md 4). */
struct agpu_stage_code {
    uint8_t stage;    /* AEROGPU_SHADER_STAGE_* */
    uint8_t stage_ex; /* AEROGPU_SHADER_STAGE_EX_* */
};
struct agpu_stage_code agpu_stage_code(enum agpu_stage stage);

/* Records SET_RENDER_TARGETS. False: no room. */
bool agpu_emit_targets(struct agpu_context *context, const struct agpu_target_set *targets);
/* Records it and updates the cache. False: no room, nothing changed. */
bool agpu_bind_targets(struct agpu_context *context, const struct agpu_target_set *targets);
/* Binds one texture or buffer view slot: SET_TEXTURE or SET_SHADER_RESOURCE_BUFFERS, and the cache. */
bool agpu_bind_view(struct agpu_context *context, enum agpu_stage stage, uint32_t slot,
                    const struct agpu_bound_view *view);
/* True when setting the slot to this view needs SET_SHADER_RESOURCE_BUFFERS. Textures and buffers share the slots, but
 * each kind is emptied by its own packet (umd.md 11, ClearState). */
bool agpu_binds_as_buffer(const struct agpu_context *context, enum agpu_stage stage, uint32_t slot,
                          const struct agpu_bound_view *view);
/* Binds a run of such slots with one packet, and updates the cache. */
bool agpu_bind_buffer_views(struct agpu_context *context, enum agpu_stage stage, uint32_t start,
                            uint32_t count, const struct agpu_bound_view *views);
/* Empties every view slot that shares memory with resource, slot by slot, stages in order. False: no room; the earlier
 * slots are empty, the others unchanged. */
bool agpu_unbind_views_of(struct agpu_context *context, const struct agpu_resource *resource);

#endif
