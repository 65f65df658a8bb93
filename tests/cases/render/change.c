/* change.c: exactly one change between two draws: one packet of state, one binding, or the contents of one resource.
 * Everything else is the same, but for the first vertex of the draws (commands.md 2, 6 to 11). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define VS   AEROGPU_SHADER_STAGE_VERTEX
#define PS   AEROGPU_SHADER_STAGE_PIXEL

#define GREY AGPU_RGBA(51, 51, 51, 51)

/* Starts with a grey target, so that black texels count as drawn. */
static bool change_begin(struct agpu_test *t)
{
    if (!agpu_scene_begin(t)) {
        return false;
    }
    agpu_put_clear_color(agpu_rig_of(t), 0.2f, 0.2f, 0.2f, 0.2f);
    return true;
}

/* ---- fixed-function state ---- */

/* Draws the cell; apart: in another submission than the state before it. */
static void draw_cell(struct agpu_test *t, uint32_t cell, bool apart)
{
    if (!apart || agpu_run_clean(t)) {
        agpu_put_cell(agpu_rig_of(t), cell);
    }
}

/* Draws in a constant colour, the grey of the target with a step of 0. */
static void put_constant(struct agpu_rig *r, float red, float step)
{
    struct aerogpu_blend_state *blend = agpu_put_blend(r);

    blend->enable = 1;
    blend->src_factor = blend->src_factor_alpha = AEROGPU_BLEND_CONSTANT;
    for (uint32_t i = 0; i < 4; i++) {
        blend->blend_constant_rgba_f32[i] = agpu_float_bits(red + step * (float)i);
    }
}

static void change_each_state(struct agpu_test *t, bool apart)
{
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"the target of all later cells", AGPU_WHITE},
        {"SET_BLEND_STATE alone: write mask of red", AGPU_RGBA(255, 51, 51, 51)},
        {"SET_RASTERIZER_STATE alone: front faces culled, then the other faces", GREY},
        {"SET_RASTERIZER_STATE alone: nothing culled", AGPU_RGBA(255, 51, 51, 51)},
        {"SET_BLEND_STATE alone: all channels", AGPU_WHITE},
        {"SET_DEPTH_STENCIL_STATE alone: NEVER", GREY},
        {"SET_DEPTH_STENCIL_STATE alone: no depth test", AGPU_WHITE},
        {"SET_SCISSOR alone: elsewhere", GREY},
        {"SET_SCISSOR alone: everywhere", AGPU_WHITE},
        {"SET_BLEND_STATE alone: sample mask 0", GREY},
        {"SET_BLEND_STATE alone: blending with a constant", AGPU_RGBA(51, 102, 153, 204)},
        {"SET_BLEND_STATE alone: another constant", AGPU_RGBA(204, 153, 102, 51)},
        {"wireframe in white, then in grey; two kinds at once: all channels, farther only", GREY},
        {"a bias away from the viewer in red, then in white, as no depth was written", AGPU_WHITE},
        {"SET_RENDER_TARGETS alone: no depth target", AGPU_WHITE},
        {"SET_RASTERIZER_STATE alone: scissor off", AGPU_WHITE}};
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_rasterizer_state *raster;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH) && change_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_put_target(r, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, EDGE, EDGE);
    agpu_put_targets(r, AGPU_TARGET, 30);
    agpu_put_clear_depth(r, 0.5f, 0);
    /* Lines in white, then the same lines in grey: what a device without the state fills stays white. */
    agpu_put_rasterizer(r)->fill_mode = AEROGPU_FILL_WIREFRAME;
    draw_cell(t, 12, apart);
    agpu_put_rasterizer(r)->fill_mode = AEROGPU_FILL_WIREFRAME;
    put_constant(r, 0.2f, 0);
    draw_cell(t, 12, false);
    agpu_put_blend(r);
    agpu_put_rasterizer(r)->scissor_enable = 1;
    agpu_put_scissor(r, 0, 0, EDGE, EDGE);
    draw_cell(t, 0, apart);
    agpu_put_blend(r)->color_write_mask = 1;
    draw_cell(t, 1, apart);
    raster = agpu_put_rasterizer(r);
    raster->scissor_enable = 1;
    raster->cull_mode = AEROGPU_CULL_FRONT;
    draw_cell(t, 2, apart);
    raster = agpu_put_rasterizer(r);
    raster->scissor_enable = raster->front_ccw = 1;
    raster->cull_mode = AEROGPU_CULL_BACK;
    draw_cell(t, 2, apart);
    agpu_put_rasterizer(r)->scissor_enable = 1;
    draw_cell(t, 3, apart);
    agpu_put_blend(r);
    draw_cell(t, 4, apart);
    agpu_put_depth_state(r, 1, 0, AEROGPU_COMPARE_NEVER);
    draw_cell(t, 5, apart);
    agpu_put_depth_state(r, 0, 0, AEROGPU_COMPARE_NEVER);
    draw_cell(t, 6, apart);
    agpu_put_scissor(r, 0, 0, EDGE, 4);
    draw_cell(t, 7, apart);
    agpu_put_scissor(r, 0, 0, EDGE, EDGE);
    draw_cell(t, 8, apart);
    agpu_put_blend(r)->sample_mask = 0;
    draw_cell(t, 9, apart);
    put_constant(r, 0.2f, 0.2f);
    draw_cell(t, 10, apart);
    put_constant(r, 0.8f, -0.2f);
    draw_cell(t, 11, apart);
    agpu_put_blend(r);
    agpu_put_depth_state(r, 1, 0, AEROGPU_COMPARE_GREATER);
    draw_cell(t, 12, apart);
    raster = agpu_put_rasterizer(r);
    raster->scissor_enable = 1;
    raster->depth_bias = 1000;
    agpu_put_blend(r)->color_write_mask = 1;
    draw_cell(t, 13, apart);
    agpu_put_blend(r);
    draw_cell(t, 13, apart);
    agpu_put_targets(r, AGPU_TARGET, 0);
    draw_cell(t, 14, apart);
    agpu_put_scissor(r, 0, 0, 1, 1);
    agpu_put_rasterizer(r);
    draw_cell(t, 15, apart);
    agpu_expect_cells(t, expected, 1);
}

/* Given one packet of state that changes between two draws, only its effect must show. */
static void change_state(struct agpu_test *t)
{
    change_each_state(t, false);
}

/* State must last from the submission that sets it to the one that draws. */
static void change_state_apart(struct agpu_test *t)
{
    change_each_state(t, true);
}

/* Two draws that add the same colours must both show: they are equal even in their first vertex. */
static void change_between_equal_draws(struct agpu_test *t)
{
    static const float colors[3][4] = {{0.2f, 0, 0, 0.2f}, {0, 0.4f, 0, 0.2f}, {0, 0, 0.6f, 0.2f}};
    static const float levels[3][4] = {{1 / 255.0f}, {0, 1 / 255.0f}, {0, 0, 1 / 255.0f}};
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_blend_state *blend;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_4_0);
    blend = agpu_put_blend(r);
    blend->enable = 1;
    blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
    agpu_put_filled_buffer(r, 40, colors[0], 16);
    agpu_put_constants(r, PS, 0, 40, 0, 16);
    for (uint32_t i = 0; i < 3; i++) {
        if (i != 0) {
            agpu_put_upload(r, 40, 0, colors[i], 16);
        }
        agpu_put_draw(r, 3);
    }
    agpu_return_unless(agpu_expect_all(t, AGPU_RGBA(51, 102, 153, 153), 1));
    /* Each is drawn once, 250 of each kind: one level of its own channel each. */
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_put_filled_buffer(r, AGPU_INDICES, (const uint32_t[3]){0, 1, 2}, 12);
    agpu_put_index_buffer(r, AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    for (uint32_t i = 0; i < 3 * 250; i++) {
        if (i % 250 == 0) {
            agpu_put_upload(r, 40, 0, levels[i / 250], 16);
        }
        if (i < 250) {
            agpu_put_draw(r, 3);
        } else if (i < 500) {
            agpu_put_draw_indexed(r, 3);
        } else {
            agpu_put_topology(r, AEROGPU_TOPOLOGY_TRIANGLELIST);
            agpu_put_draw(r, 3);
        }
    }
    agpu_expect_all(t, AGPU_RGBA(250, 250, 250, 0), 0);
}

static uint32_t topology_alone(uint32_t x, uint32_t y)
{
    uint32_t cell = x / 4 + y / 4 * 4, u = x % 4, v = y % 4;

    if (cell > 2) {
        return AGPU_NOTHING;
    }
    return cell != 1 || u + v < 3 ? AGPU_WHITE : u + v > 3 ? AGPU_NOTHING : AGPU_ANY;
}

/* Between two draws only the topology changes, and the next draw must use it. */
static void change_topology(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_put_cell(agpu_rig_of(t), 0);
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_TRIANGLELIST);
    agpu_put_cell(agpu_rig_of(t), 1);
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_cell(agpu_rig_of(t), 2);
    agpu_expect(t, topology_alone, 0);
}

/* ---- vertex input ---- */

/* Given positions by cell in slot 0 and colours with stride 0 in slot 1, a change of either must show in the next
 * draw. */
static void change_vertices(struct agpu_test *t)
{
    static const float colors[4][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {1, 1, 1, 1}};
    static const struct agpu_element plain[] = {{AGPU_POSITION, 0, 2, 0, 0, 0}, {AGPU_COLOR, 0, 2, 1, 0, 0}},
                                     behind[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                 {AGPU_COLOR, 0, 2, 1, 16, 0}};
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"the first colour", AGPU_RED},
        {"SET_VERTEX_BUFFERS alone: an offset in slot 1", AGPU_GREEN},
        {"SET_VERTEX_BUFFERS alone: another buffer in slot 1", AGPU_BLUE},
        {"CREATE_INPUT_LAYOUT of the live handle alone: an element at 16", AGPU_WHITE},
        {"SET_INPUT_LAYOUT alone: the element at 0", AGPU_BLUE},
        {"an upload into slot 1 alone", AGPU_GREEN},
        {"a buffer copy into slot 1 alone", AGPU_RED},
        {"an upload into slot 0 alone: the cell is elsewhere", GREY},
        {"the cell of the one before", AGPU_RED},
        {"an upload into slot 0 alone: as it was", AGPU_RED},
        {"SET_VERTEX_BUFFERS alone: no buffer in slot 1", AGPU_NOTHING},
        {"SET_VERTEX_BUFFERS alone: two buffers at once", AGPU_WHITE},
        {"a destroyed buffer in slot 1", AGPU_NOTHING},
        {"another buffer under the number of the destroyed one, not bound", AGPU_NOTHING},
        {"the same, bound", AGPU_BLUE},
        {"SET_VERTEX_BUFFERS alone: slot 1 from slot 0's buffer", AGPU_WHITE}};
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_set_vertex_buffers *both;
    struct aerogpu_vertex_buffer_binding *bindings;
    struct agpu_vertex moved[4];

    agpu_return_unless(change_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_put_filled_buffer(r, 40, colors, sizeof colors);
    agpu_put_filled_buffer(r, 41, colors + 2, 2 * sizeof colors[0]);
    agpu_put_layout(r, 60, behind, 2);
    agpu_put_layout(r, 61, plain, 2);
    agpu_put_vertex_buffer(r, 1, 40, 0, 0);
    agpu_put_cell(r, 0);
    agpu_put_vertex_buffer(r, 1, 40, 0, 16);
    agpu_put_cell(r, 1);
    agpu_put_vertex_buffer(r, 1, 41, 0, 0);
    agpu_put_cell(r, 2);
    agpu_put_layout(r, 61, behind, 2);
    agpu_put_cell(r, 3);
    agpu_put_layout(r, 60, plain, 2);
    agpu_put_cell(r, 4);
    agpu_put_upload(r, 41, 0, colors[1], 16);
    agpu_put_cell(r, 5);
    agpu_put_copy_buffer(r, 41, 0, 40, 0, 16, 0);
    agpu_put_cell(r, 6);
    agpu_scene_cell(moved, 8, 0.5f, 1, 1, 1, 1);
    agpu_put_upload(r, AGPU_VERTICES, 7 * sizeof moved, moved, sizeof moved);
    agpu_put_cell(r, 7);
    agpu_scene_cell(moved, 7, 0.5f, 1, 1, 1, 1);
    agpu_put_upload(r, AGPU_VERTICES, 7 * sizeof moved, moved, sizeof moved);
    agpu_put_cell(r, 9);
    agpu_put_vertex_buffer(r, 1, 0, 0, 0);
    agpu_put_cell(r, 10);
    both =
        agpu_rig_packet(r, AEROGPU_CMD_SET_VERTEX_BUFFERS, (uint32_t)(sizeof *both + 2 * sizeof *bindings));
    both->buffer_count = 2;
    bindings = (struct aerogpu_vertex_buffer_binding *)(both + 1);
    bindings[0].buffer = AGPU_VERTICES;
    bindings[0].stride_bytes = sizeof moved[0];
    bindings[1].buffer = 40;
    bindings[1].offset_bytes = 48;
    agpu_put_cell(r, 11);
    agpu_put_destroy(r, 40);
    agpu_put_cell(r, 12);
    agpu_put_filled_buffer(r, 40, colors + 2, 2 * sizeof colors[0]);
    agpu_put_cell(r, 13);
    agpu_put_vertex_buffer(r, 1, 40, 0, 0);
    agpu_put_cell(r, 14);
    agpu_put_vertex_buffer(r, 1, AGPU_VERTICES, 0, 16);
    agpu_put_cell(r, 15);
    agpu_expect_cells(t, expected, 0);
}

/* A change of the stride of one vertex buffer between 32 and 64 bytes must show: every second vertex makes another
 * cell. */
static void change_stride(struct agpu_test *t)
{
    static const struct agpu_cell expected[AGPU_CELLS] = {{"vertices 64 bytes apart", AGPU_WHITE},
                                                          {"vertices 32 bytes apart", AGPU_WHITE},
                                                          {"an offset", AGPU_WHITE}};
    struct agpu_vertex vertices[12], cells[3][4];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 3; i++) {
        agpu_scene_cell(cells[i], i, 0.5f, 1, 1, 1, 1);
    }
    memcpy(vertices, cells[1], sizeof cells[1]);
    memcpy(vertices + 8, cells[2], sizeof cells[2]);
    /* With vertices 0 and 2, the left edge of cell 1, those two make cell 0. */
    vertices[4] = cells[0][0];
    vertices[6] = cells[0][2];
    vertices[5] = vertices[7] = cells[2][0];
    agpu_scene_color(t, vertices, 12, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_draw(r, 4);
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, 64, 0);
    agpu_put_draw(r, 4);
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, 32, 256);
    agpu_put_draw(r, 4);
    agpu_expect_cells(t, expected, 0);
}

/* Given indexed draws with equal packets, the indices alone must select the cell. */
static void change_indices(struct agpu_test *t)
{
    static const uint32_t words[8] = {0, 1, 2, 3, 4, 5, 6, 7}, third[4] = {8, 9, 10, 11};
    static const uint16_t halves[12] = {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"the first indices", AGPU_WHITE},
        {"SET_INDEX_BUFFER alone: an offset", AGPU_WHITE},
        {"an upload of indices alone", AGPU_WHITE},
        {"SET_INDEX_BUFFER alone: another buffer, of 16 bits", AGPU_WHITE},
        {"SET_INDEX_BUFFER alone: its offset", AGPU_WHITE},
        {"a copy of indices alone", AGPU_WHITE},
        {"base_vertex alone", AGPU_WHITE},
        {"base_vertex alone: another", AGPU_WHITE},
        {"DRAW after DRAW_INDEXED", AGPU_WHITE},
        {"nothing", AGPU_NOTHING}};
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_draw_indexed *draw;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_put_filled_buffer(r, 40, words, sizeof words);
    agpu_put_filled_buffer(r, 41, halves, sizeof halves);
    agpu_put_filled_buffer(r, 42, halves + 8, 8);
    agpu_put_index_buffer(r, 40, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_draw_indexed(r, 4);
    agpu_put_index_buffer(r, 40, AEROGPU_INDEX_FORMAT_UINT32, 16);
    agpu_put_draw_indexed(r, 4);
    agpu_put_upload(r, 40, 16, third, sizeof third);
    agpu_put_draw_indexed(r, 4);
    agpu_put_index_buffer(r, 41, AEROGPU_INDEX_FORMAT_UINT16, 0);
    agpu_put_draw_indexed(r, 4);
    agpu_put_index_buffer(r, 41, AEROGPU_INDEX_FORMAT_UINT16, 8);
    agpu_put_draw_indexed(r, 4);
    agpu_put_copy_buffer(r, 41, 8, 42, 0, 8, 0);
    agpu_put_draw_indexed(r, 4);
    draw = agpu_put_draw_indexed(r, 4);
    draw->base_vertex = 4;
    draw = agpu_put_draw_indexed(r, 4);
    draw->first_index = 0;
    draw->base_vertex = 8;
    agpu_put_cell(r, 8);
    agpu_expect_cells(t, expected, 0);
}

/* ---- constants ---- */

/* Given one packet of constants that changes between two draws, only its effect must show. */
static void change_constants(struct agpu_test *t)
{
    static const float colors[4][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {1, 1, 1, 1}};
    static const uint32_t one[4] = {1};
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"register 0", AGPU_RED},
        {"SET_SHADER_CONSTANTS_F alone", AGPU_GREEN},
        {"SET_SHADER_CONSTANTS_F of register 1 alone", AGPU_GREEN},
        {"SET_SHADER_CONSTANTS_F of the vertex stage alone", AGPU_GREEN},
        {"SET_CONSTANT_BUFFERS alone: a buffer instead of registers", AGPU_RED},
        {"SET_CONSTANT_BUFFERS alone: another offset", AGPU_BLUE},
        {"SET_CONSTANT_BUFFERS alone: another buffer", AGPU_WHITE},
        {"SET_CONSTANT_BUFFERS alone: a size of 8", AGPU_RGBA(255, 255, 0, 0)},
        {"SET_CONSTANT_BUFFERS of the vertex stage alone", AGPU_RGBA(255, 255, 0, 0)},
        {"an upload alone, of the last 4 of 16 bytes", AGPU_RGBA(255, 255, 255, 128)},
        {"a buffer copy alone", AGPU_RED},
        {"SET_SHADER_CONSTANTS_F while a buffer is bound", AGPU_RED},
        {"SET_CONSTANT_BUFFERS alone: registers instead of the buffer", AGPU_BLUE},
        {"what a dispatch wrote to the constants", AGPU_GREEN},
        {"an upload after a dispatch", AGPU_WHITE},
        {"destroyed constants: registers again", AGPU_BLUE}};
    const float half = 128 / 255.0f;
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(change_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_scene_shaders(t, &agpu_vs_color_4_0, &agpu_ps_constant_4_0);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_scale_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .cs = AGPU_CS});
    agpu_put_filled_buffer(r, 40, colors, sizeof colors);
    agpu_put_filled_buffer(r, 41, colors + 3, sizeof colors[3]);
    agpu_put_filled_buffer(r, 42, NULL, 64);
    agpu_put_filled_buffer(r, 43, one, sizeof one);
    agpu_put_srv(r, AEROGPU_SHADER_STAGE_COMPUTE, 2, 40, 16, 16);
    agpu_put_uav(r, 1, 42, 0, 0);
    agpu_put_constants(r, AEROGPU_SHADER_STAGE_COMPUTE, 0, 43, 0, 0);
    agpu_put_registers(r, PS, 0, 0, 1, colors[0]);
    agpu_put_cell(r, 0);
    agpu_put_registers(r, PS, 0, 0, 1, colors[1]);
    agpu_put_cell(r, 1);
    agpu_put_registers(r, PS, 0, 1, 1, colors[2]);
    agpu_put_cell(r, 2);
    agpu_put_registers(r, VS, 0, 0, 1, colors[2]);
    agpu_put_cell(r, 3);
    agpu_put_constants(r, PS, 0, 40, 0, 0);
    agpu_put_cell(r, 4);
    agpu_put_constants(r, PS, 0, 40, 32, 0);
    agpu_put_cell(r, 5);
    agpu_put_constants(r, PS, 0, 41, 0, 0);
    agpu_put_cell(r, 6);
    agpu_put_constants(r, PS, 0, 41, 0, 8);
    agpu_put_cell(r, 7);
    agpu_put_constants(r, VS, 0, 40, 0, 0);
    agpu_put_cell(r, 8);
    agpu_put_constants(r, PS, 0, 41, 0, 16);
    agpu_put_upload(r, 41, 12, &half, 4);
    agpu_put_cell(r, 9);
    agpu_put_copy_buffer(r, 41, 0, 40, 0, 16, 0);
    agpu_put_cell(r, 10);
    agpu_put_registers(r, PS, 0, 0, 1, colors[2]);
    agpu_put_cell(r, 11);
    agpu_put_constants(r, PS, 0, 0, 0, 0);
    agpu_put_cell(r, 12);
    agpu_put_constants(r, PS, 0, 42, 0, 16);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_cell(r, 13);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_upload(r, 42, 0, colors[3], 16);
    agpu_put_cell(r, 14);
    agpu_put_destroy(r, 42);
    agpu_put_cell(r, 15);
    agpu_expect_cells(t, expected, 0);
}

/* ---- textures, shaders ---- */

static void put_flat(struct agpu_rig *r, uint32_t texture, uint32_t color)
{
    uint32_t texels[EDGE * EDGE];

    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        texels[i] = color;
    }
    agpu_put_upload(r, texture, 0, texels, sizeof texels);
}

/* Given a pixel shader that shows texel x, y at x, y, each change of the texture must show in the next draw. */
static void change_textures(struct agpu_test *t)
{
    static const uint32_t blue[2 * EDGE] = {
        AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE,
        AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE,
        AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE,
        AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE, AGPU_BLUE};
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"the texture", AGPU_RED},
        {"an upload alone", AGPU_GREEN},
        {"SET_TEXTURE alone", AGPU_WHITE},
        {"a texture copy alone, of the whole", AGPU_RED},
        {"SET_TEXTURE of the vertex stage alone", AGPU_RED},
        {"uploads of two rows each alone", AGPU_BLUE},
        {"256 uploads", AGPU_GREEN},
        {"SET_TEXTURE alone: none", AGPU_NOTHING},
        {"SET_TEXTURE alone: again", AGPU_GREEN},
        {"BIND_SHADERS alone", AGPU_WHITE},
        {"BIND_SHADERS alone: as before", AGPU_GREEN},
        {"a shader created again under its live number", AGPU_WHITE},
        {"the same, as before", AGPU_GREEN},
        {"a destroyed texture", AGPU_NOTHING},
        {"another texture under the number of the destroyed one, not bound", AGPU_NOTHING},
        {"the same, bound", AGPU_BLUE}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(change_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_scene_shaders(t, &agpu_vs_color_4_0, &agpu_ps_load_4_0);
    agpu_put_shader(r, 60, &agpu_ps_color_4_0);
    for (uint32_t i = 0; i < 3; i++) {
        agpu_put_create_texture(r, 30 + i, RGBA, EDGE, EDGE, 0, 0);
        put_flat(r, 30 + i, i == 1 ? AGPU_WHITE : AGPU_RED);
    }
    agpu_put_texture_slot(r, PS, 0, 30);
    agpu_put_cell(r, 0);
    put_flat(r, 30, AGPU_GREEN);
    agpu_put_cell(r, 1);
    agpu_put_texture_slot(r, PS, 0, 31);
    agpu_put_cell(r, 2);
    agpu_put_copy_texture(r, 31, 32, EDGE, EDGE, 0);
    agpu_put_cell(r, 3);
    agpu_put_texture_slot(r, VS, 0, 30);
    agpu_put_cell(r, 4);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_upload(r, 31, (4 + 2 * i) * EDGE * 4, blue, sizeof blue);
    }
    agpu_put_cell(r, 5);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 256;
         i++) { /* row after row from the last, each 16 times, finally of one colour */
        uint32_t row[EDGE];

        for (uint32_t k = 0; k < EDGE; k++) {
            row[k] = i < 240 ? AGPU_BLUE : AGPU_GREEN;
        }
        agpu_put_upload(r, 31, (EDGE - 1 - i % EDGE) * sizeof row, row, sizeof row);
    }
    agpu_put_cell(r, 6);
    agpu_put_texture_slot(r, PS, 0, 0);
    agpu_put_cell(r, 7);
    agpu_put_texture_slot(r, PS, 0, 31);
    agpu_put_cell(r, 8);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = 60});
    agpu_put_cell(r, 9);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS});
    agpu_put_cell(r, 10);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_shader(r, AGPU_PS, &agpu_ps_color_4_0);
    agpu_put_cell(r, 11);
    agpu_put_shader(r, AGPU_PS, &agpu_ps_load_4_0);
    agpu_put_cell(r, 12);
    agpu_put_texture_slot(r, VS, 0, 0);
    agpu_put_destroy(r, 31);
    agpu_put_cell(r, 13);
    agpu_put_create_texture(r, 31, RGBA, EDGE, EDGE, 0, 0);
    put_flat(r, 31, AGPU_BLUE);
    agpu_put_cell(r, 14);
    agpu_put_texture_slot(r, PS, 0, 31);
    agpu_put_cell(r, 15);
    agpu_expect_cells(t, expected, 0);
}

/* Small changes all over a texture: one texel in each of its rows, including the last. */
static uint32_t scattered(uint32_t x, uint32_t y)
{
    return x == (y * 5 + 3) % EDGE ? AGPU_GREEN : AGPU_RED;
}

/* Small changes all over a texture between two draws must all show. */
static void change_many_places(struct agpu_test *t)
{
    static const uint32_t green = AGPU_GREEN;
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_ROW_PARTS) && agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_create_texture(r, 30, RGBA, EDGE, EDGE, 0, 0);
    put_flat(r, 30, AGPU_RED);
    agpu_put_texture_slot(r, PS, 0, 30);
    agpu_put_draw(r, 3);
    for (uint32_t y = 0; y < EDGE; y++) {
        agpu_put_upload(r, 30, (y * EDGE + (y * 5 + 3) % EDGE) * 4, &green, 4);
    }
    agpu_put_draw(r, 3);
    agpu_expect(t, scattered, 0);
}

static const struct agpu_case render_change_cases[] = {
    AGPU_SCENE_CASE("render.change.state_alone", "commands.md 8", 0, change_state),
    AGPU_SCENE_CASE("render.change.state_apart", "commands.md 8", 0, change_state_apart),
    AGPU_SCENE_CASE("render.change.topology_alone", "commands.md 9", 0, change_topology),
    AGPU_SCENE_CASE("render.change.between_equal_draws", "commands.md 11", 0, change_between_equal_draws),
    AGPU_SCENE_CASE("render.change.vertex_buffers_alone", "commands.md 9", 0, change_vertices),
    AGPU_SCENE_CASE("render.change.stride_alone", "commands.md 9", 0, change_stride),
    AGPU_SCENE_CASE("render.change.indices_alone", "commands.md 9", 0, change_indices),
    AGPU_SCENE_CASE("render.change.constants_alone", "commands.md 10", 0, change_constants),
    AGPU_SCENE_CASE("render.change.textures_alone", "commands.md 10", 0, change_textures),
    AGPU_SCENE_CASE("render.change.many_places", "commands.md 6.3", 0, change_many_places),
};

AGPU_CASE_TABLE(agpu_cases_render_change, render_change_cases);
