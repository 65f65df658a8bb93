/* umd_draw.c: draws through the driver (umd_draw.h). */
#include "tests/cases/rig/umd_draw.h"

#include <string.h>

#include "ring/ring_transport.h"
#include "tests/cases/rig/calls.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/stack_config.h"

#define OBJECTS 64u
#define RGBA    DXGI_FORMAT_R8G8B8A8_UNORM

enum kind { SHADER, LAYOUT, VIEW, UAV, RASTERIZER, DEPTH, BLEND, SAMPLER, QUERY };

/* One case runs at a time. */
static struct object {
    void *memory;
    enum kind kind;
} objects[OBJECTS];
static uint32_t object_count;

static struct agpu_draw_scene {
    uint32_t edge;
    struct agpu_resource_desc desc;
    D3D10DDI_HRESOURCE target;
    D3D10DDI_HRENDERTARGETVIEW view;
    D3D10DDI_HSHADER vs, ps;
    D3D10DDI_HELEMENTLAYOUT layout;
    bool colors;
} scene;

static uint32_t actual[AGPU_IMAGE_TEXELS];
static uint32_t wanted[AGPU_IMAGE_TEXELS];

/* ---- objects ---- */

static void *object_memory(struct agpu_test *t, size_t size, enum kind kind)
{
    const struct agpu_platform *platform = t->env->platform;
    void *memory = object_count < OBJECTS ? platform->heap_alloc(platform->ctx, size) : NULL;

    if (memory == NULL) {
        agpu_error(t, "no memory for a driver object");
        return NULL;
    }
    objects[object_count].memory = memory;
    objects[object_count++].kind = kind;
    return memory;
}

static void destroy_draw_object(const struct agpu_umd_rig *umd, const struct object *object)
{
    void *memory = object->memory;

    switch (object->kind) {
    case SHADER:
        umd->funcs.pfnDestroyShader(umd->device, (D3D10DDI_HSHADER){memory});
        break;
    case LAYOUT:
        umd->funcs.pfnDestroyElementLayout(umd->device, (D3D10DDI_HELEMENTLAYOUT){memory});
        break;
    case VIEW:
        umd->funcs.pfnDestroyShaderResourceView(umd->device, (D3D10DDI_HSHADERRESOURCEVIEW){memory});
        break;
    case UAV:
        umd->funcs.pfnDestroyUnorderedAccessView(umd->device, (D3D11DDI_HUNORDEREDACCESSVIEW){memory});
        break;
    case RASTERIZER:
        umd->funcs.pfnDestroyRasterizerState(umd->device, (D3D10DDI_HRASTERIZERSTATE){memory});
        break;
    case DEPTH:
        umd->funcs.pfnDestroyDepthStencilState(umd->device, (D3D10DDI_HDEPTHSTENCILSTATE){memory});
        break;
    case BLEND:
        umd->funcs.pfnDestroyBlendState(umd->device, (D3D10DDI_HBLENDSTATE){memory});
        break;
    case SAMPLER:
        umd->funcs.pfnDestroySampler(umd->device, (D3D10DDI_HSAMPLER){memory});
        break;
    case QUERY:
        umd->funcs.pfnDestroyQuery(umd->device, (D3D10DDI_HQUERY){memory});
        break;
    }
}

static void end_objects(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;

    while (object_count != 0) {
        object_count--;
        destroy_draw_object(&t->env->umd, &objects[object_count]);
        platform->heap_free(platform->ctx, objects[object_count].memory);
    }
}

/* ---- the case ---- */

static void body_on(struct agpu_test *t, const struct agpu_draw_case *wanted_case)
{
    bool ready = true;

    memset(&scene, 0, sizeof scene);
    object_count = 0; /* a terminated case may have left objects, which no longer exist */
    if (wanted_case->interface_version != 0) {
        ready = agpu_peer_open(t, wanted_case->interface_version);
        if (ready) {
            agpu_peer_swap(t);
        }
    }
    if (ready) {
        agpu_calls_begin(t);
        wanted_case->body(t);
        agpu_calls_end(t);
    }
    end_objects(t);
    agpu_views_end(t);
    agpu_peer_close(t);
}

/* The probe needs the rig, and the stack needs the ring, so the stack is opened only after the probe. */
void agpu_run_draw_case(struct agpu_test *t)
{
    agpu_return_unless(agpu_draws_shaders(t));
    agpu_run_undrawn_case(t);
}

void agpu_run_undrawn_case(struct agpu_test *t)
{
    static const struct agpu_ring_config ring_config;
    const struct agpu_draw_case *wanted_case = t->test_case->arg;
    struct agpu_env *env = t->env;
    struct agpu_runtime_config config;

    agpu_require(t, (t->test_case->features & ~env->reported.features) == 0, AGPU_SKIP_SETTINGS);
    agpu_require_ok(t, agpu_ring_restart(env, &ring_config));
    env->transport = agpu_ring_transport(&env->ring);
    config = agpu_umd_config(env);
    if (wanted_case->configure != NULL) {
        wanted_case->configure(&config);
    }
    agpu_require_ok(t, agpu_umd_open(&env->umd, &env->function, &config));
    body_on(t, wanted_case);
    agpu_umd_finish(t);
}

bool agpu_check_dispatched_at(struct agpu_test *t, D3D10DDI_HRESOURCE buffer, const void *expected,
                              uint32_t bytes, struct agpu_where where)
{
    static const uint8_t zeros[256];

    if (!t->env->model && bytes <= sizeof zeros) {
        agpu_device_refused(t);
        if (agpu_contents_are(t, buffer, zeros, bytes)) {
            agpu_skip(t, AGPU_SKIP_NO_DISPATCH);
            return false;
        }
    }
    return agpu_check_contents_at(t, buffer, expected, bytes, where);
}

/* ---- the target ---- */

bool agpu_draw_begin(struct agpu_test *t, uint32_t edge)
{
    scene.edge = edge;
    scene.desc = agpu_staging_desc(RGBA, edge, edge, D3D10_DDI_CPU_ACCESS_READ);
    scene.target = agpu_make_target(t, RGBA, edge, edge);
    scene.view = agpu_make_rtv(t, scene.target);
    if (scene.view.pDrvPrivate == NULL) {
        return false;
    }
    agpu_draw_bind(t, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    agpu_draw_clear(t, 0, 0, 0, 0);
    return true;
}

D3D10DDI_HRESOURCE agpu_draw_target(void)
{
    return scene.target;
}

D3D10DDI_HRENDERTARGETVIEW agpu_draw_target_view(void)
{
    return scene.view;
}

void agpu_draw_clear(struct agpu_test *t, float r, float g, float b, float a)
{
    agpu_clear_view(t, scene.view, r, g, b, a);
}

void agpu_draw_bind(struct agpu_test *t, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    umd->context.pfnSetRenderTargets(umd->device, &scene.view, 1, 0, depth);
    agpu_draw_columns(t, 0, scene.edge);
    if (!scene.colors) {
        return;
    }
    umd->context.pfnVsSetShader(umd->device, scene.vs);
    umd->context.pfnPsSetShader(umd->device, scene.ps);
    umd->context.pfnIaSetInputLayout(umd->device, scene.layout);
}

void agpu_draw_columns(struct agpu_test *t, uint32_t left, uint32_t width)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10_DDI_VIEWPORT viewport = {(float)left, 0, (float)width, (float)scene.edge, 0, 1};

    umd->context.pfnSetViewports(umd->device, 1, 0, &viewport);
}

/* ---- shaders and vertices ---- */

D3D10DDI_HSHADER agpu_make_shader(struct agpu_test *t, agpu_create_shader *create,
                                  const struct agpu_shader_blob *blob)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDIARG_CREATESHADER args = {.pShaderCode = blob->words, .CodeSize = blob->size_bytes};
    D3D10DDI_HSHADER shader = {
        object_memory(t, umd->funcs.pfnCalcPrivateShaderSize(umd->device, &args), SHADER)};

    if (shader.pDrvPrivate != NULL) {
        agpu_check_hr(t, create(umd->device, &args, shader, (D3D10DDI_HRTSHADER){NULL}), S_OK);
    }
    return shader;
}

void agpu_draw_shaders(struct agpu_test *t, const struct agpu_shader_blob *vs,
                       const struct agpu_shader_blob *gs, const struct agpu_shader_blob *ps)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    scene.vs = agpu_make_shader(t, umd->funcs.pfnCreateVertexShader, vs);
    scene.ps = agpu_make_shader(t, umd->funcs.pfnCreatePixelShader, ps);
    umd->context.pfnVsSetShader(umd->device, scene.vs);
    umd->context.pfnPsSetShader(umd->device, scene.ps);
    if (gs != NULL) {
        umd->context.pfnGsSetShader(umd->device, agpu_make_shader(t, umd->funcs.pfnCreateGeometryShader, gs));
    }
}

void agpu_draw_compute(struct agpu_test *t, const struct agpu_shader_blob *cs)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    umd->context.pfnCsSetShader(umd->device, agpu_make_shader(t, umd->funcs.pfnCreateComputeShader, cs));
}

static D3D10DDI_HELEMENTLAYOUT make_layout(struct agpu_test *t,
                                           const D3D10DDIARG_INPUT_ELEMENT_DESC *elements, uint32_t count)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDIARG_CREATEELEMENTLAYOUT args = {.pVertexElements = elements, .NumElements = count};
    D3D10DDI_HRTELEMENTLAYOUT runtime = {NULL};
    D3D10DDI_HELEMENTLAYOUT layout = {
        object_memory(t, umd->funcs.pfnCalcPrivateElementLayoutSize(umd->device, &args), LAYOUT)};

    if (layout.pDrvPrivate != NULL) {
        agpu_check_hr(t, umd->funcs.pfnCreateElementLayout(umd->device, &args, layout, runtime), S_OK);
    }
    return layout;
}

D3D10DDI_HELEMENTLAYOUT agpu_make_color_layout(struct agpu_test *t)
{
    static const D3D10DDIARG_INPUT_ELEMENT_DESC elements[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 0, 0, 0},
        {"COLOR", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 16, 0, 0}};

    return make_layout(t, elements, 2);
}

static void set_layout(struct agpu_test *t, D3D10DDI_HELEMENTLAYOUT layout)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    umd->context.pfnIaSetInputLayout(umd->device, layout);
    scene.layout = layout;
}

void agpu_draw_layout(struct agpu_test *t, const D3D10DDIARG_INPUT_ELEMENT_DESC *elements, uint32_t count)
{
    set_layout(t, make_layout(t, elements, count));
}

void agpu_draw_colors(struct agpu_test *t, const struct agpu_shader_blob *ps)
{
    agpu_draw_shaders(t, &agpu_vs_color_4_0, NULL, ps);
    set_layout(t, agpu_make_color_layout(t));
    scene.colors = true;
}

void agpu_draw_vertices(struct agpu_test *t, D3D10DDI_HRESOURCE buffer, uint32_t stride, uint32_t topology)
{
    static const uint32_t offset = 0;
    const struct agpu_umd_rig *umd = &t->env->umd;

    umd->context.pfnIaSetVertexBuffers(umd->device, 0, 1, &buffer, &stride, &offset);
    umd->context.pfnIaSetTopology(umd->device, topology);
}

void agpu_draw_solid(struct agpu_test *t, float depth, float r, float g, float b, float a)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex quad[4];

    agpu_scene_quad(quad, depth, r, g, b, a);
    agpu_draw_vertices(t, agpu_make_default(t, sizeof quad, quad), sizeof quad[0], AGPU_DRAW_STRIP);
    umd->context.pfnDraw(umd->device, 4, 0);
}

void agpu_draw_textured(struct agpu_test *t, const struct agpu_shader_blob *ps, float most)
{
    static const D3D10DDIARG_INPUT_ELEMENT_DESC elements[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 0, 0, 0},
        {"TEXCOORD", 0, DXGI_FORMAT_R32G32_FLOAT, 0, 16, 0, 0}};
    const float quad[4][6] = {
        {-1, 1, 0, 1, 0, 0}, {1, 1, 0, 1, most, 0}, {-1, -1, 0, 1, 0, most}, {1, -1, 0, 1, most, most}};

    agpu_draw_shaders(t, &agpu_vs_textured_4_0, NULL, ps);
    agpu_draw_layout(t, elements, 2);
    agpu_draw_vertices(t, agpu_make_default(t, sizeof quad, quad), sizeof quad[0], AGPU_DRAW_STRIP);
}

/* ---- states and views ---- */

D3D10DDI_HRASTERIZERSTATE agpu_make_rasterizer(struct agpu_test *t, const D3D10_DDI_RASTERIZER_DESC *desc)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRTRASTERIZERSTATE runtime = {NULL};
    D3D10DDI_HRASTERIZERSTATE state = {
        object_memory(t, umd->funcs.pfnCalcPrivateRasterizerStateSize(umd->device, desc), RASTERIZER)};

    if (state.pDrvPrivate == NULL) {
        return state;
    }
    agpu_check_hr(t, umd->funcs.pfnCreateRasterizerState(umd->device, desc, state, runtime), S_OK);
    return state;
}

void agpu_draw_rasterizer(struct agpu_test *t, const D3D10_DDI_RASTERIZER_DESC *desc)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRASTERIZERSTATE state = agpu_make_rasterizer(t, desc);

    if (state.pDrvPrivate != NULL) {
        umd->context.pfnSetRasterizerState(umd->device, state);
    }
}

D3D10DDI_HDEPTHSTENCILSTATE agpu_make_depth(struct agpu_test *t, const D3D10_DDI_DEPTH_STENCIL_DESC *desc)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRTDEPTHSTENCILSTATE runtime = {NULL};
    D3D10DDI_HDEPTHSTENCILSTATE state = {
        object_memory(t, umd->funcs.pfnCalcPrivateDepthStencilStateSize(umd->device, desc), DEPTH)};

    if (state.pDrvPrivate == NULL) {
        return state;
    }
    agpu_check_hr(t, umd->funcs.pfnCreateDepthStencilState(umd->device, desc, state, runtime), S_OK);
    return state;
}

void agpu_draw_depth(struct agpu_test *t, const D3D10_DDI_DEPTH_STENCIL_DESC *desc)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HDEPTHSTENCILSTATE state = agpu_make_depth(t, desc);

    if (state.pDrvPrivate != NULL) {
        umd->context.pfnSetDepthStencilState(umd->device, state, 0);
    }
}

D3D10DDI_HBLENDSTATE agpu_make_blend(struct agpu_test *t, const D3D10_DDI_RENDER_TARGET_BLEND_DESC *desc)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10_1_DDI_BLEND_DESC all = {.NumRenderTargets = 1};
    D3D10DDI_HRTBLENDSTATE runtime = {NULL};
    D3D10DDI_HBLENDSTATE state;

    all.RenderTarget[0] = *desc;
    state.pDrvPrivate = object_memory(t, umd->funcs.pfnCalcPrivateBlendStateSize(umd->device, &all), BLEND);
    if (state.pDrvPrivate != NULL) {
        agpu_check_hr(t, umd->funcs.pfnCreateBlendState(umd->device, &all, state, runtime), S_OK);
    }
    return state;
}

void agpu_draw_blend(struct agpu_test *t, const D3D10_DDI_RENDER_TARGET_BLEND_DESC *desc,
                     const float factor[4], uint32_t sample_mask)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    umd->context.pfnSetBlendState(umd->device, agpu_make_blend(t, desc), factor, sample_mask);
}

D3D10DDI_HQUERY agpu_make_event(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10DDIARG_CREATEQUERY args = {.Query = 0};
    D3D10DDI_HQUERY query = {object_memory(t, umd->funcs.pfnCalcPrivateQuerySize(umd->device, &args), QUERY)};

    if (query.pDrvPrivate != NULL) {
        agpu_check_hr(t, umd->funcs.pfnCreateQuery(umd->device, &args, query, (D3D10DDI_HRTQUERY){NULL}),
                      S_OK);
    }
    return query;
}

D3D10DDI_HSAMPLER agpu_make_sampler(struct agpu_test *t, uint32_t filter, uint32_t address)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10_DDI_SAMPLER_DESC desc = {filter, address, address, address};
    D3D10DDI_HRTSAMPLER runtime = {NULL};
    D3D10DDI_HSAMPLER sampler = {
        object_memory(t, umd->funcs.pfnCalcPrivateSamplerSize(umd->device, &desc), SAMPLER)};

    if (sampler.pDrvPrivate == NULL) {
        return sampler;
    }
    agpu_check_hr(t, umd->funcs.pfnCreateSampler(umd->device, &desc, sampler, runtime), S_OK);
    return sampler;
}

void agpu_draw_sampler(struct agpu_test *t, uint32_t filter, uint32_t address)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HSAMPLER sampler = agpu_make_sampler(t, filter, address);

    if (sampler.pDrvPrivate != NULL) {
        umd->context.pfnPsSetSamplers(umd->device, 0, 1, &sampler);
    }
}

D3D10DDI_HSHADERRESOURCEVIEW agpu_make_srv(struct agpu_test *t,
                                           const D3D10DDIARG_CREATESHADERRESOURCEVIEW *args)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRTSHADERRESOURCEVIEW runtime = {NULL};
    D3D10DDI_HSHADERRESOURCEVIEW view = {
        object_memory(t, umd->funcs.pfnCalcPrivateShaderResourceViewSize(umd->device, args), VIEW)};

    if (view.pDrvPrivate != NULL) {
        agpu_check_hr(t, umd->funcs.pfnCreateShaderResourceView(umd->device, args, view, runtime), S_OK);
    }
    return view;
}

D3D11DDI_HUNORDEREDACCESSVIEW agpu_make_uav(struct agpu_test *t,
                                            const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *args)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D11DDI_HRTUNORDEREDACCESSVIEW runtime = {NULL};
    D3D11DDI_HUNORDEREDACCESSVIEW view = {
        object_memory(t, umd->funcs.pfnCalcPrivateUnorderedAccessViewSize(umd->device, args), UAV)};

    if (view.pDrvPrivate != NULL) {
        agpu_check_hr(t, umd->funcs.pfnCreateUnorderedAccessView(umd->device, args, view, runtime), S_OK);
    }
    return view;
}

void agpu_draw_view(struct agpu_test *t, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *args)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HSHADERRESOURCEVIEW view = agpu_make_srv(t, args);

    umd->context.pfnPsSetShaderResources(umd->device, 0, 1, &view);
}

/* ---- readback ---- */

bool agpu_draw_expect_at(struct agpu_test *t, agpu_expected *expected, uint32_t tolerance,
                         struct agpu_where where)
{
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &scene.desc, 0);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    bool same;

    if (!agpu_check(t, staging.pDrvPrivate != NULL)) {
        return false;
    }
    agpu_umd_copy(t, staging, scene.target);
    if (!agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, 0, &mapped), S_OK)) {
        return false;
    }
    for (uint32_t y = 0; y < scene.edge; y++) {
        memcpy(actual + y * scene.edge, (const uint8_t *)mapped.pData + y * mapped.RowPitch, scene.edge * 4);
        for (uint32_t x = 0; x < scene.edge; x++) {
            wanted[y * scene.edge + x] = expected(x, y);
        }
    }
    agpu_umd_unmap(t, staging);
    same = agpu_check_image_texels(t, actual, wanted, scene.edge, scene.edge, tolerance, where);
    agpu_umd_destroy(t, staging);
    return same;
}
