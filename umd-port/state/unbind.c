/* unbind.c: removes a destroyed resource from its slots (umd.md 5.7, 10). */
#include "umd-port/state/unbind.h"

#include "umd-port/base/device.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/input.h"
#include "umd-port/state/stages.h"

static const struct agpu_bound_view nothing;

/* Targets are compared by object: an alias that remains keeps its slots. */
static bool unbind_target(struct agpu_context *context, const struct agpu_resource *resource)
{
    struct agpu_target_set targets = context->targets;
    bool hit = targets.depth.resource == resource;

    if (hit) {
        targets.depth = nothing;
    }
    for (uint32_t slot = 0; slot < targets.count; slot++) {
        if (targets.colors[slot].resource == resource) {
            targets.colors[slot] = nothing;
            hit = true;
        }
    }
    if (!hit) {
        return true;
    }
    bool recorded = agpu_bind_targets(context, &targets);
    context->targets = targets;
    return recorded;
}

static bool unbind_views(struct agpu_context *context, const struct agpu_resource *resource)
{
    bool recorded = agpu_unbind_views_of(context, resource);

    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT && !recorded; stage++) {
        for (uint32_t slot = 0; slot < context->stages[stage].view_top; slot++) {
            if (context->stages[stage].views[slot].resource == resource) {
                context->stages[stage].views[slot] = nothing;
            }
        }
    }
    return recorded;
}

static bool unbind_vertices(struct agpu_context *context, const struct agpu_resource *resource, bool record)
{
    static const struct agpu_bound_vertices none;
    bool recorded = true;

    for (uint32_t slot = 0; slot < context->vertex_top; slot++) {
        if (context->vertices[slot].buffer == resource) {
            recorded = record && recorded && agpu_bind_vertex_buffers(context, slot, 1, &none);
            context->vertices[slot] = none;
        }
    }
    if (context->index_buffer == resource) {
        recorded =
            record && recorded && agpu_bind_index_buffer(context, NULL, AEROGPU_INDEX_FORMAT_UINT16, 0);
        context->index_buffer = NULL;
    }
    return recorded || !record;
}

static bool unbind_constants(struct agpu_context *context, const struct agpu_resource *resource, bool record)
{
    static const struct agpu_bound_constants none;
    bool recorded = true;

    for (uint32_t slot = 0; slot < AGPU_DDI_CONSTANT_BUFFER_SLOTS; slot++) {
        for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
            struct agpu_stage_state *state = &context->stages[stage];

            if (slot >= state->constant_top || state->constants[slot].buffer != resource) {
                continue;
            }
            recorded =
                record && recorded && agpu_bind_constants(context, (enum agpu_stage)stage, slot, 1, &none);
            state->constants[slot] = none;
        }
    }
    return recorded || !record;
}

static bool unbind_uavs(struct agpu_context *context, const struct agpu_resource *resource)
{
    bool recorded = true;

    for (uint32_t slot = 0; slot < context->uav_top; slot++) {
        if (context->uavs[slot].resource == resource) {
            recorded = recorded && agpu_bind_uavs(context, slot, 1, &nothing, NULL);
            context->uavs[slot] = nothing;
        }
    }
    return recorded;
}

/* The device removes a destroyed buffer from its slots itself (commands.md 15); the portable reference driver relies on
 * that. */
bool agpu_unbind_destroyed(struct agpu_context *context, struct agpu_resource *resource)
{
    bool record = agpu_mode(context->device) == AGPU_BACKING_WDK;
    bool recorded = unbind_target(context, resource);

    recorded = unbind_views(context, resource) && recorded;
    if (resource->kind != AGPU_KIND_BUFFER) {
        return recorded;
    }
    recorded = unbind_uavs(context, resource) && recorded;
    recorded = unbind_constants(context, resource, record) && recorded;
    return unbind_vertices(context, resource, record) && recorded;
}
