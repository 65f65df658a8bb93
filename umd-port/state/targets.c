/* targets.c: render target and depth-stencil binding with its hazards (umd.md 10). */
#include "umd-port/state/targets.h"

#include "umd-port/base/device.h"
#include "umd-port/base/trace.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/objects.h"

static const struct agpu_bound_view nothing;

static bool slot_shares_memory(const struct agpu_bound_view *slot, const struct agpu_resource *resource)
{
    return slot->resource != NULL && agpu_same_memory(slot->resource, resource);
}

bool agpu_unbind_targets_of(struct agpu_context *context, const struct agpu_resource *resource)
{
    bool hit = slot_shares_memory(&context->targets.depth, resource);

    for (uint32_t slot = 0; slot < context->targets.count; slot++) {
        hit |= slot_shares_memory(&context->targets.colors[slot], resource);
    }
    if (!hit) {
        return true;
    }
    struct agpu_target_set targets = context->targets;
    if (slot_shares_memory(&targets.depth, resource)) {
        targets.depth = nothing;
    }
    for (uint32_t slot = 0; slot < targets.count; slot++) {
        if (slot_shares_memory(&targets.colors[slot], resource)) {
            targets.colors[slot] = nothing;
        }
    }
    return agpu_bind_targets(context, &targets);
}

/* Unbinds each new output as an input, in the order of the outputs, then records the one packet. */
static bool bind_outputs(struct agpu_context *context, const struct agpu_target_set *targets)
{
    for (uint32_t slot = 0; slot < targets->count; slot++) {
        if (targets->colors[slot].resource != NULL &&
            !agpu_unbind_views_of(context, targets->colors[slot].resource)) {
            return false;
        }
    }
    if (targets->depth.resource != NULL && !agpu_unbind_views_of(context, targets->depth.resource)) {
        return false;
    }
    return agpu_bind_targets(context, targets);
}

static HRESULT set_target_views(struct agpu_context *context, const D3D10DDI_HRENDERTARGETVIEW *views,
                                uint32_t count, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    struct agpu_target_set targets = {.count = 0};

    if (count && views == NULL) {
        return E_INVALIDARG;
    }
    targets.count = count < AGPU_DDI_RENDER_TARGET_SLOTS ? count : AGPU_DDI_RENDER_TARGET_SLOTS;
    for (uint32_t slot = 0; slot < targets.count; slot++) {
        targets.colors[slot] = agpu_bound_view_of(views[slot].pDrvPrivate);
    }
    targets.depth = agpu_bound_view_of(depth.pDrvPrivate);
    return bind_outputs(context, &targets) ? S_OK : E_OUTOFMEMORY;
}

void agpu_set_render_targets(D3D10DDI_HDEVICE handle, const D3D10DDI_HRENDERTARGETVIEW *views, uint32_t count,
                             uint32_t clear_slots, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    struct agpu_context *context = agpu_context_of(handle);

    (void)clear_slots;
    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "SetRenderTargets count=%u depth=%u", count, depth.pDrvPrivate != NULL);
    HRESULT hr = set_target_views(context, views, count, depth);
    if (FAILED(hr)) {
        agpu_set_error(context, hr);
    }
}

/* Pixel shaders cannot write unordered buffers here: binds the targets and refuses the rest. */
void agpu_set_render_targets_and_uavs(D3D10DDI_HDEVICE handle, const D3D10DDI_HRENDERTARGETVIEW *views,
                                      uint32_t rtv_count, D3D10DDI_HDEPTHSTENCILVIEW depth,
                                      const D3D11DDI_HUNORDEREDACCESSVIEW *uavs,
                                      const uint32_t *initial_counts, uint32_t first_uav, uint32_t uav_count)
{
    struct agpu_context *context = agpu_context_of(handle);

    (void)initial_counts, (void)first_uav;
    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "SetRenderTargetsAndUnorderedAccessViews count=%u depth=%u uavs=%u", rtv_count,
                   depth.pDrvPrivate != NULL, uav_count);
    HRESULT hr = set_target_views(context, views, rtv_count, depth);
    for (uint32_t i = 0; uavs != NULL && i < uav_count && SUCCEEDED(hr); i++) {
        if (uavs[i].pDrvPrivate != NULL) {
            hr = E_NOTIMPL;
        }
    }
    if (FAILED(hr)) { /* the first failure, once per call */
        agpu_set_error(context, hr);
    }
}
