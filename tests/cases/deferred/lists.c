/* lists.c: deferred contexts on a device that draws: handles, recording and execution in order,
 * state before and after, objects that change or go in between (umd.md 15). */
#include "pci/machine/wait.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/umd_deferred.h"
#include "umd-port/deferred/handles.h"

#define EDGE    AGPU_EDGE
#define QUARTER (EDGE / 4)

/* ---- handles ---- */

/* Returns true if one of the advertised handle sizes of this type is the requested one. Each type has one size, the
 * same in both queries. */
static bool lists_advertised(const D3D11DDI_HANDLESIZE *sizes, uint32_t count, uint32_t type, size_t bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        if (sizes[i].HandleType == type && sizes[i].Size == bytes) {
            return true;
        }
    }
    return false;
}

/* Handle sizes of deferred contexts must be advertised equally in both queries, and creations must ask for these
 * sizes. */
static void handle_sizes(struct agpu_test *t)
{
    enum { MOST = 64 };
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D11DDI_HANDLESIZE sizes[MOST];
    uint32_t count = 0, again = MOST, threading = 0;
    const D3D10_2DDIARG_GETCAPS caps = {D3D11DDICAPS_THREADING, sizeof threading, &threading};
    struct agpu_quads quads;

    agpu_check_hr(t, umd->adapter_funcs.pfnGetCaps(umd->adapter, &caps), S_OK);
    agpu_check_eq_u64(t, threading, 5); /* free threaded, command lists */
    umd->funcs.pfnCheckDeferredContextHandleSizes(umd->device, &count, NULL);
    agpu_assert(t, count != 0 && count <= MOST);
    umd->funcs.pfnCheckDeferredContextHandleSizes(umd->device, &again, sizes);
    agpu_check_eq_u64(t, again, count);
    agpu_return_unless(agpu_quads_begin(t, &quads));

    const struct {
        uint32_t type;
        void *object;
    } made[] = {
        {D3D10DDI_HT_RESOURCE, agpu_draw_target().pDrvPrivate},
        {D3D10DDI_HT_RENDERTARGETVIEW, agpu_draw_target_view().pDrvPrivate},
        {D3D10DDI_HT_SHADER, quads.vs.pDrvPrivate},
        {D3D10DDI_HT_ELEMENTLAYOUT, quads.layout.pDrvPrivate},
        {D3D10DDI_HT_QUERY, agpu_make_event(t).pDrvPrivate},
    };
#define SIZE(entry, type)                                                                                    \
    {                                                                                                        \
        (type), umd->funcs.pfnCalcPrivate##entry(umd->device, NULL)                                          \
    }
    const struct {
        uint32_t type;
        size_t bytes;
    } objects[] = {
        SIZE(ResourceSize, D3D10DDI_HT_RESOURCE),
        SIZE(OpenedResourceSize, D3D10DDI_HT_RESOURCE),
        SIZE(ShaderResourceViewSize, D3D10DDI_HT_SHADERRESOURCEVIEW),
        SIZE(RenderTargetViewSize, D3D10DDI_HT_RENDERTARGETVIEW),
        SIZE(DepthStencilViewSize, D3D10DDI_HT_DEPTHSTENCILVIEW),
        SIZE(UnorderedAccessViewSize, D3D11DDI_HT_UNORDEREDACCESSVIEW),
        SIZE(ElementLayoutSize, D3D10DDI_HT_ELEMENTLAYOUT),
        SIZE(BlendStateSize, D3D10DDI_HT_BLENDSTATE),
        SIZE(DepthStencilStateSize, D3D10DDI_HT_DEPTHSTENCILSTATE),
        SIZE(RasterizerStateSize, D3D10DDI_HT_RASTERIZERSTATE),
        SIZE(ShaderSize, D3D10DDI_HT_SHADER),
        SIZE(TessellationShaderSize, D3D10DDI_HT_SHADER),
        SIZE(GeometryShaderWithStreamOutput, D3D10DDI_HT_SHADER),
        SIZE(SamplerSize, D3D10DDI_HT_SAMPLERSTATE),
        SIZE(QuerySize, D3D10DDI_HT_QUERY),
    };
    for (uint32_t i = 0; i < sizeof objects / sizeof objects[0];
         i++) { /* with the data that contexts share */
        agpu_check_place(t, "bytes of kind", i, objects[i].bytes,
                         agpu_immediate_handle_bytes(objects[i].type));
    }
    for (uint32_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        agpu_check(t, lists_advertised(sizes, count, made[i].type,
                                       umd->funcs.pfnCalcDeferredContextHandleSize(umd->device, made[i].type,
                                                                                   made[i].object)));
    }
}

/* Handles of different contexts must not share a cache line, wherever the runtime puts them. A line of padding follows
 * each local handle. The data that all contexts read begins at a line behind the immediate object; a list has none. */
static void handle_lines(struct agpu_test *t)
{
    const size_t line = AGPU_CACHE_LINE;

    agpu_check_eq_u64(t, agpu_local_handle_bytes(D3D10DDI_HT_RESOURCE),
                      sizeof(struct agpu_local_resource) + line);
    agpu_check_eq_u64(t, agpu_local_handle_bytes(D3D10DDI_HT_RENDERTARGETVIEW),
                      sizeof(struct agpu_view) + line);
    for (uint32_t type = 0; type < AGPU_HANDLE_TYPES; type++) {
        for (size_t at = 0; at < line && type != D3D11DDI_HT_COMMANDLIST; at += 16) {
            uint8_t *object = agpu_scratch(0) + at;
            const uint8_t *info = (const uint8_t *)agpu_shared_info_of(type, object);

            agpu_check_eq_u64(t, (uintptr_t)info % line, 0);
            agpu_check(t, info >= object && info + line <= object + agpu_immediate_handle_bytes(type));
            if (type == D3D10DDI_HT_RESOURCE) {
                agpu_check(t, info >= object + sizeof(struct agpu_resource));
            }
        }
        agpu_check(t, agpu_local_handle_bytes(type) > line);
    }
    agpu_check_eq_u64(t, agpu_local_handle_bytes(AGPU_HANDLE_TYPES), 0);
}

/* ---- recording and execution ---- */

/* A list with a clear and a draw must show its result after the execution, and nothing before. */
static void lists_draw(struct agpu_test *t)
{
    const float color[4] = {1, 0, 0, 1};
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_runtime_list *list;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    dc.fn->pfnClearRenderTargetView(dc.device,
                                    agpu_rtv_on(t, dc, agpu_draw_target_view(), agpu_draw_target()), color);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 0, 1, 0, 1), EDGE / 2, EDGE / 2);
    list = agpu_finish(t, dc);
    agpu_return_unless(
        agpu_draw_expect(t, agpu_expected_nothing, 0)); /* nothing happens before it is executed */
    agpu_execute(t, list);
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* State that a list has set must not remain after it: its blend state would make the next draw yellow. */
static void default_state(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t), immediate = agpu_immediate(t);
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, dc, &quads);
    dc.fn->pfnSetBlendState(dc.device, agpu_blend_on(t, dc, agpu_make_blend(t, &agpu_additive)), NULL,
                            0xFFFFFFFFu);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 0, 1, 0, 1), 0, EDGE);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_quads_bind(t, immediate, &quads);
    agpu_quads_draw(t, immediate, agpu_make_quad(t, 1, 0, 0, 1), 0, EDGE);
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* With state restored, the immediate context must continue with the application's state. The list leaves other state
 * that would show: another target, one column, blending, no green. */
static void restored_state(struct agpu_test *t)
{
    static const D3D10_DDI_RENDER_TARGET_BLEND_DESC no_green = {.RenderTargetWriteMask = 0xD};
    struct agpu_case_recorder dc = agpu_defer(t), immediate = agpu_immediate(t);
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    D3D10DDI_HRENDERTARGETVIEW other_view, local;
    D3D10DDI_HRESOURCE green, red, other;
    D3D10DDI_HBLENDSTATE masked;
    struct agpu_runtime_list *list;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    green = agpu_make_quad(t, 0, 1, 0, 1);
    red = agpu_make_quad(t, 1, 0, 0, 1);
    other = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    other_view = agpu_make_rtv(t, other);
    masked = agpu_make_blend(t, &no_green);
    agpu_assert(t, other_view.pDrvPrivate && masked.pDrvPrivate);
    agpu_clear_view(t, other_view, 0, 0, 1, 1);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, red, 0, EDGE);
    local = agpu_rtv_on(t, dc, other_view, other);
    dc.fn->pfnSetRenderTargets(dc.device, &local, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    dc.fn->pfnSetBlendState(dc.device, agpu_blend_on(t, dc, masked), NULL, 0xFFFFFFFFu);
    agpu_quads_columns(dc, 0, 1);
    list = agpu_finish(t, dc);
    for (uint32_t round = 0; round < 2; round++) { /* the second time without other calls in between */
        agpu_draw_clear(t, 0, 0, 0, 0);
        agpu_quads_bind(t, immediate, &quads);
        agpu_quads_draw(t, immediate, green, 0, EDGE);
        agpu_execute(t, list);
        agpu_quads_bind(t, immediate, &quads);
        agpu_quads_draw(t, immediate, green, EDGE / 2, EDGE / 2);
        agpu_return_unless(agpu_draw_expect(t, agpu_expected_red_green, 0));
        agpu_return_unless(agpu_check_solid(t, other, &desc, 0, 0, 0, 255, 255));
    }
}

/* A list must start with default state whatever the immediate context has set: here without blending. */
static void starts_from_default(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t), immediate = agpu_immediate(t);
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 1, 0, 0, 1), 0, EDGE);
    agpu_quads_bind(t, immediate, &quads);
    immediate.fn->pfnSetBlendState(immediate.device, agpu_make_blend(t, &agpu_additive), NULL, 0xFFFFFFFFu);
    agpu_quads_draw(t, immediate, agpu_make_quad(t, 0, 0, 1, 1), 0, EDGE);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red, 0);
}

static uint32_t lists_quarters(uint32_t x, uint32_t y)
{
    static const uint32_t colors[4] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};

    (void)y;
    return colors[x / QUARTER];
}

/* Given contexts that record in turns, each drawing over the previous one, the order of execution must decide. */
static void contexts_in_order(struct agpu_test *t)
{
    static const float colors[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    struct agpu_runtime_list *lists[4];
    struct agpu_case_recorder recorders[4];
    struct agpu_quads quads;

    agpu_return_unless(agpu_quads_begin(t, &quads));
    for (uint32_t i = 4; i-- > 0;) {
        recorders[i] = agpu_defer(t);
        agpu_assert(t, recorders[i].fn != NULL);
        agpu_quads_bind(t, recorders[i], &quads);
    }
    for (uint32_t i = 4; i-- > 0;) {
        agpu_quads_draw(t, recorders[i], agpu_make_quad(t, colors[i][0], colors[i][1], colors[i][2], 1),
                        i * QUARTER, EDGE - i * QUARTER);
    }
    for (uint32_t i = 4; i-- > 0;) {
        lists[i] = agpu_finish(t, recorders[i]);
    }
    for (uint32_t i = 0; i < 4; i++) {
        agpu_execute(t, lists[i]);
    }
    agpu_draw_expect(t, lists_quarters, 0);
}

/* Given lists that depend on each other through textures (draw, copy, draw with the copy), each must use the previous
 * one's result. */
static void dependent_lists(struct agpu_test *t)
{
    const struct agpu_api_device *funcs = &t->env->umd.funcs;
    struct agpu_case_recorder first = agpu_defer(t), second = agpu_defer(t), third = agpu_defer(t);
    D3D10DDIARG_CREATESHADERRESOURCEVIEW view = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 1};
    D3D10DDI_HRESOURCE between;
    D3D10DDI_HRENDERTARGETVIEW between_view, target;
    D3D10DDI_HSHADERRESOURCEVIEW srv, local_view;
    D3D10DDI_HSHADER vs, load;
    const float black[4] = {0, 0, 0, 0};
    struct agpu_runtime_list *lists[3];
    struct agpu_quads quads;

    agpu_assert(t, first.fn && second.fn && third.fn);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    between = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    between_view = agpu_make_rtv(t, between);
    view.hDrvResource = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    srv = agpu_make_srv(t, &view);
    vs = agpu_make_shader(t, funcs->pfnCreateVertexShader, &agpu_vs_vertex_id_4_0);
    load = agpu_make_shader(t, funcs->pfnCreatePixelShader, &agpu_ps_load_4_0);
    agpu_assert(t, between_view.pDrvPrivate && srv.pDrvPrivate);

    agpu_quads_bind(t, first, &quads);
    target = agpu_rtv_on(t, first, between_view, between);
    first.fn->pfnSetRenderTargets(first.device, &target, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    agpu_quads_draw(t, first, agpu_make_quad(t, 1, 0, 0, 1), 0, EDGE / 2);
    agpu_quads_draw(t, first, agpu_make_quad(t, 0, 1, 0, 1), EDGE / 2, EDGE / 2);

    second.fn->pfnResourceCopy(second.device, agpu_resource_on(t, second, view.hDrvResource),
                               agpu_resource_on(t, second, between));
    second.fn->pfnClearRenderTargetView(second.device, agpu_rtv_on(t, second, between_view, between), black);

    agpu_quads_bind(t, third, &quads);
    third.fn->pfnVsSetShader(third.device, agpu_shader_on(t, third, vs, funcs->pfnCreateVertexShader));
    third.fn->pfnPsSetShader(third.device, agpu_shader_on(t, third, load, funcs->pfnCreatePixelShader));
    third.fn->pfnIaSetInputLayout(third.device, (D3D10DDI_HELEMENTLAYOUT){NULL});
    third.fn->pfnIaSetTopology(third.device, AGPU_DRAW_LIST);
    local_view = agpu_srv_on(t, third, srv, view.hDrvResource);
    third.fn->pfnPsSetShaderResources(third.device, 0, 1, &local_view);
    third.fn->pfnDraw(third.device, 3, 0);

    lists[2] = agpu_finish(t, third);
    lists[1] = agpu_finish(t, second);
    lists[0] = agpu_finish(t, first);
    for (uint32_t i = 0; i < 3; i++) {
        agpu_execute(t, lists[i]);
    }
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

static uint32_t two_fifths(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_RGBA(102, 102, 102, 102);
}

/* A list that adds a fifth must add two when executed twice; its blend state is a local handle as well. */
static void executed_twice(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_runtime_list *list;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, dc, &quads);
    dc.fn->pfnSetBlendState(dc.device, agpu_blend_on(t, dc, agpu_make_blend(t, &agpu_additive)), NULL,
                            0xFFFFFFFFu);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 0.2f, 0.2f, 0.2f, 0.2f), 0, EDGE);
    list = agpu_finish(t, dc);
    agpu_execute(t, list);
    agpu_execute(t, list);
    agpu_draw_expect(t, two_fifths, 1);
}

/* A list within a list within a list must be executed. */
static void lists_nested(struct agpu_test *t)
{
    struct agpu_case_recorder inner = agpu_defer(t), outer = agpu_defer(t), outermost = agpu_defer(t);
    struct agpu_runtime_list *list;
    struct agpu_quads quads;

    agpu_assert(t, inner.fn && outer.fn && outermost.fn);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, inner, &quads);
    agpu_quads_draw(t, inner, agpu_make_quad(t, 1, 0, 0, 1), 0, EDGE);
    list = agpu_finish(t, inner);
    agpu_execute_on(t, list, outer);
    agpu_quads_bind(t, outer, &quads);
    agpu_quads_draw(t, outer, agpu_make_quad(t, 0, 1, 0, 1), EDGE / 2, EDGE / 2);
    agpu_drop_list(t, list);
    list = agpu_finish(t, outer);
    agpu_execute_on(t, list, outermost);
    agpu_drop_list(t, list);
    agpu_execute(t, agpu_finish(t, outermost));
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* ---- objects in between ---- */

/* Given vertices and target destroyed after FinishCommandList, the list must still draw. */
static void objects_destroyed(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t);
    D3D10DDI_HRESOURCE quad, source;
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    uint8_t *image = agpu_scratch(1);
    const D3D10_DDI_BOX box = {0, 0, 0, EDGE / 2, EDGE, 1};
    struct agpu_runtime_list *list;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    quad = agpu_make_quad(t, 0, 1, 0, 1);
    source = agpu_make_texture(t, &desc, 0);
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        ((uint32_t *)(void *)image)[i] = AGPU_RED;
    }
    agpu_umd_update(t, source, 0, NULL, image, EDGE * 4);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, quad, 0, EDGE);
    agpu_check_hr(t,
                  dc.fn->pfnResourceCopyRegion(dc.device, agpu_resource_on(t, dc, agpu_draw_target()), 0, 0,
                                               0, 0, agpu_resource_on(t, dc, source), 0, &box),
                  S_OK);
    list = agpu_finish(t, dc);
    agpu_destroy_everywhere(t, quad);
    agpu_destroy_everywhere(t, source);
    for (uint32_t i = 0; i < 4; i++) { /* would take their place if their memory were freed */
        agpu_make_quad(t, 0, 0, 1, 1);
    }
    agpu_execute(t, list);
    agpu_drop_list(t, list);
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* Given a list recorded before a rotation, it must draw to what the resource is at execution. */
static void lists_rotated(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_case_recorder dc = agpu_defer(t);
    D3D10DDI_HRESOURCE other;
    struct agpu_runtime_list *list;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    other = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    agpu_assert(t, other.pDrvPrivate != NULL);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 1, 0, 0, 1), 0, EDGE);
    list = agpu_finish(t, dc);
    D3D10DDI_HRESOURCE both[] = {agpu_draw_target(), other};
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotation = {both, 2};
    agpu_check_hr(t, umd->funcs.pfnRotateResourceIdentities(umd->device, &rotation), S_OK);
    agpu_execute(t, list);
    agpu_return_unless(agpu_draw_expect(t, agpu_expected_red, 0));
    agpu_check_hr(t, umd->funcs.pfnRotateResourceIdentities(umd->device, &rotation), S_OK);
    agpu_draw_expect(t, agpu_expected_nothing, 0); /* the other identity has not changed */
}

/* An event that ends in a list must signal only when the list's work is done. */
static void lists_event(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t), immediate = agpu_immediate(t);
    D3D10DDI_HQUERY query = agpu_make_event(t);
    struct agpu_runtime_list *list;
    struct agpu_quads quads;
    struct agpu_wait wait;
    uint32_t done = 0;
    HRESULT hr;

    agpu_assert(t, dc.fn && query.pDrvPrivate);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 1, 0, 0, 1), 0, EDGE);
    dc.fn->pfnQueryEnd(dc.device, agpu_query_on(t, dc, query));
    list = agpu_finish(t, dc);
    agpu_execute(t, list);
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    do {
        hr = immediate.fn->pfnQueryGetData(immediate.device, query, &done, sizeof done, 0);
    } while (hr == DXGI_ERROR_WAS_STILL_DRAWING && agpu_wait_again(&wait));
    agpu_check_hr(t, hr, S_OK);
    agpu_check_eq_u64(t, done, 1);
    agpu_draw_expect(t, agpu_expected_red, 0);
}

#define DEFERRED(name, function) AGPU_DEFERRED_CASE("umd.deferred." name, "umd.md 15", function)

static const struct agpu_case deferred_lists_cases[] = {
    AGPU_DEFERRED_UNDRAWN_CASE("umd.deferred.handle_sizes", "umd.md 15", handle_sizes),
    {.id = "umd.deferred.handle_lines", .spec = "umd.md 15", .needs = AGPU_NEED_MACHINE, .run = handle_lines},
    DEFERRED("draw", lists_draw),
    DEFERRED("default_state_afterwards", default_state),
    DEFERRED("state_restored", restored_state),
    DEFERRED("starts_from_default_state", starts_from_default),
    DEFERRED("contexts_in_order", contexts_in_order),
    DEFERRED("dependent_lists", dependent_lists),
    DEFERRED("executed_twice", executed_twice),
    DEFERRED("nested", lists_nested),
    DEFERRED("objects_destroyed_before_execution", objects_destroyed),
    DEFERRED("rotated_before_execution", lists_rotated),
    DEFERRED("event_query", lists_event),
};

AGPU_CASE_TABLE(agpu_cases_deferred_lists, deferred_lists_cases);
