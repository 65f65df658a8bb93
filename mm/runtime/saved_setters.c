/* saved_setters.c: wrappers around the setters of the immediate context: each calls the driver, then records the
 * resulting state (umd.md 15). */
#include "mm/runtime/saved_setters.h"

#include "mm/runtime/saved_records.h"

#include <string.h>

/* Clips count slots from start on to the existing ones. */
static uint32_t clip(uint32_t limit, uint32_t start, uint32_t count)
{
    uint32_t room = start < limit ? limit - start : 0;

    return count < room ? count : room;
}

/* Stores handles of any type from an array; NULL for all null. */
static void keep(void **slots, uint32_t limit, uint32_t start, uint32_t count, const void *handles)
{
    void *const *each = handles;

    for (uint32_t i = 0; i < clip(limit, start, count); i++) {
        slots[start + i] = each != NULL ? each[i] : NULL;
    }
}

/* True when the driver refused the arguments, which leaves all state as it was. Other errors (not implemented, out of
 * memory) do not matter here: the driver's state is then the same as after success. */
static bool was_refused(const struct agpu_saved_state *state, uint32_t errors_before)
{
    return state->owner->errors.count != errors_before && state->owner->errors.last == E_INVALIDARG;
}

/* ---- bindings that unbind others (umd.md 10.1) ---- */

static void empty_views_of(const struct agpu_saved_state *state, void **slots, uint32_t count,
                           const void *resource)
{
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i] != NULL && agpu_saved_view_resource(state, slots[i]) == resource) {
            slots[i] = NULL;
        }
    }
}

/* Unbinds as outputs the views that become inputs. */
static void take_outputs_of(struct agpu_saved_state *state, const void *views, uint32_t count)
{
    void *const *each = views;
    struct agpu_saved *saved = &state->saved;

    for (uint32_t i = 0; each != NULL && i < count; i++) {
        const void *resource = agpu_saved_view_resource(state, each[i]);

        if (resource != NULL) {
            empty_views_of(state, saved->targets, AGPU_DDI_RENDER_TARGET_SLOTS, resource);
            empty_views_of(state, &saved->depth_view, 1, resource);
            empty_views_of(state, saved->uavs, AGPU_DDI_UAV_SLOTS, resource);
        }
    }
}

/* Unbinds as inputs the views that become outputs. */
static void take_inputs_of(struct agpu_saved_state *state, const void *views, uint32_t count)
{
    void *const *each = views;

    for (uint32_t i = 0; each != NULL && i < count; i++) {
        const void *resource = agpu_saved_view_resource(state, each[i]);

        if (resource != NULL) {
            empty_views_of(state, state->saved.views[0], AGPU_SAVED_STAGES * AGPU_DDI_SHADER_RESOURCE_SLOTS,
                           resource);
        }
    }
}

/* ---- the setters ---- */

#define SAVED_STAGE(stage, name, api)                                                                        \
    static void saved_##name##_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)                      \
    {                                                                                                        \
        struct agpu_saved_state *state = agpu_saved_state_of(device);                                        \
                                                                                                             \
        state->saved.shaders[stage] = shader.pDrvPrivate;                                                    \
        state->context.pfn##api##SetShader(device, shader);                                                  \
    }                                                                                                        \
                                                                                                             \
    static void saved_##name##_constants(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,            \
                                         const D3D10DDI_HRESOURCE *buffers)                                  \
    {                                                                                                        \
        struct agpu_saved_state *state = agpu_saved_state_of(device);                                        \
                                                                                                             \
        keep(state->saved.constants[stage], AGPU_DDI_CONSTANT_BUFFER_SLOTS, start, count, buffers);          \
        state->context.pfn##api##SetConstantBuffers(device, start, count, buffers);                          \
    }                                                                                                        \
                                                                                                             \
    static void saved_##name##_views(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,                \
                                     const D3D10DDI_HSHADERRESOURCEVIEW *views)                              \
    {                                                                                                        \
        struct agpu_saved_state *state = agpu_saved_state_of(device);                                        \
                                                                                                             \
        take_outputs_of(state, views, clip(AGPU_DDI_SHADER_RESOURCE_SLOTS, start, count));                   \
        keep(state->saved.views[stage], AGPU_DDI_SHADER_RESOURCE_SLOTS, start, count, views);                \
        state->context.pfn##api##SetShaderResources(device, start, count, views);                            \
    }                                                                                                        \
                                                                                                             \
    static void saved_##name##_samplers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,             \
                                        const D3D10DDI_HSAMPLER *samplers)                                   \
    {                                                                                                        \
        struct agpu_saved_state *state = agpu_saved_state_of(device);                                        \
                                                                                                             \
        keep(state->saved.samplers[stage], AGPU_DDI_SAMPLER_SLOTS, start, count, samplers);                  \
        state->context.pfn##api##SetSamplers(device, start, count, samplers);                                \
    }
AGPU_SAVED_EACH_STAGE(SAVED_STAGE)

static void saved_uavs(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                       const D3D11DDI_HUNORDEREDACCESSVIEW *views, const uint32_t *initial_counts)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);

    take_inputs_of(state, views, clip(AGPU_DDI_UAV_SLOTS, start, count));
    keep(state->saved.uavs, AGPU_DDI_UAV_SLOTS, start, count, views);
    state->context.pfnCsSetUnorderedAccessViews(device, start, count, views, initial_counts);
}

static void saved_layout(D3D10DDI_HDEVICE device, D3D10DDI_HELEMENTLAYOUT layout)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);

    state->saved.layout = layout.pDrvPrivate;
    state->context.pfnIaSetInputLayout(device, layout);
}

static void saved_vertex_buffers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                                 const D3D10DDI_HRESOURCE *buffers, const uint32_t *strides,
                                 const uint32_t *offsets)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);
    struct agpu_saved *saved = &state->saved;
    uint32_t before = state->owner->errors.count;

    state->context.pfnIaSetVertexBuffers(device, start, count, buffers, strides, offsets);
    if (was_refused(state, before)) {
        return;
    }
    /* A count of 0 unbinds all slots from start on (umd.md 10). */
    keep(saved->vertex, AGPU_DDI_VERTEX_BUFFER_SLOTS, start,
         count != 0 ? count : AGPU_DDI_VERTEX_BUFFER_SLOTS, count != 0 ? buffers : NULL);
    for (uint32_t i = 0; i < count && strides != NULL && offsets != NULL; i++) {
        if (start < AGPU_DDI_VERTEX_BUFFER_SLOTS && i < AGPU_DDI_VERTEX_BUFFER_SLOTS - start) {
            saved->strides[start + i] = strides[i];
            saved->offsets[start + i] = offsets[i];
        }
    }
}

static void saved_index_buffer(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE buffer, uint32_t format,
                               uint32_t offset)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnIaSetIndexBuffer(device, buffer, format, offset);
    if (was_refused(state, before)) {
        return;
    }
    state->saved.index = buffer.pDrvPrivate;
    state->saved.index_format = format;
    state->saved.index_offset = offset;
}

static void saved_topology(D3D10DDI_HDEVICE device, uint32_t topology)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);

    state->saved.topology = topology;
    state->context.pfnIaSetTopology(device, topology);
}

static void saved_viewports(D3D10DDI_HDEVICE device, uint32_t count, uint32_t clear_slots,
                            const D3D10_DDI_VIEWPORT *viewports)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnSetViewports(device, count, clear_slots, viewports);
    if (was_refused(state, before)) {
        return;
    }
    state->saved.viewport_count = clip(AGPU_SAVED_RECTS_MAX, 0, count);
    for (uint32_t i = 0; i < state->saved.viewport_count; i++) {
        state->saved.viewports[i] = viewports[i];
    }
}

static void saved_scissors(D3D10DDI_HDEVICE device, uint32_t count, uint32_t clear_slots,
                           const D3D10_DDI_RECT *rects)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnSetScissorRects(device, count, clear_slots, rects);
    if (was_refused(state, before)) {
        return;
    }
    state->saved.scissor_count = clip(AGPU_SAVED_RECTS_MAX, 0, count);
    for (uint32_t i = 0; i < state->saved.scissor_count; i++) {
        state->saved.scissors[i] = rects[i];
    }
}

static void saved_rasterizer(D3D10DDI_HDEVICE device, D3D10DDI_HRASTERIZERSTATE object)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);

    state->saved.rasterizer = object.pDrvPrivate;
    state->context.pfnSetRasterizerState(device, object);
}

static void saved_blend(D3D10DDI_HDEVICE device, D3D10DDI_HBLENDSTATE object, const float *factor,
                        uint32_t sample_mask)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);

    state->saved.blend = object.pDrvPrivate;
    state->saved.has_blend = true;
    state->saved.has_factor = factor != NULL;
    if (factor != NULL) {
        memcpy(state->saved.factor, factor, sizeof state->saved.factor);
    }
    state->saved.sample_mask = sample_mask;
    state->context.pfnSetBlendState(device, object, factor, sample_mask);
}

static void saved_depth(D3D10DDI_HDEVICE device, D3D10DDI_HDEPTHSTENCILSTATE object, uint32_t stencil_ref)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);

    state->saved.depth = object.pDrvPrivate;
    state->saved.stencil_ref = stencil_ref;
    state->context.pfnSetDepthStencilState(device, object, stencil_ref);
}

static void keep_targets(struct agpu_saved_state *state, const D3D10DDI_HRENDERTARGETVIEW *views,
                         uint32_t count, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    struct agpu_saved *saved = &state->saved;

    take_inputs_of(state, views, clip(AGPU_DDI_RENDER_TARGET_SLOTS, 0, count));
    take_inputs_of(state, &depth, 1);
    memset(saved->targets, 0, sizeof saved->targets);
    keep(saved->targets, AGPU_DDI_RENDER_TARGET_SLOTS, 0, count, views);
    saved->target_count = clip(AGPU_DDI_RENDER_TARGET_SLOTS, 0, count);
    saved->depth_view = depth.pDrvPrivate;
}

static void saved_targets(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views, uint32_t count,
                          uint32_t clear_slots, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnSetRenderTargets(device, views, count, clear_slots, depth);
    if (!was_refused(state, before)) {
        keep_targets(state, views, count, depth);
    }
}

static void saved_targets_and_uavs(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views,
                                   uint32_t count, D3D10DDI_HDEPTHSTENCILVIEW depth,
                                   const D3D11DDI_HUNORDEREDACCESSVIEW *uavs, const uint32_t *initial_counts,
                                   uint32_t first_uav, uint32_t uav_count)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnSetRenderTargetsAndUnorderedAccessViews(device, views, count, depth, uavs,
                                                              initial_counts, first_uav, uav_count);
    if (!was_refused(state, before)) { /* refused views leave the targets unchanged */
        keep_targets(state, views, count, depth);
    }
}

static void saved_clear_state(D3D10DDI_HDEVICE device)
{
    struct agpu_saved_state *state = agpu_saved_state_of(device);

    memset(&state->saved, 0, sizeof state->saved);
    state->context.pfnClearState(device);
}

void agpu_saved_setters_put(struct agpu_api_context *context)
{
#define PUT_STAGE(stage, name, api)                                                                          \
    context->pfn##api##SetShader = saved_##name##_shader;                                                    \
    context->pfn##api##SetConstantBuffers = saved_##name##_constants;                                        \
    context->pfn##api##SetShaderResources = saved_##name##_views;                                            \
    context->pfn##api##SetSamplers = saved_##name##_samplers;
    AGPU_SAVED_EACH_STAGE(PUT_STAGE)
    context->pfnCsSetUnorderedAccessViews = saved_uavs;
    context->pfnIaSetInputLayout = saved_layout;
    context->pfnIaSetVertexBuffers = saved_vertex_buffers;
    context->pfnIaSetIndexBuffer = saved_index_buffer;
    context->pfnIaSetTopology = saved_topology;
    context->pfnSetViewports = saved_viewports;
    context->pfnSetScissorRects = saved_scissors;
    context->pfnSetRasterizerState = saved_rasterizer;
    context->pfnSetBlendState = saved_blend;
    context->pfnSetDepthStencilState = saved_depth;
    context->pfnSetRenderTargets = saved_targets;
    context->pfnSetRenderTargetsAndUnorderedAccessViews = saved_targets_and_uavs;
    context->pfnClearState = saved_clear_state;
}
