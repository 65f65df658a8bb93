/* patch.c: primitives of more vertices than a triangle: lists with adjacency, and patches of each kind of number
 * of control points (commands.md 9). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/scene.h"

/* Returns the triangle of a cell's three corners, or the one on the other side of its diagonal. */
static void put_corners(struct agpu_vertex out[3], uint32_t cell, bool lower, const float color[4])
{
    struct agpu_vertex quad[4];

    agpu_scene_cell(quad, cell, 0.5f, color[0], color[1], color[2], color[3]);
    out[0] = quad[lower ? 3 : 0];
    out[1] = quad[lower ? 2 : 1];
    out[2] = quad[lower ? 1 : 2];
}

static const float patch_white[4] = {1, 1, 1, 1}, red[4] = {1, 0, 0, 1};

/* Both halves of the cells in this set. */
static uint32_t shown_cells;

static uint32_t patch_cells(uint32_t x, uint32_t y)
{
    return shown_cells >> (x / 4 + y / 4 * 4) & 1 ? AGPU_WHITE : AGPU_NOTHING;
}

/* Given two primitives of each list with adjacency, both halves of a cell must be drawn; the primitives that strips
 * would add are elsewhere. */
static void adjacency_lists(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex lines[8], triangles[12];
    struct agpu_vertex corners[3];

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 2; i++) {
        put_corners(corners, 5, i, patch_white);
        lines[4 * i] = corners[0]; /* the shader draws vertices 0, 1, 3 of a line */
        lines[4 * i + 1] = corners[1];
        lines[4 * i + 2] = (struct agpu_vertex){0.9f, -0.9f, 0.5f, 1, 1, 0, 0, 1};
        lines[4 * i + 3] = corners[2];
        put_corners(corners, 10, i, patch_white);
        for (uint32_t k = 0; k < 3; k++) { /* and 1, 3, 5 of a triangle */
            triangles[6 * i + 2 * k] =
                (struct agpu_vertex){-0.9f, 0.9f - 0.1f * (float)k, 0.5f, 1, 1, 0, 0, 1};
            triangles[6 * i + 2 * k + 1] = corners[k];
        }
    }
    agpu_scene_color(t, lines, 8, AEROGPU_TOPOLOGY_LINELIST_ADJ);
    agpu_put_shader(r, AGPU_GS, &agpu_gs_line_adj_4_0);
    agpu_put_shader(r, 60, &agpu_gs_triangle_adj_4_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = AGPU_GS});
    agpu_put_draw(r, 8);
    shown_cells = 1u << 5;
    agpu_return_unless(agpu_expect(t, patch_cells, 0));
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_scene_color(t, triangles, 12, AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = 60});
    agpu_put_draw(r, 12);
    shown_cells = 1u << 10;
    agpu_expect(t, patch_cells, 0);
}

/* Draws strips of one primitive each, separated by the highest index. As a vertex, which base_vertex would make it, it
 * is far away and would join them. */
static bool expect_parted(struct agpu_test *t, uint32_t topology, uint32_t points,
                          const struct agpu_vertex *strips)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex vertices[13];
    uint16_t indices[14];

    memcpy(vertices, strips, 2 * points * sizeof *vertices);
    vertices[2 * points] = (struct agpu_vertex){0.9f, 0.9f, 0.5f, 1, 1, 0, 0, 1};
    agpu_scene_color(t, vertices, 2 * points + 1, topology);
    for (uint32_t i = 0; i <= 2 * points; i++) {
        const uint32_t vertex = i < points ? i : i == points ? 2 * points : i - 1;

        indices[i] = (uint16_t)(UINT16_MAX - 2 * points + vertex);
    }
    indices[2 * points + 1] = 0; /* the size is a multiple of 4 */
    agpu_put_destroy(r, AGPU_INDICES);
    agpu_put_filled_buffer(r, AGPU_INDICES, indices, (uint32_t)((2 * points + 2) * sizeof *indices));
    agpu_put_index_buffer(r, AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT16, 0);
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_put_bind_shaders(
        r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = points == 4 ? AGPU_GS : 60});
    agpu_put_draw_indexed(r, 2 * points + 1)->base_vertex = (int32_t)(2 * points) - 0xFFFF;
    return agpu_expect(t, patch_cells, 0);
}

/* Given two strips with adjacency separated by the highest index, the device must draw one primitive of each and none
 * that joins them. */
static void adjacency_strips_restart(struct agpu_test *t)
{
    const struct agpu_vertex aside = {0.9f, -0.9f, 0.5f, 1, 1, 0, 0, 1};
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex lines[8], triangles[12], corners[3];

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 2; i++) {
        put_corners(corners, 5, i, patch_white);
        memcpy(&lines[4 * i], (const struct agpu_vertex[4]){corners[0], corners[1], aside, corners[2]},
               4 * sizeof *lines);
        for (uint32_t k = 0; k < 3; k++) {
            triangles[6 * i + 2 * k] = aside;
            triangles[6 * i + 2 * k + 1] = corners[k];
        }
    }
    agpu_put_shader(r, AGPU_GS, &agpu_gs_line_adj_4_0);
    agpu_put_shader(r, 60, &agpu_gs_triangle_adj_4_0);
    shown_cells = 1u << 5;
    agpu_return_unless(expect_parted(t, AEROGPU_TOPOLOGY_LINESTRIP_ADJ, 4, lines));
    expect_parted(t, AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ, 6, triangles);
}

/* Draws two patches of this many points, the two halves of a cell; all other points are elsewhere. */
static bool expect_patches(struct agpu_test *t, uint32_t points, const struct agpu_shader_blob *hull)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex vertices[64], corners[3];

    for (uint32_t k = 0; k < 64; k++) {
        vertices[k] = (struct agpu_vertex){0.9f, -0.9f, 0.5f, 1, 1, 0, 0, 1};
    }
    for (uint32_t k = 0; k < 2; k++) {
        put_corners(corners, 5, k, points == 4 ? red : patch_white);
        memcpy(vertices + k * points + (points == 32 ? 29 : 0), corners, sizeof corners);
        if (points == 4) { /* the colour is that of the fourth */
            memcpy(&vertices[4 * k + 3].r, patch_white, sizeof patch_white);
        }
    }
    agpu_scene_color(t, vertices, 2 * points, AEROGPU_TOPOLOGY_PATCHLIST_1 + points - 1);
    agpu_put_shader(r, AGPU_HS, hull);
    agpu_put_shader(r, AGPU_DS, &agpu_ds_color_5_0);
    agpu_put_bind_shaders(r,
                          &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = AGPU_HS, .ds = AGPU_DS});
    agpu_put_draw(r, 2 * points);
    shown_cells = 1u << 5;
    return agpu_expect(t, patch_cells, 0);
}

/* Given patches of four control points, the shaders must get every point of each patch in order. */
static void patches_of_four(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    expect_patches(t, 4, &agpu_hs_four_5_0);
}

/* Given patches of 32 control points, the most there are, the shaders must get every point of each patch in order. */
static void patches_of_32(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    expect_patches(t, 32, &agpu_hs_thirtytwo_5_0);
}

/* Each point is the right angle of a triangle whose legs reach far out of the target, to the right and down. */
static uint32_t two_steps(uint32_t x, uint32_t y)
{
    return y >= 12 || (y >= 8 && x >= 8) ? AGPU_WHITE : AGPU_NOTHING;
}

/* Patches of one control point must each draw their own cell, and points after the count must draw nothing. */
static void patches_of_one(struct agpu_test *t)
{
    static const struct agpu_vertex points[3] = {
        {-1, -0.5f, 0.5f, 1, 1, 1, 1, 1}, {0, 0, 0.5f, 1, 1, 1, 1, 1}, {-1, 1, 0.5f, 1, 1, 0, 0, 1}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, points, 3, AEROGPU_TOPOLOGY_PATCHLIST_1);
    agpu_put_shader(r, AGPU_HS, &agpu_hs_one_5_0);
    agpu_put_shader(r, AGPU_DS, &agpu_ds_color_5_0);
    agpu_put_bind_shaders(r,
                          &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = AGPU_HS, .ds = AGPU_DS});
    agpu_put_draw(r, 2);
    agpu_expect(t, two_steps, 0);
}

/* After tessellation the geometry shader receives its result: each corner becomes a square of half the target's
 * width. */
static uint32_t three_quarters(uint32_t x, uint32_t y)
{
    return y < 8 ? x < 8 ? AGPU_RED : AGPU_GREEN : x < 8 ? AGPU_BLUE : AGPU_NOTHING;
}

/* A geometry shader must get the points that the domain shader of a patch makes, and draw a square at each. */
static void geometry_behind_patches(struct agpu_test *t)
{
    static const struct agpu_vertex corners[3] = {{-0.5f, 0.5f, 0.5f, 1, 0, 0, 0, 0},
                                                  {0.5f, 0.5f, 0.5f, 1, 0, 0, 0, 0},
                                                  {-0.5f, -0.5f, 0.5f, 1, 0, 0, 0, 0}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, corners, 3, AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_shader(r, AGPU_HS, &agpu_hs_points_5_0);
    agpu_put_shader(r, AGPU_DS, &agpu_ds_triangle_5_0);
    agpu_put_shader(r, AGPU_GS, &agpu_gs_expand_5_0);
    agpu_put_bind_shaders(
        r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = AGPU_GS, .hs = AGPU_HS, .ds = AGPU_DS});
    agpu_put_draw(r, 3);
    agpu_expect(t, three_quarters, 0);
}

/* Patches in several instances, each a stripe. */
static uint32_t instance_stripes(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 4 ? AGPU_RED : x < 8 ? AGPU_GREEN : x < 12 ? AGPU_BLUE : AGPU_NOTHING;
}

/* Given two patches and three instances, each instance must draw both patches with its own offset and colour. */
static void patches_of_instances(struct agpu_test *t)
{
    static const float vertices[6][4] = {{-1, 1, 0, 1},  {-0.5f, 1, 0, 1}, {-1, -1, 0, 1},
                                         {-1, -1, 0, 1}, {-0.5f, 1, 0, 1}, {-0.5f, -1, 0, 1}};
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_shaders(t, &agpu_vs_instance_id_4_0, &agpu_ps_color_4_0);
    agpu_put_shader(r, AGPU_HS, &agpu_hs_triangle_5_0);
    agpu_put_shader(r, AGPU_DS, &agpu_ds_color_5_0);
    agpu_put_bind_shaders(r,
                          &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = AGPU_HS, .ds = AGPU_DS});
    agpu_put_filled_buffer(r, AGPU_VERTICES, vertices, sizeof vertices);
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, sizeof vertices[0], 0);
    agpu_put_layout(r, AGPU_LAYOUT, elements, 1);
    agpu_put_topology(r, AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_draw(r, 6)->instance_count = 3;
    agpu_expect(t, instance_stripes, 1);
}

static const struct agpu_case render_patch_cases[] = {
    AGPU_SCENE_CASE("render.topology.adjacency_lists", "commands.md 9", 0, adjacency_lists),
    AGPU_SCENE_CASE("render.topology.adjacency_strips_restart", "commands.md 15", 0,
                    adjacency_strips_restart),
    AGPU_SCENE_CASE("render.topology.geometry_behind_patches", "commands.md 7", 0, geometry_behind_patches),
    AGPU_SCENE_CASE("render.topology.patches_of_instances", "commands.md 11", 0, patches_of_instances),
    AGPU_SCENE_CASE("render.topology.patches_of_1", "commands.md 9", 0, patches_of_one),
    AGPU_SCENE_CASE("render.topology.patches_of_4", "commands.md 9", 0, patches_of_four),
    AGPU_SCENE_CASE("render.topology.patches_of_32", "commands.md 9", 0, patches_of_32),
};

AGPU_CASE_TABLE(agpu_cases_render_patch, render_patch_cases);
