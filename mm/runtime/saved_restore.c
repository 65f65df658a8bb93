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

static void restore_views(const struct agpu_saved_state *state)
{
    const struct agpu_api_context *fn = &state->context;

#define RESTORE_VIEWS(stage, name, api)                                                                      \
    if (any(state->saved.views[stage], AGPU_DDI_SHADER_RESOURCE_SLOTS)) {                                    \
        D3D10DDI_HSHADERRESOURCEVIEW views[AGPU_DDI_SHADER_RESOURCE_SLOTS];                                  \
                                                                                                             \
        memcpy(views, state->saved.views[stage], sizeof views);                                              \
        fn->pfn##api##SetShaderResources(state->layer.device, 0, AGPU_DDI_SHADER_RESOURCE_SLOTS, views);     \
    }
    AGPU_SAVED_EACH_STAGE(RESTORE_VIEWS)
}

static void restore_targets(const struct agpu_saved_state *state)
{
    const struct agpu_saved *saved = &state->saved;
    D3D10DDI_HRENDERTARGETVIEW views[AGPU_DDI_RENDER_TARGET_SLOTS];

    memcpy(views, saved->targets, sizeof views);
    if (saved->target_count != 0 || saved->depth_view != NULL) {
        state->context.pfnSetRenderTargets(state->layer.device, views, saved->target_count, 0,
                                           (D3D10DDI_HDEPTHSTENCILVIEW){saved->depth_view});
    }
}

static void restore_stages(const struct agpu_saved_state *state)
{
    const struct agpu_api_context *fn = &state->context;
    const struct agpu_saved *saved = &state->saved;

#define RESTORE_STAGE(stage, name, api)                                                                      \
    if (saved->shaders[stage] != NULL) {                                                                     \
        fn->pfn##api##SetShader(state->layer.device, (D3D10DDI_HSHADER){saved->shaders[stage]});             \
    }                                                                                                        \
    if (any(saved->constants[stage], AGPU_DDI_CONSTANT_BUFFER_SLOTS)) {                                      \
        D3D10DDI_HRESOURCE buffers[AGPU_DDI_CONSTANT_BUFFER_SLOTS];                                          \
                                                                                                             \
        memcpy(buffers, saved->constants[stage], sizeof buffers);                                            \
        fn->pfn##api##SetConstantBuffers(state->layer.device, 0, AGPU_DDI_CONSTANT_BUFFER_SLOTS, buffers);   \
    }                                                                                                        \
    if (any(saved->samplers[stage], AGPU_DDI_SAMPLER_SLOTS)) {                                               \
        D3D10DDI_HSAMPLER samplers[AGPU_DDI_SAMPLER_SLOTS];                                                  \
                                                                                                             \
        memcpy(samplers, saved->samplers[stage], sizeof samplers);                                           \
        fn->pfn##api##SetSamplers(state->layer.device, 0, AGPU_DDI_SAMPLER_SLOTS, samplers);                 \
    }
    AGPU_SAVED_EACH_STAGE(RESTORE_STAGE)
    if (any(saved->uavs, AGPU_DDI_UAV_SLOTS)) {
        D3D11DDI_HUNORDEREDACCESSVIEW views[AGPU_DDI_UAV_SLOTS];
        uint32_t counts[AGPU_DDI_UAV_SLOTS];

        memcpy(views, saved->uavs, sizeof views);
        memset(counts, 0xFF, sizeof counts); /* keep their counters */
        fn->pfnCsSetUnorderedAccessViews(state->layer.device, 0, AGPU_DDI_UAV_SLOTS, views, counts);
    }
}

static void restore_input(const struct agpu_saved_state *state)
{
    const struct agpu_api_context *fn = &state->context;
    const struct agpu_saved *saved = &state->saved;
    D3D10DDI_HRESOURCE buffers[AGPU_DDI_VERTEX_BUFFER_SLOTS];

    if (saved->layout != NULL) {
        fn->pfnIaSetInputLayout(state->layer.device, (D3D10DDI_HELEMENTLAYOUT){saved->layout});
    }
    if (any(saved->vertex, AGPU_DDI_VERTEX_BUFFER_SLOTS)) {
        memcpy(buffers, saved->vertex, sizeof buffers);
        fn->pfnIaSetVertexBuffers(state->layer.device, 0, AGPU_DDI_VERTEX_BUFFER_SLOTS, buffers,
                                  saved->strides, saved->offsets);
    }
    if (saved->index != NULL) {
        fn->pfnIaSetIndexBuffer(state->layer.device, (D3D10DDI_HRESOURCE){saved->index}, saved->index_format,
                                saved->index_offset);
    }
    if (saved->topology != 0) {
        fn->pfnIaSetTopology(state->layer.device, saved->topology);
    }
}

void agpu_saved_state_restore(struct agpu_runtime_device *owner)
{
    const struct agpu_saved_state *state = owner->saved_state;

    if (state == NULL) {
        return;
    }
    const struct agpu_api_context *fn = &state->context;
    const struct agpu_saved *saved = &state->saved;
    restore_input(state);
    restore_stages(state);
    restore_targets(state); /* saved bindings never unbind each other, so any order is right */
    restore_views(state);
    if (saved->viewport_count != 0) {
        fn->pfnSetViewports(state->layer.device, saved->viewport_count, 0, saved->viewports);
    }
    if (saved->scissor_count != 0) {
        fn->pfnSetScissorRects(state->layer.device, saved->scissor_count, 0, saved->scissors);
    }
    if (saved->rasterizer != NULL) {
        fn->pfnSetRasterizerState(state->layer.device, (D3D10DDI_HRASTERIZERSTATE){saved->rasterizer});
    }
    if (saved->has_blend) {
        fn->pfnSetBlendState(state->layer.device, (D3D10DDI_HBLENDSTATE){saved->blend},
                             saved->has_factor ? saved->factor : NULL, saved->sample_mask);
    }
    if (saved->depth != NULL || saved->stencil_ref != 0) {
        fn->pfnSetDepthStencilState(state->layer.device, (D3D10DDI_HDEPTHSTENCILSTATE){saved->depth},
                                    saved->stencil_ref);
    }
}
