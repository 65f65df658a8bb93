/* kept_state.c: listening to the setters of the immediate context, and setting it all again (umd.md 15). */
#include "mm/runtime/kept_state.h"

#include "mm/runtime/types.h"

#include <string.h>

#define STAGES    6u
#define RECTS_MAX 16u

enum { VS, PS, GS, HS, DS, CS };

/* Handles are kept as pointers: null is null in all of them. */
struct kept {
    void *shaders[STAGES];
    void *constants[STAGES][AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    void *views[STAGES][AGPU_DDI_SHADER_RESOURCE_SLOTS];
    void *samplers[STAGES][AGPU_DDI_SAMPLER_SLOTS];
    void *uavs[AGPU_DDI_UAV_SLOTS];
    void *layout;
    void *vertex[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    uint32_t strides[AGPU_DDI_VERTEX_BUFFER_SLOTS], offsets[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    void *index;
    uint32_t index_format, index_offset;
    uint32_t topology; /* 0: never set */
    D3D10_DDI_VIEWPORT viewports[RECTS_MAX];
    D3D10_DDI_RECT scissors[RECTS_MAX];
    uint32_t viewport_count, scissor_count;
    void *rasterizer, *blend, *depth;
    float factor[4];
    bool has_factor, has_blend;
    uint32_t sample_mask, stencil_ref;
    void *targets[AGPU_DDI_RENDER_TARGET_SLOTS];
    uint32_t target_count;
    void *depth_view;
    bool targets_last; /* of targets and views, which take each other out of the slots (umd.md 10.1) */
};

struct agpu_kept_state {
    struct agpu_kept_state *next;
    struct agpu_memory *memory;
    D3D10DDI_HDEVICE device;
    D3D11DDI_DEVICEFUNCS funcs; /* the driver's */
    D3D11DDI_DEVICECONTEXTFUNCS context;
    struct kept kept;
};

/* Devices of this process: the entries are told nothing but the device. */
static struct agpu_kept_state *first_state;

static struct agpu_kept_state *state_of(D3D10DDI_HDEVICE device)
{
    struct agpu_kept_state *state = first_state;

    while (state->device.pDrvPrivate != device.pDrvPrivate && state->next != NULL) {
        state = state->next;
    }
    return state;
}

/* Handles of any type from an array, NULL for all null. */
static void keep(void **slots, uint32_t limit, uint32_t start, uint32_t count, const void *handles)
{
    void *const *each = handles;

    for (uint32_t i = 0; i < count && start < limit && i < limit - start; i++) {
        slots[start + i] = each != NULL ? each[i] : NULL;
    }
}

/* ---- setters ---- */

#define KEPT_STAGE(stage, name, api)                                                                         \
    static void kept_##name##_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)                       \
    {                                                                                                        \
        struct agpu_kept_state *state = state_of(device);                                                    \
                                                                                                             \
        state->kept.shaders[stage] = shader.pDrvPrivate;                                                     \
        state->context.pfn##api##SetShader(device, shader);                                                  \
    }                                                                                                        \
                                                                                                             \
    static void kept_##name##_constants(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,             \
                                        const D3D10DDI_HRESOURCE *buffers)                                   \
    {                                                                                                        \
        struct agpu_kept_state *state = state_of(device);                                                    \
                                                                                                             \
        keep(state->kept.constants[stage], AGPU_DDI_CONSTANT_BUFFER_SLOTS, start, count, buffers);           \
        state->context.pfn##api##SetConstantBuffers(device, start, count, buffers);                          \
    }                                                                                                        \
                                                                                                             \
    static void kept_##name##_views(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,                 \
                                    const D3D10DDI_HSHADERRESOURCEVIEW *views)                               \
    {                                                                                                        \
        struct agpu_kept_state *state = state_of(device);                                                    \
                                                                                                             \
        keep(state->kept.views[stage], AGPU_DDI_SHADER_RESOURCE_SLOTS, start, count, views);                 \
        state->kept.targets_last = false;                                                                    \
        state->context.pfn##api##SetShaderResources(device, start, count, views);                            \
    }                                                                                                        \
                                                                                                             \
    static void kept_##name##_samplers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,              \
                                       const D3D10DDI_HSAMPLER *samplers)                                    \
    {                                                                                                        \
        struct agpu_kept_state *state = state_of(device);                                                    \
                                                                                                             \
        keep(state->kept.samplers[stage], AGPU_DDI_SAMPLER_SLOTS, start, count, samplers);                   \
        state->context.pfn##api##SetSamplers(device, start, count, samplers);                                \
    }
#define EACH_STAGE(X) X(VS, vs, Vs) X(PS, ps, Ps) X(GS, gs, Gs) X(HS, hs, Hs) X(DS, ds, Ds) X(CS, cs, Cs)
EACH_STAGE(KEPT_STAGE)

static void kept_uavs(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                      const D3D11DDI_HUNORDEREDACCESSVIEW *views, const uint32_t *initial_counts)
{
    struct agpu_kept_state *state = state_of(device);

    keep(state->kept.uavs, AGPU_DDI_UAV_SLOTS, start, count, views);
    state->context.pfnCsSetUnorderedAccessViews(device, start, count, views, initial_counts);
}

static void kept_layout(D3D10DDI_HDEVICE device, D3D10DDI_HELEMENTLAYOUT layout)
{
    struct agpu_kept_state *state = state_of(device);

    state->kept.layout = layout.pDrvPrivate;
    state->context.pfnIaSetInputLayout(device, layout);
}

static void kept_vertex_buffers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                                const D3D10DDI_HRESOURCE *buffers, const uint32_t *strides,
                                const uint32_t *offsets)
{
    struct agpu_kept_state *state = state_of(device);
    struct kept *kept = &state->kept;

    /* No count unbinds all from start on (umd.md 10). */
    keep(kept->vertex, AGPU_DDI_VERTEX_BUFFER_SLOTS, start, count != 0 ? count : AGPU_DDI_VERTEX_BUFFER_SLOTS,
         count != 0 ? buffers : NULL);
    for (uint32_t i = 0; i < count && strides != NULL && offsets != NULL; i++) {
        if (start < AGPU_DDI_VERTEX_BUFFER_SLOTS && i < AGPU_DDI_VERTEX_BUFFER_SLOTS - start) {
            kept->strides[start + i] = strides[i];
            kept->offsets[start + i] = offsets[i];
        }
    }
    state->context.pfnIaSetVertexBuffers(device, start, count, buffers, strides, offsets);
}

static void kept_index_buffer(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE buffer, uint32_t format,
                              uint32_t offset)
{
    struct agpu_kept_state *state = state_of(device);

    state->kept.index = buffer.pDrvPrivate;
    state->kept.index_format = format;
    state->kept.index_offset = offset;
    state->context.pfnIaSetIndexBuffer(device, buffer, format, offset);
}

static void kept_topology(D3D10DDI_HDEVICE device, uint32_t topology)
{
    struct agpu_kept_state *state = state_of(device);

    state->kept.topology = topology;
    state->context.pfnIaSetTopology(device, topology);
}

static void kept_viewports(D3D10DDI_HDEVICE device, uint32_t count, uint32_t clear_slots,
                           const D3D10_DDI_VIEWPORT *viewports)
{
    struct agpu_kept_state *state = state_of(device);

    state->kept.viewport_count = viewports == NULL ? 0 : count < RECTS_MAX ? count : RECTS_MAX;
    for (uint32_t i = 0; i < state->kept.viewport_count; i++) {
        state->kept.viewports[i] = viewports[i];
    }
    state->context.pfnSetViewports(device, count, clear_slots, viewports);
}

static void kept_scissors(D3D10DDI_HDEVICE device, uint32_t count, uint32_t clear_slots,
                          const D3D10_DDI_RECT *rects)
{
    struct agpu_kept_state *state = state_of(device);

    state->kept.scissor_count = rects == NULL ? 0 : count < RECTS_MAX ? count : RECTS_MAX;
    for (uint32_t i = 0; i < state->kept.scissor_count; i++) {
        state->kept.scissors[i] = rects[i];
    }
    state->context.pfnSetScissorRects(device, count, clear_slots, rects);
}

static void kept_rasterizer(D3D10DDI_HDEVICE device, D3D10DDI_HRASTERIZERSTATE object)
{
    struct agpu_kept_state *state = state_of(device);

    state->kept.rasterizer = object.pDrvPrivate;
    state->context.pfnSetRasterizerState(device, object);
}

static void kept_blend(D3D10DDI_HDEVICE device, D3D10DDI_HBLENDSTATE object, const float *factor,
                       uint32_t sample_mask)
{
    struct agpu_kept_state *state = state_of(device);

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
    struct agpu_kept_state *state = state_of(device);

    state->kept.depth = object.pDrvPrivate;
    state->kept.stencil_ref = stencil_ref;
    state->context.pfnSetDepthStencilState(device, object, stencil_ref);
}

static void keep_targets(struct kept *kept, const D3D10DDI_HRENDERTARGETVIEW *views, uint32_t count,
                         D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    memset(kept->targets, 0, sizeof kept->targets);
    keep(kept->targets, AGPU_DDI_RENDER_TARGET_SLOTS, 0, count, views);
    kept->target_count = count < AGPU_DDI_RENDER_TARGET_SLOTS ? count : AGPU_DDI_RENDER_TARGET_SLOTS;
    kept->depth_view = depth.pDrvPrivate;
    kept->targets_last = true;
}

static void kept_targets(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views, uint32_t count,
                         uint32_t clear_slots, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    struct agpu_kept_state *state = state_of(device);

    keep_targets(&state->kept, views, count, depth);
    state->context.pfnSetRenderTargets(device, views, count, clear_slots, depth);
}

static void kept_targets_and_uavs(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views,
                                  uint32_t count, D3D10DDI_HDEPTHSTENCILVIEW depth,
                                  const D3D11DDI_HUNORDEREDACCESSVIEW *uavs, const uint32_t *initial_counts,
                                  uint32_t first_uav, uint32_t uav_count)
{
    struct agpu_kept_state *state = state_of(device);

    keep_targets(&state->kept, views, count, depth);
    state->context.pfnSetRenderTargetsAndUnorderedAccessViews(device, views, count, depth, uavs,
                                                              initial_counts, first_uav, uav_count);
}

static void kept_clear_state(D3D10DDI_HDEVICE device)
{
    struct agpu_kept_state *state = state_of(device);

    memset(&state->kept, 0, sizeof state->kept);
    state->context.pfnClearState(device);
}

/* ---- ends of objects ---- */

/* The application holds what it has set; what it lets go all the same is set no more. */
static void drop(struct kept *kept, const void *object)
{
    /* The arrays of handles, as one array each. */
    void **const arrays[] = {kept->shaders,     kept->constants[0], kept->views[0], kept->samplers[0],
                             kept->uavs,        &kept->layout,      kept->vertex,   &kept->index,
                             &kept->rasterizer, &kept->blend,       &kept->depth,   kept->targets,
                             &kept->depth_view};
    const size_t counts[] = {STAGES,
                             STAGES * AGPU_DDI_CONSTANT_BUFFER_SLOTS,
                             STAGES * AGPU_DDI_SHADER_RESOURCE_SLOTS,
                             STAGES * AGPU_DDI_SAMPLER_SLOTS,
                             AGPU_DDI_UAV_SLOTS,
                             1,
                             AGPU_DDI_VERTEX_BUFFER_SLOTS,
                             1,
                             1,
                             1,
                             1,
                             AGPU_DDI_RENDER_TARGET_SLOTS,
                             1};

    for (unsigned a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
        for (size_t i = 0; i < counts[a]; i++) {
            if (arrays[a][i] == object) {
                arrays[a][i] = NULL;
            }
        }
    }
}

#define EACH_END(X)                                                                                          \
    X(resource, Resource, D3D10DDI_HRESOURCE)                                                                \
    X(srv, ShaderResourceView, D3D10DDI_HSHADERRESOURCEVIEW)                                                 \
    X(rtv, RenderTargetView, D3D10DDI_HRENDERTARGETVIEW)                                                     \
    X(dsv, DepthStencilView, D3D10DDI_HDEPTHSTENCILVIEW)                                                     \
    X(uav, UnorderedAccessView, D3D11DDI_HUNORDEREDACCESSVIEW)                                               \
    X(layout, ElementLayout, D3D10DDI_HELEMENTLAYOUT)                                                        \
    X(blend, BlendState, D3D10DDI_HBLENDSTATE)                                                               \
    X(depth, DepthStencilState, D3D10DDI_HDEPTHSTENCILSTATE)                                                 \
    X(rasterizer, RasterizerState, D3D10DDI_HRASTERIZERSTATE)                                                \
    X(shader, Shader, D3D10DDI_HSHADER)                                                                      \
    X(sampler, Sampler, D3D10DDI_HSAMPLER)
#define KEPT_END(name, api, handle_type)                                                                     \
    static void kept_end_##name(D3D10DDI_HDEVICE device, handle_type object)                                 \
    {                                                                                                        \
        struct agpu_kept_state *state = state_of(device);                                                    \
                                                                                                             \
        drop(&state->kept, object.pDrvPrivate);                                                              \
        state->funcs.pfnDestroy##api(device, object);                                                        \
    }
EACH_END(KEPT_END)

/* ---- setting it again ---- */

static bool any(void *const *slots, uint32_t count)
{
    bool found = false;

    for (uint32_t i = 0; i < count; i++) {
        found |= slots[i] != NULL;
    }
    return found;
}

static void restore_views(const struct agpu_kept_state *state)
{
    const D3D11DDI_DEVICECONTEXTFUNCS *fn = &state->context;

#define RESTORE_VIEWS(stage, name, api)                                                                      \
    if (any(state->kept.views[stage], AGPU_DDI_SHADER_RESOURCE_SLOTS)) {                                     \
        D3D10DDI_HSHADERRESOURCEVIEW views[AGPU_DDI_SHADER_RESOURCE_SLOTS];                                  \
                                                                                                             \
        memcpy(views, state->kept.views[stage], sizeof views);                                               \
        fn->pfn##api##SetShaderResources(state->device, 0, AGPU_DDI_SHADER_RESOURCE_SLOTS, views);           \
    }
    EACH_STAGE(RESTORE_VIEWS)
}

static void restore_targets(const struct agpu_kept_state *state)
{
    const struct kept *kept = &state->kept;
    D3D10DDI_HRENDERTARGETVIEW views[AGPU_DDI_RENDER_TARGET_SLOTS];

    memcpy(views, kept->targets, sizeof views);
    if (kept->target_count != 0 || kept->depth_view != NULL) {
        state->context.pfnSetRenderTargets(state->device, views, kept->target_count, 0,
                                           (D3D10DDI_HDEPTHSTENCILVIEW){kept->depth_view});
    }
}

static void restore_stages(const struct agpu_kept_state *state)
{
    const D3D11DDI_DEVICECONTEXTFUNCS *fn = &state->context;
    const struct kept *kept = &state->kept;

#define RESTORE_STAGE(stage, name, api)                                                                      \
    if (kept->shaders[stage] != NULL) {                                                                      \
        fn->pfn##api##SetShader(state->device, (D3D10DDI_HSHADER){kept->shaders[stage]});                    \
    }                                                                                                        \
    if (any(kept->constants[stage], AGPU_DDI_CONSTANT_BUFFER_SLOTS)) {                                       \
        D3D10DDI_HRESOURCE buffers[AGPU_DDI_CONSTANT_BUFFER_SLOTS];                                          \
                                                                                                             \
        memcpy(buffers, kept->constants[stage], sizeof buffers);                                             \
        fn->pfn##api##SetConstantBuffers(state->device, 0, AGPU_DDI_CONSTANT_BUFFER_SLOTS, buffers);         \
    }                                                                                                        \
    if (any(kept->samplers[stage], AGPU_DDI_SAMPLER_SLOTS)) {                                                \
        D3D10DDI_HSAMPLER samplers[AGPU_DDI_SAMPLER_SLOTS];                                                  \
                                                                                                             \
        memcpy(samplers, kept->samplers[stage], sizeof samplers);                                            \
        fn->pfn##api##SetSamplers(state->device, 0, AGPU_DDI_SAMPLER_SLOTS, samplers);                       \
    }
    EACH_STAGE(RESTORE_STAGE)
    if (any(kept->uavs, AGPU_DDI_UAV_SLOTS)) {
        D3D11DDI_HUNORDEREDACCESSVIEW views[AGPU_DDI_UAV_SLOTS];
        uint32_t counts[AGPU_DDI_UAV_SLOTS];

        memcpy(views, kept->uavs, sizeof views);
        memset(counts, 0xFF, sizeof counts); /* what they have counted stays */
        fn->pfnCsSetUnorderedAccessViews(state->device, 0, AGPU_DDI_UAV_SLOTS, views, counts);
    }
}

static void restore_input(const struct agpu_kept_state *state)
{
    const D3D11DDI_DEVICECONTEXTFUNCS *fn = &state->context;
    const struct kept *kept = &state->kept;
    D3D10DDI_HRESOURCE buffers[AGPU_DDI_VERTEX_BUFFER_SLOTS];

    if (kept->layout != NULL) {
        fn->pfnIaSetInputLayout(state->device, (D3D10DDI_HELEMENTLAYOUT){kept->layout});
    }
    if (any(kept->vertex, AGPU_DDI_VERTEX_BUFFER_SLOTS)) {
        memcpy(buffers, kept->vertex, sizeof buffers);
        fn->pfnIaSetVertexBuffers(state->device, 0, AGPU_DDI_VERTEX_BUFFER_SLOTS, buffers, kept->strides,
                                  kept->offsets);
    }
    if (kept->index != NULL) {
        fn->pfnIaSetIndexBuffer(state->device, (D3D10DDI_HRESOURCE){kept->index}, kept->index_format,
                                kept->index_offset);
    }
    if (kept->topology != 0) {
        fn->pfnIaSetTopology(state->device, kept->topology);
    }
}

void agpu_kept_state_restore(struct agpu_runtime_device *owner)
{
    const struct agpu_kept_state *state = owner->kept_state;

    if (state == NULL) {
        return;
    }
    const D3D11DDI_DEVICECONTEXTFUNCS *fn = &state->context;
    const struct kept *kept = &state->kept;
    restore_input(state);
    restore_stages(state);
    if (!kept->targets_last) {
        restore_targets(state);
    }
    restore_views(state);
    if (kept->targets_last) {
        restore_targets(state);
    }
    if (kept->viewport_count != 0) {
        fn->pfnSetViewports(state->device, kept->viewport_count, 0, kept->viewports);
    }
    if (kept->scissor_count != 0) {
        fn->pfnSetScissorRects(state->device, kept->scissor_count, 0, kept->scissors);
    }
    if (kept->rasterizer != NULL) {
        fn->pfnSetRasterizerState(state->device, (D3D10DDI_HRASTERIZERSTATE){kept->rasterizer});
    }
    if (kept->has_blend) {
        fn->pfnSetBlendState(state->device, (D3D10DDI_HBLENDSTATE){kept->blend},
                             kept->has_factor ? kept->factor : NULL, kept->sample_mask);
    }
    if (kept->depth != NULL) {
        fn->pfnSetDepthStencilState(state->device, (D3D10DDI_HDEPTHSTENCILSTATE){kept->depth},
                                    kept->stencil_ref);
    }
}

/* ---- beginning and end ---- */

bool agpu_kept_state_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                           D3D11DDI_DEVICEFUNCS *funcs, D3D11DDI_DEVICECONTEXTFUNCS *context)
{
    struct agpu_memory *memory = &owner->runtime->memory;
    struct agpu_kept_state *state = agpu_memory_alloc(memory, sizeof *state);

    if (state == NULL) {
        return false;
    }
    state->memory = memory;
    state->device = device;
    state->funcs = *funcs;
    state->context = *context;
    state->next = first_state;
    first_state = state;
    owner->kept_state = state;
#define PUT_STAGE(stage, name, api)                                                                          \
    context->pfn##api##SetShader = kept_##name##_shader;                                                     \
    context->pfn##api##SetConstantBuffers = kept_##name##_constants;                                         \
    context->pfn##api##SetShaderResources = kept_##name##_views;                                             \
    context->pfn##api##SetSamplers = kept_##name##_samplers;
    EACH_STAGE(PUT_STAGE)
#define PUT_END(name, api, handle_type) funcs->pfnDestroy##api = kept_end_##name;
    EACH_END(PUT_END)
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
    return true;
}

void agpu_kept_state_end(struct agpu_runtime_device *owner)
{
    struct agpu_kept_state *state = owner->kept_state;

    if (state == NULL) {
        return;
    }
    for (struct agpu_kept_state **link = &first_state; *link != NULL; link = &(*link)->next) {
        if (*link == state) {
            *link = state->next;
            break;
        }
    }
    owner->kept_state = NULL;
    agpu_memory_free(state->memory, state, sizeof *state);
}

void agpu_kept_state_forget(struct agpu_runtime_device *owner)
{
    if (owner->kept_state != NULL) {
        memset(&owner->kept_state->kept, 0, sizeof owner->kept_state->kept);
    }
}
