/* order.c: draws between uploads, clears, copies, dirty ranges and write-backs: all take effect in stream order, within
 * a submission and across submissions (commands.md 6, 11). */
#include <string.h>

#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/scene.h"

#define EDGE  AGPU_EDGE
#define RGBA  AEROGPU_FORMAT_R8G8B8A8_UNORM
#define PS    AEROGPU_SHADER_STAGE_PIXEL
#define STRIP AEROGPU_TOPOLOGY_TRIANGLESTRIP

static const struct agpu_viewport left = {0, 0, 8, 16, 0, 1}, right = {8, 0, 8, 16, 0, 1},
                                  all = {0, 0, 16, 16, 0, 1};

static bool begin_red(struct agpu_test *t)
{
    if (!agpu_scene_begin(t)) {
        return false;
    }
    agpu_scene_solid(t, 0.5f, 1, 0, 0, 1);
    return true;
}

/* An upload of vertices between two draws must affect the second only. */
static void upload_between_draws(struct agpu_test *t)
{
    struct agpu_vertex green[4];

    agpu_return_unless(begin_red(t));
    agpu_put_viewport(agpu_rig_of(t), &left);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_scene_quad(green, 0.5f, 0, 1, 0, 1);
    agpu_put_upload(agpu_rig_of(t), AGPU_VERTICES, 0, green, sizeof green);
    agpu_put_viewport(agpu_rig_of(t), &right);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, agpu_expected_red_green, 0);
}

/* A change of constants between two draws must affect the second only. */
static void constants_between_draws(struct agpu_test *t)
{
    static const float red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_5_0);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, red, sizeof red);
    agpu_put_constants(agpu_rig_of(t), PS, 0, 40, 0, 0);
    agpu_put_viewport(agpu_rig_of(t), &left);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_put_upload(agpu_rig_of(t), 40, 0, green, sizeof green);
    agpu_put_viewport(agpu_rig_of(t), &right);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect(t, agpu_expected_red_green, 0);
}

/* A clear between two draws must erase the first and not the second. */
static void clear_between_draws(struct agpu_test *t)
{
    agpu_return_unless(begin_red(t));
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_clear_color(agpu_rig_of(t), 0, 1, 0, 1);
    agpu_put_viewport(agpu_rig_of(t), &left);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, agpu_expected_red_green, 0);
}

/* Uploaded blue all over, drawn red on the left, row 1 uploaded green; our model accepts single texels too. */
static uint32_t row_of_green(uint32_t x, uint32_t y)
{
    return y == 1 ? AGPU_GREEN : x < EDGE / 2 ? AGPU_RED : AGPU_BLUE;
}

static uint32_t texel_of_green(uint32_t x, uint32_t y)
{
    return x == 3 && y == 5 ? AGPU_GREEN : row_of_green(x, y);
}

/* Given uploads into a target before and after a draw, the last write of each texel must be visible. */
static void upload_into_target(struct agpu_test *t)
{
    static uint32_t blue[EDGE * EDGE], green[EDGE];

    agpu_return_unless(begin_red(t));
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        blue[i] = AGPU_BLUE;
        green[i % EDGE] = AGPU_GREEN;
    }
    agpu_put_upload(agpu_rig_of(t), AGPU_TARGET, 0, blue, sizeof blue);
    agpu_put_viewport(agpu_rig_of(t), &left);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_upload(agpu_rig_of(t), AGPU_TARGET, EDGE * 4, green, sizeof green);
    agpu_return_unless(agpu_expect(t, row_of_green, 0));
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_upload(agpu_rig_of(t), AGPU_TARGET, EDGE * 4, green, sizeof green);
    if (t->env->model) {
        agpu_put_upload(agpu_rig_of(t), AGPU_TARGET, (5 * EDGE + 3) * 4, green, 4);
    }
    agpu_expect(t, t->env->model ? texel_of_green : row_of_green, 0);
}

/* A shader must read a copy of the texels that were just drawn. */
static void copy_is_read(struct agpu_test *t)
{
    agpu_return_unless(begin_red(t));
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_create_texture(agpu_rig_of(t), 30, RGBA, EDGE, EDGE, 0, 0);
    agpu_put_copy_texture(agpu_rig_of(t), 30, AGPU_TARGET, EDGE, EDGE, 0);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect_all(t, AGPU_RED, 0);
}

/* A target that becomes a texture while another one is drawn to must show its drawn texels, and the other way round. */
static void target_is_read(struct agpu_test *t)
{
    agpu_return_unless(begin_red(t));
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_target(agpu_rig_of(t), 30, RGBA, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), 30, 0);
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, AGPU_TARGET);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 0);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 0);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect_all(t, AGPU_RED, 0);
}

/* A draw must read the target that the previous submission drew. */
static void next_submission_reads(struct agpu_test *t)
{
    agpu_return_unless(begin_red(t));
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_target(agpu_rig_of(t), 30, RGBA, EDGE, EDGE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_targets(agpu_rig_of(t), 30, 0);
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, AGPU_TARGET);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_run_clean(t));
    agpu_expect_target_all(t, 30, RGBA, AGPU_RED, 0);
}

/* A copy into the vertex buffer between two draws must affect the second only. */
static void copied_vertices(struct agpu_test *t)
{
    struct agpu_vertex green[4];

    agpu_return_unless(begin_red(t));
    agpu_scene_quad(green, 0.5f, 0, 1, 0, 1);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, green, sizeof green);
    agpu_put_viewport(agpu_rig_of(t), &left);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_copy_buffer(agpu_rig_of(t), AGPU_VERTICES, 0, 40, 0, sizeof green, 0);
    agpu_put_viewport(agpu_rig_of(t), &right);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, agpu_expected_red_green, 0);
}

/* A compute shader's result must serve as the constants of the next draw. */
static void uav_feeds_draw(struct agpu_test *t)
{
    static const float color[4] = {0, 0, 1, 1};
    static const uint32_t one[4] = {1};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, color, sizeof color);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, 256);
    agpu_put_filled_buffer(agpu_rig_of(t), 42, one, sizeof one);
    agpu_put_shader(agpu_rig_of(t), AGPU_CS, &agpu_cs_scale_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .cs = AGPU_CS});
    agpu_put_srv(agpu_rig_of(t), AEROGPU_SHADER_STAGE_COMPUTE, 2, 40, 0, 0);
    agpu_put_uav(agpu_rig_of(t), 1, 41, 0, 0);
    agpu_put_constants(agpu_rig_of(t), AEROGPU_SHADER_STAGE_COMPUTE, 0, 42, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 1, 1, 1);
    agpu_put_uav(agpu_rig_of(t), 1, 0, 0, 0);
    agpu_put_constants(agpu_rig_of(t), PS, 0, 41, 0, 16);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect_all(t, AGPU_BLUE, 0);
}

/* ---- guest memory ---- */

static void put_guest_vertices(struct agpu_test *t)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_COLOR, 0, 2, 0, 16, 0}};

    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_scene_shaders(t, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    agpu_put_create_buffer(agpu_rig_of(t), 40, 4 * sizeof(struct agpu_vertex), 10, 0);
    agpu_put_dirty(agpu_rig_of(t), 40, 0, 4 * sizeof(struct agpu_vertex));
    agpu_put_vertex_buffer(agpu_rig_of(t), 0, 40, sizeof(struct agpu_vertex), 0);
    agpu_put_layout(agpu_rig_of(t), AGPU_LAYOUT, elements, 2);
    agpu_put_topology(agpu_rig_of(t), STRIP);
}

/* Vertices in guest memory must be read as the CPU wrote them before the dirty range. */
static void guest_vertices(struct agpu_test *t)
{
    struct agpu_vertex *guest = agpu_rig_of(t)->memory[0].cpu;

    agpu_return_unless(agpu_scene_begin(t));
    guest = agpu_rig_of(t)->memory[0].cpu;
    agpu_scene_quad(guest, 0.5f, 1, 0, 0, 1);
    put_guest_vertices(t);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_RED, 0));
    /* The CPU writes; after the dirty range the next draw reads it. */
    agpu_scene_quad(guest, 0.5f, 0, 0, 1, 1);
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_dirty(agpu_rig_of(t), 40, 0, 4 * sizeof *guest);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_BLUE, 0);
}

/* One vertex of four is announced: only its colour changes. */
static uint32_t with_green_corner(uint32_t x, uint32_t y)
{
    uint32_t green = x + y <= EDGE - 1 ? (2 * EDGE - 2 - 2 * x - 2 * y) * 255 / (2 * EDGE) : 0;

    return AGPU_RGBA(255, green, 0, 255);
}

/* A dirty range of one vertex must update that vertex. */
static void order_dirty_part(struct agpu_test *t)
{
    struct agpu_vertex *guest;

    agpu_return_unless(agpu_scene_begin(t));
    guest = agpu_rig_of(t)->memory[0].cpu;
    agpu_scene_quad(guest, 0.5f, 1, 0, 0, 1);
    put_guest_vertices(t);
    agpu_return_unless(agpu_run_clean(t));
    guest[0].g = 1;
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_dirty(agpu_rig_of(t), 40, 0, sizeof *guest);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, with_green_corner, 1);
}

static uint32_t guest_texel(uint32_t x, uint32_t y)
{
    return AGPU_RGBA(x * 16, y * 16, x ^ y, 255);
}

static uint32_t guest_texel_changed(uint32_t x, uint32_t y)
{
    return y == 5 ? AGPU_WHITE : guest_texel(x, y);
}

/* A texture in guest memory with padded rows must be drawn right. */
static void guest_texture(struct agpu_test *t)
{
    uint32_t *texels;
    const uint32_t pitch = 128;

    agpu_return_unless(agpu_scene_begin(t));
    texels = agpu_rig_of(t)->memory[0].cpu;
    memset(texels, 0x77, EDGE * pitch);
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        texels[i / EDGE * (pitch / 4) + i % EDGE] = guest_texel(i % EDGE, i / EDGE);
    }
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_texture(agpu_rig_of(t), 40, RGBA, EDGE, EDGE, pitch, 10);
    agpu_put_dirty(agpu_rig_of(t), 40, 0, EDGE * pitch);
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 40);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect(t, guest_texel, 0));
    for (uint32_t x = 0; x < EDGE; x++) {
        texels[5 * (pitch / 4) + x] = AGPU_WHITE;
    }
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_dirty(agpu_rig_of(t), 40, 5 * pitch, EDGE * 4);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect(t, guest_texel_changed, 0);
}

/* The target is in guest memory: drawn over the CPU's bytes, and read back through a copy. */
static uint32_t half_drawn(uint32_t x, uint32_t y)
{
    return x < 8 ? AGPU_RED : guest_texel(x, y);
}

/* A draw to a target in guest memory must leave the CPU's texels around it, and a copy must return both. */
static void guest_target(struct agpu_test *t)
{
    uint32_t *texels;

    agpu_return_unless(begin_red(t));
    texels = agpu_rig_of(t)->memory[0].cpu;
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        texels[i] = guest_texel(i % EDGE, i / EDGE);
    }
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(agpu_rig_of(t), 40, RGBA, EDGE, EDGE, EDGE * 4, 10)->usage_flags |=
        AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    agpu_put_dirty(agpu_rig_of(t), 40, 0, EDGE * EDGE * 4);
    agpu_put_targets(agpu_rig_of(t), 40, 0);
    agpu_put_viewport(agpu_rig_of(t), &left);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_target(t, 40, RGBA, half_drawn, 0);
}

/* Given a change by the CPU, a submission of a dirty range and a draw, and nothing else, must show it. */
static void change_guest_memory(struct agpu_test *t)
{
    static const float colors[3][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"guest memory as it was when the buffer was made", AGPU_RED},
        {"a dirty range alone", AGPU_GREEN},
        {"a dirty range of the last 8 bytes alone", AGPU_RGBA(0, 255, 255, 255)},
        {"memory written without a dirty range beside it", AGPU_RGBA(0, 255, 255, 255)},
        {"a dirty range of everything", AGPU_BLUE}};
    static const struct {
        uint32_t color, offset, size;
    } steps[] = {{1, 0, 16}, {2, 8, 8}, {0, 0, 0}, {2, 0, 16}};
    struct agpu_rig *r = agpu_rig_of(t);
    const struct agpu_dma *memory;

    agpu_return_unless(agpu_scene_begin(t));
    memory = &r->memory[0];
    memcpy((uint8_t *)memory->cpu + 4096, colors[0], 16);
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_scene_shaders(t, &agpu_vs_color_4_0, &agpu_ps_constant_4_0);
    agpu_rig_alloc(r, 10, memory, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(r, 40, 16, 10, 4096);
    agpu_put_dirty(r, 40, 0, 16);
    agpu_put_constants(r, PS, 0, 40, 0, 0);
    agpu_put_cell(r, 0);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        agpu_rig_alloc(r, 10, memory, AEROGPU_ALLOC_FLAG_READONLY);
        if (steps[i].size != 0) {
            /* A device that caches must not read beside the range; others may read everything. */
            uint32_t begin = steps[i].offset;

            memcpy((uint8_t *)memory->cpu + 4096 + begin, (const uint8_t *)colors[steps[i].color] + begin,
                   steps[i].size);
            agpu_put_dirty(r, 40, begin, steps[i].size);
        }
        agpu_put_cell(r, 1 + i);
        agpu_return_unless(agpu_run_clean(t));
    }
    agpu_expect_cells(t, expected, 0);
}

/* ---- fences ---- */

/* Given two submissions in flight, each with long draws and a write-back, both must be in memory when the second fence
 * is complete. */
static void fence_after_writeback(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_submission submissions[2];
    const uint32_t colors[2] = {AGPU_RED, AGPU_GREEN};
    struct agpu_vertex green[4];

    agpu_return_unless(begin_red(t));
    for (uint32_t i = 0; i < 2; i++) {
        if (i == 1) {
            agpu_rig_begin(r);
            agpu_scene_quad(green, 0.5f, 0, 1, 0, 1);
            agpu_put_upload(r, AGPU_VERTICES, 0, green, sizeof green);
        }
        memset(r->memory[i].cpu, 0x55, EDGE * EDGE * 4);
        agpu_rig_alloc(r, 10 + i, &r->memory[i], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_create_texture(r, 40 + i, RGBA, EDGE, EDGE, EDGE * 4, 10 + i);
        agpu_put_dirty(r, 40 + i, 0, EDGE * EDGE * 4);
        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_viewport(r, &all);
        for (uint32_t k = 0; k < 500; k++) {
            agpu_put_draw(r, 4);
        }
        agpu_put_copy_texture(r, 40 + i, AGPU_TARGET, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        if (!agpu_rig_finish(r, &submissions[i])) {
            agpu_error(t, "the case's packets do not fit the rig");
            return;
        }
    }
    agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submissions[0]));
    agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submissions[1]));
    agpu_doorbell(&t->env->ring);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t *texels = r->memory[i].cpu;

        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, submissions[i].fence));
        for (uint32_t k = 0; k < EDGE * EDGE; k++) {
            agpu_return_unless(agpu_check_eq_hex(t, texels[k], colors[i]));
        }
    }
    agpu_rig_begin_over(r);
}

/* Given vertices of 16 cells 1 KiB apart, all drawn red, each upload of green, from both ends in turns, must show. */
static void change_far_apart(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex quad[4];

    agpu_return_unless(begin_red(t));
    agpu_put_filled_buffer(r, 40, NULL, AGPU_CELLS * 1024);
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < AGPU_CELLS; i++) {
            uint32_t cell = i & 1 ? AGPU_CELLS - 1 - i / 2 : i / 2;

            agpu_scene_cell(quad, cell, 0.5f, k ? 0.0f : 1.0f, k ? 1.0f : 0.0f, 0, 1);
            agpu_put_upload(r, 40, cell * 1024, quad, sizeof quad);
        }
        for (uint32_t i = 0; i < AGPU_CELLS; i++) {
            agpu_put_vertex_buffer(r, 0, 40, sizeof quad[0], i * 1024);
            agpu_put_draw(r, 4);
        }
    }
    agpu_expect_all(t, AGPU_GREEN, 0);
}

/* A vertex buffer destroyed and created again between draws must be the new one in each draw. */
static void destroy_and_create(struct agpu_test *t)
{
    struct agpu_vertex quad[4];

    agpu_return_unless(begin_red(t));
    for (uint32_t i = 0; i < 16; i++) {
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_put_destroy(agpu_rig_of(t), AGPU_VERTICES);
        agpu_scene_quad(quad, 0.5f, i == 15 ? 0.0f : 1.0f, 0, i == 15 ? 1.0f : 0.0f, 1);
        agpu_put_filled_buffer(agpu_rig_of(t), AGPU_VERTICES, quad, sizeof quad);
        agpu_put_vertex_buffer(agpu_rig_of(t), 0, AGPU_VERTICES, sizeof quad[0], 0);
    }
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_BLUE, 0);
}

static const struct agpu_case render_order_cases[] = {
    AGPU_SCENE_CASE("render.order.upload_between_draws", "commands.md 6.3", 0, upload_between_draws),
    AGPU_SCENE_CASE("render.order.constants_between_draws", "commands.md 6.3", 0, constants_between_draws),
    AGPU_SCENE_CASE("render.order.clear_between_draws", "commands.md 11", 0, clear_between_draws),
    AGPU_SCENE_CASE("render.order.upload_into_target", "commands.md 6.3", 0, upload_into_target),
    AGPU_SCENE_CASE("render.order.copy_of_target_is_read", "commands.md 6.4", 0, copy_is_read),
    AGPU_SCENE_CASE("render.order.target_is_read", "commands.md 8", 0, target_is_read),
    AGPU_SCENE_CASE("render.order.next_submission_reads", "commands.md 8", 0, next_submission_reads),
    AGPU_SCENE_CASE("render.order.copied_vertices", "commands.md 6.4", 0, copied_vertices),
    AGPU_SCENE_CASE("render.order.uav_feeds_draw", "commands.md 10", 0, uav_feeds_draw),
    AGPU_SCENE_CASE("render.order.many_places", "commands.md 6.3", 0, change_far_apart),
    AGPU_SCENE_CASE("render.order.destroy_and_create", "commands.md 6.1", 0, destroy_and_create),
    AGPU_SCENE_CASE("render.guest.vertices", "commands.md 6.2", 0, guest_vertices),
    AGPU_SCENE_CASE("render.guest.dirty_part", "commands.md 6.2", 0, order_dirty_part),
    AGPU_SCENE_CASE("render.guest.texture_with_pitch", "commands.md 6.2", 0, guest_texture),
    AGPU_SCENE_CASE("render.guest.target", "commands.md 6.4", 0, guest_target),
    AGPU_SCENE_CASE("render.change.guest_memory_alone", "commands.md 6.2", 0, change_guest_memory),
    AGPU_SCENE_CASE("render.fence.after_writeback", "ring.md 4", 0, fence_after_writeback),
};

AGPU_CASE_TABLE(agpu_cases_render_order, render_order_cases);
