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

bool agpu_bind_targets(struct agpu_context *context, const struct agpu_target_set *targets)
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

static bool emit_set_buffer_view(struct agpu_context *context, struct agpu_stage_code code, uint32_t slot,
                                 const struct agpu_bound_view *view)
{
    struct {
        struct aerogpu_cmd_set_shader_resource_buffers set;
        struct aerogpu_shader_resource_buffer_binding binding;
    } AEROGPU_CMD_PACKED *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->set.shader_stage = code.stage;
    packet->set.start_slot = slot;
    packet->set.buffer_count = 1;
    packet->set.reserved0 = code.stage_ex;
    packet->binding.buffer = view->resource != NULL ? view->resource->handle : 0;
    packet->binding.offset_bytes = view->offset;
    packet->binding.size_bytes = view->size;
    packet->binding.reserved0 = 0;
    return true;
}

/* The number of slots up to the last used one, after slot changed. */
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

bool agpu_bind_view(struct agpu_context *context, enum agpu_stage stage, uint32_t slot,
                    const struct agpu_bound_view *view)
{
    struct agpu_stage_state *state = &context->stages[stage];
    struct agpu_stage_code code = agpu_stage_code(stage);

    /* Textures and buffers share the slots, but each kind is emptied by its own packet (umd.md 11,
     * ClearState). */
    bool buffer = is_buffer_view(view) || (view->resource == NULL && is_buffer_view(&state->views[slot]));
    bool recorded = buffer ? emit_set_buffer_view(context, code, slot, view)
                           : emit_set_texture(context, code, slot, agpu_view_handle(view));
    if (!recorded) {
        return false;
    }
    state->views[slot] = *view;
    adjust_view_top(state, slot);
    agpu_list_at_draw(context, view->resource, AGPU_PENDING_VIEWS);
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
