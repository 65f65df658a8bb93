/* primitive.c: topologies and the texels that they cover: fill rule, indices, restart, fans, adjacency, patches
 * (commands.md 9, 11, 15). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/scene.h"

#define EDGE AGPU_EDGE

/* Returns the clip coordinate of the centre of a column, or minus that of a row. */
static float primitive_centre(uint32_t texel)
{
    return ((float)texel + 0.5f) * 2 / (float)EDGE - 1;
}

static struct agpu_vertex primitive_at(float x, float y, uint32_t color)
{
    return (struct agpu_vertex){x,
                                y,
                                0.5f,
                                1,
                                (float)(color & 255) / 255,
                                (float)(color >> 8 & 255) / 255,
                                (float)(color >> 16 & 255) / 255,
                                (float)(color >> 24) / 255};
}

static uint32_t left_half_red(uint32_t x, uint32_t y)
{
    (void)y;
    return x < EDGE / 2 ? AGPU_RED : AGPU_NOTHING;
}

/* One triangle larger than the target must cover every texel of it. */
static void primitive_triangle(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_color_4_0);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* The probe decides whether the other drawing cases run or are skipped; our model must not pass by drawing nothing. */
static void primitive_probe(struct agpu_test *t)
{
    agpu_return_unless(agpu_draws_shaders(t) || t->env->model);
    agpu_check(t, t->env->draws != AGPU_DRAWS_NOTHING);
}

/* Red grows from the left edge to the right, green from top to bottom, evaluated at texel centres. */
static uint32_t primitive_gradient(uint32_t x, uint32_t y)
{
    return AGPU_RGBA((2 * x + 1) * 255 / (2 * EDGE), (2 * y + 1) * 255 / (2 * EDGE), 0, 255);
}

/* Given colours at the corners of a quad, each texel must have the colour interpolated at its centre. */
static void primitive_interpolates(struct agpu_test *t)
{
    struct agpu_vertex quad[4];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(quad, 0.5f, 0, 0, 0, 1);
    quad[1].r = quad[3].r = 1;
    quad[2].g = quad[3].g = 1;
    agpu_scene_color(t, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, primitive_gradient, 1);
}

/* Interpolation is linear in the scene, not on the screen: with w = 1 at the left and 3 at the right edge, red at a
 * column s from the left (0..1) is s/3 / ((1-s) + s/3). */
static uint32_t in_perspective(uint32_t x, uint32_t y)
{
    uint32_t s = 2 * x + 1, whole = 2 * EDGE;

    (void)y;
    return AGPU_RGBA((255 * s * 2 + (3 * whole - 2 * s)) / (2 * (3 * whole - 2 * s)), 0, 0, 255);
}

/* Given vertices of different w, colours must be interpolated with perspective correction. */
static void primitive_perspective(struct agpu_test *t)
{
    struct agpu_vertex quad[4];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(quad, 0, 0, 0, 0, 1);
    for (uint32_t i = 1; i < 4; i += 2) {
        quad[i].x *= 3;
        quad[i].y *= 3;
        quad[i].w = 3;
        quad[i].r = 1;
    }
    agpu_scene_color(t, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, in_perspective, 1);
}

/* Given a diagonal through texel centres, each texel must belong to exactly one of the two triangles. */
static void drawn_once(struct agpu_test *t)
{
    struct agpu_vertex q[4];
    struct aerogpu_blend_state *blend;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(q, 0.5f, 0.25f, 0.25f, 0.25f, 0.25f);
    agpu_scene_color(t, (struct agpu_vertex[6]){q[0], q[1], q[2], q[2], q[1], q[3]}, 6,
                     AEROGPU_TOPOLOGY_TRIANGLELIST);
    blend = agpu_put_blend(agpu_rig_of(t));
    blend->enable = 1;
    blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
    agpu_put_draw(agpu_rig_of(t), 6);
    agpu_expect_all(t, AGPU_RGBA(64, 64, 64, 64), 1);
}

/* A rectangle whose edges run through texel centres covers its left and top ones, not its right and bottom ones. */
static uint32_t top_left_square(uint32_t x, uint32_t y)
{
    return x >= 3 && x < 9 && y >= 5 && y < 12 ? AGPU_RED : AGPU_NOTHING;
}

/* Given edges through texel centres, only top and left edges must include these texels. */
static void top_left(struct agpu_test *t)
{
    const struct agpu_vertex q[4] = {primitive_at(primitive_centre(3), -primitive_centre(5), AGPU_RED),
                                     primitive_at(primitive_centre(9), -primitive_centre(5), AGPU_RED),
                                     primitive_at(primitive_centre(3), -primitive_centre(12), AGPU_RED),
                                     primitive_at(primitive_centre(9), -primitive_centre(12), AGPU_RED)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, q, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, top_left_square, 0);
}

static uint32_t two_texels(uint32_t x, uint32_t y)
{
    return x == 3 && y == 5 ? AGPU_RED : x == 12 && y == 9 ? AGPU_GREEN : AGPU_NOTHING;
}

/* A point list must draw one texel at each vertex. */
static void primitive_points(struct agpu_test *t)
{
    const struct agpu_vertex two[2] = {primitive_at(primitive_centre(3), -primitive_centre(5), AGPU_RED),
                                       primitive_at(primitive_centre(12), -primitive_centre(9), AGPU_GREEN)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, two, 2, AEROGPU_TOPOLOGY_POINTLIST);
    agpu_put_draw(agpu_rig_of(t), 2);
    agpu_expect(t, two_texels, 0);
}

/* From the centre of column 2 to that of column 10, whose texel is not drawn (diamond exit). */
static uint32_t one_line(uint32_t x, uint32_t y)
{
    return y == 4 && x >= 2 && x < 10 ? AGPU_WHITE : AGPU_NOTHING;
}

/* A second line that is not joined to the first; the fifth vertex starts none. */
static uint32_t two_lines(uint32_t x, uint32_t y)
{
    return y == 11 && x >= 3 && x < 8 ? AGPU_WHITE : one_line(x, y);
}

/* A line list must draw a line for each pair of vertices, without its last texel, and ignore the vertex left over. */
static void primitive_lines(struct agpu_test *t)
{
    const struct agpu_vertex five[5] = {primitive_at(primitive_centre(2), -primitive_centre(4), AGPU_WHITE),
                                        primitive_at(primitive_centre(10), -primitive_centre(4), AGPU_WHITE),
                                        primitive_at(primitive_centre(3), -primitive_centre(11), AGPU_WHITE),
                                        primitive_at(primitive_centre(8), -primitive_centre(11), AGPU_WHITE),
                                        primitive_at(primitive_centre(8), -primitive_centre(2), AGPU_WHITE)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, five, 5, AEROGPU_TOPOLOGY_LINELIST);
    agpu_put_draw(agpu_rig_of(t), 5);
    agpu_expect(t, two_lines, 0);
}

/* Given a line strip with a restart, the two parts must not be joined: the highest index, as a vertex through
 * base_vertex, would join them. */
static void line_strip_restarts(struct agpu_test *t)
{
    static const uint16_t indices[] = {65535 - 4, 65535 - 3, 65535, 65535 - 2, 65535 - 1, 0};
    const struct agpu_vertex five[5] = {
        primitive_at(primitive_centre(2), -primitive_centre(4), AGPU_WHITE),
        primitive_at(primitive_centre(10), -primitive_centre(4), AGPU_WHITE),
        primitive_at(primitive_centre(3), -primitive_centre(11), AGPU_WHITE),
        primitive_at(primitive_centre(8), -primitive_centre(11), AGPU_WHITE),
        primitive_at(primitive_centre(14), -primitive_centre(14), AGPU_WHITE)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, five, 5, AEROGPU_TOPOLOGY_LINESTRIP);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT16, 0);
    agpu_put_draw_indexed(agpu_rig_of(t), 5)->base_vertex = -(65535 - 4);
    agpu_expect(t, two_lines, 0);
}

/* A line strip of three vertices must draw both of its lines without a gap. */
static void line_strip(struct agpu_test *t)
{
    const struct agpu_vertex three[3] = {
        primitive_at(primitive_centre(2), -primitive_centre(4), AGPU_WHITE),
        primitive_at(primitive_centre(6), -primitive_centre(4), AGPU_WHITE),
        primitive_at(primitive_centre(10), -primitive_centre(4), AGPU_WHITE)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, three, 3, AEROGPU_TOPOLOGY_LINESTRIP);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect(t, one_line, 0);
}

/* A triangle fan, with and without indices, must draw all its triangles, and culling must follow their winding. */
static void primitive_fan(struct agpu_test *t)
{
    static const uint32_t indices[] = {2, 3, 0, 1};
    const struct agpu_vertex corners[4] = {primitive_at(-1, 1, AGPU_WHITE), primitive_at(1, 1, AGPU_WHITE),
                                           primitive_at(1, -1, AGPU_WHITE), primitive_at(-1, -1, AGPU_WHITE)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, corners, 4, AEROGPU_TOPOLOGY_TRIANGLEFAN);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    /* With indices, from another corner; clockwise in each of its triangles. */
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_rasterizer(agpu_rig_of(t))->cull_mode = AEROGPU_CULL_FRONT;
    agpu_put_draw_indexed(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    agpu_put_rasterizer(agpu_rig_of(t))->cull_mode = AEROGPU_CULL_BACK;
    agpu_put_draw_indexed(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Given the highest index in an indexed strip, the device must start a new strip and draw no triangle between the
 * two. */
static void primitive_restart(struct agpu_test *t)
{
    static const uint32_t indices[] = {0, 1, 2, 3, UINT32_MAX, 4, 5, 6, 7};
    struct agpu_vertex vertices[8];

    agpu_return_unless(agpu_scene_begin(t));
    /* Two strips side by side. Without the restart the triangles between them would cover nothing new, so the second
     * starts at the right edge. */
    for (uint32_t i = 0; i < 4; i++) {
        vertices[i] = primitive_at(i & 1 ? -0.5f : -1, i & 2 ? -1 : 1, AGPU_RED);
        vertices[4 + i] = primitive_at(i & 1 ? 0 : -0.5f, i & 2 ? -1 : 1, AGPU_RED);
    }
    agpu_scene_color(t, vertices, 8, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_draw_indexed(agpu_rig_of(t), 9);
    agpu_expect(t, left_half_red, 0);
}

/* Given base_vertex -2, index 3 must select the second vertex: the base is added to each index. first_index 1 skips
 * index 99; 3 - 2 is the first vertex. */
static void negative_base_vertex(struct agpu_test *t)
{
    static const uint32_t indices[] = {99, 3, 4, 5, 5, 4, 6};
    const struct agpu_vertex vertices[5] = {primitive_at(9, 9, AGPU_GREEN), primitive_at(-1, 1, AGPU_RED),
                                            primitive_at(0, 1, AGPU_RED), primitive_at(-1, -1, AGPU_RED),
                                            primitive_at(0, -1, AGPU_RED)};
    struct aerogpu_cmd_draw_indexed *draw;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, vertices, 5, AEROGPU_TOPOLOGY_TRIANGLELIST);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    draw = agpu_put_draw_indexed(agpu_rig_of(t), 6);
    draw->first_index = 1;
    draw->base_vertex = -2;
    agpu_expect(t, left_half_red, 0);
}

/* Given 16-bit indices from byte 2 of the buffer, the draw must skip the first index and fill the target. */
static void indices_of_16_bits(struct agpu_test *t)
{
    static const uint16_t indices[] = {7, 0, 1, 2, 2, 1, 3, 0};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_TRIANGLELIST);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT16, 2);
    agpu_put_draw_indexed(agpu_rig_of(t), 6);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Indices after the end read 0, whatever the kind of draw; base_vertex shows which one drew. */
static uint32_t behind_end_texels(uint32_t x, uint32_t y)
{
    return y == 5 && (x == 2 || x == 6 || x == 10) ? AGPU_WHITE : AGPU_NOTHING;
}

/* An index after the end of the index buffer must be read as 0, so that the vertex is base_vertex. */
static void indices_begin_behind_end(struct agpu_test *t)
{
    static const uint32_t indices[] = {3, 3, 3, 3};
    static const uint32_t firsts[] = {4, 1000000, 0};
    const struct agpu_vertex points[7] = {
        primitive_at(primitive_centre(2), -primitive_centre(5), AGPU_WHITE),
        primitive_at(primitive_centre(6), -primitive_centre(5), AGPU_WHITE),
        primitive_at(primitive_centre(10), -primitive_centre(5), AGPU_WHITE),
        primitive_at(primitive_centre(3), -primitive_centre(12), AGPU_RED),
        primitive_at(primitive_centre(5), -primitive_centre(12), AGPU_RED),
        primitive_at(primitive_centre(7), -primitive_centre(12), AGPU_RED)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, points, 7, AEROGPU_TOPOLOGY_POINTLIST);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    for (uint32_t i = 0; i < 3; i++) {
        struct aerogpu_cmd_draw_indexed *draw;

        agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32,
                              i == 2 ? sizeof indices : 0);
        draw = agpu_put_draw_indexed(agpu_rig_of(t), 1);
        draw->first_index = firsts[i];
        draw->base_vertex = (int32_t)i;
    }
    agpu_expect(t, behind_end_texels, 0);
}

/* Given first_vertex 3, a draw must not use the vertices before it. */
static void first_vertex(struct agpu_test *t)
{
    struct agpu_vertex vertices[7];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(vertices + 3, 0.5f, 0, 0, 1, 1);
    for (uint32_t i = 0; i < 3; i++) {
        vertices[i] = primitive_at(0, 0, AGPU_RED);
    }
    agpu_scene_color(t, vertices, 7, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_draw(agpu_rig_of(t), 4)->first_vertex = 3;
    agpu_expect_all(t, AGPU_BLUE, 0);
}

/* The triangle of the adjacency cases; its long edge avoids texel centres. */
static uint32_t primitive_upper_left(uint32_t x, uint32_t y)
{
    return x + y < EDGE - 1 ? AGPU_WHITE : AGPU_NOTHING;
}

/* Given lists and strips with adjacency, a geometry shader must get each primitive with its neighbours, and draw it
 * from them. */
static void primitive_adjacency(struct agpu_test *t)
{
    const struct agpu_vertex a = primitive_at(-1, 1, AGPU_WHITE), b = primitive_at(0.99f, 1, AGPU_WHITE),
                             c = primitive_at(-1, -0.99f, AGPU_WHITE), no = primitive_at(0, 0, AGPU_NOTHING);
    const struct agpu_vertex vertices[] = {a, b, no, c, no, a, no, b, no, c};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, vertices, 10, AEROGPU_TOPOLOGY_LINELIST_ADJ);
    agpu_put_shader(agpu_rig_of(t), AGPU_GS, &agpu_gs_line_adj_4_0);
    agpu_put_shader(agpu_rig_of(t), 60, &agpu_gs_triangle_adj_4_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = AGPU_GS});
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect(t, primitive_upper_left, 0));
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_LINESTRIP_ADJ);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect(t, primitive_upper_left, 0));
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = 60});
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ);
    agpu_put_draw(agpu_rig_of(t), 6)->first_vertex = 4;
    agpu_return_unless(agpu_expect(t, primitive_upper_left, 0));
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ);
    agpu_put_draw(agpu_rig_of(t), 6)->first_vertex = 4;
    agpu_expect(t, primitive_upper_left, 0);
}

/* Strips of two primitives. The lines of 0 1 2 3 4 are between 1 and 2 and between 2 and 3. Their shader draws the
 * triangles 0 1 3 and 1 2 4: a wedge above the middle and one below it. */
static uint32_t two_wedges(uint32_t x, uint32_t y)
{
    int across = 2 * (int)x + 1 - (int)EDGE, up = (int)EDGE - 1 - 2 * (int)y;

    return (across < 0 ? -across : across) < (up < 0 ? -up : up) ? AGPU_WHITE : AGPU_NOTHING;
}

/* The triangles of 0 to 7 are 0 2 4, with 1 6 3 beside it, and 4 2 6 with 0 5 7. */
static uint32_t two_halves(uint32_t x, uint32_t y)
{
    return x + y < EDGE - 1 ? AGPU_RED : x + y > EDGE - 1 ? AGPU_GREEN : AGPU_NOTHING;
}

/* Given strips with adjacency of two primitives, a geometry shader must get the right neighbours of each. */
static void adjacency_strips(struct agpu_test *t)
{
    const struct agpu_vertex wedges[5] = {primitive_at(-0.99f, 1, AGPU_WHITE), primitive_at(0, 0, AGPU_WHITE),
                                          primitive_at(0.99f, -1, AGPU_WHITE),
                                          primitive_at(0.99f, 1, AGPU_WHITE),
                                          primitive_at(-0.99f, -1, AGPU_WHITE)};
    const struct agpu_vertex halves[8] = {
        primitive_at(1, -1, AGPU_GREEN),    primitive_at(-1, 1, AGPU_RED),
        primitive_at(0, 0, AGPU_NOTHING),   primitive_at(0.99f, 1, AGPU_RED),
        primitive_at(0, 0, AGPU_NOTHING),   primitive_at(-0.99f, -1, AGPU_GREEN),
        primitive_at(-1, -0.99f, AGPU_RED), primitive_at(1, 0.99f, AGPU_GREEN)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, wedges, 5, AEROGPU_TOPOLOGY_LINESTRIP_ADJ);
    agpu_put_shader(agpu_rig_of(t), AGPU_GS, &agpu_gs_line_adj_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = AGPU_GS});
    agpu_put_draw(agpu_rig_of(t), 5);
    agpu_return_unless(agpu_expect(t, two_wedges, 0));
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_scene_color(t, halves, 8, AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ);
    agpu_put_shader(agpu_rig_of(t), 60, &agpu_gs_triangle_adj_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = 60});
    agpu_put_draw(agpu_rig_of(t), 8);
    agpu_expect(t, two_halves, 0);
}

/* One patch of which the target shows a quarter; its colour is the barycentric coordinate. */
static uint32_t in_patch(uint32_t x, uint32_t y)
{
    uint32_t v = 2 * x + 1, w = 2 * y + 1, whole = 4 * EDGE;

    return AGPU_RGBA((whole - v - w) * 255 / whole, v * 255 / whole, w * 255 / whole, 255);
}

/* Given a patch of three points, the domain shader's triangles must cover it with interpolated colours and the patch's
 * winding. */
static void primitive_patches(struct agpu_test *t)
{
    const struct agpu_vertex patch[3] = {primitive_at(-1, 1, 0), primitive_at(3, 1, 0),
                                         primitive_at(-1, -3, 0)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, patch, 3, AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_shader(agpu_rig_of(t), AGPU_HS, &agpu_hs_triangle_5_0);
    agpu_put_shader(agpu_rig_of(t), AGPU_DS, &agpu_ds_triangle_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t),
                          &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = AGPU_HS, .ds = AGPU_DS});
    /* Culling shows that the triangles have the clockwise order of the patch. */
    agpu_put_rasterizer(agpu_rig_of(t))->cull_mode = AEROGPU_CULL_BACK;
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect(t, in_patch, 2);
}

/* The corners of a patch as points, whose colours are their barycentric coordinates. */
static uint32_t three_corners(uint32_t x, uint32_t y)
{
    return x == 2 && y == 3    ? AGPU_RED
           : x == 13 && y == 4 ? AGPU_GREEN
           : x == 5 && y == 12 ? AGPU_BLUE
                               : AGPU_NOTHING;
}

/* A hull shader that makes points must draw three texels, and the same domain shader after one that makes triangles
 * must fill the target. */
static void patch_points(struct agpu_test *t)
{
    const struct agpu_vertex patch[3] = {primitive_at(primitive_centre(2), -primitive_centre(3), 0),
                                         primitive_at(primitive_centre(13), -primitive_centre(4), 0),
                                         primitive_at(primitive_centre(5), -primitive_centre(12), 0)};
    const struct agpu_vertex whole[3] = {primitive_at(-1, 1, 0), primitive_at(3, 1, 0),
                                         primitive_at(-1, -3, 0)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, patch, 3, AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_shader(agpu_rig_of(t), AGPU_HS, &agpu_hs_points_5_0);
    agpu_put_shader(agpu_rig_of(t), AGPU_DS, &agpu_ds_triangle_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t),
                          &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = AGPU_HS, .ds = AGPU_DS});
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect(t, three_corners, 0));
    /* The same domain shader after a hull shader that makes triangles. */
    agpu_put_shader(agpu_rig_of(t), 60, &agpu_hs_triangle_5_0);
    agpu_scene_color(t, whole, 3, AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_bind_shaders(agpu_rig_of(t),
                          &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = 60, .ds = AGPU_DS});
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect(t, in_patch, 2);
}

static const struct agpu_case render_primitive_cases[] = {
    AGPU_SCENE_CASE("render.probe.draws", "commands.md 11", 0, primitive_probe),
    AGPU_SCENE_CASE("render.triangle.whole_target", "commands.md 11", 0, primitive_triangle),
    AGPU_SCENE_CASE("render.triangle.interpolation", "commands.md 8", 0, primitive_interpolates),
    AGPU_SCENE_CASE("render.triangle.perspective", "commands.md 8", 0, primitive_perspective),
    AGPU_SCENE_CASE("render.triangle.shared_edge_once", "commands.md 9", 0, drawn_once),
    AGPU_SCENE_CASE("render.triangle.top_left_rule", "commands.md 9", 0, top_left),
    AGPU_SCENE_CASE("render.topology.points", "commands.md 9", 0, primitive_points),
    AGPU_SCENE_CASE("render.topology.lines", "commands.md 9", 0, primitive_lines),
    AGPU_SCENE_CASE("render.topology.line_strip", "commands.md 9", 0, line_strip),
    AGPU_SCENE_CASE("render.topology.line_strip_restarts", "commands.md 15", 0, line_strip_restarts),
    AGPU_SCENE_CASE("render.topology.fan", "commands.md 15", 0, primitive_fan),
    AGPU_SCENE_CASE("render.topology.strip_restart", "commands.md 15", 0, primitive_restart),
    AGPU_SCENE_CASE("render.topology.adjacency", "commands.md 9", 0, primitive_adjacency),
    AGPU_SCENE_CASE("render.topology.adjacency_strips", "commands.md 9", 0, adjacency_strips),
    AGPU_SCENE_CASE("render.topology.patches", "commands.md 9", 0, primitive_patches),
    AGPU_SCENE_CASE("render.topology.patch_points", "commands.md 9", 0, patch_points),
    AGPU_SCENE_CASE("render.index.negative_base_vertex", "commands.md 11", 0, negative_base_vertex),
    AGPU_SCENE_CASE("render.index.16_bits_with_offset", "commands.md 9", 0, indices_of_16_bits),
    AGPU_SCENE_CASE("render.index.begins_behind_end", "commands.md 15", 0, indices_begin_behind_end),
    AGPU_SCENE_CASE("render.draw.first_vertex", "commands.md 11", 0, first_vertex),
};

AGPU_CASE_TABLE(agpu_cases_render_primitive, render_primitive_cases);
