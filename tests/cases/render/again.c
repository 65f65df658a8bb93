/* again.c: objects that are created or bound a second time behave like new ones: samplers, shaders, index formats,
 * parts of buffers. Also the effect of other stages and of a ring reset on them (commands.md 7, 9, 10, 15; device.md
 * 4.2). */
#include <string.h>

#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"

#define PS      AEROGPU_SHADER_STAGE_PIXEL
#define CS      AEROGPU_SHADER_STAGE_COMPUTE
#define TEXTURE 30u
#define SAMPLER 31u
#define WORDS   16u

/* Draws with a sampler of these values under this handle. */
static bool draw_sampled(struct agpu_test *t, uint32_t handle, const uint8_t values[3],
                         uint32_t texels[AGPU_IMAGE_TEXELS])
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_create_sampler *create =
        agpu_rig_packet(r, AEROGPU_CMD_CREATE_SAMPLER, sizeof *create);

    create->sampler_handle = handle;
    create->filter = values[0];
    create->address_u = values[1];
    create->address_v = values[2];
    agpu_put_sampler_slot(r, PS, 0, handle);
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_put_draw(r, 4);
    return agpu_scene_read(t, AGPU_TARGET, AEROGPU_FORMAT_R8G8B8A8_UNORM, AGPU_EDGE, AGPU_EDGE, texels);
}

/* A sampler that is created again with changed values, alone and together, must give the picture of a new one. */
static void sampler_again(struct agpu_test *t)
{
    static const uint8_t values[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 2},
                                        {0, 1, 2}, {0, 2, 1}, {0, 2, 0}, {1, 0, 1}};
    static const uint32_t four[] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};
    static uint32_t first[AGPU_IMAGE_TEXELS], again[AGPU_IMAGE_TEXELS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 3);
    agpu_put_create_texture(r, TEXTURE, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2, 2, 0, 0);
    agpu_put_upload(r, TEXTURE, 0, four, sizeof four);
    agpu_put_texture_slot(r, PS, 0, TEXTURE);
    for (uint32_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        agpu_return_unless(draw_sampled(t, SAMPLER + 1 + i, values[i], first));
        agpu_return_unless(draw_sampled(t, SAMPLER, values[i], again));
        agpu_return_unless(agpu_check_memory(t, again, first, sizeof first,
                                             "a picture with a sampler made again is that with a new one",
                                             AGPU_HERE));
    }
}

/* The handle of a vertex shader must be usable for a pixel shader, and the other way round. */
static void shader_again(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t vs = 60 + i % 2, ps = 61 - i % 2;

        agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
        agpu_put_shader(r, vs, &agpu_vs_color_4_0);
        agpu_put_shader(r, ps, &agpu_ps_color_4_0);
        agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = vs, .ps = ps});
        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    }
}

/* One index buffer must be read in turn as 16-bit indices, of which the first four make no triangle, and as 32-bit
 * indices. */
static void index_format_again(struct agpu_test *t)
{
    static const uint32_t indices[] = {0, 1, 2, 3};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_filled_buffer(r, AGPU_INDICES, indices, sizeof indices);
    for (uint32_t i = 0; i < 4; i++) {
        const bool wide = i % 2 != 0;

        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_index_buffer(r, AGPU_INDICES,
                              wide ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16, 0);
        agpu_put_draw_indexed(r, 4);
        agpu_return_unless(agpu_expect_all(t, wide ? AGPU_WHITE : AGPU_NOTHING, 0));
    }
}

/* Runs the stream with one dispatch and checks the words of the result. */
static bool dispatch_gives(struct agpu_test *t, uint32_t result, const uint32_t words[WORDS])
{
    struct agpu_rig *r = agpu_rig_of(t);
    bool ok;

    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_readback(r, result, 0, WORDS * 4);
    ok = agpu_run_clean(t) && agpu_check_readback(t, words, WORDS * 4);
    agpu_put_readback_done(r);
    return ok;
}

/* Sets up cs_scale by 3 from buffer 40 to buffer 41, which is zero. */
static void put_tripling(struct agpu_rig *r, const uint32_t source[WORDS])
{
    static const uint32_t factor[4] = {3};

    agpu_put_filled_buffer(r, 40, source, WORDS * 4);
    agpu_put_filled_buffer(r, 41, NULL, WORDS * 4);
    agpu_put_filled_buffer(r, 42, factor, sizeof factor);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_scale_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = AGPU_CS});
    agpu_put_constants(r, CS, 0, 42, 0, 0);
    agpu_put_srv(r, CS, 2, 40, 0, 0);
    agpu_put_uav(r, 1, 41, 0, 0);
}

/* Starts with that, and with source words and their tripled values. */
static bool begin_tripling(struct agpu_test *t, uint32_t source[WORDS], uint32_t tripled[WORDS])
{
    for (uint32_t i = 0; i < WORDS; i++) {
        source[i] = 7 + i * i;
        tripled[i] = 3 * source[i];
    }
    if (!agpu_draws_shaders(t)) {
        return false;
    }
    put_tripling(agpu_rig_of(t), source);
    return true;
}

/* After a part of a buffer, the whole of it must be bindable with size 0: as view, as texture and for writing. */
static void parts_again(struct agpu_test *t)
{
    uint32_t source[WORDS], tripled[WORDS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_tripling(t, source, tripled));
    for (uint32_t kind = 0; kind < 4; kind++) {
        const uint32_t zeros[WORDS] = {0};

        agpu_put_upload(r, 41, 0, zeros, sizeof zeros);
        switch (kind) {
        case 0:
            agpu_put_srv(r, CS, 2, 40, 0, 16);
            agpu_put_srv(r, CS, 2, 40, 0, 0);
            break;
        case 1:
            agpu_put_srv(r, CS, 2, 40, 32, 16);
            agpu_put_texture_slot(r, CS, 2, 40);
            break;
        case 2:
            agpu_put_uav(r, 1, 41, 16, 16);
            agpu_put_uav(r, 1, 41, 0, 0);
            break;
        default:
            agpu_put_constants(r, CS, 0, 42, 4, 4);
            agpu_put_constants(r, CS, 0, 42, 0, 0);
            break;
        }
        agpu_return_unless(dispatch_gives(t, 41, tripled));
    }
}

/* A binding of another stage must not remove one of the compute stage. */
static void other_stages(struct agpu_test *t)
{
    static const uint32_t stages[] = {AEROGPU_SHADER_STAGE_VERTEX, PS, AEROGPU_SHADER_STAGE_GEOMETRY};
    const uint32_t zeros[WORDS] = {0};
    uint32_t source[WORDS], tripled[WORDS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_tripling(t, source, tripled));
    agpu_put_create_texture(r, TEXTURE, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2, 2, 0, 0);
    agpu_put_filled_buffer(r, 43, source, sizeof source);
    agpu_put_sampler(r, 0, SAMPLER, 0, 0);
    for (uint32_t i = 0; i < 2 * sizeof stages / sizeof stages[0]; i++) {
        const uint32_t stage = stages[i / 2];

        for (uint32_t slot = 0; slot < 8; slot++) {
            agpu_put_texture_slot(r, stage, slot, i % 2 == 0 ? TEXTURE : 0);
            agpu_put_constants(r, stage, slot, i % 2 == 0 ? 43 : 0, 0, 0);
            agpu_put_sampler_slot(r, stage, slot, i % 2 == 0 ? SAMPLER : 0);
        }
        agpu_put_upload(r, 41, 0, zeros, sizeof zeros);
        agpu_return_unless(dispatch_gives(t, 41, tripled));
    }
}

/* A dispatch that follows a refused one must work. */
static void dispatch_behind_refused(struct agpu_test *t)
{
    uint32_t source[WORDS], tripled[WORDS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_tripling(t, source, tripled));
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = 0});
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    put_tripling(r, source);
    dispatch_gives(t, 41, tripled);
}

/* Runs cs_slots with float registers alone: its first word is the first float of register 1. */
static bool registers_give(struct agpu_test *t, uint32_t bits)
{
    const uint32_t words[WORDS] = {bits};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_filled_buffer(r, 40, NULL, WORDS * 4);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_slots_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = AGPU_CS});
    agpu_put_uav(r, 7, 40, 0, 0);
    return dispatch_gives(t, 40, words);
}

/* A ring reset must clear the float registers of the compute stage, which no draw shows. */
static void reset_registers(struct agpu_test *t)
{
    const float values[4] = {0.5f, 1, 2, 3};

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_put_registers(agpu_rig_of(t), CS, 0, 1, 1, values);
    agpu_return_unless(registers_give(t, agpu_float_bits(0.5f)));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    t->env->rig.fence = 0;
    agpu_rig_begin_over(&t->env->rig);
    registers_give(t, 0);
}

static const struct agpu_case render_again_cases[] = {
    AGPU_SCENE_CASE("render.remade.sampler", "commands.md 10", 0, sampler_again),
    AGPU_SCENE_CASE("render.remade.shader_of_other_stage", "commands.md 15", 0, shader_again),
    AGPU_SCENE_CASE("render.remade.index_format", "commands.md 9", 0, index_format_again),
    AGPU_SCENE_CASE("compute.again.parts_of_buffers", "commands.md 10", 0, parts_again),
    AGPU_SCENE_CASE("compute.beside_other_stages", "commands.md 10", 0, other_stages),
    AGPU_SCENE_CASE("compute.behind_refused", "commands.md 3", 0, dispatch_behind_refused),
    AGPU_SCENE_CASE("compute.registers_after_reset", "device.md 4.2", 0, reset_registers),
};

AGPU_CASE_TABLE(agpu_cases_render_again, render_again_cases);
