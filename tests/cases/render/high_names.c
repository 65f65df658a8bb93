/* high_names.c: handles with high bits in every packet that names something, while their low bits name another object
 * (commands.md 2). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/shared_surface.h"

#define RGBA     AEROGPU_FORMAT_R8G8B8A8_UNORM
#define PS       AEROGPU_SHADER_STAGE_PIXEL
#define CS       AEROGPU_SHADER_STAGE_COMPUTE
#define HIGH(n)  (0x91000000u + (n)) /* differs from n only above 24 bits */
#define HIGH_MEM 9u

/* A draw must resolve all bits of every handle that it uses. */
static void high_handles_draw(struct agpu_test *t)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_TEXCOORD, 0, 16, 0, 16, 0}};
    static const float quad[4][6] = {
        {-1, 1, 0.5f, 1, 0, 0}, {1, 1, 0.5f, 1, 1, 0}, {-1, -1, 0.5f, 1, 0, 1}, {1, -1, 0.5f, 1, 1, 1}};
    static const float green[4] = {0, 1, 0, 1};
    static const uint32_t indices[] = {0, 1, 2, 3}, white = AGPU_WHITE;
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    agpu_put_target(r, HIGH(AGPU_TARGET), RGBA, AGPU_EDGE, AGPU_EDGE);
    agpu_put_target(r, HIGH(30), AEROGPU_FORMAT_D32_FLOAT, AGPU_EDGE, AGPU_EDGE);
    agpu_put_targets(r, HIGH(AGPU_TARGET), HIGH(30));
    agpu_put_clear_depth(r, 1, 0);
    agpu_put_depth_state(r, 1, 1, AEROGPU_COMPARE_LESS);
    agpu_put_shader(r, HIGH(AGPU_VS), &agpu_vs_textured_4_0);
    agpu_put_shader(r, HIGH(AGPU_PS), &agpu_ps_textured_4_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = HIGH(AGPU_VS), .ps = HIGH(AGPU_PS)});
    agpu_put_filled_buffer(r, HIGH(AGPU_VERTICES), quad, sizeof quad);
    agpu_put_vertex_buffer(r, 0, HIGH(AGPU_VERTICES), sizeof quad[0], 0);
    agpu_put_filled_buffer(r, HIGH(AGPU_INDICES), indices, sizeof indices);
    agpu_put_index_buffer(r, HIGH(AGPU_INDICES), AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_layout(r, HIGH(AGPU_LAYOUT), elements, 2);
    agpu_put_create_texture(r, HIGH(31), RGBA, 1, 1, 0, 0);
    agpu_put_upload(r, HIGH(31), 0, &white, sizeof white);
    agpu_put_texture_slot(r, PS, 0, HIGH(31));
    agpu_put_sampler(r, 0, HIGH(32), AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    agpu_put_draw_indexed(r, 4);
    agpu_return_unless(agpu_expect_target_all(t, HIGH(AGPU_TARGET), RGBA, AGPU_WHITE, 0));
    agpu_return_unless(agpu_expect_depth(t, HIGH(30), AEROGPU_FORMAT_D32_FLOAT, UINT32_MAX,
                                         agpu_float_bits(0.5f), agpu_float_bits(0.5f)));
    agpu_put_depth_state(r, 0, 0, AEROGPU_COMPARE_ALWAYS);
    agpu_put_shader(r, HIGH(60), &agpu_ps_constant_4_0);
    agpu_put_filled_buffer(r, HIGH(40), green, sizeof green);
    agpu_put_constants(r, PS, 0, HIGH(40), 0, 0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = HIGH(AGPU_VS), .ps = HIGH(60)});
    agpu_put_draw_indexed(r, 4);
    agpu_expect_target_all(t, HIGH(AGPU_TARGET), RGBA, AGPU_GREEN, 0);
}

/* A dispatch must resolve all bits of every handle that it uses. */
static void high_handles_dispatch(struct agpu_test *t)
{
    static const uint32_t factor[4] = {3}, sources[16] = {7, 8}, results[16] = {21, 24};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_put_filled_buffer(r, HIGH(40), sources, sizeof sources);
    agpu_put_filled_buffer(r, HIGH(41), NULL, sizeof results);
    agpu_put_filled_buffer(r, HIGH(42), factor, sizeof factor);
    agpu_put_shader(r, HIGH(AGPU_CS), &agpu_cs_scale_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = HIGH(AGPU_CS)});
    agpu_put_constants(r, CS, 0, HIGH(42), 0, 0);
    agpu_put_srv(r, CS, 2, HIGH(40), 0, 0);
    agpu_put_uav(r, 1, HIGH(41), 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_readback(r, HIGH(41), 0, sizeof results);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, results, sizeof results);
}

/* Each resource packet must resolve all bits of its handle: the destroyed object is gone, the one that its low bits
 * name is not. */
static void high_handles_resources(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = r->memory[0].cpu;
    uint8_t data[256];

    for (uint32_t round = 0; round < 2; round++) {
        agpu_fill_pattern(data, sizeof data, 60 + round);
        memset(memory, 0xAB, 1024);
        agpu_rig_alloc(r, HIGH_MEM, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_create_buffer(r, HIGH(1), sizeof data, 0, 0);
        agpu_put_upload(r, HIGH(1), 0, data, sizeof data);
        agpu_put_create_buffer(r, HIGH(2), sizeof data, HIGH_MEM, 0);
        agpu_put_dirty(r, HIGH(2), 0, sizeof data);
        agpu_put_copy_buffer(r, HIGH(2), 0, HIGH(1), 0, sizeof data, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        agpu_put_create_texture(r, HIGH(3), RGBA, 8, 8, 0, 0);
        agpu_put_export(r, HIGH(3), AGPU_TOKEN + round);
        agpu_put_import(r, HIGH(5), AGPU_TOKEN + round);
        agpu_put_upload(r, HIGH(5), 0, data, sizeof data);
        agpu_put_create_texture(r, HIGH(4), RGBA, 8, 8, 32, HIGH_MEM)->backing_offset_bytes = 512;
        agpu_put_dirty(r, HIGH(4), 0, sizeof data);
        agpu_put_copy_texture(r, HIGH(4), HIGH(3), 8, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_eq_mem(t, memory, data, sizeof data));
        agpu_return_unless(agpu_check_eq_mem(t, memory + 512, data, sizeof data));
        for (uint32_t i = 1; i <= 5; i++) { /* otherwise they could not be created again */
            agpu_put_destroy(r, HIGH(i));
        }
        agpu_return_unless(agpu_run_clean(t));
    }
    agpu_put_create_buffer(r, 1, 64, 0, 0);
    agpu_put_create_texture(r, 3, RGBA, 4, 4, 0, 0);
    agpu_put_destroy(r, HIGH(1));
    agpu_put_destroy(r, HIGH(3));
    agpu_put_upload(r, 1, 0, data, 64);
    agpu_put_upload(r, 3, 0, data, 64);
    agpu_run_clean(t);
}

/* Given handles of view and texture with high bits set, view packets must resolve all of them: a clear through the view
 * fills the texture. */
static void high_handles_views(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS));
    for (uint32_t round = 0; round < 2; round++) {
        struct aerogpu_cmd_destroy_texture_view *destroy;

        agpu_put_target(r, HIGH(30), RGBA, AGPU_EDGE, AGPU_EDGE);
        agpu_put_view(r, HIGH(31), HIGH(30), RGBA);
        agpu_put_targets(r, HIGH(31), 0);
        agpu_put_clear_color(r, 1, 1, 1, 1);
        agpu_return_unless(agpu_expect_target_all(t, HIGH(30), RGBA, AGPU_WHITE, 0));
        destroy = agpu_rig_packet(r, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, sizeof *destroy);
        destroy->view_handle = HIGH(31);
        agpu_put_destroy(r, HIGH(30));
        agpu_return_unless(agpu_run_clean(t));
    }
}

static const struct agpu_case render_high_names_cases[] = {
    AGPU_SCENE_CASE("render.handle.high_in_draws", "commands.md 2", 0, high_handles_draw),
    AGPU_SCENE_CASE("compute.handle.high", "commands.md 2", 0, high_handles_dispatch),
    AGPU_SCENE_CASE("buffer.handle.high_in_each_packet", "commands.md 2", 0, high_handles_resources),
    AGPU_SCENE_CASE("texture.handle.high_in_views", "commands.md 2", 0, high_handles_views),
};

AGPU_CASE_TABLE(agpu_cases_render_high_names, render_high_names_cases);
