/* pipeline.c: rarely used parts of the pipeline, through the driver: eight render targets, hull and domain shaders
 * (umd.md 8, 10, commands.md 4, 7). */
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/umd_draw.h"

#define EDGE    AGPU_EDGE
#define TARGETS AGPU_DDI_RENDER_TARGET_SLOTS
#define PATCH_3 35u /* topology: patches of three control points */

/* ---- render targets ---- */

/* Given draws to the first 2, 5 and 8 of eight targets, with target `gap` unbound, each bound target must get its own
 * colour and the others none. */
static void pipeline_draw_targets(struct agpu_test *t, D3D10DDI_HRENDERTARGETVIEW views[TARGETS],
                                  uint32_t count, uint32_t gap)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRENDERTARGETVIEW bound[TARGETS];

    for (uint32_t i = 0; i < TARGETS; i++) {
        bound[i] = i == gap ? (D3D10DDI_HRENDERTARGETVIEW){NULL} : views[i];
    }
    agpu_bind_targets_of(t, bound, count);
    umd->context.pfnDraw(umd->device, 3, 0);
}

/* Checks that each bound target has its own colour, and each other one its old contents. The shader gives target n (n +
 * 1) / 8 of red and the rest of green; the value between two bytes would be target 3, the gap. */
static bool pipeline_check_targets(struct agpu_test *t, const D3D10DDI_HRESOURCE *targets,
                                   const struct agpu_resource_desc *desc, uint32_t count, uint32_t gap)
{
    static const uint8_t red[TARGETS] = {32, 64, 96, 128, 159, 191, 223, 255};

    for (uint32_t i = 0; i < TARGETS; i++) {
        bool drawn = i < count && i != gap;
        uint8_t r = drawn ? red[i] : 0, g = drawn ? (uint8_t)(255 - red[i]) : 0, b = drawn ? 0 : 255;

        if (!agpu_check_solid(t, targets[i], desc, 0, r, g, b, 255)) {
            return false;
        }
    }
    return true;
}

/* Given 2, 5 and 8 of eight targets with a gap, a draw must write to the bound ones and leave the others as cleared. */
static void eight_targets_through_the_driver(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    D3D10DDI_HRENDERTARGETVIEW views[TARGETS];
    D3D10DDI_HRESOURCE targets[TARGETS];

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    for (uint32_t i = 0; i < TARGETS; i++) {
        targets[i] = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
        views[i] = agpu_make_rtv(t, targets[i]);
        agpu_assert(t, views[i].pDrvPrivate != NULL);
    }
    agpu_draw_shaders(t, &agpu_vs_vertex_id_4_0, NULL, &agpu_ps_targets_4_0);
    umd->context.pfnIaSetTopology(umd->device, AGPU_DRAW_LIST);
    for (uint32_t count = 2; count <= TARGETS; count += 3) { /* 2, 5, 8 */
        for (uint32_t i = 0; i < TARGETS; i++) {
            agpu_clear_view(t, views[i], 0, 0, 1, 1); /* each clear affects its view alone (umd.md 11) */
        }
        pipeline_draw_targets(t, views, count, 3);
        agpu_return_unless(pipeline_check_targets(t, targets, &desc, count, 3));
    }
}

/* ---- tessellation ---- */

static void pipeline_tessellation(struct agpu_runtime_config *config)
{
    config->options.tessellation = 1;
}

static D3D10DDI_HRESOURCE pipeline_constants(struct agpu_test *t, const float values[4])
{
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = values};
    struct agpu_resource_desc desc =
        agpu_buffer_desc(16, D3D10_DDI_USAGE_IMMUTABLE, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    D3D10DDI_HRESOURCE buffer;
    HRESULT hr;

    desc.pInitialDataUP = &initial;
    desc.InitialDataCount = 1;
    buffer = agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

/* Creates a triangle that covers more than the whole target. */
static D3D10DDI_HRESOURCE pipeline_triangle(struct agpu_test *t, float r, float g, float b)
{
    const struct agpu_vertex corners[3] = {
        {-1, 1, 0.5f, 1, r, g, b, 1}, {3, 1, 0.5f, 1, r, g, b, 1}, {-1, -3, 0.5f, 1, r, g, b, 1}};

    return agpu_make_default(t, sizeof corners, corners);
}

/* Given constants for the hull shader's factors and the domain shader's colour, a patch must be drawn with them; these
 * stages travel as compute with a stage_ex. Once unbound, triangles are drawn as before. */
static void pipeline_patches(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_api_device *funcs = &umd->funcs;
    const struct agpu_api_context *fn = &umd->context;
    const D3D10DDI_HSHADER none = {NULL};
    D3D10DDI_HRESOURCE factors, removed, tint, triangle;
    D3D10DDI_HSHADER hull, domain;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    factors = pipeline_constants(t, (const float[4]){3, 0, 0, 0});
    removed = pipeline_constants(t, (const float[4]){0, 0, 0, 0});
    tint = pipeline_constants(t, (const float[4]){0, 1, 0, 1});
    triangle = pipeline_triangle(t, 1, 0, 0);
    hull = agpu_make_shader(t, funcs->pfnCreateHullShader, &agpu_hs_factors_5_0);
    domain = agpu_make_shader(t, funcs->pfnCreateDomainShader, &agpu_ds_tinted_5_0);
    agpu_assert(t, hull.pDrvPrivate && domain.pDrvPrivate && triangle.pDrvPrivate);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_vertices(t, triangle, sizeof(struct agpu_vertex), PATCH_3);
    fn->pfnHsSetConstantBuffers(umd->device, 2, 1, &factors);
    fn->pfnDsSetConstantBuffers(umd->device, 3, 1, &tint);
    fn->pfnHsSetShader(umd->device, hull);
    fn->pfnDsSetShader(umd->device, domain);
    fn->pfnDraw(umd->device, 3, 0);
    agpu_return_unless(agpu_draw_expect(t, agpu_expected_green, 0));
    agpu_draw_clear(t, 0, 0, 0, 0);
    fn->pfnHsSetConstantBuffers(umd->device, 2, 1, &removed);
    fn->pfnDraw(umd->device, 3, 0);
    agpu_return_unless(agpu_draw_expect(t, agpu_expected_nothing, 0));
    fn->pfnHsSetShader(umd->device, none);
    fn->pfnDsSetShader(umd->device, none);
    fn->pfnIaSetTopology(umd->device, AGPU_DRAW_LIST);
    fn->pfnDraw(umd->device, 3, 0);
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* ClearState must also unbind hull and domain shaders. */
static void pipeline_patches_cleared(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_api_device *funcs = &umd->funcs;
    D3D10DDI_HSHADER hull, domain;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    hull = agpu_make_shader(t, funcs->pfnCreateHullShader, &agpu_hs_triangle_5_0);
    domain = agpu_make_shader(t, funcs->pfnCreateDomainShader, &agpu_ds_color_5_0);
    agpu_assert(t, hull.pDrvPrivate && domain.pDrvPrivate);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    umd->context.pfnHsSetShader(umd->device, hull);
    umd->context.pfnDsSetShader(umd->device, domain);
    umd->context.pfnClearState(umd->device);
    agpu_draw_bind(t, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    agpu_draw_vertices(t, pipeline_triangle(t, 1, 0, 0), sizeof(struct agpu_vertex), AGPU_DRAW_LIST);
    umd->context.pfnDraw(umd->device, 3, 0);
    agpu_draw_expect(t, agpu_expected_red, 0);
}

#define PIPELINE(name, function, version, configuration)                                                     \
    {                                                                                                        \
        .id = (name), .spec = "umd.md 10", .needs = AGPU_NEED_RING,                                          \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = agpu_run_draw_case,        \
        .arg = &(const struct agpu_draw_case){(function), (version), (configuration)},                       \
    }

static const struct agpu_case umd_pipeline_cases[] = {
    PIPELINE("render.umd.eight_targets", eight_targets_through_the_driver, 0, NULL),
    PIPELINE("render.umd.eight_targets_d3d10", eight_targets_through_the_driver,
             D3D10_0_DDI_INTERFACE_VERSION, NULL),
    PIPELINE("render.umd.patches", pipeline_patches, 0, pipeline_tessellation),
    PIPELINE("render.umd.patches_cleared", pipeline_patches_cleared, 0, pipeline_tessellation),
};

AGPU_CASE_TABLE(agpu_cases_umd_pipeline, umd_pipeline_cases);
