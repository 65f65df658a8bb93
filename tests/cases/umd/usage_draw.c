/* usage_draw.c: the runtime's usage rules for the pipeline: a binding that is never permitted, or not at that moment,
 * is refused, and draws use the previous binding (umd.md 19). */
#include "mm/runtime/usage_rules.h"

#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/umd_draw.h"

#define EDGE AGPU_EDGE

/* Creates a quad of one colour in a buffer of this usage and bind flags. */
static D3D10DDI_HRESOURCE usage_draw_quad(struct agpu_test *t, uint32_t usage, uint32_t bind, uint32_t cpu,
                                          float r, float g)
{
    struct agpu_vertex quad[4];
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = quad};
    struct agpu_resource_desc desc = agpu_buffer_desc(sizeof quad, usage, bind, cpu);
    D3D10DDI_HRESOURCE buffer;
    HRESULT hr;

    agpu_scene_quad(quad, 0.5f, r, g, 0, 1);
    desc.pInitialDataUP = &initial;
    desc.InitialDataCount = 1;
    buffer = agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

static uint32_t usage_draw_red_left(uint32_t x, uint32_t y)
{
    (void)y;
    return x < EDGE / 2 ? AGPU_RED : AGPU_NOTHING;
}

static void usage_draw_half(struct agpu_test *t, uint32_t half)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_draw_columns(t, half * EDGE / 2, EDGE / 2);
    umd->context.pfnDraw(umd->device, 4, 0);
}

/* Buffers without the vertex bind flag must not be bound as such: the left half uses the previous binding, the right
 * half a permitted one. */
static void bind_flags(struct agpu_test *t)
{
    const uint32_t size = sizeof(struct agpu_vertex);
    D3D10DDI_HRESOURCE good, wrong, staging, next;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    good = usage_draw_quad(t, D3D10_DDI_USAGE_IMMUTABLE, D3D10_DDI_BIND_VERTEX_BUFFER, 0, 1, 0);
    wrong = usage_draw_quad(t, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_INDEX_BUFFER, 0, 0, 0);
    staging = usage_draw_quad(t, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE, 0, 0);
    next = usage_draw_quad(t, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_VERTEX_BUFFER,
                           D3D10_DDI_CPU_ACCESS_WRITE, 0, 1);
    agpu_assert(t, good.pDrvPrivate && wrong.pDrvPrivate && staging.pDrvPrivate && next.pDrvPrivate);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_vertices(t, good, size, AGPU_DRAW_STRIP);
    agpu_draw_vertices(t, wrong, size, AGPU_DRAW_STRIP);
    agpu_check_refused(t, 1, AGPU_RULE_BIND_FLAGS);
    agpu_draw_vertices(t, staging, size, AGPU_DRAW_STRIP);
    agpu_check_refused(t, 1, AGPU_RULE_BIND_STAGING);
    usage_draw_half(t, 0);
    agpu_draw_vertices(t, next, size, AGPU_DRAW_STRIP);
    usage_draw_half(t, 1);
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* For every other slot of the pipeline, one invalid call must be refused, and the next draw must be unharmed. */
static void every_place(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_api_context *fn = &umd->context;
    D3D10DDI_HRESOURCE vertices, none;
    uint32_t zero = 0;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    vertices = usage_draw_quad(t, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_VERTEX_BUFFER, 0, 1, 0);
    none = agpu_make_staging(t, 256, D3D10_DDI_CPU_ACCESS_READ);
    agpu_assert(t, vertices.pDrvPrivate != NULL && none.pDrvPrivate != NULL);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_vertices(t, vertices, sizeof(struct agpu_vertex), AGPU_DRAW_STRIP);
    fn->pfnVsSetConstantBuffers(umd->device, 0, 1, &vertices);
    fn->pfnPsSetConstantBuffers(umd->device, 0, 1, &vertices);
    fn->pfnGsSetConstantBuffers(umd->device, 0, 1, &vertices);
    fn->pfnHsSetConstantBuffers(umd->device, 0, 1, &vertices);
    fn->pfnDsSetConstantBuffers(umd->device, 0, 1, &vertices);
    fn->pfnCsSetConstantBuffers(umd->device, 0, 1, &vertices);
    fn->pfnIaSetIndexBuffer(umd->device, vertices, DXGI_FORMAT_R16_UINT, 0);
    fn->pfnSoSetTargets(umd->device, 1, 0, &vertices, &zero);
    agpu_check_refused(t, 8, AGPU_RULE_BIND_FLAGS);
    fn->pfnVsSetConstantBuffers(umd->device, 0, 1, &none);
    fn->pfnIaSetIndexBuffer(umd->device, none, DXGI_FORMAT_R16_UINT, 0);
    fn->pfnSoSetTargets(umd->device, 1, 0, &none, &zero);
    const D3D10DDI_HRESOURCE second_bad[] = {{NULL}, none};
    fn->pfnPsSetConstantBuffers(umd->device, 0, 2, second_bad);
    agpu_check_refused(t, 4, AGPU_RULE_BIND_STAGING);
    agpu_check_errors(t, 0, S_OK);
    usage_draw_half(t, 0);
    agpu_draw_expect(t, usage_draw_red_left, 0);
}

/* Views must be refused for resources without the bind flag; STAGING has none. */
static void draw_views(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    struct agpu_resource_desc staging =
        agpu_staging_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE of[2];
    void *memory = platform->heap_alloc(platform->ctx, 256);

    agpu_assert(t, memory != NULL);
    of[0] = agpu_make_texture(t, &desc, 1); /* for sampling only */
    of[1] = agpu_make_texture(t, &staging, 2);
    for (unsigned i = 0; i < 2 && of[0].pDrvPrivate != NULL && of[1].pDrvPrivate != NULL; i++) {
        const char *rule = i == 0 ? AGPU_RULE_BIND_FLAGS : AGPU_RULE_BIND_STAGING;
        D3D10DDIARG_CREATERENDERTARGETVIEW target = {.hDrvResource = of[i]};
        D3D10DDIARG_CREATESHADERRESOURCEVIEW sampled = {.hDrvResource = of[i]};
        D3D11DDIARG_CREATEUNORDEREDACCESSVIEW written = {.hDrvResource = of[i]};

        agpu_check_hr(t,
                      umd->funcs.pfnCreateRenderTargetView(umd->device, &target,
                                                           (D3D10DDI_HRENDERTARGETVIEW){memory},
                                                           (D3D10DDI_HRTRENDERTARGETVIEW){NULL}),
                      E_INVALIDARG);
        umd->funcs.pfnDestroyRenderTargetView(umd->device, (D3D10DDI_HRENDERTARGETVIEW){memory});
        agpu_check_hr(t,
                      umd->funcs.pfnCreateDepthStencilView(umd->device, &target,
                                                           (D3D10DDI_HDEPTHSTENCILVIEW){memory},
                                                           (D3D10DDI_HRTDEPTHSTENCILVIEW){NULL}),
                      E_INVALIDARG);
        umd->funcs.pfnDestroyDepthStencilView(umd->device, (D3D10DDI_HDEPTHSTENCILVIEW){memory});
        agpu_check_hr(t,
                      umd->funcs.pfnCreateUnorderedAccessView(umd->device, &written,
                                                              (D3D11DDI_HUNORDEREDACCESSVIEW){memory},
                                                              (D3D11DDI_HRTUNORDEREDACCESSVIEW){NULL}),
                      E_INVALIDARG);
        umd->funcs.pfnDestroyUnorderedAccessView(umd->device, (D3D11DDI_HUNORDEREDACCESSVIEW){memory});
        agpu_check_refused(t, 3, rule);
        if (i == 1) {
            agpu_check_hr(t,
                          umd->funcs.pfnCreateShaderResourceView(umd->device, &sampled,
                                                                 (D3D10DDI_HSHADERRESOURCEVIEW){memory},
                                                                 (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL}),
                          E_INVALIDARG);
            umd->funcs.pfnDestroyShaderResourceView(umd->device, (D3D10DDI_HSHADERRESOURCEVIEW){memory});
            agpu_check_refused(t, 1, rule);
        }
    }
    platform->heap_free(platform->ctx, memory);
    agpu_check_errors(t, 0, S_OK);
    /* The permitted view samples on the device. */
    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_shaders(t, &agpu_vs_vertex_id_4_0, NULL, &agpu_ps_load_4_0);
    umd->context.pfnIaSetTopology(umd->device, AGPU_DRAW_LIST);
    agpu_draw_view(t, &(D3D10DDIARG_CREATESHADERRESOURCEVIEW){
                          .hDrvResource = of[0], .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 1});
    umd->context.pfnDraw(umd->device, 3, 0);
    agpu_fill_image(&desc, 0, 1, agpu_scratch(1));
    agpu_check_image(t, agpu_draw_target(), &desc, 0, agpu_scratch(1));
}

/* A mapped resource must not be bound, and a draw must not run while a resource that it reads is mapped: the left half
 * must not change. ClearState ends its binding. */
static void mapped_while_bound(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex *vertices;
    D3D10DDI_HRESOURCE buffer, other;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    buffer = agpu_make_dynamic(t, 4 * sizeof *vertices, D3D10_DDI_BIND_VERTEX_BUFFER);
    other = agpu_make_dynamic(t, 4 * sizeof *vertices, D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, buffer.pDrvPrivate != NULL && other.pDrvPrivate != NULL);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_vertices(t, buffer, sizeof *vertices, AGPU_DRAW_STRIP);
    agpu_return_unless(
        agpu_check_hr(t, agpu_umd_map(t, buffer, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK));
    agpu_scene_quad(mapped.pData, 0.5f, 1, 0, 0, 1);
    usage_draw_half(t, 1);
    umd->context.pfnDrawInstanced(umd->device, 4, 1, 0, 0);
    umd->context.pfnDrawAuto(umd->device);
    agpu_check_refused(t, 3, AGPU_RULE_DRAW_MAPPED);
    agpu_return_unless(
        agpu_check_hr(t, agpu_umd_map(t, other, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK));
    agpu_draw_vertices(t, other, sizeof *vertices, AGPU_DRAW_STRIP);
    agpu_check_refused(t, 1, AGPU_RULE_BIND_MAPPED);
    agpu_umd_unmap(t, other); /* never bound, so its mapping does not matter */
    agpu_umd_unmap(t, buffer);
    usage_draw_half(t, 0);
    agpu_draw_expect(t, usage_draw_red_left, 0);
    umd->context.pfnClearState(umd->device);
    agpu_return_unless(
        agpu_check_hr(t, agpu_umd_map(t, buffer, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK));
    umd->context.pfnDrawInstanced(umd->device, 0, 0, 0, 0);
    agpu_check_refused(t, 0, NULL);
    agpu_umd_unmap(t, buffer);
}

#define USAGE_DRAW(name, function) AGPU_DRAW_CASE(name, "umd.md 19", 0, function, 0)

static const struct agpu_case umd_usage_draw_cases[] = {
    USAGE_DRAW("umd.usage.bind_flags", bind_flags),
    USAGE_DRAW("umd.usage.every_place", every_place),
    USAGE_DRAW("umd.usage.views", draw_views),
    USAGE_DRAW("umd.usage.mapped_while_bound", mapped_while_bound),
};

AGPU_CASE_TABLE(agpu_cases_umd_usage_draw, umd_usage_draw_cases);
