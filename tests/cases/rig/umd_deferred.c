/* umd_deferred.c: deferred contexts in cases (umd_deferred.h). */
#include "tests/cases/rig/umd_deferred.h"

#include <string.h>

/* One case runs at a time. */
static struct agpu_runtime_deferred *contexts[AGPU_RECORDERS_MAX];
static struct agpu_usage *usages[AGPU_RECORDERS_MAX];      /* usage rules in front of each, */
static struct agpu_api_context tables[AGPU_RECORDERS_MAX]; /* and the table with their functions */
static uint32_t context_count;
static struct agpu_runtime_list *lists[AGPU_LISTS_MAX];
static uint32_t list_count;

void agpu_offer_deferred(struct agpu_runtime_config *config)
{
    config->options.deferred_contexts = 1;
}

void agpu_deferred_body(struct agpu_test *t)
{
    const struct agpu_deferred_case *wanted = t->test_case->arg;

    context_count = list_count = 0;
    wanted->body(t);
    while (list_count != 0) {
        agpu_runtime_list_destroy(lists[--list_count]);
    }
    while (context_count != 0) {
        struct agpu_case_recorder recorder = {.deferred = contexts[--context_count]};

        agpu_check_recorder_errors(t, recorder, 0, S_OK);
        agpu_check_recorder_refused(t, recorder, 0, NULL);
        agpu_usage_end(usages[context_count]);
        agpu_runtime_deferred_destroy(recorder.deferred);
    }
}

static struct agpu_runtime_driver driver_of(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    return (struct agpu_runtime_driver){umd->device, agpu_usage_driver_funcs(umd->usage),
                                        agpu_usage_driver_context(umd->usage)};
}

struct agpu_case_recorder agpu_immediate(struct agpu_test *t)
{
    return (struct agpu_case_recorder){.fn = &t->env->umd.context, .device = t->env->umd.device};
}

struct agpu_case_recorder agpu_defer(struct agpu_test *t)
{
    struct agpu_runtime_driver driver = driver_of(t);
    struct agpu_case_recorder recorder = {.fn = NULL};
    HRESULT hr;

    if (context_count == AGPU_RECORDERS_MAX) {
        agpu_error(t, "the case has more deferred contexts than the helper remembers");
        return recorder;
    }
    recorder.deferred = agpu_runtime_deferred_create(t->env->umd.runtime_device, &driver, &hr);
    if (!agpu_check_hr(t, hr, S_OK)) {
        return recorder;
    }
    recorder.device = agpu_runtime_deferred_handle(recorder.deferred);
    tables[context_count] = *agpu_runtime_deferred_funcs(recorder.deferred);
    usages[context_count] = agpu_usage_begin_deferred(t->env->umd.runtime_device, t->env->umd.usage,
                                                      recorder.device, &tables[context_count]);
    agpu_check(t, usages[context_count] != NULL);
    recorder.fn = &tables[context_count];
    contexts[context_count++] = recorder.deferred;
    return recorder;
}

static struct agpu_usage *usage_of_recorder(struct agpu_case_recorder recorder)
{
    for (uint32_t i = 0; i <= context_count && i < AGPU_RECORDERS_MAX; i++) {
        if (contexts[i] == recorder.deferred) {
            return usages[i];
        }
    }
    return NULL;
}

/* ---- handles ---- */

static void *deferred_on(struct agpu_test *t, struct agpu_case_recorder recorder,
                         const struct agpu_runtime_object *object)
{
    void *local;

    if (recorder.deferred == NULL || object->immediate == NULL) {
        return object->immediate;
    }
    local = agpu_runtime_deferred_local(recorder.deferred, object);
    if (local != NULL && usage_of_recorder(recorder) != NULL) {
        const struct agpu_runtime_object of = {.type = D3D10DDI_HT_RESOURCE, .immediate = object->resource};

        agpu_usage_adopt(usage_of_recorder(recorder), t->env->umd.usage, object->immediate, local,
                         of.immediate != NULL ? agpu_runtime_deferred_local(recorder.deferred, &of) : NULL);
        if (of.immediate != NULL) {
            deferred_on(t, recorder, &of);
        }
    }
    agpu_check(t, local != NULL);
    return local;
}

D3D10DDI_HRESOURCE agpu_resource_on(struct agpu_test *t, struct agpu_case_recorder recorder,
                                    D3D10DDI_HRESOURCE object)
{
    const struct agpu_runtime_object of = {.type = D3D10DDI_HT_RESOURCE, .immediate = object.pDrvPrivate};

    return (D3D10DDI_HRESOURCE){deferred_on(t, recorder, &of)};
}

static void *view_on(struct agpu_test *t, struct agpu_case_recorder recorder, uint32_t type, void *view,
                     D3D10DDI_HRESOURCE resource)
{
    const struct agpu_runtime_object of = {.type = type, .immediate = view, .resource = resource.pDrvPrivate};

    return deferred_on(t, recorder, &of);
}

D3D10DDI_HRENDERTARGETVIEW agpu_rtv_on(struct agpu_test *t, struct agpu_case_recorder recorder,
                                       D3D10DDI_HRENDERTARGETVIEW object, D3D10DDI_HRESOURCE resource)
{
    return (D3D10DDI_HRENDERTARGETVIEW){
        view_on(t, recorder, D3D10DDI_HT_RENDERTARGETVIEW, object.pDrvPrivate, resource)};
}

D3D10DDI_HSHADERRESOURCEVIEW agpu_srv_on(struct agpu_test *t, struct agpu_case_recorder recorder,
                                         D3D10DDI_HSHADERRESOURCEVIEW object, D3D10DDI_HRESOURCE resource)
{
    return (D3D10DDI_HSHADERRESOURCEVIEW){
        view_on(t, recorder, D3D10DDI_HT_SHADERRESOURCEVIEW, object.pDrvPrivate, resource)};
}

D3D11DDI_HUNORDEREDACCESSVIEW agpu_uav_on(struct agpu_test *t, struct agpu_case_recorder recorder,
                                          D3D11DDI_HUNORDEREDACCESSVIEW object, D3D10DDI_HRESOURCE resource)
{
    return (D3D11DDI_HUNORDEREDACCESSVIEW){
        view_on(t, recorder, D3D11DDI_HT_UNORDEREDACCESSVIEW, object.pDrvPrivate, resource)};
}

D3D10DDI_HSHADER agpu_shader_on(struct agpu_test *t, struct agpu_case_recorder recorder,
                                D3D10DDI_HSHADER object, agpu_create_shader *create)
{
    const struct agpu_runtime_object of = {
        .type = D3D10DDI_HT_SHADER, .immediate = object.pDrvPrivate, .create_shader = create};

    return (D3D10DDI_HSHADER){deferred_on(t, recorder, &of)};
}

static D3D10DDI_HELEMENTLAYOUT layout_on(struct agpu_test *t, struct agpu_case_recorder recorder,
                                         D3D10DDI_HELEMENTLAYOUT object)
{
    const struct agpu_runtime_object of = {.type = D3D10DDI_HT_ELEMENTLAYOUT,
                                           .immediate = object.pDrvPrivate};

    return (D3D10DDI_HELEMENTLAYOUT){deferred_on(t, recorder, &of)};
}

D3D10DDI_HBLENDSTATE agpu_blend_on(struct agpu_test *t, struct agpu_case_recorder recorder,
                                   D3D10DDI_HBLENDSTATE object)
{
    const struct agpu_runtime_object of = {.type = D3D10DDI_HT_BLENDSTATE, .immediate = object.pDrvPrivate};

    return (D3D10DDI_HBLENDSTATE){deferred_on(t, recorder, &of)};
}

D3D10DDI_HQUERY agpu_query_on(struct agpu_test *t, struct agpu_case_recorder recorder, D3D10DDI_HQUERY object)
{
    const struct agpu_runtime_object of = {.type = D3D10DDI_HT_QUERY, .immediate = object.pDrvPrivate};

    return (D3D10DDI_HQUERY){deferred_on(t, recorder, &of)};
}

void agpu_destroy_everywhere(struct agpu_test *t, D3D10DDI_HRESOURCE resource)
{
    agpu_runtime_deferred_forget(t->env->umd.runtime_device, resource.pDrvPrivate);
    agpu_umd_destroy(t, resource);
}

const D3D10_DDI_RENDER_TARGET_BLEND_DESC agpu_additive = {.BlendEnable = 1,
                                                          .SrcBlend = 2,
                                                          .DestBlend = 2,
                                                          .BlendOp = 1,
                                                          .SrcBlendAlpha = 2,
                                                          .DestBlendAlpha = 2,
                                                          .BlendOpAlpha = 1,
                                                          .RenderTargetWriteMask = 0xF};

/* ---- lists ---- */

static void deferred_forget(const struct agpu_runtime_list *list)
{
    for (uint32_t i = 0; i < list_count; i++) {
        if (lists[i] == list) {
            lists[i] = lists[--list_count];
            return;
        }
    }
}

struct agpu_runtime_list *agpu_finish(struct agpu_test *t, struct agpu_case_recorder recorder)
{
    struct agpu_runtime_list *list;

    agpu_usage_forget_bound(usage_of_recorder(recorder)); /* default state, with or without a list */
    if (list_count == AGPU_LISTS_MAX) {
        agpu_error(t, "the case has more command lists than the helper remembers");
        return NULL;
    }
    if (!agpu_check_hr(t, agpu_runtime_list_finish(recorder.deferred, &list), S_OK)) {
        return NULL;
    }
    lists[list_count++] = list;
    return list;
}

void agpu_finish_fails(struct agpu_test *t, struct agpu_case_recorder recorder, HRESULT expected)
{
    struct agpu_runtime_list *list;

    agpu_check_hr(t, agpu_runtime_list_finish(recorder.deferred, &list), expected);
    agpu_check(t, list == NULL);
    if (list != NULL) {
        agpu_runtime_list_destroy(list);
    }
}

void agpu_execute(struct agpu_test *t, struct agpu_runtime_list *list)
{
    if (list != NULL) {
        agpu_runtime_list_execute(list, NULL);
        agpu_usage_forget_bound(t->env->umd.usage);
    }
}

void agpu_execute_restoring(struct agpu_test *t, struct agpu_runtime_list *list)
{
    (void)t;
    if (list != NULL) {
        agpu_runtime_list_execute_restoring(list);
    }
}

void agpu_execute_on(struct agpu_test *t, struct agpu_runtime_list *list, struct agpu_case_recorder recorder)
{
    (void)t;
    if (list != NULL) {
        agpu_runtime_list_execute(list, recorder.deferred);
        agpu_usage_forget_bound(usage_of_recorder(recorder));
    }
}

void agpu_drop_list(struct agpu_test *t, struct agpu_runtime_list *list)
{
    (void)t;
    if (list == NULL) {
        return;
    }
    deferred_forget(list);
    agpu_runtime_list_destroy(list);
}

void agpu_recycle_list(struct agpu_test *t, struct agpu_runtime_list *list,
                       struct agpu_case_recorder recorder)
{
    (void)t;
    if (list == NULL) {
        return;
    }
    deferred_forget(list);
    agpu_runtime_list_recycle(list, recorder.deferred);
}

bool agpu_check_recorder_refused_at(struct agpu_test *t, struct agpu_case_recorder recorder, uint32_t count,
                                    const char *rule, struct agpu_where where)
{
    struct agpu_usage_refusals refused = {0};

    if (usage_of_recorder(recorder) != NULL) {
        refused = agpu_usage_take(usage_of_recorder(recorder));
    }
    return agpu_check_u64(t, refused.count, count,
                          refused.count != 0 ? refused.first : "calls that broke a usage rule", false,
                          where) &&
           (count == 0 || agpu_check_true(t, strcmp(refused.first, rule) == 0, refused.first, where));
}

bool agpu_check_recorder_errors_at(struct agpu_test *t, struct agpu_case_recorder recorder, uint32_t count,
                                   HRESULT first, struct agpu_where where)
{
    struct agpu_runtime_error_record errors = agpu_runtime_deferred_errors(recorder.deferred);
    bool ok;

    agpu_runtime_deferred_errors_clear(recorder.deferred);
    ok = agpu_check_u64(t, errors.count, count, "errors of the deferred context's SetErrorCb", false, where);
    if (errors.count != 0) {
        ok &= agpu_check_u64(t, (uint32_t)errors.first, (uint32_t)first, "the first of them", true, where);
    }
    return ok;
}

/* ---- quads ---- */

bool agpu_quads_begin(struct agpu_test *t, struct agpu_quads *quads)
{
    const struct agpu_api_device *funcs = &t->env->umd.funcs;

    if (!agpu_draw_begin(t, AGPU_EDGE)) {
        return false;
    }
    quads->vs = agpu_make_shader(t, funcs->pfnCreateVertexShader, &agpu_vs_color_4_0);
    quads->ps = agpu_make_shader(t, funcs->pfnCreatePixelShader, &agpu_ps_color_4_0);
    quads->layout = agpu_make_color_layout(t);
    return quads->vs.pDrvPrivate != NULL && quads->ps.pDrvPrivate != NULL &&
           quads->layout.pDrvPrivate != NULL;
}

D3D10DDI_HRESOURCE agpu_make_quad(struct agpu_test *t, float r, float g, float b, float a)
{
    struct agpu_vertex quad[4];

    agpu_scene_quad(quad, 0.5f, r, g, b, a);
    return agpu_make_default(t, sizeof quad, quad);
}

void agpu_quads_bind(struct agpu_test *t, struct agpu_case_recorder recorder, const struct agpu_quads *quads)
{
    const struct agpu_api_device *funcs = &t->env->umd.funcs;
    D3D10DDI_HRENDERTARGETVIEW target = agpu_rtv_on(t, recorder, agpu_draw_target_view(), agpu_draw_target());

    recorder.fn->pfnSetRenderTargets(recorder.device, &target, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    agpu_quads_columns(recorder, 0, AGPU_EDGE);
    recorder.fn->pfnVsSetShader(recorder.device,
                                agpu_shader_on(t, recorder, quads->vs, funcs->pfnCreateVertexShader));
    recorder.fn->pfnPsSetShader(recorder.device,
                                agpu_shader_on(t, recorder, quads->ps, funcs->pfnCreatePixelShader));
    recorder.fn->pfnIaSetInputLayout(recorder.device, layout_on(t, recorder, quads->layout));
    recorder.fn->pfnIaSetTopology(recorder.device, AGPU_DRAW_STRIP);
}

void agpu_quads_vertices(struct agpu_test *t, struct agpu_case_recorder recorder, D3D10DDI_HRESOURCE vertices)
{
    const uint32_t stride = sizeof(struct agpu_vertex), offset = 0;
    D3D10DDI_HRESOURCE local = agpu_resource_on(t, recorder, vertices);

    recorder.fn->pfnIaSetVertexBuffers(recorder.device, 0, 1, &local, &stride, &offset);
}

void agpu_quads_columns(struct agpu_case_recorder recorder, uint32_t left, uint32_t width)
{
    const D3D10_DDI_VIEWPORT viewport = {(float)left, 0, (float)width, AGPU_EDGE, 0, 1};

    recorder.fn->pfnSetViewports(recorder.device, 1, 0, &viewport);
}

void agpu_quads_draw(struct agpu_test *t, struct agpu_case_recorder recorder, D3D10DDI_HRESOURCE vertices,
                     uint32_t left, uint32_t width)
{
    agpu_quads_vertices(t, recorder, vertices);
    agpu_quads_columns(recorder, left, width);
    recorder.fn->pfnDraw(recorder.device, 4, 0);
}
