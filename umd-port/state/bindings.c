/* bindings.c: target and view slots (umd.md 10). */
#include "umd-port/state/bindings.h"

struct agpu_stage_code agpu_stage_code(enum agpu_stage stage)
{
    static const struct agpu_stage_code codes[AGPU_STAGE_COUNT] = {
        [AGPU_STAGE_VS] = {AEROGPU_SHADER_STAGE_VERTEX, AEROGPU_SHADER_STAGE_EX_NONE},
        [AGPU_STAGE_PS] = {AEROGPU_SHADER_STAGE_PIXEL, AEROGPU_SHADER_STAGE_EX_NONE},
        [AGPU_STAGE_GS] = {AEROGPU_SHADER_STAGE_GEOMETRY, AEROGPU_SHADER_STAGE_EX_NONE},
        [AGPU_STAGE_CS] = {AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_NONE},
        [AGPU_STAGE_HS] = {AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_HULL},
        [AGPU_STAGE_DS] = {AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_DOMAIN},
    };

    return codes[stage];
}

bool agpu_emit_targets(struct agpu_context *context, const struct agpu_target_set *targets)
{
    struct aerogpu_cmd_set_render_targets *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->color_count = targets->count;
    packet->depth_stencil = agpu_view_handle(&targets->depth);
    for (uint32_t slot = 0; slot < AGPU_DDI_RENDER_TARGET_SLOTS; slot++) {
        packet->colors[slot] = slot < targets->count ? agpu_view_handle(&targets->colors[slot]) : 0;
    }
    return true;
}

bool agpu_bind_targets(struct agpu_context *context, const struct agpu_target_set *targets)
{
    if (!agpu_emit_targets(context, targets)) {
        return false;
    }
    context->targets = *targets;
    context->pending |= AGPU_PENDING_TARGETS;
    return true;
}

static bool is_buffer_view(const struct agpu_bound_view *view)
{
    return view->resource != NULL && view->resource->kind == AGPU_KIND_BUFFER;
}

static bool emit_set_texture(struct agpu_context *context, struct agpu_stage_code code, uint32_t slot,
                             uint32_t handle)
{
    struct aerogpu_cmd_set_texture *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_TEXTURE, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->shader_stage = code.stage;
    packet->slot = slot;
    packet->texture = handle;
    packet->reserved0 = code.stage_ex;
    return true;
}

static bool emit_set_buffer_views(struct agpu_context *context, struct agpu_stage_code code, uint32_t start,
                                  uint32_t count, const struct agpu_bound_view *views)
{
    struct aerogpu_cmd_set_shader_resource_buffers *packet = agpu_cmd_reserve(
        &context->cmd, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS,
        (uint32_t)(sizeof *packet + count * sizeof(struct aerogpu_shader_resource_buffer_binding)));

    if (packet == NULL) {
        return false;
    }
    struct aerogpu_shader_resource_buffer_binding *out =
        (struct aerogpu_shader_resource_buffer_binding *)(packet + 1);
    packet->shader_stage = code.stage;
    packet->start_slot = start;
    packet->buffer_count = count;
    packet->reserved0 = code.stage_ex;
    for (uint32_t i = 0; i < count; i++) {
        out[i].buffer = views[i].resource != NULL ? views[i].resource->handle : 0;
        out[i].offset_bytes = views[i].offset;
        out[i].size_bytes = views[i].size;
        out[i].reserved0 = 0;
    }
    return true;
}

/* Updates view_top, the end of the used slots, after slot has changed. */
static void adjust_view_top(struct agpu_stage_state *state, uint32_t slot)
{
    if (state->views[slot].resource != NULL) {
        if (slot >= state->view_top) {
            state->view_top = slot + 1;
        }
        return;
    }
    while (state->view_top && state->views[state->view_top - 1].resource == NULL) {
        state->view_top--;
    }
}

static void note_bound_view(struct agpu_context *context, enum agpu_stage stage, uint32_t slot,
                            const struct agpu_bound_view *view)
{
    context->stages[stage].views[slot] = *view;
    adjust_view_top(&context->stages[stage], slot);
    agpu_list_at_draw(context, view->resource, AGPU_PENDING_VIEWS);
}

bool agpu_binds_as_buffer(const struct agpu_context *context, enum agpu_stage stage, uint32_t slot,
                          const struct agpu_bound_view *view)
{
    return is_buffer_view(view) ||
           (view->resource == NULL && is_buffer_view(&context->stages[stage].views[slot]));
}

bool agpu_bind_buffer_views(struct agpu_context *context, enum agpu_stage stage, uint32_t start,
                            uint32_t count, const struct agpu_bound_view *views)
{
    if (!emit_set_buffer_views(context, agpu_stage_code(stage), start, count, views)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        note_bound_view(context, stage, start + i, &views[i]);
    }
    return true;
}

bool agpu_bind_view(struct agpu_context *context, enum agpu_stage stage, uint32_t slot,
                    const struct agpu_bound_view *view)
{
    if (agpu_binds_as_buffer(context, stage, slot, view)) {
        return agpu_bind_buffer_views(context, stage, slot, 1, view);
    }
    if (!emit_set_texture(context, agpu_stage_code(stage), slot, agpu_view_handle(view))) {
        return false;
    }
    note_bound_view(context, stage, slot, view);
    return true;
}

static uint32_t highest_view_top(const struct agpu_context *context)
{
    uint32_t top = 0;

    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        if (context->stages[stage].view_top > top) {
            top = context->stages[stage].view_top;
        }
    }
    return top;
}

static const struct agpu_bound_view nothing;

bool agpu_unbind_views_of(struct agpu_context *context, const struct agpu_resource *resource)
{
    uint32_t top = highest_view_top(context);

    for (uint32_t slot = 0; slot < top; slot++) {
        for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
            const struct agpu_bound_view *view = &context->stages[stage].views[slot];

            if (view->resource != NULL && agpu_same_memory(view->resource, resource) &&
                !agpu_bind_view(context, (enum agpu_stage)stage, slot, &nothing)) {
                return false;
            }
        }
    }
    return true;
}
