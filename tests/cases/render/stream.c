/* stream.c: the numbers of the input assembler: slots, strides, offsets, element offsets, counts, instances, indices
 * and restart, far from the small values of most draws (commands.md 7, 9, 11). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/scene.h"

#define EDGE AGPU_EDGE

static const float stream_white[4] = {1, 1, 1, 1};

/* Position in one slot and colour in another must work, bound by one packet that spans both. */
static void stream_slots(struct agpu_test *t)
{
    static const uint32_t slots[][2] = {{0, 1}, {31, 0}, {8, 31}, {15, 16}, {7, 8}, {30, 31}};
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"slots 0 and 1", AGPU_GREEN},   {"slots 31 and 0", AGPU_GREEN}, {"slots 8 and 31", AGPU_GREEN},
        {"slots 15 and 16", AGPU_GREEN}, {"slots 7 and 8", AGPU_GREEN},  {"slots 30 and 31", AGPU_GREEN}};
    static const float colors[2][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 0, 0, 1);
    agpu_put_filled_buffer(r, 40, colors, sizeof colors);
    for (uint32_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, slots[i][0], 0, 0},
                                                {AGPU_COLOR, 0, 2, slots[i][1], 0, 0}};
        uint32_t first = slots[i][0] < slots[i][1] ? slots[i][0] : slots[i][1];
        uint32_t count = slots[i][0] + slots[i][1] - 2 * first + 1;
        struct aerogpu_vertex_buffer_binding *bindings;
        struct aerogpu_cmd_set_vertex_buffers *set = agpu_rig_packet(
            r, AEROGPU_CMD_SET_VERTEX_BUFFERS, (uint32_t)(sizeof *set + count * sizeof *bindings));

        set->start_slot = first;
        set->buffer_count = count;
        bindings = (struct aerogpu_vertex_buffer_binding *)(set + 1);
        for (uint32_t k = 0; k < count && !r->broken; k++) { /* all others hold red */
            bindings[k].buffer = 40;
        }
        bindings[slots[i][0] - first].buffer = AGPU_VERTICES;
        bindings[slots[i][0] - first].stride_bytes = sizeof(struct agpu_vertex);
        bindings[slots[i][1] - first].offset_bytes = 16;
        agpu_put_layout(r, 60 + i, elements, 2);
        agpu_put_cell(r, i);
    }
    agpu_expect_cells(t, expected, 0);
}

/* Vertices must be found at each stride, with an offset that is right only for that stride. */
static void stream_strides(struct agpu_test *t)
{
    static const uint32_t strides[] = {36, 64, 68, 128, 132, 256, 260, 1020, 2048};
    static struct agpu_cell expected[AGPU_CELLS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 0, 0, 1);
    for (uint32_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        struct agpu_vertex quad[4];

        agpu_scene_cell(quad, i, 0.5f, 1, 1, 1, 1);
        agpu_put_filled_buffer(r, 40 + i, NULL, 3 * strides[i] + (uint32_t)sizeof quad[0]);
        for (uint32_t k = 0; k < 4; k++) {
            agpu_put_upload(r, 40 + i, k * strides[i], &quad[k], sizeof quad[k]);
        }
        agpu_put_vertex_buffer(r, 0, 40 + i, strides[i], 0);
        agpu_put_draw(r, 4);
        expected[i] = (struct agpu_cell){"vertices 36 to 2048 bytes apart", AGPU_WHITE};
    }
    agpu_expect_cells(t, expected, 0);
}

/* Offsets far inside a buffer of more than 16 MiB must work for vertices and indices. The buffer is 0 at the places
 * that a device with fewer offset bits would read. */
static void stream_far_offsets(struct agpu_test *t)
{
    enum { PLACES = 6, INDICES = 128 };
    static const uint32_t offsets[PLACES] = {0x8020, 0x18040, 0x1FFF0, 0x120060, 0x400200, 0x1000400};
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"vertices at 8020 hex", AGPU_WHITE},         {"vertices at 18040 hex", AGPU_WHITE},
        {"vertices at 1FFF0 hex", AGPU_WHITE},        {"vertices at 120060 hex", AGPU_WHITE},
        {"vertices at 400200 hex", AGPU_WHITE},       {"vertices at 1000400 hex", AGPU_WHITE},
        {"indices at 80A0 hex", AGPU_WHITE},          {"indices at 180C0 hex", AGPU_WHITE},
        {"indices at 20070 hex", AGPU_WHITE},         {"indices at 1200E0 hex", AGPU_WHITE},
        {"indices at 400280 hex", AGPU_WHITE},        {"indices at 1000480 hex", AGPU_WHITE},
        {"16-bit indices at 130002 hex", AGPU_WHITE}, {"indices from first_index on", AGPU_WHITE}};
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex quad[4];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_put_create_buffer(r, 40, 0x1000800, 0, 0);
    for (uint32_t i = 0; i < PLACES; i++) {
        const uint32_t first = 4 * (PLACES + i), indices[4] = {first, first + 1, first + 2, first + 3};

        agpu_scene_cell(quad, i, 0.5f, 1, 1, 1, 1);
        agpu_put_upload(r, 40, offsets[i], quad, sizeof quad);
        agpu_put_upload(r, 40, offsets[i] + INDICES, indices, sizeof indices);
    }
    agpu_put_upload(r, 40, 0x130000, (const uint16_t[6]){0, 48, 49, 50, 51, 0}, 12);
    agpu_put_upload(r, 40, 0x130100, (const uint32_t[4]){52, 53, 54, 55}, 16);
    for (uint32_t i = 0; i < PLACES; i++) {
        agpu_put_vertex_buffer(r, 0, 40, sizeof quad[0], offsets[i]);
        agpu_put_draw(r, 4);
    }
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, sizeof quad[0], 0);
    for (uint32_t i = 0; i < PLACES; i++) {
        agpu_put_index_buffer(r, 40, AEROGPU_INDEX_FORMAT_UINT32, offsets[i] + INDICES);
        agpu_put_draw_indexed(r, 4);
    }
    agpu_put_index_buffer(r, 40, AEROGPU_INDEX_FORMAT_UINT16, 0x130002);
    agpu_put_draw_indexed(r, 4);
    agpu_put_index_buffer(r, 40, AEROGPU_INDEX_FORMAT_UINT32, 0x30000);
    agpu_put_draw_indexed(r, 4)->first_index = 0x100100 / 4;
    agpu_expect_cells(t, expected, 0);
}

/* ---- layouts ---- */

/* Elements must be found at their own offsets, with gaps, in any order, among others that the shader does not have: 32
 * of them, and bytes after the last. */
static void stream_layout(struct agpu_test *t)
{
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"elements with gaps, in another order", AGPU_GREEN},
        {"COLOR 0 behind COLOR 1", AGPU_GREEN},
        {"the last of 32 elements", AGPU_GREEN},
        {"appended after 2 bytes, followed by 4", AGPU_GREEN},
        {"appended in its slot, whatever other slots have", AGPU_GREEN},
        {"appended after an element at its own offset", AGPU_GREEN}};
    struct agpu_element many[32];
    const struct agpu_element rows[][4] = {
        {{AGPU_COLOR, 0, 2, 0, 40, 0}, {AGPU_TEXCOORD, 0, 16, 0, 8, 0}, {AGPU_POSITION, 0, 2, 0, 4, 0}, {0}},
        {{AGPU_COLOR, 1, 2, 0, 4, 0},
         {AGPU_TEXCOORD, 1, 2, 0, 4, 0},
         {AGPU_POSITION, 0, 2, 0, 4, 0},
         {AGPU_COLOR, 0, 2, 0, 40, 0}},
        {{0}},
        {{AGPU_POSITION, 0, 2, 0, 4, 0},
         {AGPU_TEXCOORD, 0, 2, 0, UINT32_MAX, 0},
         {AGPU_TEXCOORD, 1, 56, 0, UINT32_MAX, 0},
         {AGPU_COLOR, 0, 2, 0, UINT32_MAX, 0}},
        {{AGPU_POSITION, 0, 2, 0, 4, 0},
         {AGPU_TEXCOORD, 0, 2, 0, 24, 0},
         {AGPU_TEXCOORD, 1, 16, 1, 0, 0},
         {AGPU_COLOR, 0, 2, 0, UINT32_MAX, 0}},
        {{AGPU_COLOR, 1, 2, 0, 48, 0},
         {AGPU_POSITION, 0, 2, 0, 4, 0},
         {AGPU_TEXCOORD, 3, 16, 0, 32, 0},
         {AGPU_COLOR, 0, 2, 0, UINT32_MAX, 0}}};
    struct agpu_rig *r = agpu_rig_of(t);
    float vertices[AGPU_CELLS * 4][14] = {{0}}; /* position at 4, green at 40: floats 1 and 10 */

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 0, 0, 1);
    for (uint32_t i = 0; i < 4 * 6; i++) {
        struct agpu_vertex quad[4];

        agpu_scene_cell(quad, i / 4, 0.5f, 0, 1, 0, 1);
        memcpy(vertices[i] + 1, &quad[i % 4], 16);
        vertices[i][5] = 1; /* red where an element would be that has no gap before it */
        vertices[i][8] = 1;
        memcpy(vertices[i] + 10, &quad[i % 4].r, 16);
    }
    agpu_put_filled_buffer(r, 40, vertices, 4 * 6 * sizeof vertices[0]);
    agpu_put_vertex_buffer(r, 0, 40, sizeof vertices[0], 0);
    agpu_put_vertex_buffer(r, 1, 40, sizeof vertices[0], 0);
    for (uint32_t i = 0; i < 32; i++) {
        many[i] = (struct agpu_element){AGPU_TEXCOORD, i, 2, 0, 0, 0};
    }
    many[3] = (struct agpu_element){AGPU_POSITION, 0, 2, 0, 4, 0};
    many[31] = (struct agpu_element){AGPU_COLOR, 0, 2, 0, 40, 0};
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (i == 2) {
            agpu_put_layout(r, 60 + i, many, 32);
        } else {
            agpu_put_layout(r, 60 + i, rows[i], i == 0 ? 3 : 4);
        }
        agpu_put_cell(r, i);
    }
    agpu_expect_cells(t, expected, 0);
}

/* Bytes after the last element must be ignored. */
static void stream_layout_tail(struct agpu_test *t)
{
    struct aerogpu_input_layout_blob_header *header;
    struct aerogpu_input_layout_element_dxgi *element;
    struct aerogpu_cmd_create_input_layout *create;
    struct aerogpu_cmd_set_input_layout *set;
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t size = (uint32_t)(sizeof *header + 2 * sizeof *element) + 9;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    create =
        agpu_rig_packet(r, AEROGPU_CMD_CREATE_INPUT_LAYOUT, (uint32_t)sizeof *create + ((size + 3) & ~3u));
    create->input_layout_handle = 60;
    create->blob_size_bytes = size;
    memset(create + 1, 0xFF, size);
    header = (struct aerogpu_input_layout_blob_header *)(create + 1);
    *header = (struct aerogpu_input_layout_blob_header){.magic = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC,
                                                        .version = AEROGPU_INPUT_LAYOUT_BLOB_VERSION,
                                                        .element_count = 2};
    element = (struct aerogpu_input_layout_element_dxgi *)(header + 1);
    element[0] =
        (struct aerogpu_input_layout_element_dxgi){.semantic_name_hash = AGPU_POSITION, .dxgi_format = 2};
    element[1] = (struct aerogpu_input_layout_element_dxgi){
        .semantic_name_hash = AGPU_COLOR, .dxgi_format = 2, .aligned_byte_offset = 16};
    set = agpu_rig_packet(r, AEROGPU_CMD_SET_INPUT_LAYOUT, sizeof *set);
    set->input_layout_handle = 60;
    agpu_put_draw(r, 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* ---- counts ---- */

/* A draw must use all of its vertices: all but the last three are one point, so a device that draws fewer draws
 * nothing. */
static void stream_many_vertices(struct agpu_test *t)
{
    static const uint32_t counts[] = {1026, 65541};
    static const float triangle[3][2] = {{-1, 1}, {3, 1}, {-1, -3}};
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 16, 0, 0, 0},
                                                   {AGPU_COLOR, 0, 2, 1, 0, 0}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_shaders(t, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    agpu_put_filled_buffer(r, 41, stream_white, sizeof stream_white);
    agpu_put_vertex_buffer(r, 1, 41, 0, 0);
    agpu_put_layout(r, AGPU_LAYOUT, elements, 2);
    agpu_put_topology(r, AEROGPU_TOPOLOGY_TRIANGLELIST);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_create_buffer(r, 42 + i, counts[i] * 8, 0, 0);
        agpu_put_upload(r, 42 + i, (counts[i] - 3) * 8, triangle, sizeof triangle);
        agpu_put_vertex_buffer(r, 0, 42 + i, 8, 0);
        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_draw(r, counts[i]);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    }
    /* Only the last three. */
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_put_draw(r, 3)->first_vertex = 65538;
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Given 300 instances of which only the last is inside the target, it must be drawn; the same with indices and a first
 * instance. */
static void stream_many_instances(struct agpu_test *t)
{
    static const struct agpu_element elements[] = {
        {AGPU_POSITION, 0, 16, 0, 0, 0}, {AGPU_TEXCOORD, 1, 16, 3, 0, 1}, {AGPU_COLOR, 0, 2, 1, 0, 1000}};
    static const float triangle[3][2] = {{-1, 1}, {3, 1}, {-1, -3}};
    static const uint32_t indices[4] = {9, 0, 1, 2};
    static float offsets[302][2];
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_draw_indexed *draw;

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 302; i++) {
        offsets[i][0] = i == 299 ? 0 : 9;
    }
    agpu_scene_shaders(t, &agpu_vs_instance_data_4_0, &agpu_ps_color_4_0);
    agpu_put_filled_buffer(r, AGPU_VERTICES, triangle, sizeof triangle);
    agpu_put_filled_buffer(r, 40, offsets, sizeof offsets);
    agpu_put_filled_buffer(r, 41, stream_white, sizeof stream_white);
    agpu_put_filled_buffer(r, AGPU_INDICES, indices, sizeof indices);
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, 8, 0);
    agpu_put_vertex_buffer(r, 1, 41, 0, 0);
    agpu_put_vertex_buffer(r, 3, 40, 8, 0);
    agpu_put_index_buffer(r, AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 4);
    agpu_put_layout(r, AGPU_LAYOUT, elements, 3);
    agpu_put_topology(r, AEROGPU_TOPOLOGY_TRIANGLELIST);
    agpu_put_draw(r, 3)->instance_count = 300;
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_put_draw_indexed(r, 3)->instance_count = 300;
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_put_draw_indexed(r, 3)->instance_count = 299;
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    draw = agpu_put_draw_indexed(r, 3);
    draw->instance_count = 2;
    draw->first_instance = 298;
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_put_draw(r, 3)->first_instance = 300;
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* Step rates 1, 2, 3 and 5 in one draw, each shown by the colour of an instance. */
static uint32_t stepped(uint32_t x, uint32_t y)
{
    static const uint32_t rates[4] = {1, 2, 3, 5};

    return AGPU_RGBA(x / 4 / rates[y / 4] * 40, 255, 0, 255);
}

/* Given instance step rates of 1, 2, 3 and 5, the device must advance instance data after exactly that number of
 * instances. */
static void stream_step_rates(struct agpu_test *t)
{
    static const uint32_t rates[4] = {1, 2, 3, 5};
    static const float offsets[4][2] = {{0, 0}, {0.5f, 0}, {1, 0}, {1.5f, 0}};
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t colors[4];
    float quads[4][4][2];

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 4; i++) {
        struct agpu_vertex quad[4];

        colors[i] = AGPU_RGBA(i * 40, 255, 0, 255);
        agpu_scene_cell(quad, 4 * i, 0.5f, 1, 1, 1, 1);
        for (uint32_t k = 0; k < 4; k++) {
            quads[i][k][0] = quad[k].x;
            quads[i][k][1] = quad[k].y;
        }
    }
    agpu_scene_shaders(t, &agpu_vs_instance_data_4_0, &agpu_ps_color_4_0);
    agpu_put_filled_buffer(r, AGPU_VERTICES, quads, sizeof quads);
    agpu_put_filled_buffer(r, 40, offsets, sizeof offsets);
    agpu_put_filled_buffer(r, 41, colors, sizeof colors);
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, 8, 0);
    agpu_put_vertex_buffer(r, 3, 40, 8, 0);
    agpu_put_vertex_buffer(r, 5, 41, 4, 0);
    for (uint32_t i = 0; i < 4; i++) {
        struct aerogpu_cmd_draw *draw;
        const struct agpu_element elements[] = {{AGPU_POSITION, 0, 16, 0, 0, 0},
                                                {AGPU_TEXCOORD, 1, 16, 3, 0, 1},
                                                {AGPU_COLOR, 0, 28, 5, 0, rates[i]}};

        agpu_put_layout(r, AGPU_LAYOUT + i, elements, 3);
        draw = agpu_put_draw(r, 4);
        draw->first_vertex = 4 * i;
        draw->instance_count = 4;
    }
    agpu_return_unless(agpu_expect(t, stepped, 0));
    if (t->env->model) { /* two rates in one slot, which Direct3D does not make */
        static const struct agpu_element elements[] = {
            {AGPU_POSITION, 0, 16, 0, 0, 0}, {AGPU_TEXCOORD, 1, 16, 3, 0, 1}, {AGPU_COLOR, 0, 28, 3, 8, 2}};
        struct aerogpu_cmd_draw *draw;
        uint32_t both[4][3];

        for (uint32_t i = 0; i < 4; i++) {
            memcpy(both[i], offsets[i], 8);
            both[i][2] = colors[i];
        }
        agpu_put_filled_buffer(r, 42, both, sizeof both);
        agpu_put_vertex_buffer(r, 3, 42, 12, 0);
        agpu_put_layout(r, AGPU_LAYOUT + 4, elements, 3);
        draw = agpu_put_draw(r, 4); /* over the row with rate 2, which must not change */
        draw->first_vertex = 4;
        draw->instance_count = 4;
        agpu_expect(t, stepped, 0);
    }
}

/* ---- indices ---- */

/* Given two strips with a restart between them, both must be drawn, front faces only, then back faces only. Without the
 * restart the highest index is vertex 64 through base_vertex, far from both. The second strip would then turn its
 * triangles round, because it is an odd number of places after the first; culling shows this. */
static void stream_restart(struct agpu_test *t)
{
    static const struct agpu_cell both[AGPU_CELLS] = {{"a strip before the restart", AGPU_WHITE},
                                                      {"nothing", 0},
                                                      {"nothing", 0},
                                                      {"nothing", 0},
                                                      {"nothing", 0},
                                                      {"a strip after the restart", AGPU_WHITE}};
    struct agpu_vertex vertices[65];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    memset(vertices, 0, sizeof vertices);
    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        agpu_scene_cell(vertices + 4 * i, i, 0.5f, 1, 1, 1, 1);
    }
    vertices[64] = (struct agpu_vertex){1, -1, 0.5f, 1, 1, 0, 0, 1};
    agpu_scene_color(t, vertices, 65, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    for (uint32_t wide = 0; wide < 2; wide++) {
        uint32_t base = wide ? UINT32_MAX - 64 : 65535 - 64;
        uint32_t words[10];
        uint16_t halves[10];

        for (uint32_t i = 0; i < 9; i++) {
            words[i] = i < 4 ? base + i : i == 4 ? base + 64 : base + 20 + i - 5;
            halves[i] = (uint16_t)words[i];
        }
        agpu_put_destroy(r, AGPU_INDICES);
        agpu_put_filled_buffer(r, AGPU_INDICES, wide ? (const void *)words : halves, wide ? 36 : 20);
        agpu_put_index_buffer(r, AGPU_INDICES,
                              wide ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16, 0);
        for (uint32_t cull = 0; cull < 3; cull++) {
            agpu_put_rasterizer(r)->cull_mode = cull;
            agpu_put_clear_color(r, 0, 0, 0, 0);
            agpu_put_cell(r, 0); /* not indexed, in between */
            agpu_put_draw_indexed(r, 9)->base_vertex = (int32_t)(0 - base);
            agpu_return_unless(cull == AEROGPU_CULL_FRONT ? agpu_expect_all(t, AGPU_NOTHING, 0)
                                                          : agpu_expect_cells(t, both, 0));
        }
    }
}

/* Lists must not restart: the highest index is an ordinary index. */
static void stream_no_restart_in_lists(struct agpu_test *t)
{
    static const uint16_t halves[6] = {65535 - 64, 65535 - 63, 65535, 65535, 65535 - 63, 65535 - 61};
    struct agpu_vertex vertices[65];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    memset(vertices, 0, sizeof vertices);
    agpu_scene_quad(vertices, 0.5f, 1, 1, 1, 1);
    vertices[64] = vertices[2];
    agpu_scene_color(t, vertices, 65, AEROGPU_TOPOLOGY_TRIANGLELIST);
    agpu_put_filled_buffer(r, AGPU_INDICES, halves, sizeof halves);
    agpu_put_index_buffer(r, AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT16, 0);
    agpu_put_draw_indexed(r, 6)->base_vertex = -(65535 - 64);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Given a draw past the end of its indices, those inside must count from first_index, those after the end must be 0. */
static void stream_indices_past_end(struct agpu_test *t)
{
    static const uint32_t indices[] = {60, 61, 62, 63, 1, 2};
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"a triangle of indices 1, 2 and, past the end, 0", AGPU_WHITE}};
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex vertices[64];

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        agpu_scene_cell(vertices + 4 * i, i, 0.5f, 1, 1, 1, 1);
    }
    /* Vertices 1, 2, 0 make one triangle, of which the target shows a corner: cell 0. */
    vertices[0] = (struct agpu_vertex){-9, 0.5f, 0.5f, 1, 1, 1, 1, 1};
    vertices[1] = (struct agpu_vertex){-0.5f, 9, 0.5f, 1, 1, 1, 1, 1};
    vertices[2] = (struct agpu_vertex){-0.5f, 0.5f, 0.5f, 1, 1, 1, 1, 1};
    agpu_scene_color(t, vertices, 64, AEROGPU_TOPOLOGY_TRIANGLELIST);
    agpu_put_filled_buffer(r, AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(r, AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_rasterizer(r);
    agpu_put_draw_indexed(r, 300)->first_index = 4;
    agpu_expect_cells(t, expected, 0);
}

static const struct agpu_case render_stream_cases[] = {
    AGPU_SCENE_CASE("render.input.slots", "commands.md 9", 0, stream_slots),
    AGPU_SCENE_CASE("render.input.strides", "commands.md 9", 0, stream_strides),
    AGPU_SCENE_CASE("render.input.far_offsets", "commands.md 9", 0, stream_far_offsets),
    AGPU_SCENE_CASE("render.input.element_places", "commands.md 7", 0, stream_layout),
    AGPU_SCENE_CASE("render.input.layout_tail", "commands.md 7", 0, stream_layout_tail),
    AGPU_SCENE_CASE("render.input.step_rates", "commands.md 7", 0, stream_step_rates),
    AGPU_SCENE_CASE("render.draw.many_vertices", "commands.md 11", 0, stream_many_vertices),
    AGPU_SCENE_CASE("render.draw.many_instances", "commands.md 11", 0, stream_many_instances),
    AGPU_SCENE_CASE("render.index.restart", "commands.md 15", 0, stream_restart),
    AGPU_SCENE_CASE("render.index.no_restart_in_lists", "commands.md 15", 0, stream_no_restart_in_lists),
    AGPU_SCENE_CASE("render.index.past_the_end", "commands.md 15", 0, stream_indices_past_end),
};

AGPU_CASE_TABLE(agpu_cases_render_stream, render_stream_cases);
