/* cases_render_umd.c: draws through the driver stack, as a Direct3D 11 application has them made: shaders,
 * layouts, buffers of each usage, textures (umd.md 11-13, commands.md 11). */
#include <string.h>

#include "tests/cases/catalogue.h"
#include "tests/cases/prepare.h"
#include "tests/cases/scene.h"
#include "tests/cases/umd_views.h"

#define EDGE    AGPU_EDGE
#define RGBA    DXGI_FORMAT_R8G8B8A8_UNORM
#define STRIP   5u /* D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP */
#define LIST    4u
#define OBJECTS 8u

typedef HRESULT create_shader(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                              D3D10DDI_HRTSHADER);

/* What a body makes beside resources and render target views; one case runs at a time. */
enum kind { SHADER, LAYOUT, VIEW };
static struct object {
    void *memory;
    enum kind kind;
} objects[OBJECTS];
static uint32_t object_count;

static D3D10DDI_HRESOURCE target;
static D3D10DDIARG_CREATERESOURCE target_desc;

static void *object_memory(struct agpu_test *t, size_t size, enum kind kind)
{
    const struct agpu_platform *platform = t->env->platform;
    void *memory = object_count < OBJECTS ? platform->heap_alloc(platform->ctx, size) : NULL;

    if (!memory) {
        agpu_error(t, "no memory for a driver object");
        return NULL;
    }
    objects[object_count].memory = memory;
    objects[object_count++].kind = kind;
    return memory;
}

static void end_objects(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_umd_rig *umd = &t->env->umd;

    while (object_count != 0) {
        void *memory = objects[--object_count].memory;

        if (objects[object_count].kind == SHADER)
            umd->funcs.pfnDestroyShader(umd->device, (D3D10DDI_HSHADER){memory});
        else if (objects[object_count].kind == LAYOUT)
            umd->funcs.pfnDestroyElementLayout(umd->device, (D3D10DDI_HELEMENTLAYOUT){memory});
        else
            umd->funcs.pfnDestroyShaderResourceView(umd->device, (D3D10DDI_HSHADERRESOURCEVIEW){memory});
        platform->heap_free(platform->ctx, memory);
    }
}

static D3D10DDI_HSHADER make_shader(struct agpu_test *t, create_shader *create,
                                    const struct agpu_shader_blob *blob)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDIARG_CREATESHADER args = {.pShaderCode = blob->words, .CodeSize = blob->size_bytes};
    D3D10DDI_HSHADER shader = {
        object_memory(t, umd->funcs.pfnCalcPrivateShaderSize(umd->device, &args), SHADER)};

    if (shader.pDrvPrivate)
        agpu_check_hr(t, create(umd->device, &args, shader, (D3D10DDI_HRTSHADER){NULL}), S_OK);
    return shader;
}

static void set_shaders(struct agpu_test *t, const struct agpu_shader_blob *vs,
                        const struct agpu_shader_blob *ps)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    umd->context.pfnVsSetShader(umd->device, make_shader(t, umd->funcs.pfnCreateVertexShader, vs));
    umd->context.pfnPsSetShader(umd->device, make_shader(t, umd->funcs.pfnCreatePixelShader, ps));
}

/* Position and colour of struct agpu_vertex. */
static void set_layout(struct agpu_test *t)
{
    static const D3D10DDIARG_INPUT_ELEMENT_DESC elements[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 0, 0, 0},
        {"COLOR", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 16, 0, 0}};
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDIARG_CREATEELEMENTLAYOUT args = {.pVertexElements = elements, .NumElements = 2};
    D3D10DDI_HELEMENTLAYOUT layout = {
        object_memory(t, umd->funcs.pfnCalcPrivateElementLayoutSize(umd->device, &args), LAYOUT)};

    if (!layout.pDrvPrivate)
        return;
    agpu_check_hr(
        t, umd->funcs.pfnCreateElementLayout(umd->device, &args, layout, (D3D10DDI_HRTELEMENTLAYOUT){NULL}),
        S_OK);
    umd->context.pfnIaSetInputLayout(umd->device, layout);
}

static void set_vertices(struct agpu_test *t, D3D10DDI_HRESOURCE buffer)
{
    static const uint32_t stride = sizeof(struct agpu_vertex), offset = 0;
    const struct agpu_umd_rig *umd = &t->env->umd;

    umd->context.pfnIaSetVertexBuffers(umd->device, 0, 1, &buffer, &stride, &offset);
    umd->context.pfnIaSetTopology(umd->device, STRIP);
}

static void set_viewport(struct agpu_test *t, float x, float width)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10_DDI_VIEWPORT viewport = {x, 0, width, (float)EDGE, 0, 1};

    umd->context.pfnSetViewports(umd->device, 1, 0, &viewport);
}

/* A cleared target of EDGE x EDGE, bound, with a viewport over all of it. */
static bool begin(struct agpu_test *t)
{
    D3D10DDI_HRENDERTARGETVIEW view;

    target_desc = agpu_texture_desc(RGBA, EDGE, EDGE);
    target = agpu_make_target(t, RGBA, EDGE, EDGE);
    view = agpu_make_rtv(t, target);
    if (!view.pDrvPrivate)
        return false;
    agpu_bind_targets_of(t, &view, 1);
    agpu_clear_view(t, view, 0, 0, 0, 0);
    set_viewport(t, 0, (float)EDGE);
    return true;
}

static bool expect(struct agpu_test *t, agpu_expected *expected)
{
    uint32_t *texels = (uint32_t *)(void *)agpu_scratch(1);

    for (uint32_t i = 0; i < EDGE * EDGE; i++)
        texels[i] = expected(i % EDGE, i / EDGE);
    return agpu_check_image(t, target, &target_desc, 0, texels);
}

static uint32_t white(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_WHITE;
}

static uint32_t red_green(uint32_t x, uint32_t y)
{
    (void)y;
    return x < EDGE / 2 ? AGPU_RED : AGPU_GREEN;
}

static void triangle(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_return_unless(begin(t));
    set_shaders(t, &agpu_vs_vertex_id_4_0, &agpu_ps_color_4_0);
    umd->context.pfnIaSetTopology(umd->device, LIST);
    umd->context.pfnDraw(umd->device, 3, 0);
    expect(t, white);
}

/* Two draws from different places of one buffer. */
static void vertices(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex quads[8];

    agpu_return_unless(begin(t));
    agpu_scene_quad(quads, 0.5f, 1, 0, 0, 1);
    agpu_scene_quad(quads + 4, 0.5f, 0, 1, 0, 1);
    set_shaders(t, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    set_layout(t);
    set_vertices(t, agpu_make_default(t, sizeof(quads), quads));
    set_viewport(t, 0, EDGE / 2);
    umd->context.pfnDraw(umd->device, 4, 0);
    set_viewport(t, EDGE / 2, EDGE / 2);
    umd->context.pfnDraw(umd->device, 4, 4);
    expect(t, red_green);
}

/* Map(WRITE_DISCARD) between two draws: each draw sees what was there when it was made. */
static void dynamic_vertices(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex quad[4];
    D3D10DDI_HRESOURCE buffer;

    agpu_return_unless(begin(t));
    buffer = agpu_make_dynamic(t, sizeof(quad), D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    set_shaders(t, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    set_layout(t);
    set_vertices(t, buffer);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_scene_quad(quad, 0.5f, i ? 0.0f : 1.0f, i ? 1.0f : 0.0f, 0, 1);
        agpu_return_unless(agpu_write_through(t, buffer, D3D10_DDI_MAP_WRITE_DISCARD, 0, quad, sizeof(quad)));
        set_viewport(t, (float)(i * EDGE / 2), EDGE / 2);
        umd->context.pfnDraw(umd->device, 4, 0);
    }
    expect(t, red_green);
}

/* Indices and constants, the latter updated between two draws. */
static void indices_and_constants(struct agpu_test *t)
{
    static const uint16_t indices[] = {0, 1, 2, 2, 1, 3};
    static const float colors[2][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}};
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDIARG_CREATERESOURCE desc =
        agpu_buffer_desc(16, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    struct agpu_vertex quad[4];
    D3D10DDI_HRESOURCE constants;
    HRESULT result;

    agpu_return_unless(begin(t));
    constants = agpu_umd_create(t, &desc, &result);
    agpu_assert(t, result == S_OK);
    agpu_scene_quad(quad, 0.5f, 1, 1, 1, 1);
    set_shaders(t, &agpu_vs_color_4_0, &agpu_ps_constant_4_0);
    set_layout(t);
    set_vertices(t, agpu_make_default(t, sizeof(quad), quad));
    umd->context.pfnIaSetTopology(umd->device, LIST);
    umd->context.pfnIaSetIndexBuffer(umd->device, agpu_make_default(t, sizeof(indices), indices),
                                     DXGI_FORMAT_R16_UINT, 0);
    umd->context.pfnPsSetConstantBuffers(umd->device, 0, 1, &constants);
    for (uint32_t i = 0; i < 2; i++) {
        umd->context.pfnDefaultConstantBufferUpdateSubresourceUP(umd->device, constants, 0, NULL, colors[i],
                                                                 0, 0);
        set_viewport(t, (float)(i * EDGE / 2), EDGE / 2);
        umd->context.pfnDrawIndexed(umd->device, 6, 0, 0);
    }
    expect(t, red_green);
}

/* A texture with a pattern, drawn texel by texel. */
static void texture(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDIARG_CREATERESOURCE desc = agpu_texture_desc(RGBA, EDGE, EDGE);
    D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 1};
    D3D10DDI_HSHADERRESOURCEVIEW view;
    uint8_t *image = agpu_scratch(1);

    agpu_return_unless(begin(t));
    args.hDrvResource = agpu_make_texture(t, &desc, 11);
    agpu_assert(t, args.hDrvResource.pDrvPrivate != NULL);
    view.pDrvPrivate =
        object_memory(t, umd->funcs.pfnCalcPrivateShaderResourceViewSize(umd->device, &args), VIEW);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_check_hr(t,
                  umd->funcs.pfnCreateShaderResourceView(umd->device, &args, view,
                                                         (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL}),
                  S_OK);
    set_shaders(t, &agpu_vs_vertex_id_4_0, &agpu_ps_load_4_0);
    umd->context.pfnIaSetTopology(umd->device, LIST);
    umd->context.pfnPsSetShaderResources(umd->device, 0, 1, &view);
    umd->context.pfnDraw(umd->device, 3, 0);
    agpu_fill_image(&desc, 0, 11, image);
    agpu_check_image(t, target, &target_desc, 0, image);
}

/* The probe wants the rig and the stack the ring: the stack is opened once it is known that the device draws.
 */
static void run(struct agpu_test *t)
{
    static const struct agpu_ring_config config;
    void (*const *body)(struct agpu_test *) = t->test_case->arg;
    struct agpu_env *env = t->env;

    agpu_return_unless(agpu_scene_possible(t));
    agpu_require_ok(t, agpu_ring_restart(env, &config));
    env->transport = agpu_ring_transport(&env->ring);
    agpu_require_ok(
        t, agpu_umd_open(&env->umd, &env->ring, &env->transport, env->abi.version, env->abi.features));
    (*body)(t);
    end_objects(t);
    agpu_views_end(t);
    agpu_umd_finish(t);
}

#define UMD_DRAW(name, function)                                                                             \
    {                                                                                                        \
        .id = (name), .spec = "umd.md 13", .needs = AGPU_NEED_RING,                                          \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = run,                       \
        .arg = &(void (*const)(struct agpu_test *)){function},                                               \
    }

static const struct agpu_case cases[] = {
    UMD_DRAW("render.umd.triangle", triangle),
    UMD_DRAW("render.umd.vertices", vertices),
    UMD_DRAW("render.umd.dynamic_vertices", dynamic_vertices),
    UMD_DRAW("render.umd.indices_and_constants", indices_and_constants),
    UMD_DRAW("render.umd.texture", texture),
};

AGPU_CASE_TABLE(agpu_cases_render_umd, cases);
