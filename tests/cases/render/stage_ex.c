/* stage_ex.c: stage_ex in every packet that has one: another number of the compute stage, without meaning for other
 * stages and in streams of older minors (commands.md 4). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"

#define CS AEROGPU_SHADER_STAGE_COMPUTE
#define PS AEROGPU_SHADER_STAGE_PIXEL

/* The values that commands.md 4 permits in each packet. */
struct ex_values {
    uint32_t shader, texture, samplers, registers, views, unordered, dispatch;
};

static uint32_t ex_texels[16], ex_words[16];

static void put_texture_of(struct agpu_rig *r, uint32_t stage, uint32_t stage_ex, uint32_t slot,
                           uint32_t texture)
{
    struct aerogpu_cmd_set_texture *set = agpu_rig_packet(r, AEROGPU_CMD_SET_TEXTURE, sizeof *set);

    set->shader_stage = stage;
    set->reserved0 = stage_ex;
    set->slot = slot;
    set->texture = texture;
}

static void put_samplers_of(struct agpu_rig *r, uint32_t stage, uint32_t stage_ex, uint32_t slot,
                            uint32_t sampler)
{
    struct aerogpu_cmd_set_samplers *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_SAMPLERS, (uint32_t)sizeof *set + 4);

    set->shader_stage = stage;
    set->reserved0 = stage_ex;
    set->start_slot = slot;
    set->sampler_count = 1;
    memcpy(set + 1, &sampler, sizeof sampler);
}

static void put_view_of(struct agpu_rig *r, uint32_t stage, uint32_t stage_ex, uint32_t slot, uint32_t buffer)
{
    struct aerogpu_cmd_set_shader_resource_buffers *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, (uint32_t)sizeof *set + 16);

    set->shader_stage = stage;
    set->reserved0 = stage_ex;
    set->start_slot = slot;
    set->buffer_count = 1;
    memcpy(set + 1, &buffer, sizeof buffer);
}

static void ex_values_made(void)
{
    for (uint32_t i = 0; i < 16; i++) {
        ex_texels[i] = AGPU_RGBA(i * 16, 255 - i, i * 3, 200 + i);
        ex_words[i] = 100 + i;
    }
}

/* Creates buffers, a texture and a sampler for the two dispatches below, without binding them. */
static void put_ex_things(struct agpu_rig *r)
{
    ex_values_made();
    agpu_put_create_texture(r, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0, 0);
    agpu_put_upload(r, 30, 0, ex_texels, sizeof ex_texels);
    agpu_put_sampler(r, 0, 31, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    agpu_put_filled_buffer(r, 40, ex_words, sizeof ex_words);
    agpu_put_filled_buffer(r, 41, NULL, sizeof ex_words);
    agpu_put_filled_buffer(r, 42, NULL, 2 * sizeof ex_texels);
}

/* Dispatches one shader that reads a texture through a sampler, and one that multiplies a buffer by a register. */
static void put_ex_work(struct agpu_rig *r, const struct ex_values *ex)
{
    static const uint32_t factor[4] = {3};

    agpu_put_shader_bytes(r, 60, CS, ex->shader, agpu_cs_texture_5_0.words, agpu_cs_texture_5_0.size_bytes);
    agpu_put_shader_bytes(r, 61, CS, ex->shader, agpu_cs_scale_5_0.words, agpu_cs_scale_5_0.size_bytes);
    put_texture_of(r, CS, ex->texture, 3, 30);
    put_samplers_of(r, CS, ex->samplers, 2, 31);
    agpu_put_uav_of(r, CS, ex->unordered, 0, 42);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = 60});
    agpu_put_dispatch(r, 1, 1, 1)->reserved0 = ex->dispatch;
    agpu_put_registers(r, CS, ex->registers, 0, 1, factor);
    put_view_of(r, CS, ex->views, 2, 40);
    agpu_put_uav_of(r, CS, ex->unordered, 1, 41);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = 61});
    agpu_put_dispatch(r, 1, 1, 1)->reserved0 = ex->dispatch;
}

/* Checks the results of both. */
static void check_ex_work(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t seen[32];

    for (uint32_t i = 0; i < 16; i++) {
        seen[i] = seen[16 + i] = ex_texels[i];
        ex_words[i] *= 3;
    }
    agpu_put_readback(r, 42, 0, sizeof seen);
    agpu_return_unless(agpu_run_clean(t) && agpu_check_readback(t, seen, sizeof seen));
    agpu_put_readback_done(r);
    agpu_put_readback(r, 41, 0, sizeof ex_words);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, ex_words, sizeof ex_words);
}

/* Given stage_ex 5, the other number of the compute stage, in every packet, the compute shader must find all its
 * bindings. */
static void ex_of_compute(struct agpu_test *t)
{
    static const struct ex_values five = {5, 5, 5, 5, 5, 5, 5};

    agpu_return_unless(agpu_draws_shaders(t));
    put_ex_things(agpu_rig_of(t));
    put_ex_work(agpu_rig_of(t), &five);
    check_ex_work(t);
}

/* In a stream of minor 2, which has no stage_ex, every binding must be the compute stage's, even with values that would
 * be an error. */
static void ex_of_old_streams(struct agpu_test *t)
{
    static const struct ex_values values = {.shader = AEROGPU_SHADER_STAGE_EX_HULL,
                                            .texture = AEROGPU_SHADER_STAGE_EX_DOMAIN,
                                            .samplers = 1,
                                            .registers = AEROGPU_SHADER_STAGE_EX_GEOMETRY,
                                            .views = AEROGPU_SHADER_STAGE_EX_HULL,
                                            .unordered = 6,
                                            .dispatch = AEROGPU_SHADER_STAGE_EX_HULL};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    put_ex_things(r);
    agpu_return_unless(agpu_run_clean(t));
    put_ex_work(r, &values);
    agpu_return_unless(agpu_run_of_minor(t, 2));
    check_ex_work(t);
}

/* For vertex, pixel and geometry stage, stage_ex must have no effect. */
static void ex_of_other_stages(struct agpu_test *t)
{
    static const uint32_t values[] = {1, 3, 6, UINT32_MAX};
    static const uint32_t texel = AGPU_WHITE;
    static const float ones[4] = {1, 1, 1, 1};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_put_create_texture(r, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 1, 1, 0, 0);
    agpu_put_upload(r, 30, 0, &texel, sizeof texel);
    agpu_put_sampler(r, 0, 31, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_put_filled_buffer(r, 40, ones, sizeof ones);
    for (uint32_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        agpu_put_shader_bytes(r, 60 + i, PS, values[i], agpu_ps_textured_4_0.words,
                              agpu_ps_textured_4_0.size_bytes);
        agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = 60 + i});
        put_texture_of(r, PS, values[i], 0, 30);
        put_samplers_of(r, PS, values[i], 0, 31);
        put_texture_of(r, AEROGPU_SHADER_STAGE_GEOMETRY, values[i], 0, 30);
        put_samplers_of(r, AEROGPU_SHADER_STAGE_VERTEX, values[i], 0, 31);
        agpu_put_registers(r, PS, values[i], 0, 1, ones);
        agpu_put_constants_of(r, AEROGPU_SHADER_STAGE_VERTEX, values[i], 3, 40);
        put_view_of(r, PS, values[i], 9, 40);
        agpu_put_clear_color(r, 0, 0, 1, 1);
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
        put_texture_of(r, PS, values[i], 0, 0);
    }
}

static const struct agpu_case render_stage_ex_cases[] = {
    AGPU_SCENE_CASE("compute.stage_ex.of_compute", "commands.md 4", 0, ex_of_compute),
    AGPU_SCENE_CASE("compute.stage_ex.of_old_streams", "commands.md 4", 0, ex_of_old_streams),
    AGPU_SCENE_CASE("render.stage_ex.of_other_stages", "commands.md 4", 0, ex_of_other_stages),
};

AGPU_CASE_TABLE(agpu_cases_render_stage_ex, render_stage_ex_cases);
