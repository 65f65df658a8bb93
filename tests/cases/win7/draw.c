/* draw.c: triangles, buffers that draws read, geometry shaders and compute, as in the Windows 7 test programs (required
 * behaviours W). */
#include <string.h>

#include "pci/machine/wait.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/umd_draw.h"

#define EDGE 16u
#define FULL 64u

#define POLL_BOUND_NS  (2ull * 1000 * 1000 * 1000)
#define BLOCK_BOUND_NS (30ull * 1000 * 1000 * 1000)

static uint64_t win7_draw_now(struct agpu_test *t)
{
    return t->env->platform->now_ns(t->env->platform->ctx);
}

static const D3D10_DDI_RASTERIZER_DESC no_culling = {.FillMode = 3, .CullMode = 1, .DepthClipEnable = 1};

static void win7_draw_vertex(struct agpu_vertex *v, float x, float y, uint32_t color)
{
    *v = (struct agpu_vertex){x,
                              y,
                              0.5f,
                              1,
                              (float)(color & 0xFF) / 255,
                              (float)(color >> 8 & 0xFF) / 255,
                              (float)(color >> 16 & 0xFF) / 255,
                              1};
}

static bool check_triangle(struct agpu_test *t, const D3D10DDI_MAPPED_SUBRESOURCE *mapped)
{
    static const uint8_t red[4] = {255, 0, 0, 255}, green[4] = {0, 255, 0, 255};
    const uint8_t *texels = mapped->pData;

    return agpu_check(t, texels != NULL) && agpu_check(t, mapped->RowPitch >= FULL * 4) &&
           agpu_check_eq_mem(t, texels, red, 4) &&
           agpu_check_eq_mem(t, texels + (FULL - 1) * mapped->RowPitch + (FULL - 1) * 4, red, 4) &&
           agpu_check_eq_mem(t, texels + FULL / 2 * mapped->RowPitch + FULL / 2 * 4, green, 4);
}

/* W-01, W-04: a poll for a drawn triangle must answer at once, with busy or with the picture; a blocking map returns
 * the picture. */
static void win7_draw_triangle(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    struct agpu_resource_desc desc =
        agpu_staging_desc(DXGI_FORMAT_R8G8B8A8_UNORM, FULL, FULL, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &desc, 0);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    struct agpu_vertex corners[3];
    uint64_t started;
    unsigned checks;
    HRESULT hr;

    agpu_assert(t, staging.pDrvPrivate != NULL);
    agpu_return_unless(agpu_draw_begin(t, FULL));
    agpu_draw_clear(t, 1, 0, 0, 1);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    win7_draw_vertex(&corners[0], 0, 0.75f, AGPU_GREEN);
    win7_draw_vertex(&corners[1], 0.75f, -0.75f, AGPU_GREEN);
    win7_draw_vertex(&corners[2], -0.75f, -0.75f, AGPU_GREEN);
    agpu_draw_vertices(t, agpu_make_default(t, sizeof corners, corners), sizeof corners[0], AGPU_DRAW_LIST);
    umd->context.pfnDraw(umd->device, 3, 0);
    agpu_umd_copy(t, staging, agpu_draw_target());
    started = win7_draw_now(t);
    hr = agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped);
    agpu_check(t, win7_draw_now(t) - started <= POLL_BOUND_NS);
    checks = t->checks;
    if (hr == S_OK) {
        check_triangle(t, &mapped);
        agpu_umd_unmap(t, staging);
    } else {
        agpu_check_hr(t, hr, DXGI_ERROR_WAS_STILL_DRAWING);
    }
    agpu_check_drop(t, checks); /* either answer is right, and they count alike */
    started = win7_draw_now(t);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, 0, &mapped), S_OK));
    agpu_check(t, win7_draw_now(t) - started <= BLOCK_BOUND_NS);
    check_triangle(t, &mapped);
    agpu_umd_unmap(t, staging);
}

/* W-06: the colour of a draw must be that in the constant buffer when it was recorded. */
static void dynamic_constants(struct agpu_test *t)
{
    static const float colors[2][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}};
    D3D10DDI_HRESOURCE constants = agpu_make_dynamic(t, 16, D3D10_DDI_BIND_CONSTANT_BUFFER);
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_assert(t, constants.pDrvPrivate != NULL);
    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_colors(t, &agpu_ps_constant_4_0);
    umd->context.pfnPsSetConstantBuffers(umd->device, 0, 1, &constants);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_return_unless(
            agpu_write_through(t, constants, D3D10_DDI_MAP_WRITE_DISCARD, 0, colors[i], sizeof colors[i]));
        agpu_draw_columns(t, i * EDGE / 2, EDGE / 2);
        agpu_draw_solid(t, 0.5f, 1, 1, 1, 1);
    }
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* W-18: of two strips, the second's colours are written again, by an update and through a map. */
static void dirty_range(struct agpu_test *t, bool map)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10_DDI_BOX box = {4 * sizeof(struct agpu_vertex), 0, 0, 8 * sizeof(struct agpu_vertex), 1, 1};
    struct agpu_vertex vertices[8];
    D3D10DDI_HRESOURCE buffer;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_scene_quad(vertices, 0.5f, 1, 0, 0, 1);
    agpu_scene_quad(vertices + 4, 0.5f, 0, 0, 1, 1);
    buffer = map ? agpu_make_dynamic(t, sizeof vertices, D3D10_DDI_BIND_VERTEX_BUFFER)
                 : agpu_make_default(t, sizeof vertices, vertices);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    if (map) {
        agpu_return_unless(
            agpu_write_through(t, buffer, D3D10_DDI_MAP_WRITE_DISCARD, 0, vertices, sizeof vertices));
    }
    agpu_draw_vertices(t, buffer, sizeof vertices[0], AGPU_DRAW_STRIP);
    agpu_draw_columns(t, 0, EDGE / 2);
    umd->context.pfnDraw(umd->device, 4, 0);
    agpu_scene_quad(vertices + 4, 0.5f, 0, 1, 0, 1);
    if (map) {
        agpu_return_unless(agpu_write_through(t, buffer, D3D10_DDI_MAP_WRITE_NOOVERWRITE, (uint32_t)box.left,
                                              vertices + 4, (uint32_t)(box.right - box.left)));
    } else {
        agpu_umd_update(t, buffer, 0, &box, vertices + 4, 0);
    }
    agpu_draw_columns(t, EDGE / 2, EDGE / 2);
    umd->context.pfnDraw(umd->device, 4, 4);
    agpu_return_unless(agpu_draw_expect(t, agpu_expected_red_green, 0));
    /* The first strip has not changed. */
    agpu_draw_clear(t, 0, 0, 0, 0);
    agpu_draw_columns(t, 0, EDGE / 2);
    umd->context.pfnDraw(umd->device, 4, 0);
    agpu_draw_columns(t, EDGE / 2, EDGE / 2);
    umd->context.pfnDraw(umd->device, 4, 4);
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* W-18: an update of part of a vertex buffer must change these vertices only. */
static void update_range(struct agpu_test *t)
{
    dirty_range(t, false);
}

/* W-18: a map of part of a vertex buffer must change these vertices only. */
static void map_range(struct agpu_test *t)
{
    dirty_range(t, true);
}

/* W-22: a draw must use the vertices and indices from the time of its call, whatever is written after it. */
static void indexed_at_call_time(struct agpu_test *t)
{
    static const uint16_t indices[2][6] = {{0, 1, 2, 2, 1, 3}, {4, 5, 6, 6, 5, 7}};
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex vertices[8];
    D3D10DDI_HRESOURCE buffer = agpu_make_dynamic(t, sizeof vertices, D3D10_DDI_BIND_VERTEX_BUFFER);
    D3D10DDI_HRESOURCE list = agpu_make_dynamic(t, sizeof indices[0], D3D10_DDI_BIND_INDEX_BUFFER);

    agpu_assert(t, buffer.pDrvPrivate && list.pDrvPrivate);
    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_vertices(t, buffer, sizeof vertices[0], AGPU_DRAW_LIST);
    umd->context.pfnIaSetIndexBuffer(umd->device, list, DXGI_FORMAT_R16_UINT, 0);
    for (uint32_t i = 0; i < 2; i++) {
        /* Vertices that this call does not use are blue. */
        agpu_scene_quad(vertices + i * 4, 0.5f, i ? 0.0f : 1.0f, i ? 1.0f : 0.0f, 0, 1);
        agpu_scene_quad(vertices + 4 - i * 4, 0.5f, 0, 0, 1, 1);
        agpu_return_unless(
            agpu_write_through(t, buffer, D3D10_DDI_MAP_WRITE_DISCARD, 0, vertices, sizeof vertices));
        agpu_return_unless(
            agpu_write_through(t, list, D3D10_DDI_MAP_WRITE_DISCARD, 0, indices[i], sizeof indices[i]));
        agpu_draw_columns(t, i * EDGE / 2, EDGE / 2);
        umd->context.pfnDrawIndexed(umd->device, 6, 0, 0);
    }
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* W-22: instances must be moved and coloured by their instance data in the left half of the target. */
static void win7_draw_instancing(struct agpu_test *t)
{
    static const D3D10DDIARG_INPUT_ELEMENT_DESC elements[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 0, 0, 0},
        {"TEXCOORD", 1, DXGI_FORMAT_R32G32_FLOAT, 1, 0, 1, 1},
        {"COLOR", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 1, 8, 1, 1}};
    static const float quad[4][4] = {{-1, 1, 0, 1}, {0, 1, 0, 1}, {-1, -1, 0, 1}, {0, -1, 0, 1}};
    static const float instances[2][6] = {{0, 0, 1, 0, 0, 1}, {1, 0, 0, 1, 0, 1}};
    static const uint32_t strides[2] = {16, 24}, offsets[2] = {0, 0};
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRESOURCE buffers[2];

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    buffers[0] = agpu_make_default(t, sizeof quad, quad);
    buffers[1] = agpu_make_default(t, sizeof instances, instances);
    agpu_assert(t, buffers[0].pDrvPrivate && buffers[1].pDrvPrivate);
    agpu_draw_shaders(t, &agpu_vs_instance_data_4_0, NULL, &agpu_ps_color_4_0);
    agpu_draw_layout(t, elements, 3);
    umd->context.pfnIaSetVertexBuffers(umd->device, 0, 2, buffers, strides, offsets);
    umd->context.pfnIaSetTopology(umd->device, AGPU_DRAW_STRIP);
    umd->context.pfnDrawInstanced(umd->device, 4, 2, 0, 0);
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* The upper right and the lower left quarter. */
static uint32_t two_quarters(uint32_t x, uint32_t y)
{
    if (x < EDGE / 2) {
        return y < EDGE / 2 ? AGPU_NOTHING : AGPU_RED;
    }
    return y < EDGE / 2 ? AGPU_GREEN : AGPU_NOTHING;
}

/* W-16: a geometry shader must turn each of two points into a square, with nothing between them. */
static void geometry_shader(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex points[2];

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    win7_draw_vertex(&points[0], -0.5f, -0.5f, AGPU_RED);
    win7_draw_vertex(&points[1], 0.5f, 0.5f, AGPU_GREEN);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_shaders(t, &agpu_vs_color_4_0, &agpu_gs_expand_4_0, &agpu_ps_color_4_0);
    agpu_draw_rasterizer(t, &no_culling);
    agpu_draw_vertices(t, agpu_make_default(t, sizeof points, points), sizeof points[0], AGPU_DRAW_POINTS);
    umd->context.pfnDraw(umd->device, 2, 0);
    agpu_draw_expect(t, two_quarters, 0);
}

/* W-16: a restart index must separate the same squares as strips of one indexed draw. */
static void restart_strip(struct agpu_test *t)
{
    static const uint16_t indices[] = {0, 1, 2, 3, 0xFFFF, 4, 5, 6, 7};
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_vertex v[8];

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    for (uint32_t i = 0; i < 4; i++) {
        win7_draw_vertex(&v[i], i & 1 ? 0.0f : -1.0f, i & 2 ? -1.0f : 0.0f, AGPU_RED);
        win7_draw_vertex(&v[4 + i], i & 1 ? 1.0f : 0.0f, i & 2 ? 0.0f : 1.0f, AGPU_GREEN);
    }
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_rasterizer(t, &no_culling);
    agpu_draw_vertices(t, agpu_make_default(t, sizeof v, v), sizeof v[0], AGPU_DRAW_STRIP);
    umd->context.pfnIaSetIndexBuffer(umd->device, agpu_make_indices(t, sizeof indices, indices),
                                     DXGI_FORMAT_R16_UINT, 0);
    umd->context.pfnDrawIndexed(umd->device, 9, 0, 0);
    agpu_draw_expect(t, two_quarters, 0);
}

/* W-27: matrix and material of a fixed pipeline, by a shader: half as wide and to the left, only the red of white. */
static uint32_t left_red(uint32_t x, uint32_t y)
{
    (void)y;
    return x < EDGE / 2 ? AGPU_RED : AGPU_NOTHING;
}

/* W-27: a matrix and a colour in constant buffers must transform and tint what is drawn. */
static void win7_draw_transform(struct agpu_test *t)
{
    static const float rows[4][4] = {{0.5f, 0, 0, -0.5f}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    static const float tint[4] = {1, 0, 0, 1};
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRESOURCE constants[2] = {agpu_make_dynamic(t, sizeof rows, D3D10_DDI_BIND_CONSTANT_BUFFER),
                                       agpu_make_dynamic(t, sizeof tint, D3D10_DDI_BIND_CONSTANT_BUFFER)};

    agpu_assert(t, constants[0].pDrvPrivate && constants[1].pDrvPrivate);
    agpu_return_unless(
        agpu_write_through(t, constants[0], D3D10_DDI_MAP_WRITE_DISCARD, 0, rows, sizeof rows));
    agpu_return_unless(
        agpu_write_through(t, constants[1], D3D10_DDI_MAP_WRITE_DISCARD, 0, tint, sizeof tint));
    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_shaders(t, &agpu_vs_transform_4_0, NULL, &agpu_ps_color_4_0);
    umd->context.pfnVsSetConstantBuffers(umd->device, 0, 2, constants);
    agpu_draw_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_draw_expect(t, left_red, 0);
}

/* ---- W-15 ---- */

static D3D10DDI_HRESOURCE win7_draw_shader_buffer(struct agpu_test *t, uint32_t bytes, uint32_t stride,
                                                  uint32_t bind, const void *data)
{
    struct agpu_resource_desc desc = agpu_buffer_desc(bytes, D3D10_DDI_USAGE_DEFAULT, bind, 0);
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = data};
    HRESULT hr;

    desc.StructureByteStride = stride;
    desc.pInitialDataUP = data != NULL ? &initial : NULL;
    desc.InitialDataCount = data != NULL ? 1 : 0;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

static void win7_draw_compute(struct agpu_test *t, const struct agpu_shader_blob *cs, uint32_t stride,
                              uint32_t t_slot, uint32_t u_slot, const uint32_t *source,
                              const uint32_t *expected, uint32_t groups)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const uint32_t elements = stride ? 128 / stride : 32;
    D3D10DDIARG_CREATESHADERRESOURCEVIEW srv = {.NumElements = elements};
    D3D11DDIARG_CREATEUNORDEREDACCESSVIEW uav = {.NumElements = elements};
    static const uint32_t initial_count = UINT32_MAX;
    D3D10DDI_HSHADERRESOURCEVIEW in;
    D3D11DDI_HUNORDEREDACCESSVIEW out;

    srv.hDrvResource = win7_draw_shader_buffer(t, 128, stride, D3D10_DDI_BIND_SHADER_RESOURCE, source);
    uav.hDrvResource = win7_draw_shader_buffer(t, 128, stride, D3D11_DDI_BIND_UNORDERED_ACCESS, NULL);
    in = agpu_make_srv(t, &srv);
    out = agpu_make_uav(t, &uav);
    agpu_assert(t, in.pDrvPrivate && out.pDrvPrivate);
    agpu_draw_compute(t, cs);
    umd->context.pfnCsSetShaderResources(umd->device, t_slot, 1, &in);
    umd->context.pfnCsSetUnorderedAccessViews(umd->device, u_slot, 1, &out, &initial_count);
    umd->context.pfnDispatch(umd->device, groups, 1, 1);
    agpu_check_dispatched(t, uav.hDrvResource, expected, 128);
}

/* W-15: a compute shader must transform structured items, one buffer into another. */
static void compute_structured(struct agpu_test *t)
{
    uint32_t source[32], expected[32];

    for (uint32_t i = 0; i < 32; i += 4) {
        source[i] = i * 7;
        source[i + 1] = i + 1;
        source[i + 2] = agpu_float_bits((float)i);
        source[i + 3] = agpu_float_bits((float)i * 0.5f);
        expected[i] = source[i] + 1;
        expected[i + 1] = 0u - source[i + 1];
        expected[i + 2] = source[i + 3];
        expected[i + 3] = source[i + 2];
    }
    win7_draw_compute(t, &agpu_cs_structured_5_0, 16, 0, 0, source, expected, 2);
}

/* W-15: a compute shader must multiply the words of a raw buffer by a constant. */
static void compute_raw(struct agpu_test *t)
{
    static const uint32_t factor[4] = {5};
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRESOURCE constants = agpu_make_dynamic(t, 16, D3D10_DDI_BIND_CONSTANT_BUFFER);
    uint32_t source[32], expected[32];

    agpu_assert(t, constants.pDrvPrivate != NULL);
    agpu_return_unless(agpu_write_through(t, constants, D3D10_DDI_MAP_WRITE_DISCARD, 0, factor, 16));
    umd->context.pfnCsSetConstantBuffers(umd->device, 0, 1, &constants);
    for (uint32_t i = 0; i < 32; i++) {
        source[i] = i * 1000003;
        expected[i] = source[i] * 5;
    }
    win7_draw_compute(t, &agpu_cs_scale_5_0, 0, 2, 1, source, expected, 2);
}

static const struct agpu_case win7_draw_cases[] = {
    AGPU_DRAW_CASE("render.win7.triangle_d3d10", "umd.md 11", 0, win7_draw_triangle,
                   D3D10_0_DDI_INTERFACE_VERSION),
    AGPU_DRAW_CASE("render.win7.triangle_d3d10_1", "umd.md 11", 0, win7_draw_triangle,
                   D3D10_1_DDI_INTERFACE_VERSION),
    AGPU_DRAW_CASE("render.win7.triangle_d3d11", "umd.md 11", 0, win7_draw_triangle, 0),
    AGPU_DRAW_CASE("render.win7.dynamic_constants", "umd.md 6.3", 0, dynamic_constants, 0),
    AGPU_DRAW_CASE("render.win7.update_range", "umd.md 7", 0, update_range, 0),
    AGPU_DRAW_CASE("render.win7.map_range", "umd.md 6.3", 0, map_range, 0),
    AGPU_DRAW_CASE("render.win7.indexed_at_call_time", "umd.md 11", 0, indexed_at_call_time, 0),
    AGPU_DRAW_CASE("render.win7.instancing", "umd.md 11", 0, win7_draw_instancing, 0),
    AGPU_DRAW_CASE("render.win7.geometry_shader", "umd.md 11", 0, geometry_shader, 0),
    AGPU_DRAW_CASE("render.win7.restart_strip", "commands.md 15", 0, restart_strip, 0),
    AGPU_DRAW_CASE("render.win7.transform", "umd.md 9", 0, win7_draw_transform, 0),
    AGPU_DRAW_CASE("render.win7.compute_structured", "umd.md 11", 0, compute_structured, 0),
    AGPU_DRAW_CASE("render.win7.compute_raw", "umd.md 11", 0, compute_raw, 0),
};

AGPU_CASE_TABLE(agpu_cases_win7_draw, win7_draw_cases);
