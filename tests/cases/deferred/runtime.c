/* runtime.c: the duties of the runtime around deferred contexts: it asks for the handle size of every object at its
 * creation, and sets the application's state again after a list (umd.md 15). */
#include <string.h>

#include "mm/runtime/usage_rules.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/umd_deferred.h"

#define EDGE AGPU_EDGE
#define HALF (EDGE / 2)

/* ---- sizes of handles ---- */

/* Checks that the runtime asked at the creation, got an advertised size, and that a handle of that size works. */
static bool runtime_asked(struct agpu_test *t, struct agpu_case_recorder dc, uint32_t type, void *object,
                          D3D10DDI_HRESOURCE resource, agpu_create_shader *create)
{
    const struct agpu_runtime_object of = {
        .type = type, .immediate = object, .resource = resource.pDrvPrivate, .create_shader = create};
    const struct agpu_runtime_device *device = t->env->umd.runtime_device;
    size_t bytes = agpu_local_size_of(device, object);
    uint32_t count = 0, found = 0;
    const D3D11DDI_HANDLESIZE *sizes = agpu_local_sizes_advertised(device, &count);

    for (uint32_t i = 0; i < count; i++) {
        found += sizes[i].HandleType == type && sizes[i].Size == bytes;
    }
    return agpu_check_u64(t, found, 1, "advertised sizes of the type that are the answer", false,
                          AGPU_HERE) &&
           agpu_check(t, agpu_runtime_deferred_local(dc.deferred, &of) != NULL);
}

/* Objects of all 13 kinds must work on a deferred context, which then records as before. */
static void runtime_every_kind(struct agpu_test *t)
{
    static const D3D10_DDI_RASTERIZER_DESC rasterizer = {.FillMode = 3, .CullMode = 1, .DepthClipEnable = 1};
    static const D3D10_DDI_DEPTH_STENCIL_DESC depth = {.DepthFunc = 2};
    const struct agpu_api_device *funcs = &t->env->umd.funcs;
    struct agpu_case_recorder dc = agpu_defer(t), other = agpu_defer(t);
    struct agpu_resource_desc buffer =
        agpu_buffer_desc(256, D3D10_DDI_USAGE_DEFAULT, D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
    struct agpu_resource_desc texture = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 4, 4);
    struct agpu_resource_desc target = agpu_texture_desc(DXGI_FORMAT_D32_FLOAT, EDGE, EDGE);
    const D3D10DDI_HRESOURCE none = {NULL};
    D3D10DDI_HRESOURCE written, sampled, deep;
    struct agpu_runtime_list *list;
    struct agpu_quads quads;
    HRESULT hr;

    agpu_assert(t, dc.fn && other.fn);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    written = agpu_umd_create(t, &buffer, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    sampled = agpu_make_texture(t, &texture, 1);
    target.BindFlags = D3D10_DDI_BIND_DEPTH_STENCIL;
    deep = agpu_umd_create(t, &target, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_quads_bind(t, other, &quads);
    list = agpu_finish(t, other);
    agpu_assert(t, list != NULL);

    const struct {
        uint32_t type;
        void *object;
        D3D10DDI_HRESOURCE of;
        agpu_create_shader *create;
    } kinds[] = {
        {D3D10DDI_HT_RESOURCE, written.pDrvPrivate, none, NULL},
        {D3D10DDI_HT_SHADERRESOURCEVIEW,
         agpu_make_srv(t, &(D3D10DDIARG_CREATESHADERRESOURCEVIEW){.hDrvResource = sampled}).pDrvPrivate,
         sampled, NULL},
        {D3D10DDI_HT_RENDERTARGETVIEW, agpu_draw_target_view().pDrvPrivate, agpu_draw_target(), NULL},
        {D3D10DDI_HT_DEPTHSTENCILVIEW, agpu_make_dsv(t, deep).pDrvPrivate, deep, NULL},
        {D3D10DDI_HT_SHADER, quads.vs.pDrvPrivate, none, funcs->pfnCreateVertexShader},
        {D3D10DDI_HT_SHADER,
         agpu_make_shader(t, funcs->pfnCreateHullShader, &agpu_hs_triangle_5_0).pDrvPrivate, none,
         funcs->pfnCreateHullShader},
        {D3D10DDI_HT_SHADER,
         agpu_make_shader(t, funcs->pfnCreateDomainShader, &agpu_ds_triangle_5_0).pDrvPrivate, none,
         funcs->pfnCreateDomainShader},
        {D3D10DDI_HT_SHADER,
         agpu_make_shader(t, funcs->pfnCreateGeometryShader, &agpu_gs_expand_4_0).pDrvPrivate, none,
         funcs->pfnCreateGeometryShader},
        {D3D10DDI_HT_SHADER, quads.ps.pDrvPrivate, none, funcs->pfnCreatePixelShader},
        {D3D10DDI_HT_SHADER,
         agpu_make_shader(t, funcs->pfnCreateComputeShader, &agpu_cs_fill_5_0).pDrvPrivate, none,
         funcs->pfnCreateComputeShader},
        {D3D10DDI_HT_ELEMENTLAYOUT, quads.layout.pDrvPrivate, none, NULL},
        {D3D10DDI_HT_BLENDSTATE, agpu_make_blend(t, &agpu_additive).pDrvPrivate, none, NULL},
        {D3D10DDI_HT_DEPTHSTENCILSTATE, agpu_make_depth(t, &depth).pDrvPrivate, none, NULL},
        {D3D10DDI_HT_RASTERIZERSTATE, agpu_make_rasterizer(t, &rasterizer).pDrvPrivate, none, NULL},
        {D3D10DDI_HT_SAMPLERSTATE, agpu_make_sampler(t, 0, 1).pDrvPrivate, none, NULL},
        {D3D10DDI_HT_QUERY, agpu_make_event(t).pDrvPrivate, none, NULL},
        {D3D11DDI_HT_COMMANDLIST, agpu_runtime_list_handle(list), none, NULL},
        {D3D11DDI_HT_UNORDEREDACCESSVIEW,
         agpu_make_uav(t, &(D3D11DDIARG_CREATEUNORDEREDACCESSVIEW){.hDrvResource = written,
                                                                   .Format = DXGI_FORMAT_R32_TYPELESS})
             .pDrvPrivate,
         written, NULL},
    };

    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        agpu_assert(t, kinds[i].object != NULL);
        agpu_return_unless(
            runtime_asked(t, dc, kinds[i].type, kinds[i].object, kinds[i].of, kinds[i].create));
    }
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 1, 0, 0, 1), 0, EDGE);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* ---- state ---- */

static uint32_t runtime_restored_image(uint32_t x, uint32_t y)
{
    return y >= HALF ? AGPU_NOTHING : x < HALF ? AGPU_RED : AGPU_RGBA(255, 255, 0, 255);
}

/* Given state that the application sets once, draws after each list, which changes all of it, must use it: the image
 * differs if any part is missing. The state is target, layout, buffers with offsets, constants, shaders, blend factor,
 * scissor and viewport. */
static void runtime_restores(struct agpu_test *t)
{
    static const D3D10_DDI_RASTERIZER_DESC scissored = {
        .FillMode = 3, .CullMode = 1, .DepthClipEnable = 1, .ScissorEnable = 1};
    static const D3D10_DDI_RECT upper = {0, 0, EDGE, HALF};
    /* After 4 bytes, and 32, that nothing draws. */
    static const uint16_t indices[] = {9, 9, 0, 1, 2, 2, 1, 3};
    static const float constants[2][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}};
    const struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_api_context *fn = &umd->context;
    struct agpu_case_recorder dc = agpu_defer(t);
    const uint32_t stride = sizeof(struct agpu_vertex), offset = sizeof(struct agpu_vertex);
    struct agpu_resource_desc desc =
        agpu_buffer_desc(16, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    D3D10DDI_HRENDERTARGETVIEW other_view, local;
    D3D10DDI_HRESOURCE color, vertices, other;
    struct agpu_vertex quad[5] = {{.w = 1}};
    struct agpu_runtime_list *list;
    struct agpu_quads quads;
    HRESULT hr;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    other = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    other_view = agpu_make_rtv(t, other);
    agpu_quads_bind(t, dc, &quads);
    local = agpu_rtv_on(t, dc, other_view, other);
    dc.fn->pfnSetRenderTargets(dc.device, &local, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    agpu_quads_draw(t, dc, agpu_make_quad(t, 0, 0, 1, 1), 3, 5);
    list = agpu_finish(t, dc);
    agpu_assert(t, list != NULL);

    agpu_scene_quad(quad + 1, 0.5f, 1, 1, 1, 1);
    vertices = agpu_make_default(t, sizeof quad, quad);
    color = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_draw_colors(t, &agpu_ps_constant_4_0);
    fn->pfnIaSetVertexBuffers(umd->device, 0, 1, &vertices, &stride, &offset);
    fn->pfnIaSetIndexBuffer(umd->device, agpu_make_indices(t, sizeof indices, indices), DXGI_FORMAT_R16_UINT,
                            4);
    fn->pfnIaSetTopology(umd->device, AGPU_DRAW_LIST);
    fn->pfnPsSetConstantBuffers(umd->device, 0, 1, &color);
    fn->pfnSetBlendState(umd->device, agpu_make_blend(t, &agpu_additive), NULL, 0xFFFFFFFFu);
    fn->pfnSetRasterizerState(umd->device, agpu_make_rasterizer(t, &scissored));
    fn->pfnSetScissorRects(umd->device, 1, 0, &upper);
    for (uint32_t i = 0; i < 2; i++) { /* red all over, then green on the right half of it */
        agpu_draw_columns(t, i * HALF, EDGE - i * HALF);
        agpu_umd_update(t, color, 0, NULL, constants[i], 0);
        agpu_execute_restoring(t, list);
        fn->pfnDrawIndexed(umd->device, 6, 0, 0);
    }
    agpu_draw_expect(t, runtime_restored_image, 0);
}

/* The runtime must restore textures and samplers of a stage, also a texture that was a target before: the last call of
 * the application decides. */
static void runtime_restores_views(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_case_recorder dc = agpu_defer(t);
    D3D10DDI_HRENDERTARGETVIEW source_view, local;
    struct agpu_runtime_list *list;
    D3D10DDI_HRESOURCE source;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    source = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, 4, 4);
    source_view = agpu_make_rtv(t, source);
    agpu_assert(t, source_view.pDrvPrivate != NULL);
    agpu_clear_view(t, source_view, 0, 0, 1, 1);
    agpu_quads_bind(t, dc, &quads);
    local = agpu_rtv_on(t, dc, source_view, source); /* the list makes the texture a target, and red */
    dc.fn->pfnSetRenderTargets(dc.device, &local, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    agpu_quads_draw(t, dc, agpu_make_quad(t, 1, 0, 0, 1), 0, 4);
    list = agpu_finish(t, dc);
    agpu_assert(t, list != NULL);
    agpu_draw_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_draw_sampler(t, 0, 1);
    agpu_draw_view(t, &(D3D10DDIARG_CREATESHADERRESOURCEVIEW){
                          .hDrvResource = source, .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 1});
    agpu_execute_restoring(t, list);
    umd->context.pfnDraw(umd->device, 4, 0);
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* Given a target that was read before and a texture read since, the runtime must restore the slots as the application's
 * calls left them, whatever its own order of calls. */
static void runtime_restores_hazards(struct agpu_test *t)
{
    D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 1};
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_case_recorder dc = agpu_defer(t);
    D3D10DDI_HSHADERRESOURCEVIEW of_target, of_other;
    D3D10DDI_HRENDERTARGETVIEW target;
    struct agpu_runtime_list *list;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 0, 1, 0, 1), 0, 4);
    list = agpu_finish(t, dc);
    agpu_assert(t, list != NULL);
    args.hDrvResource = agpu_draw_target();
    of_target = agpu_make_srv(t, &args);
    args.hDrvResource = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, 4, 4);
    of_other = agpu_make_srv(t, &args);
    agpu_assert(t, of_target.pDrvPrivate != NULL && of_other.pDrvPrivate != NULL);
    agpu_quads_bind(t, agpu_immediate(t), &quads);
    agpu_quads_vertices(t, agpu_immediate(t), agpu_make_quad(t, 1, 0, 0, 1));
    target = agpu_draw_target_view();
    umd->context.pfnPsSetShaderResources(umd->device, 0, 1, &of_target);
    umd->context.pfnSetRenderTargets(umd->device, &target, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    umd->context.pfnPsSetShaderResources(umd->device, 1, 1, &of_other);
    agpu_execute_restoring(t, list);
    umd->context.pfnDraw(umd->device, 4, 0);
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* The runtime must restore, of two resources bound as input and as output, only the later bindings of both. */
static void runtime_restores_pairs(struct agpu_test *t)
{
    static const uint32_t keep[2] = {UINT32_MAX, UINT32_MAX};
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_resource_desc texture = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    const struct agpu_resource_desc buffer = agpu_buffer_desc(
        64, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_SHADER_RESOURCE | D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
    D3D10DDIARG_CREATESHADERRESOURCEVIEW of_texture = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D,
                                                       .MipLevels = 1},
                                         of_buffer = {.NumElements = 16};
    D3D10DDI_HSHADERRESOURCEVIEW textures[2], buffers[2];
    D3D11DDI_HUNORDEREDACCESSVIEW outputs[2];
    D3D10DDI_HRENDERTARGETVIEW targets[2];
    struct agpu_resource_desc depth = agpu_texture_desc(DXGI_FORMAT_D32_FLOAT, EDGE, EDGE);
    D3D10DDI_HDEPTHSTENCILVIEW depth_view;
    struct agpu_runtime_list *list;
    struct agpu_quads quads;
    HRESULT hr;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, dc, &quads);
    list = agpu_finish(t, dc);
    depth.BindFlags = D3D10_DDI_BIND_DEPTH_STENCIL;
    depth_view = agpu_make_dsv(t, agpu_make_texture(t, &depth, 0));
    texture.BindFlags = D3D10_DDI_BIND_SHADER_RESOURCE | D3D10_DDI_BIND_RENDER_TARGET;
    for (uint32_t i = 0; i < 2; i++) {
        of_texture.hDrvResource = agpu_make_texture(t, &texture, 0);
        textures[i] = agpu_make_srv(t, &of_texture);
        targets[i] = agpu_make_rtv(t, of_texture.hDrvResource);
        of_buffer.hDrvResource = agpu_umd_create(t, &buffer, &hr);
        agpu_return_unless(agpu_check_hr(t, hr, S_OK));
        buffers[i] = agpu_make_srv(t, &of_buffer);
        outputs[i] = agpu_make_uav(t, &(D3D11DDIARG_CREATEUNORDEREDACCESSVIEW){
                                          .hDrvResource = of_buffer.hDrvResource, .NumElements = 16});
    }
    for (uint32_t outputs_last = 0; outputs_last < 2; outputs_last++) {
        for (uint32_t step = 0; step < 2; step++) {
            if (step == outputs_last) {
                umd->context.pfnPsSetShaderResources(umd->device, 0, 2, textures);
                umd->context.pfnCsSetShaderResources(umd->device, 0, 2, buffers);
            } else {
                umd->context.pfnSetRenderTargets(umd->device, targets, 2, 0, depth_view);
                umd->context.pfnCsSetUnorderedAccessViews(umd->device, 0, 2, outputs, keep);
            }
        }
        agpu_execute_restoring(t, list);
        agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    }
}

/* ---- calls that do not reach the driver, and calls that it refuses ---- */

/* A binding from before a list, or recorded in one, must not remain: the resource may be mapped while others draw. A
 * shader or a state that was destroyed while it was bound must not be restored. */
static void runtime_unbinds(struct agpu_test *t)
{
    static uint64_t object[2][64];
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10DDIARG_CREATESHADER code = {agpu_gs_expand_4_0.words, agpu_gs_expand_4_0.size_bytes};
    const D3D10DDI_HSHADER gs = {object[0]};
    const D3D10DDI_HBLENDSTATE blend = {object[1]};
    const uint32_t stride = sizeof(struct agpu_vertex), offset = 0;
    struct agpu_case_recorder dc = agpu_defer(t), recorder = agpu_immediate(t);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE quad, dynamic, on;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    quad = agpu_make_quad(t, 1, 0, 0, 1);
    dynamic = agpu_make_dynamic(t, 64, D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, quad.pDrvPrivate != NULL && dynamic.pDrvPrivate != NULL);
    recorder.fn->pfnIaSetVertexBuffers(recorder.device, 1, 1, &dynamic, &stride, &offset);
    on = agpu_resource_on(t, dc, dynamic);
    dc.fn->pfnIaSetVertexBuffers(dc.device, 1, 1, &on, &stride, &offset);
    agpu_execute(t, agpu_finish(t, dc));
    for (uint32_t i = 0; i < 2; i++, recorder = dc) {
        on = agpu_resource_on(t, recorder, dynamic);
        agpu_quads_bind(t, recorder, &quads);
        agpu_return_unless(agpu_check_hr(
            t, recorder.fn->pfnResourceMap(recorder.device, on, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped),
            S_OK));
        agpu_quads_draw(t, recorder, quad, i * HALF, HALF);
        recorder.fn->pfnResourceUnmap(recorder.device, on, 0);
    }
    agpu_check_recorder_refused(t, dc, 0, NULL);
    agpu_check_refused(t, 0, NULL);
    agpu_assert(t, umd->funcs.pfnCalcPrivateShaderSize(umd->device, &code) <= sizeof object[0]);
    agpu_assert(t, umd->funcs.pfnCalcPrivateBlendStateSize(umd->device, NULL) <= sizeof object[1]);
    (void)umd->funcs.pfnCreateGeometryShader(umd->device, &code, gs, (D3D10DDI_HRTSHADER){NULL});
    (void)umd->funcs.pfnCreateBlendState(umd->device, NULL, blend, (D3D10DDI_HRTBLENDSTATE){NULL});
    umd->context.pfnGsSetShader(umd->device, gs);
    umd->context.pfnSetBlendState(umd->device, blend, NULL, 0xFFFFFFFFu);
    umd->funcs.pfnDestroyShader(umd->device, gs);
    umd->funcs.pfnDestroyBlendState(umd->device, blend);
    memset(object, 0xA5, sizeof object);
    agpu_execute_restoring(t, agpu_finish(t, dc));
    agpu_quads_draw(t, agpu_immediate(t), quad, 0, EDGE);
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* The usage rules must apply to deferred contexts, too: each invalid call is refused, and the list draws with the
 * previous binding. */
static void runtime_rules(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t);
    const uint32_t stride = sizeof(struct agpu_vertex), offset = 0;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE quad, staging, dynamic, staging_on, dynamic_on, quad_on;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    quad = agpu_make_quad(t, 1, 0, 0, 1);
    staging = agpu_make_staging(t, 4 * stride, D3D10_DDI_CPU_ACCESS_WRITE);
    dynamic = agpu_make_dynamic(t, 4 * stride, D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, quad.pDrvPrivate && staging.pDrvPrivate && dynamic.pDrvPrivate);
    quad_on = agpu_resource_on(t, dc, quad);
    staging_on = agpu_resource_on(t, dc, staging);
    dynamic_on = agpu_resource_on(t, dc, dynamic);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_vertices(t, dc, quad);
    dc.fn->pfnIaSetVertexBuffers(dc.device, 0, 1, &staging_on, &stride, &offset);
    agpu_check_recorder_refused(t, dc, 1, AGPU_RULE_BIND_STAGING);
    dc.fn->pfnPsSetConstantBuffers(dc.device, 0, 1, &quad_on);
    agpu_check_recorder_refused(t, dc, 1, AGPU_RULE_BIND_FLAGS);
    dc.fn->pfnResourceCopy(dc.device, dynamic_on, quad_on);
    agpu_check_recorder_refused(t, dc, 1, AGPU_RULE_COPY_DYNAMIC);
    agpu_check_hr(t, dc.fn->pfnResourceMap(dc.device, quad_on, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped),
                  E_INVALIDARG);
    agpu_check_recorder_refused(t, dc, 1, AGPU_RULE_MAP_USAGE);
    agpu_return_unless(agpu_check_hr(
        t, dc.fn->pfnResourceMap(dc.device, dynamic_on, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK));
    dc.fn->pfnIaSetVertexBuffers(dc.device, 0, 1, &dynamic_on, &stride, &offset);
    agpu_check_recorder_refused(t, dc, 1, AGPU_RULE_BIND_MAPPED);
    agpu_scene_quad(mapped.pData, 0.5f, 0, 1, 0, 1);
    dc.fn->pfnResourceUnmap(dc.device, dynamic_on, 0);
    agpu_quads_columns(dc, 0, HALF);
    dc.fn->pfnDraw(dc.device, 4, 0);
    agpu_quads_draw(t, dc, dynamic, HALF, HALF); /* which is permitted now */
    agpu_check_recorder_errors(t, dc, 0, S_OK);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* Given calls that no list can contain, the runtime must answer them; calls that the driver lacks are refused on this
 * context only. The recording continues unchanged. */
static void runtime_refused(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t);
    const struct agpu_api_context *fn = dc.fn;
    const DXGI_DDI_ARG_PRESENT present = {.SyncInterval = 0};
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotate = {.Resources = 0};
    D3D10DDI_HSHADERRESOURCEVIEW srv;
    D3D10DDI_HRESOURCE quad, quad_on, constants_on;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HQUERY query;
    struct agpu_quads quads;
    uint32_t done = 0;

    agpu_assert(t, dc.fn != NULL);
    agpu_without_rules(t);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    quad = agpu_make_quad(t, 1, 0, 0, 1);
    quad_on = agpu_resource_on(t, dc, quad);
    constants_on = agpu_resource_on(t, dc, agpu_make_dynamic(t, 16, D3D10_DDI_BIND_CONSTANT_BUFFER));
    query = agpu_query_on(t, dc, agpu_make_event(t));
    srv.pDrvPrivate = query.pDrvPrivate; /* only checks whether there is one */
    agpu_quads_bind(t, dc, &quads);
    agpu_check_hr(t, fn->pfnFlush(dc.device), E_INVALIDARG);
    agpu_check_hr(t, fn->pfnPresent(dc.device, &present), E_INVALIDARG);
    agpu_check_hr(t, fn->pfnRotateResourceIdentities(dc.device, &rotate), E_INVALIDARG);
    agpu_check_hr(t, fn->pfnQueryGetData(dc.device, query, &done, sizeof done, 0), E_INVALIDARG);
    agpu_check_recorder_errors(t, dc, 2, E_INVALIDARG); /* of Flush and QueryGetData */
    fn->pfnGenMips(dc.device, srv);
    agpu_check_recorder_errors(t, dc, 1, E_NOTIMPL);
    fn->pfnResourceResolveSubresource(dc.device, quad_on, 0, quad_on, 0, DXGI_FORMAT_R8G8B8A8_UNORM);
    agpu_check_recorder_errors(t, dc, 1, E_NOTIMPL);
    fn->pfnSetPredication(dc.device, query, 1);
    agpu_check_recorder_errors(t, dc, 1, E_NOTIMPL);
    fn->pfnHsSetShader(dc.device, agpu_shader_on(t, dc, quads.vs, t->env->umd.funcs.pfnCreateVertexShader));
    agpu_check_recorder_errors(t, dc, 1, E_NOTIMPL);
    fn->pfnCopyStructureCount(dc.device, quad_on, 0, (D3D11DDI_HUNORDEREDACCESSVIEW){NULL});
    agpu_check_recorder_errors(t, dc, 1, E_NOTIMPL);
    fn->pfnSetMarker(dc.device, "marker");
    fn->pfnBeginEvent(dc.device, "event");
    fn->pfnEndEvent(dc.device);
    fn->pfnDiscardResource(dc.device, quad_on);
    agpu_check_recorder_errors(t, dc, 0, S_OK);
    agpu_check_hr(
        t,
        fn->pfnDynamicIABufferMapDiscard(dc.device, constants_on, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped),
        E_INVALIDARG);
    agpu_check_recorder_errors(t, dc, 1, E_INVALIDARG);
    agpu_check_errors(t, 0, S_OK); /* nothing has reached the device */
    agpu_quads_draw(t, dc, quad, 0, EDGE);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red, 0);
}

static void runtime_spied(struct agpu_runtime_config *config)
{
    agpu_spied_config(config);
    agpu_offer_deferred(config);
}

static const struct agpu_case deferred_runtime_cases[] = {
    AGPU_DEFERRED_CASE("umd.deferred.every_kind", "umd.md 15", runtime_every_kind),
    AGPU_DEFERRED_CASE("umd.deferred.restored_by_the_runtime", "umd.md 15", runtime_restores),
    AGPU_DEFERRED_CASE("umd.deferred.restored_views", "umd.md 15", runtime_restores_views),
    AGPU_DEFERRED_CASE("umd.deferred.restored_hazards", "umd.md 15", runtime_restores_hazards),
    AGPU_DEFERRED_CASE_WITH("umd.deferred.restored_pairs", "umd.md 15", runtime_restores_pairs,
                            runtime_spied),
    AGPU_DEFERRED_CASE("umd.deferred.bound_no_more", "umd.md 19", runtime_unbinds),
    AGPU_DEFERRED_CASE("umd.deferred.usage_rules", "umd.md 19", runtime_rules),
    AGPU_DEFERRED_CASE("umd.deferred.refused_entries", "umd.md 15", runtime_refused),
};

AGPU_CASE_TABLE(agpu_cases_deferred_runtime, deferred_runtime_cases);
