/* draw.c: draws through the driver stack, as from a Direct3D 11 application: shaders, layouts, buffers of each usage,
 * textures (umd.md 11-13, commands.md 11). */
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/umd_draw.h"

#define EDGE AGPU_EDGE

static uint32_t umd_draw_white(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_WHITE;
}

/* A triangle from vertex numbers alone must be drawn. */
static void umd_draw_triangle(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_shaders(t, &agpu_vs_vertex_id_4_0, NULL, &agpu_ps_color_4_0);
    umd->context.pfnIaSetTopology(umd->device, AGPU_DRAW_LIST);
    umd->context.pfnDraw(umd->device, 3, 0);
    agpu_draw_expect(t, umd_draw_white, 0);
}

/* Two draws from different offsets of one vertex buffer must each show their vertices. */
static void umd_draw_vertices(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex quads[8];

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_scene_quad(quads, 0.5f, 1, 0, 0, 1);
    agpu_scene_quad(quads + 4, 0.5f, 0, 1, 0, 1);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_vertices(t, agpu_make_default(t, sizeof quads, quads), sizeof quads[0], AGPU_DRAW_STRIP);
    agpu_draw_columns(t, 0, EDGE / 2);
    umd->context.pfnDraw(umd->device, 4, 0);
    agpu_draw_columns(t, EDGE / 2, EDGE / 2);
    umd->context.pfnDraw(umd->device, 4, 4);
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* Given Map(WRITE_DISCARD) between two draws, each draw must use the contents from when it was recorded. */
static void dynamic_vertices(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex quad[4];
    D3D10DDI_HRESOURCE buffer;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    buffer = agpu_make_dynamic(t, sizeof quad, D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_vertices(t, buffer, sizeof quad[0], AGPU_DRAW_STRIP);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_scene_quad(quad, 0.5f, i ? 0.0f : 1.0f, i ? 1.0f : 0.0f, 0, 1);
        agpu_return_unless(agpu_write_through(t, buffer, D3D10_DDI_MAP_WRITE_DISCARD, 0, quad, sizeof quad));
        agpu_draw_columns(t, i * EDGE / 2, EDGE / 2);
        umd->context.pfnDraw(umd->device, 4, 0);
    }
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* Indices and constants must reach draws; an update of the constants between two draws must affect the second only. */
static void indices_and_constants(struct agpu_test *t)
{
    static const uint16_t indices[] = {0, 1, 2, 2, 1, 3};
    static const float colors[2][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}};
    const struct agpu_umd_rig *umd = &t->env->umd;

    struct agpu_resource_desc desc =
        agpu_buffer_desc(16, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    struct agpu_vertex quad[4];
    D3D10DDI_HRESOURCE constants;
    HRESULT result;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    constants = agpu_umd_create(t, &desc, &result);
    agpu_assert(t, result == S_OK);
    agpu_scene_quad(quad, 0.5f, 1, 1, 1, 1);
    agpu_draw_colors(t, &agpu_ps_constant_4_0);
    agpu_draw_vertices(t, agpu_make_default(t, sizeof quad, quad), sizeof quad[0], AGPU_DRAW_LIST);
    umd->context.pfnIaSetIndexBuffer(umd->device, agpu_make_indices(t, sizeof indices, indices),
                                     DXGI_FORMAT_R16_UINT, 0);
    umd->context.pfnPsSetConstantBuffers(umd->device, 0, 1, &constants);
    for (uint32_t i = 0; i < 2; i++) {
        umd->context.pfnDefaultConstantBufferUpdateSubresourceUP(umd->device, constants, 0, NULL, colors[i],
                                                                 0, 0);
        agpu_draw_columns(t, i * EDGE / 2, EDGE / 2);
        umd->context.pfnDrawIndexed(umd->device, 6, 0, 0);
    }
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* A texture with a pattern, drawn texel by texel, must show on the target. */
static void umd_draw_texture(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 1};
    uint8_t *image = agpu_scratch(1);

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    args.hDrvResource = agpu_make_texture(t, &desc, 11);
    agpu_assert(t, args.hDrvResource.pDrvPrivate != NULL);
    agpu_draw_shaders(t, &agpu_vs_vertex_id_4_0, NULL, &agpu_ps_load_4_0);
    umd->context.pfnIaSetTopology(umd->device, AGPU_DRAW_LIST);
    agpu_draw_view(t, &args);
    umd->context.pfnDraw(umd->device, 3, 0);
    agpu_fill_image(&desc, 0, 11, image);
    agpu_check_image(t, agpu_draw_target(), &desc, 0, image);
}

#define UMD_DRAW(name, function) AGPU_DRAW_CASE(name, "umd.md 13", 0, function, 0)

static const struct agpu_case umd_draw_cases[] = {
    UMD_DRAW("render.umd.triangle", umd_draw_triangle),
    UMD_DRAW("render.umd.vertices", umd_draw_vertices),
    UMD_DRAW("render.umd.dynamic_vertices", dynamic_vertices),
    UMD_DRAW("render.umd.indices_and_constants", indices_and_constants),
    UMD_DRAW("render.umd.texture", umd_draw_texture),
};

AGPU_CASE_TABLE(agpu_cases_umd_draw, umd_draw_cases);
