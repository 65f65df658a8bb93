/* runtime.c: what the runtime does around deferred contexts: it asks about every object when it is made, and sets the
 * application's state again behind a list (umd.md 15). */
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/umd_deferred.h"

#define EDGE AGPU_EDGE
#define HALF (EDGE / 2)

/* ---- sizes of handles ---- */

/* The question came when the object was made, its answer is an advertised one, and a handle of that size works. */
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

/* All 13 kinds; then the context records as well as ever. */
static void runtime_every_kind(struct agpu_test *t)
{
    static const D3D10_DDI_RASTERIZER_DESC rasterizer = {.FillMode = 3, .CullMode = 1, .DepthClipEnable = 1};
    static const D3D10_DDI_DEPTH_STENCIL_DESC depth = {.DepthFunc = 2};
    const D3D11DDI_DEVICEFUNCS *funcs = &t->env->umd.funcs;
    struct agpu_case_recorder dc = agpu_defer(t), other = agpu_defer(t);
    D3D10DDIARG_CREATERESOURCE buffer =
        agpu_buffer_desc(256, D3D10_DDI_USAGE_DEFAULT, D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
    D3D10DDIARG_CREATERESOURCE texture = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 4, 4);
    D3D10DDIARG_CREATERESOURCE target = agpu_texture_desc(DXGI_FORMAT_D32_FLOAT, EDGE, EDGE);
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

/* The application sets everything once: target, layout, buffers with offsets, constants, shaders, blending with a factor, a
 * scissor over the upper half, the viewport. Behind each list, which sets all of it otherwise, it only draws: without any one
 * of them the image is another. */
static void runtime_restores(struct agpu_test *t)
{
    static const D3D10_DDI_RASTERIZER_DESC scissored = {
        .FillMode = 3, .CullMode = 1, .DepthClipEnable = 1, .ScissorEnable = 1};
    static const D3D10_DDI_RECT upper = {0, 0, EDGE, HALF};
    /* Behind 4 bytes, and 32, that nothing draws. */
    static const uint16_t indices[] = {9, 9, 0, 1, 2, 2, 1, 3};
    static const float constants[2][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}};
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D11DDI_DEVICECONTEXTFUNCS *fn = &umd->context;
    struct agpu_case_recorder dc = agpu_defer(t);
    const uint32_t stride = sizeof(struct agpu_vertex), offset = sizeof(struct agpu_vertex);
    D3D10DDIARG_CREATERESOURCE desc =
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

/* Textures and samplers of a stage, and the target that samples from what was a target before: the last word counts. */
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
    local = agpu_rtv_on(t, dc, source_view, source); /* the list makes a target of the texture, and red */
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

static const struct agpu_case cases[] = {
    AGPU_DEFERRED_CASE("umd.deferred.every_kind", "umd.md 15", runtime_every_kind),
    AGPU_DEFERRED_CASE("umd.deferred.restored_by_the_runtime", "umd.md 15", runtime_restores),
    AGPU_DEFERRED_CASE("umd.deferred.restored_views", "umd.md 15", runtime_restores_views),
};

AGPU_CASE_TABLE(agpu_cases_deferred_runtime, cases);
