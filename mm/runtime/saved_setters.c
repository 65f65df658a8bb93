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
static bool was_refused(const struct agpu_kept_state *state, uint32_t errors_before)
{
    return state->owner->errors.count != errors_before && state->owner->errors.last == E_INVALIDARG;
}

/* ---- bindings that unbind others (umd.md 10.1) ---- */

static void empty_views_of(const struct agpu_kept_state *state, void **slots, uint32_t count,
                           const void *resource)
{
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i] != NULL && agpu_kept_view_resource(state, slots[i]) == resource) {
            slots[i] = NULL;
        }
    }
}

/* Unbinds as outputs the views that become inputs. */
static void take_outputs_of(struct agpu_kept_state *state, const void *views, uint32_t count)
{
    void *const *each = views;
    struct agpu_kept *kept = &state->kept;

    for (uint32_t i = 0; each != NULL && i < count; i++) {
        const void *resource = agpu_kept_view_resource(state, each[i]);

        if (resource != NULL) {
            empty_views_of(state, kept->targets, AGPU_DDI_RENDER_TARGET_SLOTS, resource);
            empty_views_of(state, &kept->depth_view, 1, resource);
            empty_views_of(state, kept->uavs, AGPU_DDI_UAV_SLOTS, resource);
        }
    }
}

/* Unbinds as inputs the views that become outputs. */
static void take_inputs_of(struct agpu_kept_state *state, const void *views, uint32_t count)
{
    void *const *each = views;

    for (uint32_t i = 0; each != NULL && i < count; i++) {
        const void *resource = agpu_kept_view_resource(state, each[i]);

        if (resource != NULL) {
            empty_views_of(state, state->kept.views[0], AGPU_KEPT_STAGES * AGPU_DDI_SHADER_RESOURCE_SLOTS,
                           resource);
        }
    }
}

/* ---- the setters ---- */

#define KEPT_STAGE(stage, name, api)                                                                         \
    static void kept_##name##_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)                       \
    {                                                                                                        \
        struct agpu_kept_state *state = agpu_kept_state_of(device);                                          \
                                                                                                             \
        state->kept.shaders[stage] = shader.pDrvPrivate;                                                     \
        state->context.pfn##api##SetShader(device, shader);                                                  \
    }                                                                                                        \
                                                                                                             \
    static void kept_##name##_constants(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,             \
                                        const D3D10DDI_HRESOURCE *buffers)                                   \
    {                                                                                                        \
        struct agpu_kept_state *state = agpu_kept_state_of(device);                                          \
                                                                                                             \
        keep(state->kept.constants[stage], AGPU_DDI_CONSTANT_BUFFER_SLOTS, start, count, buffers);           \
        state->context.pfn##api##SetConstantBuffers(device, start, count, buffers);                          \
    }                                                                                                        \
                                                                                                             \
    static void kept_##name##_views(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,                 \
                                    const D3D10DDI_HSHADERRESOURCEVIEW *views)                               \
    {                                                                                                        \
        struct agpu_kept_state *state = agpu_kept_state_of(device);                                          \
                                                                                                             \
        take_outputs_of(state, views, clip(AGPU_DDI_SHADER_RESOURCE_SLOTS, start, count));                   \
        keep(state->kept.views[stage], AGPU_DDI_SHADER_RESOURCE_SLOTS, start, count, views);                 \
        state->context.pfn##api##SetShaderResources(device, start, count, views);                            \
    }                                                                                                        \
                                                                                                             \
    static void kept_##name##_samplers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,              \
                                       const D3D10DDI_HSAMPLER *samplers)                                    \
    {                                                                                                        \
        struct agpu_kept_state *state = agpu_kept_state_of(device);                                          \
                                                                                                             \
        keep(state->kept.samplers[stage], AGPU_DDI_SAMPLER_SLOTS, start, count, samplers);                   \
        state->context.pfn##api##SetSamplers(device, start, count, samplers);                                \
    }
AGPU_KEPT_EACH_STAGE(KEPT_STAGE)

static void kept_uavs(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                      const D3D11DDI_HUNORDEREDACCESSVIEW *views, const uint32_t *initial_counts)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);

    take_inputs_of(state, views, clip(AGPU_DDI_UAV_SLOTS, start, count));
    keep(state->kept.uavs, AGPU_DDI_UAV_SLOTS, start, count, views);
    state->context.pfnCsSetUnorderedAccessViews(device, start, count, views, initial_counts);
}

static void kept_layout(D3D10DDI_HDEVICE device, D3D10DDI_HELEMENTLAYOUT layout)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);

    state->kept.layout = layout.pDrvPrivate;
    state->context.pfnIaSetInputLayout(device, layout);
}

static void kept_vertex_buffers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                                const D3D10DDI_HRESOURCE *buffers, const uint32_t *strides,
                                const uint32_t *offsets)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);
    struct agpu_kept *kept = &state->kept;
    uint32_t before = state->owner->errors.count;

    state->context.pfnIaSetVertexBuffers(device, start, count, buffers, strides, offsets);
    if (was_refused(state, before)) {
        return;
    }
    /* A count of 0 unbinds all slots from start on (umd.md 10). */
    keep(kept->vertex, AGPU_DDI_VERTEX_BUFFER_SLOTS, start, count != 0 ? count : AGPU_DDI_VERTEX_BUFFER_SLOTS,
         count != 0 ? buffers : NULL);
    for (uint32_t i = 0; i < count && strides != NULL && offsets != NULL; i++) {
        if (start < AGPU_DDI_VERTEX_BUFFER_SLOTS && i < AGPU_DDI_VERTEX_BUFFER_SLOTS - start) {
            kept->strides[start + i] = strides[i];
            kept->offsets[start + i] = offsets[i];
        }
    }
}

static void kept_index_buffer(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE buffer, uint32_t format,
                              uint32_t offset)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnIaSetIndexBuffer(device, buffer, format, offset);
    if (was_refused(state, before)) {
        return;
    }
    state->kept.index = buffer.pDrvPrivate;
    state->kept.index_format = format;
    state->kept.index_offset = offset;
}

static void kept_topology(D3D10DDI_HDEVICE device, uint32_t topology)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);

    state->kept.topology = topology;
    state->context.pfnIaSetTopology(device, topology);
}

static void kept_viewports(D3D10DDI_HDEVICE device, uint32_t count, uint32_t clear_slots,
                           const D3D10_DDI_VIEWPORT *viewports)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnSetViewports(device, count, clear_slots, viewports);
    if (was_refused(state, before)) {
        return;
    }
    state->kept.viewport_count = viewports == NULL             ? 0
                                 : count < AGPU_KEPT_RECTS_MAX ? count
                                                               : AGPU_KEPT_RECTS_MAX;
    for (uint32_t i = 0; i < state->kept.viewport_count; i++) {
        state->kept.viewports[i] = viewports[i];
    }
}

static void kept_scissors(D3D10DDI_HDEVICE device, uint32_t count, uint32_t clear_slots,
                          const D3D10_DDI_RECT *rects)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnSetScissorRects(device, count, clear_slots, rects);
    if (was_refused(state, before)) {
        return;
    }
    state->kept.scissor_count = rects == NULL ? 0 : count < AGPU_KEPT_RECTS_MAX ? count : AGPU_KEPT_RECTS_MAX;
    for (uint32_t i = 0; i < state->kept.scissor_count; i++) {
        state->kept.scissors[i] = rects[i];
    }
}

static void kept_rasterizer(D3D10DDI_HDEVICE device, D3D10DDI_HRASTERIZERSTATE object)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);

    state->kept.rasterizer = object.pDrvPrivate;
    state->context.pfnSetRasterizerState(device, object);
}

static void kept_blend(D3D10DDI_HDEVICE device, D3D10DDI_HBLENDSTATE object, const float *factor,
                       uint32_t sample_mask)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);

    state->kept.blend = object.pDrvPrivate;
    state->kept.has_blend = true;
    state->kept.has_factor = factor != NULL;
    if (factor != NULL) {
        memcpy(state->kept.factor, factor, sizeof state->kept.factor);
    }
    state->kept.sample_mask = sample_mask;
    state->context.pfnSetBlendState(device, object, factor, sample_mask);
}

static void kept_depth(D3D10DDI_HDEVICE device, D3D10DDI_HDEPTHSTENCILSTATE object, uint32_t stencil_ref)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);

    state->kept.depth = object.pDrvPrivate;
    state->kept.stencil_ref = stencil_ref;
    state->context.pfnSetDepthStencilState(device, object, stencil_ref);
}

static void keep_targets(struct agpu_kept_state *state, const D3D10DDI_HRENDERTARGETVIEW *views,
                         uint32_t count, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    struct agpu_kept *kept = &state->kept;

    take_inputs_of(state, views, clip(AGPU_DDI_RENDER_TARGET_SLOTS, 0, count));
    take_inputs_of(state, &depth, 1);
    memset(kept->targets, 0, sizeof kept->targets);
    keep(kept->targets, AGPU_DDI_RENDER_TARGET_SLOTS, 0, count, views);
    kept->target_count = clip(AGPU_DDI_RENDER_TARGET_SLOTS, 0, count);
    kept->depth_view = depth.pDrvPrivate;
}

static void kept_targets(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views, uint32_t count,
                         uint32_t clear_slots, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnSetRenderTargets(device, views, count, clear_slots, depth);
    if (!was_refused(state, before)) {
        keep_targets(state, views, count, depth);
    }
}

static void kept_targets_and_uavs(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views,
                                  uint32_t count, D3D10DDI_HDEPTHSTENCILVIEW depth,
                                  const D3D11DDI_HUNORDEREDACCESSVIEW *uavs, const uint32_t *initial_counts,
                                  uint32_t first_uav, uint32_t uav_count)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);
    uint32_t before = state->owner->errors.count;

    state->context.pfnSetRenderTargetsAndUnorderedAccessViews(device, views, count, depth, uavs,
                                                              initial_counts, first_uav, uav_count);
    if (!was_refused(state, before)) { /* refused views leave the targets unchanged */
        keep_targets(state, views, count, depth);
    }
}

static void kept_clear_state(D3D10DDI_HDEVICE device)
{
    struct agpu_kept_state *state = agpu_kept_state_of(device);

    memset(&state->kept, 0, sizeof state->kept);
    state->context.pfnClearState(device);
}

void agpu_kept_setters_put(D3D11DDI_DEVICECONTEXTFUNCS *context)
{
#define PUT_STAGE(stage, name, api)                                                                          \
    context->pfn##api##SetShader = kept_##name##_shader;                                                     \
    context->pfn##api##SetConstantBuffers = kept_##name##_constants;                                         \
    context->pfn##api##SetShaderResources = kept_##name##_views;                                             \
    context->pfn##api##SetSamplers = kept_##name##_samplers;
    AGPU_KEPT_EACH_STAGE(PUT_STAGE)
    context->pfnCsSetUnorderedAccessViews = kept_uavs;
    context->pfnIaSetInputLayout = kept_layout;
    context->pfnIaSetVertexBuffers = kept_vertex_buffers;
    context->pfnIaSetIndexBuffer = kept_index_buffer;
    context->pfnIaSetTopology = kept_topology;
    context->pfnSetViewports = kept_viewports;
    context->pfnSetScissorRects = kept_scissors;
    context->pfnSetRasterizerState = kept_rasterizer;
    context->pfnSetBlendState = kept_blend;
    context->pfnSetDepthStencilState = kept_depth;
    context->pfnSetRenderTargets = kept_targets;
    context->pfnSetRenderTargetsAndUnorderedAccessViews = kept_targets_and_uavs;
    context->pfnClearState = kept_clear_state;
}
