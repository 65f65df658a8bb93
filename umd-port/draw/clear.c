/* clear.c: clears of views. CLEAR affects all bound targets, so a view that is not the only bound one is bound
 * temporarily (umd.md 11). */
#include "umd-port/draw/clear.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/trace.h"
#include "umd-port/draw/clear_mirror.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/fixed.h"
#include "umd-port/state/objects.h"

struct clear_values {
    uint32_t flags; /* AEROGPU_CLEAR_* */
    float color[4];
    float depth;
    uint32_t stencil;
};

static bool emit_clear_packet(struct agpu_cmd_writer *cmd, const struct clear_values *clear)
{
    struct aerogpu_cmd_clear *packet = agpu_cmd_reserve(cmd, AEROGPU_CMD_CLEAR, sizeof *packet);

    if (packet == NULL) {
        return false;
    }
    packet->flags = clear->flags;
    memcpy(packet->color_rgba_f32, clear->color, sizeof clear->color);
    memcpy(&packet->depth_f32, &clear->depth, sizeof clear->depth);
    packet->stencil = clear->stencil;
    return true;
}

/* Direct3D clears whole views, but some devices clip CLEAR to the scissor rectangle (commands.md 11). */
static bool emit_clear(struct agpu_context *context, const struct clear_values *clear)
{
    const struct aerogpu_rasterizer_state before = context->rasterizer;
    struct aerogpu_rasterizer_state unscissored = before;

    if (!before.scissor_enable) {
        return emit_clear_packet(&context->cmd, clear);
    }
    unscissored.scissor_enable = 0;
    bool recorded = agpu_emit_rasterizer_state(context, &unscissored) &&
                    emit_clear_packet(&context->cmd, clear) && agpu_emit_rasterizer_state(context, &before);
    context->rasterizer = before;
    return recorded;
}

/* Binding a texture as target empties the device's view slots that hold it (commands.md 8). A clear must not, so bind
 * them again. */
static bool rebind_views_of(struct agpu_context *context, const struct agpu_resource *resource)
{
    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        for (uint32_t slot = 0; slot < context->stages[stage].view_top; slot++) {
            const struct agpu_bound_view view = context->stages[stage].views[slot];

            if (view.resource != NULL && agpu_same_memory(view.resource, resource) &&
                !agpu_bind_view(context, (enum agpu_stage)stage, slot, &view)) {
                return false;
            }
        }
    }
    return true;
}

static HRESULT clear_unbound(struct agpu_context *context, const struct agpu_target_set *only,
                             struct agpu_resource *resource, const struct clear_values *clear)
{
    struct agpu_device *device = context->device;
    struct agpu_operation operation;
    HRESULT hr = agpu_begin_operation(device, 1, &operation);

    if (FAILED(hr)) {
        return hr;
    }
    return agpu_track(device, resource, true) && agpu_emit_targets(context, only) &&
                   emit_clear(context, clear) && agpu_emit_targets(context, &context->targets) &&
                   rebind_views_of(context, resource)
               ? S_OK
               : agpu_undo_operation(device, &operation);
}

static HRESULT clear_bound(struct agpu_context *context, const struct clear_values *clear)
{
    HRESULT hr = agpu_prepare_draw(context);

    if (FAILED(hr)) {
        return hr;
    }
    const struct agpu_operation operation = agpu_mark_operation(context->device);
    return emit_clear(context, clear) ? S_OK : agpu_undo_operation(context->device, &operation);
}

static bool same_view_bound(const struct agpu_bound_view *a, const struct agpu_bound_view *b)
{
    return a->resource == b->resource && a->view == b->view;
}

void agpu_clear_rtv(D3D10DDI_HDEVICE handle, D3D10DDI_HRENDERTARGETVIEW view_handle, const float *rgba)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_target_set only = {.count = 1, .colors = {agpu_bound_view_of(view_handle.pDrvPrivate)}};
    struct agpu_resource *resource = only.colors[0].resource;

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "ClearRenderTargetView handle=%u", agpu_view_handle(&only.colors[0]));
    if (resource == NULL || rgba == NULL) {
        return;
    }
    struct clear_values clear = {.flags = AEROGPU_CLEAR_COLOR, .depth = 1};
    memcpy(clear.color, rgba, sizeof clear.color);
    bool oom_before = context->device->list_oom;
    bool bound_alone =
        context->targets.count == 1 && same_view_bound(&context->targets.colors[0], &only.colors[0]);
    HRESULT hr = bound_alone ? clear_bound(context, &clear) : clear_unbound(context, &only, resource, &clear);
    if (FAILED(hr)) {
        agpu_report_unreported(context, oom_before, hr);
    } else {
        agpu_mirror_clear(context->device, view_handle.pDrvPrivate, rgba);
    }
}

void agpu_clear_dsv(D3D10DDI_HDEVICE handle, D3D10DDI_HDEPTHSTENCILVIEW view_handle, uint32_t flags,
                    float depth, uint8_t stencil)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_target_set only = {.depth = agpu_bound_view_of(view_handle.pDrvPrivate)};

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "ClearDepthStencilView handle=%u flags=0x%X stencil=%u",
                   agpu_view_handle(&only.depth), flags, stencil);
    if (only.depth.resource == NULL) {
        return;
    }
    struct clear_values clear = {.depth = depth, .stencil = stencil};
    if (flags & D3D10_DDI_CLEAR_DEPTH) {
        clear.flags |= AEROGPU_CLEAR_DEPTH;
    }
    if (flags & D3D10_DDI_CLEAR_STENCIL) {
        clear.flags |= AEROGPU_CLEAR_STENCIL;
    }
    bool oom_before = context->device->list_oom;
    HRESULT hr = same_view_bound(&context->targets.depth, &only.depth)
                     ? clear_bound(context, &clear)
                     : clear_unbound(context, &only, only.depth.resource, &clear);
    if (FAILED(hr)) {
        agpu_report_unreported(context, oom_before, hr);
    }
}
