/* saved_restore.c: restores the state of the immediate context (umd.md 15). */
#include "mm/runtime/saved_restore.h"

#include "mm/runtime/saved_records.h"

#include <string.h>

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
    AGPU_KEPT_EACH_STAGE(RESTORE_VIEWS)
}

static void restore_targets(const struct agpu_kept_state *state)
{
    const struct agpu_kept *kept = &state->kept;
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
    const struct agpu_kept *kept = &state->kept;

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
    AGPU_KEPT_EACH_STAGE(RESTORE_STAGE)
    if (any(kept->uavs, AGPU_DDI_UAV_SLOTS)) {
        D3D11DDI_HUNORDEREDACCESSVIEW views[AGPU_DDI_UAV_SLOTS];
        uint32_t counts[AGPU_DDI_UAV_SLOTS];

        memcpy(views, kept->uavs, sizeof views);
        memset(counts, 0xFF, sizeof counts); /* keep their counters */
        fn->pfnCsSetUnorderedAccessViews(state->device, 0, AGPU_DDI_UAV_SLOTS, views, counts);
    }
}

static void restore_input(const struct agpu_kept_state *state)
{
    const D3D11DDI_DEVICECONTEXTFUNCS *fn = &state->context;
    const struct agpu_kept *kept = &state->kept;
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
    const struct agpu_kept *kept = &state->kept;
    restore_input(state);
    restore_stages(state);
    restore_targets(state); /* kept bindings never unbind each other, so any order is right */
    restore_views(state);
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
    if (kept->depth != NULL || kept->stencil_ref != 0) {
        fn->pfnSetDepthStencilState(state->device, (D3D10DDI_HDEPTHSTENCILSTATE){kept->depth},
                                    kept->stencil_ref);
    }
}
