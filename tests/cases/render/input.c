/* input.c: vertex input: layouts, formats, data per instance, buffers that end early
 * (commands.md 7, 9, 15). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texel.h"

static uint32_t three_stripes(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 4 ? AGPU_RED : x < 8 ? AGPU_GREEN : x < 12 ? AGPU_BLUE : AGPU_NOTHING;
}

/* The instance number must count from 0 in each draw, whatever the first instance is. */
static void instance_id(struct agpu_test *t)
{
    static const float vertices[][4] = {{-1, 1, 0, 1}, {-0.5f, 1, 0, 1}, {-1, -1, 0, 1}, {-0.5f, -1, 0, 1}};
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0}};
    struct aerogpu_cmd_draw *draw;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_shaders(t, &agpu_vs_instance_id_4_0, &agpu_ps_color_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_VERTICES, vertices, sizeof vertices);
    agpu_put_vertex_buffer(agpu_rig_of(t), 0, AGPU_VERTICES, 16, 0);
    agpu_put_layout(agpu_rig_of(t), AGPU_LAYOUT, elements, 1);
    agpu_put_draw(agpu_rig_of(t), 4)->instance_count = 3;
    agpu_return_unless(agpu_expect(t, three_stripes, 0));
    /* The number counts from 0 wherever the instances start. */
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    draw = agpu_put_draw(agpu_rig_of(t), 4);
    draw->instance_count = 3;
    draw->first_instance = 7;
    agpu_expect(t, three_stripes, 0);
}

/* Instanced draws with indices after the end of their buffer, and after a restart, must read them as 0; the vertex at
 * the highest index would reach across the target. */
static void instances_behind_end(struct agpu_test *t)
{
    static const float vertices[][4] = {
        {-1, 1, 0, 1}, {-0.5f, 1, 0, 1}, {-1, -1, 0, 1}, {-0.5f, -1, 0, 1}, {9, 9, 0, 1}};
    static const uint16_t indices[] = {0xFFFB, 0xFFFC, 0xFFFD, 0xFFFF, 0xFFFD, 0xFFFC, 0xFFFE, 0xFFFF};
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0}};
    struct aerogpu_cmd_draw_indexed *draw;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_shaders(t, &agpu_vs_instance_id_4_0, &agpu_ps_color_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_VERTICES, vertices, sizeof vertices);
    agpu_put_vertex_buffer(agpu_rig_of(t), 0, AGPU_VERTICES, 16, 0);
    agpu_put_layout(agpu_rig_of(t), AGPU_LAYOUT, elements, 1);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT16, 0);
    draw = agpu_put_draw_indexed(agpu_rig_of(t), 11);
    draw->instance_count = 3;
    draw->base_vertex = -0xFFFB;
    agpu_expect(t, three_stripes, 0);
}

/* Offsets advance with every instance, colours with every second one; the first instance of the second draw moves
 * both. */
static uint32_t two_and_one(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 8 ? AGPU_RED : x < 12 ? AGPU_GREEN : AGPU_NOTHING;
}

static uint32_t third_only(uint32_t x, uint32_t y)
{
    (void)y;
    return x >= 8 && x < 12 ? AGPU_RED : AGPU_NOTHING;
}

/* Instance data must advance by its step rate, from first_instance on. */
static void instance_data(struct agpu_test *t)
{
    static const float vertices[] = {7, 7, 7, 7, -1, 1, -0.5f, 1, -1, -1, -0.5f, -1};
    static const float offsets[] = {9, 9, 0, 0, 0.5f, 0, 1, 0};
    static const uint32_t colors[] = {AGPU_RED, AGPU_GREEN};
    static const struct agpu_element elements[] = {
        {AGPU_POSITION, 0, 16, 0, 0, 0}, {AGPU_TEXCOORD, 1, 16, 3, 0, 1}, {AGPU_COLOR, 0, 28, 5, 0, 2}};
    struct aerogpu_cmd_draw *draw;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_shaders(t, &agpu_vs_instance_data_4_0, &agpu_ps_color_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_VERTICES, vertices, sizeof vertices);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, offsets, sizeof offsets);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, colors, sizeof colors);
    agpu_put_vertex_buffer(agpu_rig_of(t), 0, AGPU_VERTICES, 8, 16);
    agpu_put_vertex_buffer(agpu_rig_of(t), 3, 40, 8, 8);
    agpu_put_vertex_buffer(agpu_rig_of(t), 5, 41, 4, 0);
    agpu_put_layout(agpu_rig_of(t), AGPU_LAYOUT, elements, 3);
    agpu_put_draw(agpu_rig_of(t), 4)->instance_count = 3;
    agpu_return_unless(agpu_expect(t, two_and_one, 0));
    /* Instance data of instance n is element first_instance + n / step rate. */
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_vertex_buffer(agpu_rig_of(t), 5, 41, 0, 0);
    draw = agpu_put_draw(agpu_rig_of(t), 4);
    draw->first_instance = 2;
    agpu_expect(t, third_only, 0);
}

struct format_row {
    uint32_t format; /* DXGI */
    uint32_t words[4];
    uint32_t color;
};

/* Draws the whole target in one colour per row, from a buffer with stride 0. */
static void draw_formats(struct agpu_test *t, const struct agpu_shader_blob *vs,
                         const struct format_row *rows, uint32_t count, uint32_t tolerance)
{
    static const float positions[] = {-1, 1, 1, 1, -1, -1, 1, -1};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_shaders(t, vs, &agpu_ps_color_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_VERTICES, positions, sizeof positions);
    agpu_put_vertex_buffer(agpu_rig_of(t), 0, AGPU_VERTICES, 8, 0);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, 16);
    agpu_put_vertex_buffer(agpu_rig_of(t), 1, 40, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct agpu_element elements[] = {{AGPU_POSITION, 0, 16, 0, 0, 0},
                                                {AGPU_COLOR, 0, rows[i].format, 1, 0, 0}};

        agpu_put_upload(agpu_rig_of(t), 40, 0, rows[i].words, 16);
        agpu_put_layout(agpu_rig_of(t), AGPU_LAYOUT + i, elements, 2);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_part(t, "DXGI format %s", agpu_dxgi_name(rows[i].format));
        agpu_return_unless(agpu_expect_all(t, rows[i].color, tolerance));
    }
}

/* Float and normalised vertex formats must be read as their values. */
static void normalised_formats(struct agpu_test *t)
{
    /* 1, 0.75, 0.5, 0.25 as far as the format permits. */
    static const struct format_row rows[] = {
        {2, {0x3F800000, 0x3F400000, 0x3F000000, 0x3E800000}, AGPU_RGBA(255, 191, 128, 64)},
        {6, {0x3F800000, 0x3F400000, 0x3F000000, 0}, AGPU_RGBA(255, 191, 128, 255)},
        {16, {0x3F800000, 0x3F400000, 0, 0}, AGPU_RGBA(255, 191, 0, 255)},
        {41, {0x3F400000, 0, 0, 0}, AGPU_RGBA(191, 0, 0, 255)},
        {10, {0x3A003C00, 0x34003800, 0, 0}, AGPU_RGBA(255, 191, 128, 64)},
        {11, {0xBFFFFFFF, 0x3FFF7FFF, 0, 0}, AGPU_RGBA(255, 191, 128, 64)},
        {13, {0x5FFF7FFF, 0x1FFF3FFF, 0, 0}, AGPU_RGBA(255, 191, 128, 64)},
        {24, {512u << 20 | 767u << 10 | 1023u, 0, 0, 0}, AGPU_RGBA(255, 191, 128, 0)},
        {28, {AGPU_RGBA(255, 191, 128, 64), 0, 0, 0}, AGPU_RGBA(255, 191, 128, 64)},
        {31, {AGPU_RGBA(127, 95, 64, 32), 0, 0, 0}, AGPU_RGBA(255, 191, 128, 64)},
        {34, {0x3A003C00, 0, 0, 0}, AGPU_RGBA(255, 191, 0, 255)},
        {35, {0xBFFFFFFF, 0, 0, 0}, AGPU_RGBA(255, 191, 0, 255)},
        {37, {0x5FFF7FFF, 0, 0, 0}, AGPU_RGBA(255, 191, 0, 255)},
        {49, {0xBFFF, 0, 0, 0}, AGPU_RGBA(255, 191, 0, 255)},
        {51, {0x5F7F, 0, 0, 0}, AGPU_RGBA(255, 191, 0, 255)},
        {54, {0x3A00, 0, 0, 0}, AGPU_RGBA(191, 0, 0, 255)},
        {56, {0xBFFF, 0, 0, 0}, AGPU_RGBA(191, 0, 0, 255)},
        {58, {0x5FFF, 0, 0, 0}, AGPU_RGBA(191, 0, 0, 255)},
        {87, {AGPU_RGBA(128, 191, 255, 64), 0, 0, 0}, AGPU_RGBA(255, 191, 128, 64)},
        /* Vertex data has no sRGB: these are the same bytes. */
        {29, {AGPU_RGBA(255, 191, 128, 64), 0, 0, 0}, AGPU_RGBA(255, 191, 128, 64)},
        {91, {AGPU_RGBA(128, 191, 255, 64), 0, 0, 0}, AGPU_RGBA(255, 191, 128, 64)},
    };

    draw_formats(t, &agpu_vs_color_4_0, rows, sizeof rows / sizeof rows[0], 1);
}

/* Integer vertex formats must be read as their values. */
static void integer_formats(struct agpu_test *t)
{
    static const struct format_row rows[] = {
        {3, {256 + 9, 8, 7, 6}, AGPU_RGBA(9, 8, 7, 6)},
        {7, {9, 8, 7, 0}, AGPU_RGBA(9, 8, 7, 1)},
        {17, {9, 8, 0, 0}, AGPU_RGBA(9, 8, 0, 1)},
        {42, {9, 0, 0, 0}, AGPU_RGBA(9, 0, 0, 1)},
        {12, {0x80009, 0x60007, 0, 0}, AGPU_RGBA(9, 8, 7, 6)},
        {30, {AGPU_RGBA(9, 8, 7, 6), 0, 0, 0}, AGPU_RGBA(9, 8, 7, 6)},
        {36, {0x80009, 0, 0, 0}, AGPU_RGBA(9, 8, 0, 1)},
        {50, {0x809, 0, 0, 0}, AGPU_RGBA(9, 8, 0, 1)},
        {57, {9, 0, 0, 0}, AGPU_RGBA(9, 0, 0, 1)},
    };

    draw_formats(t, &agpu_vs_uint_input_4_0, rows, sizeof rows / sizeof rows[0], 0);
}

/* Signed formats must read -128, -5, 7, 100 as far as the format permits; a colour is 128 more. */
static void signed_formats(struct agpu_test *t)
{
    static const struct format_row rows[] = {
        {4, {0xFFFFFF80, 0xFFFFFFFB, 7, 100}, AGPU_RGBA(0, 123, 135, 228)},
        {8, {0xFFFFFF80, 0xFFFFFFFB, 7, 0}, AGPU_RGBA(0, 123, 135, 129)},
        {18, {0xFFFFFF80, 0xFFFFFFFB, 0, 0}, AGPU_RGBA(0, 123, 128, 129)},
        {43, {0xFFFFFFFB, 0, 0, 0}, AGPU_RGBA(123, 128, 128, 129)},
        {14, {0xFFFBFF80, 0x00640007, 0, 0}, AGPU_RGBA(0, 123, 135, 228)},
        {38, {0xFFFBFF80, 0, 0, 0}, AGPU_RGBA(0, 123, 128, 129)},
        {59, {0xFFFB, 0, 0, 0}, AGPU_RGBA(123, 128, 128, 129)},
        {32, {0x6407FB80, 0, 0, 0}, AGPU_RGBA(0, 123, 135, 228)},
        {52, {0xFB80, 0, 0, 0}, AGPU_RGBA(0, 123, 128, 129)},
    };

    draw_formats(t, &agpu_vs_sint_input_4_0, rows, sizeof rows / sizeof rows[0], 0);
}

/* Normalised negative values must read -1 and -0.5: below the range of a colour, so all is 0. */
static void negative_formats(struct agpu_test *t)
{
    static const struct format_row rows[] = {
        {2, {0xBF800000, 0xBF000000, 0x3F800000, 0x3F000000}, AGPU_RGBA(0, 0, 255, 128)},
        {10, {0xB800BC00, 0x38003C00, 0, 0}, AGPU_RGBA(0, 0, 255, 128)},
        {13, {0xC0018001, 0x3FFF7FFF, 0, 0}, AGPU_RGBA(0, 0, 255, 128)},
        {31, {AGPU_RGBA(0x81, 0xC1, 127, 64), 0, 0, 0}, AGPU_RGBA(0, 0, 255, 128)},
    };

    draw_formats(t, &agpu_vs_color_4_0, rows, sizeof rows / sizeof rows[0], 1);
}

/* An appended element must follow the first one of its slot. */
static void appended_element(struct agpu_test *t)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, UINT32_MAX, 0},
                                                   {AGPU_COLOR, 0, 2, 0, UINT32_MAX, 0}};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 0, 0, 1, 1);
    agpu_put_layout(agpu_rig_of(t), 60, elements, 2);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_BLUE, 0);
}

/* A layout without elements must work for a shader that needs none. */
static void empty_layout(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_color_4_0);
    agpu_put_layout(agpu_rig_of(t), 60, NULL, 0);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* ---- buffers that end early ---- */

/* The buffer ends after the position of vertex 3: its colour is after the end and reads 0. White fades to nothing over
 * the strip's second triangle. */
static uint32_t input_fading(uint32_t x, uint32_t y)
{
    uint32_t sum = 2 * x + 1 + 2 * y + 1; /* 4 * EDGE at the corner */
    uint32_t v = sum <= 2 * AGPU_EDGE ? 255 : (4 * AGPU_EDGE - sum) * 255 / (2 * AGPU_EDGE);

    return AGPU_RGBA(v, v, v, v);
}

/* A vertex whose data is after the end of its buffer must read 0 there. */
static void cut_off(struct agpu_test *t)
{
    struct agpu_vertex quad[4];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(quad, 0.5f, 1, 1, 1, 1);
    agpu_scene_color(t, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, quad, 3 * sizeof quad[0] + 16);
    agpu_put_vertex_buffer(agpu_rig_of(t), 0, 40, sizeof quad[0], 0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect(t, input_fading, 1));
    /* The same with indices, and from an offset. */
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, 32 + 3 * sizeof quad[0] + 16);
    agpu_put_upload(agpu_rig_of(t), 41, 32, quad, 3 * sizeof quad[0] + 16);
    agpu_put_vertex_buffer(agpu_rig_of(t), 0, 41, sizeof quad[0], 32);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, (const uint32_t[4]){0, 1, 2, 3}, 16);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_draw_indexed(agpu_rig_of(t), 4);
    agpu_expect(t, input_fading, 1);
}

/* The second of two triangles is after the end of the buffer: its corners are all at 0 0 0 0. */
static uint32_t first_triangle(uint32_t x, uint32_t y)
{
    return x + y < AGPU_EDGE - 1 ? AGPU_WHITE : AGPU_NOTHING;
}

/* A triangle whose vertices are after the end of the buffer must collapse to nothing. */
static void list_cut_off(struct agpu_test *t)
{
    struct agpu_vertex quad[4];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(quad, 0.5f, 1, 1, 1, 1);
    quad[1].x = 0.99f; /* no centre on the long edge */
    quad[2].y = -0.99f;
    agpu_scene_color(t, quad, 3, AEROGPU_TOPOLOGY_TRIANGLELIST);
    agpu_put_draw(agpu_rig_of(t), 6);
    agpu_expect(t, first_triangle, 0);
}

/* ---- numbers of every width ---- */

/* Begins a scene whose pixels have the colour of an instance's element in slot 5, from buffer 41; the quad in slot 0
 * does not change. */
static bool instance_colors_begin(struct agpu_test *t, const uint32_t *colors, uint32_t bytes)
{
    static const float still[2] = {0, 0};
    struct agpu_vertex quad[4];
    struct agpu_rig *r = agpu_rig_of(t);

    if (!agpu_scene_begin(t)) {
        return false;
    }
    agpu_scene_quad(quad, 0.5f, 0, 0, 0, 0);
    agpu_scene_color(t, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_scene_shaders(t, &agpu_vs_instance_data_4_0, &agpu_ps_color_4_0);
    agpu_put_filled_buffer(r, 40, still, sizeof still);
    agpu_put_filled_buffer(r, 41, colors, bytes);
    agpu_put_vertex_buffer(r, 3, 40, 0, 0);
    return true;
}

/* Instance n must have element n / rate: with as many instances as the rate the last has the first element, with one
 * more the second. */
static void step_rates(struct agpu_test *t)
{
    static const uint32_t rates[AGPU_CELLS / 2] = {1, 3, 5, 100, 255, 256, 257, 1000};
    static const uint32_t colors[] = {AGPU_RED, AGPU_GREEN};
    struct agpu_cell expected[AGPU_CELLS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(instance_colors_begin(t, colors, sizeof colors));
    agpu_put_vertex_buffer(r, 5, 41, 4, 0);
    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                {AGPU_TEXCOORD, 1, 16, 3, 0, 1},
                                                {AGPU_COLOR, 0, 28, 5, 0, rates[i / 2]}};

        agpu_put_layout(r, 60 + i, elements, 3);
        agpu_put_viewport(r, &(struct agpu_viewport){(float)(i % 4 * 4), (float)(i / 4 * 4), 4, 4, 0, 1});
        agpu_put_draw(r, 4)->instance_count = rates[i / 2] + i % 2;
        expected[i] =
            (struct agpu_cell){i % 2 ? "the second element, at the instance with the number of the step rate"
                                     : "the first element, up to the instance before the step rate",
                               i % 2 ? AGPU_GREEN : AGPU_RED};
    }
    agpu_expect_cells(t, expected, 0);
}

/* A rate of 0 counts as 1: three instances have three elements, whatever their vertices. */
static uint32_t three_elements(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 4 ? AGPU_RED : x < 8 ? AGPU_GREEN : x < 12 ? AGPU_BLUE : AGPU_NOTHING;
}

/* A step rate of 0 must count as 1. */
static void step_rate_of_none(struct agpu_test *t)
{
    static const float vertices[] = {-1, 1, -0.5f, 1, -1, -1, -0.5f, -1};
    static const float offsets[] = {0, 0, 0.5f, 0, 1, 0};
    static const uint32_t colors[] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 16, 0, 0, 0},
                                                   {AGPU_TEXCOORD, 1, 16, 3, 0, AGPU_STEP_OF_NONE},
                                                   {AGPU_COLOR, 0, 28, 5, 0, AGPU_STEP_OF_NONE}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_shaders(t, &agpu_vs_instance_data_4_0, &agpu_ps_color_4_0);
    agpu_put_filled_buffer(r, AGPU_VERTICES, vertices, sizeof vertices);
    agpu_put_filled_buffer(r, 40, offsets, sizeof offsets);
    agpu_put_filled_buffer(r, 41, colors, sizeof colors);
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, 8, 0);
    agpu_put_vertex_buffer(r, 3, 40, 8, 0);
    agpu_put_vertex_buffer(r, 5, 41, 4, 0);
    agpu_put_layout(r, AGPU_LAYOUT, elements, 3);
    agpu_put_draw(r, 4)->instance_count = 3;
    agpu_expect(t, three_elements, 0);
}

/* An element must be found at any offset in a long vertex. */
static void element_offsets(struct agpu_test *t)
{
    enum { STRIDE = 1000 };
    static const uint32_t offsets[] = {16, 252, 256, 260, 508, 512, 700, 984};
    static const float white[4] = {1, 1, 1, 1};
    uint8_t vertices[4 * STRIDE];
    struct agpu_cell expected[AGPU_CELLS] = {{NULL, 0}};
    struct agpu_vertex quad[4];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(quad, 0.5f, 1, 1, 1, 1);
    agpu_scene_color(t, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_filled_buffer(r, 40, NULL, sizeof vertices);
    agpu_put_vertex_buffer(r, 1, 40, STRIDE, 0);
    for (uint32_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                {AGPU_COLOR, 0, 2, 1, offsets[i], 0}};

        memset(vertices, 0, sizeof vertices);
        for (uint32_t n = 0; n < 4; n++) {
            memcpy(vertices + n * STRIDE + offsets[i], white, sizeof white);
        }
        agpu_put_upload(r, 40, 0, vertices, sizeof vertices);
        agpu_put_layout(r, 60 + i, elements, 2);
        agpu_put_viewport(r, &(struct agpu_viewport){(float)(i % 4 * 4), (float)(i / 4 * 4), 4, 4, 0, 1});
        agpu_put_draw(r, 4);
        expected[i] = (struct agpu_cell){"white, from the element's offset", AGPU_WHITE};
    }
    agpu_expect_cells(t, expected, 0);
}

/* Semantics must be matched by name and by all bits of the index; elements that differ in one bit come before. */
static void semantic_indices(struct agpu_test *t)
{
    static const float aside[2] = {4, 4};
    static const uint32_t colors[] = {AGPU_WHITE};
    struct agpu_element elements[32];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(instance_colors_begin(t, colors, sizeof colors));
    agpu_put_filled_buffer(r, 42, aside, sizeof aside);
    agpu_put_vertex_buffer(r, 4, 42, 0, 0);
    agpu_put_vertex_buffer(r, 5, 41, 0, 0);
    for (uint32_t i = 0; i < 29; i++) { /* 1 with bit 3 to 31 changed */
        elements[i] = (struct agpu_element){AGPU_TEXCOORD, 1 ^ 1u << (i + 3), 16, 4, 0, 0};
    }
    elements[29] = (struct agpu_element){AGPU_POSITION, 0, 2, 0, 0, 0};
    elements[30] = (struct agpu_element){AGPU_COLOR, 0, 28, 5, 0, 0};
    elements[31] = (struct agpu_element){AGPU_TEXCOORD, 1, 16, 3, 0, 0};
    agpu_put_layout(r, 60, elements, 32);
    agpu_put_draw(r, 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

static const struct agpu_case render_input_cases[] = {
    AGPU_SCENE_CASE("render.input.instance_id", "commands.md 9", 0, instance_id),
    AGPU_SCENE_CASE("render.input.instances_behind_end", "commands.md 15", 0, instances_behind_end),
    AGPU_SCENE_CASE("render.input.instance_data", "commands.md 7", 0, instance_data),
    AGPU_SCENE_CASE("render.input.formats_normalised", "commands.md 7", 0, normalised_formats),
    AGPU_SCENE_CASE("render.input.formats_integer", "commands.md 7", 0, integer_formats),
    AGPU_SCENE_CASE("render.input.formats_signed", "commands.md 7", 0, signed_formats),
    AGPU_SCENE_CASE("render.input.formats_negative", "commands.md 7", 0, negative_formats),
    AGPU_SCENE_CASE("render.input.empty_layout", "commands.md 7", 0, empty_layout),
    AGPU_SCENE_CASE("render.input.step_rate_of_none", "commands.md 15", 0, step_rate_of_none),
    AGPU_SCENE_CASE("render.input.wide_step_rates", "commands.md 7", 0, step_rates),
    AGPU_SCENE_CASE("render.input.element_offsets", "commands.md 7", 0, element_offsets),
    AGPU_SCENE_CASE("render.input.semantic_indices", "commands.md 7", 0, semantic_indices),
    AGPU_SCENE_CASE("render.input.appended_element", "commands.md 15", 0, appended_element),
    AGPU_SCENE_CASE("render.robust.vertex_cut_off", "commands.md 15", 0, cut_off),
    AGPU_SCENE_CASE("render.robust.list_cut_off", "commands.md 15", 0, list_cut_off),
};

AGPU_CASE_TABLE(agpu_cases_render_input, render_input_cases);
