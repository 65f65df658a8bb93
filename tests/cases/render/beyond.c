/* beyond.c: offsets after the end of a bound buffer, indices that would cut narrower strips, viewports smaller than a
 * texel and beside the target (commands.md 8 to 11, 15). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/scene.h"

#define PS AEROGPU_SHADER_STAGE_PIXEL

/* Given a vertex buffer whose offset is at its end or after it, all vertices must read 0. */
static void vertices_beyond(struct agpu_test *t)
{
    static const uint32_t offsets[] = {128, 132, 256, 4096, 0x10000, 0x80000000, 0xFFFFFFF0};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, sizeof(struct agpu_vertex), offsets[i]);
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    }
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, sizeof(struct agpu_vertex), 0);
    agpu_put_draw(r, 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Given a constant buffer whose offset is at its end or after it, all constants must read 0. */
static void constants_beyond(struct agpu_test *t)
{
    static const uint32_t offsets[] = {16, 20, 256, 0x10000, 0x80000000, 0xFFFFFF00};
    static const float ones[4] = {1, 1, 1, 1};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_4_0);
    agpu_put_filled_buffer(r, 40, ones, sizeof ones);
    agpu_put_registers(r, PS, 0, 0, 1, ones); /* no binding shows it */
    for (uint32_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        agpu_put_clear_color(r, 0, 0, 1, 1);
        agpu_put_constants(r, PS, 0, 40, offsets[i], i % 2 ? 16 : 0);
        agpu_put_draw(r, 3);
        agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    }
    agpu_put_constants(r, PS, 0, 40, 0, 0);
    agpu_put_draw(r, 3);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* With 32-bit indices, FFFF must be an ordinary index and FFFFFFFF must cut. */
static void wide_index_ffff(struct agpu_test *t)
{
    static const uint32_t indices[] = {0xFFFE, 0xFFFF, 0x10000, 0x10001};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_filled_buffer(r, AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(r, AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    for (uint32_t i = 0; i < 2; i++) { /* the second round has no first use */
        agpu_put_clear_color(r, 0, 0, 1, 1);
        agpu_put_draw_indexed(r, 4)->base_vertex = -0xFFFE;
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    }
}

static uint32_t one_texel(uint32_t x, uint32_t y)
{
    return x == 4 && y == 6 ? AGPU_WHITE : AGPU_NOTHING;
}

/* A viewport that covers the centre of one texel must draw it, however small it is. */
static void small_viewports(struct agpu_test *t)
{
    static const struct agpu_viewport small[] = {{4, 6, 1, 1, 0, 1},
                                                 {4.25f, 6.25f, 0.5f, 0.5f, 0, 1},
                                                 {4.25f, 6, 0.5f, 1, 0, 1},
                                                 {4, 6.25f, 1, 0.5f, 0, 1}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_viewport(r, &small[i]);
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_expect(t, one_texel, 0));
    }
}

/* A viewport that does not touch the target must draw nothing. Known devices move such viewports; the next valid one
 * must work. */
static void outer_viewports(struct agpu_test *t)
{
    static const struct agpu_viewport outer[] = {{-20, 0, 16, 16, 0, 1},   {0, -20, 16, 16, 0, 1},
                                                 {16, 0, 16, 16, 0, 1},    {0, 16, 16, 16, 0, 1},
                                                 {-16, -16, 16, 16, 0, 1}, {20000, 20000, 5, 5, 0, 1}};
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t texels[AGPU_IMAGE_TEXELS];
    bool refused, moved = false;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t i = 0; i < sizeof outer / sizeof outer[0]; i++) {
        agpu_put_viewport(r, &outer[i]);
        agpu_put_draw(r, 4);
    }
    if (t->env->model) {
        agpu_expect_all(t, AGPU_NOTHING, 0);
        return;
    }
    agpu_return_unless(agpu_run_unsettled(t, &refused));
    agpu_return_unless(
        agpu_scene_read(t, AGPU_TARGET, AEROGPU_FORMAT_R8G8B8A8_UNORM, AGPU_EDGE, AGPU_EDGE, texels));
    for (uint32_t i = 0; i < AGPU_EDGE * AGPU_EDGE; i++) {
        moved = moved || texels[i] != AGPU_NOTHING;
    }
    agpu_choice(t, "viewport_beside_the_target",
                refused ? "refused"
                : moved ? "moved onto it"
                        : "draws nothing");
    agpu_put_viewport(r, &(struct agpu_viewport){0, 0, AGPU_EDGE, AGPU_EDGE, 0, 1});
    agpu_scene_recovers(t);
}

static const struct agpu_case render_beyond_cases[] = {
    AGPU_SCENE_CASE("render.beyond.vertices", "commands.md 15", 0, vertices_beyond),
    AGPU_SCENE_CASE("render.beyond.constants", "commands.md 10", 0, constants_beyond),
    AGPU_SCENE_CASE("render.beyond.wide_index_ffff", "commands.md 15", 0, wide_index_ffff),
    AGPU_SCENE_CASE("render.beyond.small_viewports", "commands.md 8", 0, small_viewports),
    AGPU_SCENE_CASE("render.beyond.outer_viewports", "commands.md 8", 0, outer_viewports),
};

AGPU_CASE_TABLE(agpu_cases_render_beyond, render_beyond_cases);
