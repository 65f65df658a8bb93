/* handles.c: sizes of context-local handles and the order in which the runtime destroys them (umd.md 15). */
#include <string.h>

#include "mm/runtime/device.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/umd_deferred.h"

#define LARGER 64u

/* The driver's device table with some entries replaced; one case runs at a time. */
static struct {
    const struct agpu_api_device *driver;
    struct agpu_api_device funcs;
    char destroyed[8]; /* the kinds of EACH_DESTROYED() in order */
    size_t bytes;      /* answer of CalcDeferredContextHandleSize */
} handles;

static struct agpu_runtime_driver handles_driver(struct agpu_test *t)
{
    handles.driver = agpu_usage_driver_funcs(t->env->umd.usage);
    handles.funcs = *handles.driver;
    memset(handles.destroyed, 0, sizeof handles.destroyed);
    return (struct agpu_runtime_driver){t->env->umd.device, &handles.funcs,
                                        agpu_usage_driver_context(t->env->umd.usage)};
}

static void note_destroyed(char kind)
{
    const size_t count = strlen(handles.destroyed);

    if (count < sizeof handles.destroyed - 1) {
        handles.destroyed[count] = kind;
    }
}

#define NOTED(entry, kind, handle)                                                                           \
    static void noted_##entry(D3D10DDI_HDEVICE device, handle object)                                        \
    {                                                                                                        \
        note_destroyed(kind);                                                                                \
        handles.driver->pfnDestroy##entry(device, object);                                                   \
    }
#define EACH_DESTROYED(X)                                                                                    \
    X(Resource, 'r', D3D10DDI_HRESOURCE)                                                                     \
    X(ShaderResourceView, 's', D3D10DDI_HSHADERRESOURCEVIEW)                                                 \
    X(RenderTargetView, 'v', D3D10DDI_HRENDERTARGETVIEW)                                                     \
    X(DepthStencilView, 'd', D3D10DDI_HDEPTHSTENCILVIEW)                                                     \
    X(UnorderedAccessView, 'u', D3D11DDI_HUNORDEREDACCESSVIEW)                                               \
    X(Shader, 'p', D3D10DDI_HSHADER)                                                                         \
    X(ElementLayout, 'l', D3D10DDI_HELEMENTLAYOUT)                                                           \
    X(BlendState, 'b', D3D10DDI_HBLENDSTATE)                                                                 \
    X(DepthStencilState, 'z', D3D10DDI_HDEPTHSTENCILSTATE)                                                   \
    X(RasterizerState, 'x', D3D10DDI_HRASTERIZERSTATE)                                                       \
    X(Sampler, 'm', D3D10DDI_HSAMPLER)                                                                       \
    X(Query, 'q', D3D10DDI_HQUERY)                                                                           \
    X(CommandList, 'c', D3D11DDI_HCOMMANDLIST)
EACH_DESTROYED(NOTED)

/* The local handle of each kind of object must be destroyed by the entry of its kind when its object goes, once. */
static void every_local_destroyed(struct agpu_test *t)
{
    static const D3D10_DDI_RASTERIZER_DESC rasterizer = {.FillMode = 3, .CullMode = 1, .DepthClipEnable = 1};
    static const D3D10_DDI_DEPTH_STENCIL_DESC depth = {.DepthFunc = 2};
    const struct agpu_runtime_driver driver = handles_driver(t);
    struct agpu_runtime_device *owner = t->env->umd.runtime_device;
    struct agpu_resource_desc buffer = agpu_buffer_desc(
        64, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_SHADER_RESOURCE | D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
    struct agpu_resource_desc deep = agpu_texture_desc(DXGI_FORMAT_D32_FLOAT, 4, 4);
    D3D11DDIARG_CREATEUNORDEREDACCESSVIEW output = {.NumElements = 4};
    struct agpu_case_recorder recorder = agpu_defer(t);
    D3D10DDI_HRESOURCE words, target, depth_target;
    struct agpu_runtime_deferred *deferred;
    HRESULT hr;

    deep.BindFlags = D3D10_DDI_BIND_DEPTH_STENCIL;
    words = agpu_umd_create(t, &buffer, &hr);
    target = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, 4, 4);
    depth_target = agpu_make_texture(t, &deep, 0);
    agpu_assert(t, recorder.fn && words.pDrvPrivate && target.pDrvPrivate && depth_target.pDrvPrivate);
    output.hDrvResource = words;
    const struct {
        char kind;
        struct agpu_runtime_object of;
    } rows[] = {
        {'s',
         {D3D10DDI_HT_SHADERRESOURCEVIEW,
          agpu_make_srv(t, &(D3D10DDIARG_CREATESHADERRESOURCEVIEW){.hDrvResource = words, .NumElements = 4})
              .pDrvPrivate,
          words.pDrvPrivate, NULL}},
        {'u',
         {D3D11DDI_HT_UNORDEREDACCESSVIEW, agpu_make_uav(t, &output).pDrvPrivate, words.pDrvPrivate, NULL}},
        {'v', {D3D10DDI_HT_RENDERTARGETVIEW, agpu_make_rtv(t, target).pDrvPrivate, target.pDrvPrivate, NULL}},
        {'d',
         {D3D10DDI_HT_DEPTHSTENCILVIEW, agpu_make_dsv(t, depth_target).pDrvPrivate, depth_target.pDrvPrivate,
          NULL}},
        {'p',
         {D3D10DDI_HT_SHADER,
          agpu_make_shader(t, t->env->umd.funcs.pfnCreatePixelShader, &agpu_ps_color_4_0).pDrvPrivate, NULL,
          handles.driver->pfnCreatePixelShader}},
        {'l', {D3D10DDI_HT_ELEMENTLAYOUT, agpu_make_color_layout(t).pDrvPrivate, NULL, NULL}},
        {'b', {D3D10DDI_HT_BLENDSTATE, agpu_make_blend(t, &agpu_additive).pDrvPrivate, NULL, NULL}},
        {'z', {D3D10DDI_HT_DEPTHSTENCILSTATE, agpu_make_depth(t, &depth).pDrvPrivate, NULL, NULL}},
        {'x', {D3D10DDI_HT_RASTERIZERSTATE, agpu_make_rasterizer(t, &rasterizer).pDrvPrivate, NULL, NULL}},
        {'m', {D3D10DDI_HT_SAMPLERSTATE, agpu_make_sampler(t, 0, 1).pDrvPrivate, NULL, NULL}},
        {'q', {D3D10DDI_HT_QUERY, agpu_make_event(t).pDrvPrivate, NULL, NULL}},
        {'c', {D3D11DDI_HT_COMMANDLIST, agpu_runtime_list_handle(agpu_finish(t, recorder)), NULL, NULL}},
        {'r', {D3D10DDI_HT_RESOURCE, words.pDrvPrivate, NULL, NULL}},
    };
#define USE_NOTED(entry, kind, handle) handles.funcs.pfnDestroy##entry = noted_##entry;
    EACH_DESTROYED(USE_NOTED)
    deferred = agpu_runtime_deferred_create(owner, &driver, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char expected[2] = {rows[i].kind, '\0'};

        agpu_check(t, agpu_runtime_deferred_local(deferred, &rows[i].of) != NULL);
        memset(handles.destroyed, 0, sizeof handles.destroyed);
        agpu_runtime_deferred_forget(owner, rows[i].of.immediate);
        agpu_check_eq_mem(t, handles.destroyed, expected, sizeof expected);
    }
    memset(handles.destroyed, 0, sizeof handles.destroyed);
    agpu_runtime_deferred_destroy(deferred);
    agpu_check_eq_mem(t, handles.destroyed, "rr", sizeof "rr"); /* of the targets of views */
}

/* The runtime must destroy the local views of a resource before its local handle, whichever was used first: before the
 * immediate resource is destroyed, and with the context. */
static void locals_destroyed(struct agpu_test *t)
{
    const struct agpu_runtime_driver driver = handles_driver(t);
    struct agpu_runtime_object objects[2] = {{.type = D3D10DDI_HT_RESOURCE},
                                             {.type = D3D10DDI_HT_RENDERTARGETVIEW}};
    D3D10DDI_HRESOURCE texture = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, 4, 4);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, texture);
    struct agpu_runtime_deferred *deferred;
    HRESULT hr;

    agpu_assert(t, view.pDrvPrivate != NULL);
    handles.funcs.pfnDestroyRenderTargetView = noted_RenderTargetView;
    handles.funcs.pfnDestroyResource = noted_Resource;
    objects[0].immediate = objects[1].resource = texture.pDrvPrivate;
    objects[1].immediate = view.pDrvPrivate;
    deferred = agpu_runtime_deferred_create(t->env->umd.runtime_device, &driver, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    for (uint32_t first = 0; first < 2; first++) {
        agpu_check(t, agpu_runtime_deferred_local(deferred, &objects[first]) != NULL);
        agpu_check(t, agpu_runtime_deferred_local(deferred, &objects[!first]) != NULL);
        agpu_runtime_deferred_forget(t->env->umd.runtime_device, texture.pDrvPrivate);
        agpu_check_eq_mem(t, handles.destroyed, "vr", sizeof "vr");
        memset(handles.destroyed, 0, sizeof handles.destroyed);
    }
    agpu_check(t, agpu_runtime_deferred_local(deferred, &objects[1]) != NULL);
    agpu_runtime_deferred_destroy(deferred);
    agpu_check_eq_mem(t, handles.destroyed, "vr", sizeof "vr");
}

/* Announces two sizes for each type: the driver's, and one that is larger. */
static void two_handle_sizes(D3D10DDI_HDEVICE device, uint32_t *count, D3D11DDI_HANDLESIZE *sizes)
{
    handles.driver->pfnCheckDeferredContextHandleSizes(device, count, sizes);
    for (uint32_t i = 0; sizes != NULL && i < *count; i++) {
        sizes[*count + i] = (D3D11DDI_HANDLESIZE){sizes[i].HandleType, sizes[i].Size + LARGER};
    }
    *count *= 2;
}

static size_t chosen_handle_size(D3D10DDI_HDEVICE device, uint32_t type, void *immediate)
{
    (void)device, (void)type, (void)immediate;
    return handles.bytes;
}

/* Given two sizes for a type, the runtime must accept either as the answer for an object, and refuse any other, also
 * that of another type. */
static void several_sizes(struct agpu_test *t)
{
    struct agpu_runtime_driver driver = handles_driver(t);
    const D3D10DDI_HDEVICE device = t->env->umd.device;
    struct agpu_runtime_object object = {.type = D3D10DDI_HT_RESOURCE};
    const size_t usual = handles.driver->pfnCalcDeferredContextHandleSize(device, D3D10DDI_HT_RESOURCE, NULL);
    const size_t other = handles.driver->pfnCalcDeferredContextHandleSize(device, D3D10DDI_HT_QUERY, NULL);
    const struct {
        size_t bytes;
        bool accepted;
    } rows[] = {{usual, true},      {usual + LARGER, true},  {usual - 1, false},
                {usual + 1, false}, {other + LARGER, false}, {usual + 2 * LARGER, false}};
    /* A device of its own, because the rig's runtime has polled the sizes of the first one. */
    struct agpu_runtime_device *owner = agpu_runtime_device_create(t->env->umd.runtime, 3);

    agpu_assert(t, owner != NULL);
    handles.funcs.pfnCheckDeferredContextHandleSizes = two_handle_sizes;
    handles.funcs.pfnCalcDeferredContextHandleSize = chosen_handle_size;
    object.immediate = agpu_make_default(t, 64, NULL).pDrvPrivate;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct agpu_runtime_deferred *deferred;
        HRESULT hr;

        handles.bytes = rows[i].bytes;
        deferred = agpu_runtime_deferred_create(owner, &driver, &hr);
        if (agpu_check_hr(t, hr, S_OK)) {
            agpu_check_eq_u64(t, agpu_runtime_deferred_local(deferred, &object) != NULL, rows[i].accepted);
            agpu_runtime_deferred_destroy(deferred);
        }
    }
    agpu_runtime_device_destroy(owner);
}

/* A context must give each of many objects a local handle of its own, and draw with any of them. */
static void many_locals(struct agpu_test *t)
{
    enum { LOCALS = 200 };
    struct agpu_case_recorder dc = agpu_defer(t);
    D3D10DDI_HRESOURCE quads[LOCALS];
    struct agpu_quads scene;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &scene));
    for (uint32_t i = 0; i < LOCALS; i++) {
        quads[i] = agpu_make_quad(t, i == LOCALS - 1, i != LOCALS - 1, 0, 1);
        agpu_return_unless(quads[i].pDrvPrivate && agpu_resource_on(t, dc, quads[i]).pDrvPrivate);
    }
    agpu_quads_bind(t, dc, &scene);
    for (uint32_t i = 0; i < LOCALS; i++) {
        agpu_quads_draw(t, dc, quads[i], 0, AGPU_EDGE);
    }
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red, 0);
}

static const struct agpu_case deferred_handles_cases[] = {
    AGPU_DEFERRED_UNDRAWN_CASE("umd.deferred.locals_destroyed", "umd.md 15", locals_destroyed),
    AGPU_DEFERRED_CASE("umd.deferred.every_local_destroyed", "umd.md 15", every_local_destroyed),
    AGPU_DEFERRED_UNDRAWN_CASE("umd.deferred.several_sizes", "umd.md 15", several_sizes),
    AGPU_DEFERRED_CASE("umd.deferred.many_locals", "umd.md 15", many_locals),
};

AGPU_CASE_TABLE(agpu_cases_deferred_handles, deferred_handles_cases);
