/* compute.c: compute shaders: groups, buffer views of both kinds, chains; buffers that other stages
 * write (commands.md 10, 11, 15). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"

#define CS AEROGPU_SHADER_STAGE_COMPUTE

static void put_compute(struct agpu_test *t, uint32_t handle, const struct agpu_shader_blob *shader)
{
    agpu_put_shader(agpu_rig_of(t), handle, shader);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.cs = handle});
}

/* Runs the stream and checks the first words of the buffer. */
static bool expect_words(struct agpu_test *t, uint32_t buffer, const void *words, uint32_t bytes)
{
    bool ok;

    agpu_put_readback(agpu_rig_of(t), buffer, 0, bytes);
    ok = agpu_run_clean(t) && agpu_check_readback(t, words, bytes);
    agpu_put_readback_done(agpu_rig_of(t));
    return ok;
}

/* Views of one buffer with the same start and different sizes, the smaller one first, in one submission and in several,
 * must each have the size of their binding. */
static void compute_view_sizes(struct agpu_test *t)
{
    static const uint32_t sizes[] = {64, 128, 4, 256, 32, 0};
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t words[64];

    agpu_return_unless(agpu_draws_shaders(t));
    put_compute(t, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_filled_buffer(r, 39, NULL, sizeof words);
    agpu_put_filled_buffer(r, 40, NULL, sizeof words);
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t end = sizes[i] != 0 ? sizes[i] / 4 : 64;

        agpu_put_uav(r, 0, 0, 0, 0);
        agpu_put_copy_buffer(r, 40, 0, 39, 0, sizeof words, AEROGPU_COPY_FLAG_NONE); /* zeros */
        agpu_put_uav(r, 0, 40, 0, sizes[i]);
        agpu_put_dispatch(r, 1, 1, 1);
        for (uint32_t w = 0; w < 64; w++) {
            words[w] = w < end ? w * 3 + 1 : 0;
        }
        agpu_return_unless(expect_words(t, 40, words, sizeof words));
    }
    agpu_put_copy_buffer(r, 40, 0, 39, 0, sizeof words, AEROGPU_COPY_FLAG_NONE);
    for (uint32_t i = 0; i < 3; i++) { /* 64 bytes, then 128, then 4 */
        agpu_put_uav(r, 0, 40, 0, sizes[i]);
        agpu_put_dispatch(r, 1, 1, 1);
    }
    for (uint32_t w = 0; w < 64; w++) {
        words[w] = w < 32 ? w * 3 + 1 : 0;
    }
    expect_words(t, 40, words, sizeof words);
}

/* Views of one size at different offsets of one buffer, in one submission, must each reach their own part. */
static void compute_view_offsets(struct agpu_test *t)
{
    enum { PART = 256, PARTS = 4 };
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t words[PART / 4 * PARTS];

    agpu_return_unless(agpu_draws_shaders(t));
    put_compute(t, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_filled_buffer(r, 40, NULL, sizeof words);
    for (uint32_t i = 0; i < PARTS; i++) {
        if (i != 1) {
            agpu_put_uav(r, 0, 40, i * PART, PART);
            agpu_put_dispatch(r, 1, 1, 1);
        }
    }
    for (uint32_t w = 0; w < sizeof words / 4; w++) {
        words[w] = w / (PART / 4) == 1 ? 0 : w % (PART / 4) * 3 + 1;
    }
    expect_words(t, 40, words, sizeof words);
}

/* A view of more than 1 MiB must be filled to its end by 4100 groups. */
static void compute_wide_view(struct agpu_test *t)
{
    enum { GROUPS = 4100, BYTES = GROUPS * 256 };
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t words[64];

    agpu_return_unless(agpu_draws_shaders(t));
    put_compute(t, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_create_buffer(r, 40, BYTES, 0, 0)->usage_flags |= AEROGPU_RESOURCE_USAGE_STORAGE;
    agpu_put_uav(r, 0, 40, 0, 0);
    agpu_put_dispatch(r, GROUPS, 1, 1);
    agpu_put_readback(r, 40, BYTES - sizeof words, sizeof words);
    for (uint32_t w = 0; w < 64; w++) {
        words[w] = (uint32_t)((BYTES - sizeof words) / 4 + w) * 3 + 1;
    }
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, words, sizeof words);
}

/* Views that start above 64 KiB and constants above 16 MiB must work; lists without elements in front of the dispatch
 * have no effect. */
static void compute_far_views(struct agpu_test *t)
{
    enum { BYTES = 0x20100, FAR = 0x10100, FARTHER = 0x1010100, WORDS = 16 };
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t source[WORDS], near[WORDS], words[WORDS];
    static const uint32_t factor[4] = {3};

    agpu_return_unless(agpu_draws_shaders(t));
    for (uint32_t i = 0; i < WORDS; i++) {
        source[i] = 0x100 + i;
        near[i] = 0x9000 + i;
        words[i] = (0x100 + i) * 3;
    }
    for (uint32_t i = 0; i < 3; i++) {
        agpu_put_create_buffer(r, 40 + i, i < 2 ? BYTES : FARTHER + 16, 0, 0)->usage_flags |=
            AEROGPU_RESOURCE_USAGE_STORAGE | AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER;
    }
    agpu_put_upload(r, 40, FAR, source, sizeof source);
    agpu_put_upload(r, 40, FAR & 0xFFFF, near, sizeof near);
    agpu_put_upload(r, 41, FAR & 0xFFFF, near, sizeof near);
    agpu_put_upload(r, 42, FARTHER, factor, sizeof factor); /* elsewhere it is 0 */
    put_compute(t, AGPU_CS, &agpu_cs_scale_5_0);
    agpu_put_srv(r, CS, 2, 40, FAR, 0);
    agpu_put_uav(r, 1, 41, FAR, 0);
    agpu_put_constants(r, CS, 0, 42, FARTHER, 16);
    agpu_put_empty_lists(r, CS);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_readback(r, 41, FAR, sizeof words);
    agpu_return_unless(agpu_run_clean(t) && agpu_check_readback(t, words, sizeof words));
    agpu_put_readback_done(r);
    agpu_put_readback(r, 41, FAR & 0xFFFF, sizeof near);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, near, sizeof near);
}

/* 3 groups of 64 threads must write through a view that starts at byte 64. */
static void compute_fill(struct agpu_test *t)
{
    static const struct agpu_shader_blob *const shaders[] = {&agpu_cs_fill_4_0, &agpu_cs_fill_5_0};
    uint32_t words[256];

    agpu_return_unless(agpu_draws_shaders(t));
    for (uint32_t i = 0; i < 256; i++) {
        words[i] = i < 16 || i >= 16 + 192 ? 0 : (i - 16) * 3 + 1;
    }
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_filled_buffer(agpu_rig_of(t), 40 + i, NULL, sizeof words);
        put_compute(t, 60 + i, shaders[i]);
        agpu_put_uav(agpu_rig_of(t), 0, 40 + i, 64, 0);
        agpu_put_dispatch(agpu_rig_of(t), 3, 1, 1);
        agpu_return_unless(expect_words(t, 40 + i, words, sizeof words));
    }
}

/* A compute shader with a loop must compute the right words. */
static void compute_loop(struct agpu_test *t)
{
    uint32_t words[64];

    agpu_return_unless(agpu_draws_shaders(t));
    for (uint32_t i = 0; i < 64; i++) {
        words[i] = i * (i + 1) / 2;
    }
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, sizeof words);
    put_compute(t, AGPU_CS, &agpu_cs_loop_5_0);
    agpu_put_uav(agpu_rig_of(t), 0, 40, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 8, 1, 1);
    expect_words(t, 40, words, sizeof words);
}

/* A dispatch must read the result of the previous one, and write nothing after the end of a view. */
static void compute_chain(struct agpu_test *t)
{
    static const uint32_t factor[4] = {5};
    uint32_t words[64];

    agpu_return_unless(agpu_draws_shaders(t));
    for (uint32_t i = 0; i < 64; i++) {
        words[i] = i < 50 ? i * (i + 1) / 2 * 5 : 0;
    }
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, sizeof words);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, sizeof words);
    agpu_put_filled_buffer(agpu_rig_of(t), 42, factor, sizeof factor);
    put_compute(t, 60, &agpu_cs_loop_5_0);
    agpu_put_uav(agpu_rig_of(t), 0, 40, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 8, 1, 1);
    put_compute(t, 61, &agpu_cs_scale_5_0);
    agpu_put_uav(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_srv(agpu_rig_of(t), CS, 2, 40, 0, 0);
    agpu_put_uav(agpu_rig_of(t), 1, 41, 0, 200);
    agpu_put_constants(agpu_rig_of(t), CS, 0, 42, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 4, 1, 1);
    expect_words(t, 41, words, sizeof words);
}

/* A compute shader must read and write structured items with fields of each type. */
static void compute_structured_buffers(struct agpu_test *t)
{
    struct structured_item {
        uint32_t a;
        int32_t b;
        float c, d;
    } in[8], out[8];

    agpu_return_unless(agpu_draws_shaders(t));
    for (uint32_t i = 0; i < 8; i++) {
        in[i] = (struct structured_item){i, (int32_t)i * 10, (float)i, 0.5f * (float)i};
        out[i] = (struct structured_item){i + 1, -(int32_t)i * 10, 0.5f * (float)i, (float)i};
    }
    agpu_put_filled_buffer(agpu_rig_of(t), 40, in, sizeof in);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, sizeof out);
    put_compute(t, AGPU_CS, &agpu_cs_structured_5_0);
    agpu_put_srv(agpu_rig_of(t), CS, 0, 40, 0, 0);
    agpu_put_uav(agpu_rig_of(t), 0, 41, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 2, 1, 1);
    expect_words(t, 41, out, sizeof out);
}

/* Threads of a group must share their group memory. */
static void shared_memory(struct agpu_test *t)
{
    uint32_t in[64], out[8];

    agpu_return_unless(agpu_draws_shaders(t));
    for (uint32_t g = 0; g < 4; g++) {
        for (uint32_t i = 0; i < 16; i++) {
            in[g * 16 + i] = 100 * g + i * 7 % 16;
        }
        out[2 * g] = 1600 * g + 120;
        out[2 * g + 1] = 100 * g + 15;
    }
    agpu_put_filled_buffer(agpu_rig_of(t), 40, in, sizeof in);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, sizeof out);
    put_compute(t, AGPU_CS, &agpu_cs_shared_5_0);
    agpu_put_srv(agpu_rig_of(t), CS, 0, 40, 0, 0);
    agpu_put_uav(agpu_rig_of(t), 0, 41, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 4, 1, 1);
    expect_words(t, 41, out, sizeof out);
}

/* A dispatch must read a guest-backed buffer as the CPU left it; a copy brings back its result. */
static void guest_source(struct agpu_test *t)
{
    static const uint32_t factor[4] = {7};
    uint32_t *guest;
    uint32_t words[16];

    agpu_return_unless(agpu_draws_shaders(t));
    guest = agpu_rig_of(t)->memory[0].cpu;
    for (uint32_t i = 0; i < 16; i++) {
        guest[i] = 1000 + i;
        words[i] = (1000 + i) * 7;
    }
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(agpu_rig_of(t), 40, 64, 10, 0)->usage_flags |= AEROGPU_RESOURCE_USAGE_STORAGE;
    agpu_put_dirty(agpu_rig_of(t), 40, 0, 64);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, 64);
    agpu_put_filled_buffer(agpu_rig_of(t), 42, factor, sizeof factor);
    put_compute(t, AGPU_CS, &agpu_cs_scale_5_0);
    agpu_put_srv(agpu_rig_of(t), CS, 2, 40, 0, 0);
    agpu_put_uav(agpu_rig_of(t), 1, 41, 0, 0);
    agpu_put_constants(agpu_rig_of(t), CS, 0, 42, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 1, 1, 1);
    expect_words(t, 41, words, sizeof words);
}

/* An unbound source must read 0, and writes to an unbound result must be dropped. */
static void compute_unbound(struct agpu_test *t)
{
    static const uint32_t before[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const uint32_t zeros[16];

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_put_filled_buffer(agpu_rig_of(t), 41, before, sizeof before);
    put_compute(t, AGPU_CS, &agpu_cs_scale_5_0);
    agpu_put_dispatch(agpu_rig_of(t), 1, 1, 1);
    agpu_return_unless(expect_words(t, 41, before, sizeof before));
    agpu_put_uav(agpu_rig_of(t), 1, 41, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 1, 1, 1);
    expect_words(t, 41, zeros, sizeof zeros);
}

/* ---- UAVs of graphics stages ---- */

/* Five points pass through a geometry shader that writes a word for each. */
static uint32_t five_points(uint32_t x, uint32_t y)
{
    return y == 0 && x < 5 ? AGPU_RED : AGPU_NOTHING;
}

/* A geometry shader must write a word for each of five points. */
static void geometry_writes(struct agpu_test *t)
{
    static const uint32_t words[8] = {1, 6, 11, 16, 21, 0, 0, 0};
    struct agpu_vertex points[5];

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 5; i++) {
        points[i] = (struct agpu_vertex){
            ((float)i + 0.5f) * 2 / (float)AGPU_EDGE - 1, 1 - 1 / (float)AGPU_EDGE, 0.5f, 1, 1, 0, 0, 1};
    }
    agpu_scene_color(t, points, 5, AEROGPU_TOPOLOGY_POINTLIST);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, sizeof words);
    agpu_put_shader(agpu_rig_of(t), AGPU_GS, &agpu_gs_record_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = AGPU_GS});
    agpu_put_uav_of(agpu_rig_of(t), AEROGPU_SHADER_STAGE_GEOMETRY, 0, 1, 40);
    agpu_put_draw(agpu_rig_of(t), 5);
    agpu_return_unless(agpu_expect(t, five_points, 0));
    expect_words(t, 40, words, sizeof words);
}

/* The hull and domain shader of one patch over the whole target must write their buffers. */
static void tessellation_writes(struct agpu_test *t)
{
    static const uint32_t from_hull[4] = {1, 4, 7, 0}, from_domain[4] = {2, 9, 16, 0};
    const struct agpu_vertex patch[3] = {
        {-1, 1, 0.5f, 1, 0, 0, 1, 1}, {3, 1, 0.5f, 1, 0, 0, 1, 1}, {-1, -3, 0.5f, 1, 0, 0, 1, 1}};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, patch, 3, AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, sizeof from_hull);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, sizeof from_domain);
    agpu_put_shader(agpu_rig_of(t), AGPU_HS, &agpu_hs_record_5_0);
    agpu_put_shader(agpu_rig_of(t), AGPU_DS, &agpu_ds_record_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t),
                          &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = AGPU_HS, .ds = AGPU_DS});
    agpu_put_uav_of(agpu_rig_of(t), CS, AEROGPU_SHADER_STAGE_EX_HULL, 2, 40);
    agpu_put_uav_of(agpu_rig_of(t), CS, AEROGPU_SHADER_STAGE_EX_DOMAIN, 3, 41);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_BLUE, 0));
    agpu_return_unless(expect_words(t, 40, from_hull, sizeof from_hull));
    expect_words(t, 41, from_domain, sizeof from_domain);
}

/* ---- nothing to do, and faults ---- */

/* A dispatch with a group count of 0 must do nothing, without an error. */
static void no_groups(struct agpu_test *t)
{
    static const uint32_t before[4] = {1, 2, 3, 4};

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_put_dispatch(agpu_rig_of(t), 0, 1, 1); /* before any shader is bound */
    agpu_put_filled_buffer(agpu_rig_of(t), 40, before, sizeof before);
    put_compute(t, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_uav(agpu_rig_of(t), 0, 40, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 1, 0, 1);
    agpu_put_dispatch(agpu_rig_of(t), 1, 1, 0);
    expect_words(t, 40, before, sizeof before);
}

/* A dispatch without a compute shader must be refused. */
static void no_shader(struct agpu_test *t)
{
    agpu_return_unless(agpu_draws_shaders(t));
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){0});
    agpu_put_dispatch(agpu_rig_of(t), 1, 1, 1);
    agpu_expect_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

/* A dispatch must be refused if its shader reads a slot with an unknown handle; an unknown handle in a slot of another
 * stage must not matter. */
static void compute_unknown_handles(struct agpu_test *t)
{
    static const uint32_t factor[4] = {3}, sources[16] = {5, 6}, results[16] = {15, 18};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_put_filled_buffer(r, 40, sources, sizeof sources);
    agpu_put_filled_buffer(r, 41, NULL, sizeof results);
    agpu_put_filled_buffer(r, 42, factor, sizeof factor);
    put_compute(t, AGPU_CS, &agpu_cs_scale_5_0);
    agpu_put_constants(r, CS, 0, 42, 0, 0);
    agpu_put_srv(r, CS, 2, 99, 0, 0);
    agpu_put_uav(r, 1, 41, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_srv(r, CS, 2, 40, 0, 0);
    agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, 99);
    agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_VERTEX, 0, 99);
    agpu_put_vertex_buffer(r, 0, 99, 16, 0);
    agpu_put_targets(r, 99, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    expect_words(t, 41, results, sizeof results);
}

/* A dispatch with more groups than Direct3D permits must be refused or do nothing, and the device must continue. */
static void too_many_groups(struct agpu_test *t)
{
    uint32_t words[64];
    bool refused;

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, 64);
    put_compute(t, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_uav(agpu_rig_of(t), 0, 40, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_dispatch(agpu_rig_of(t), UINT32_MAX, 1, 1);
    /* Given more groups than Direct3D dispatches, the device reports an error or does nothing, and continues. */
    agpu_return_unless(agpu_run_either(t, AEROGPU_ERROR_BACKEND, &refused));
    agpu_check(t, refused || !t->env->model);
    agpu_choice(t, "dispatch_of_too_many_groups", refused ? "refused" : "nothing is done");
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, sizeof words);
    agpu_put_uav(agpu_rig_of(t), 0, 41, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 1, 1, 1);
    for (uint32_t i = 0; i < 64; i++) {
        words[i] = i * 3 + 1;
    }
    expect_words(t, 41, words, sizeof words);
}

/* A shader with an endless loop, in more threads than any loop bound could end, must be stopped. */
static void compute_endless(struct agpu_test *t)
{
    /* The model bounds the processor time of its drawing process, and starts another one: on a busy machine a second of
     * it takes ten, which must not decide about the case. In one process: the image's guard bounds the whole case. */
    t->deadline_ns += UINT64_C(60000000000);
    agpu_return_unless(agpu_draws_shaders(t));
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, 64);
    put_compute(t, AGPU_CS, &agpu_cs_endless_5_0);
    agpu_put_uav(agpu_rig_of(t), 0, 40, 0, 0);
    agpu_put_dispatch(agpu_rig_of(t), 65535, 60, 1);
    agpu_expect_fault(t, AEROGPU_ERROR_BACKEND);
}

/* The bound of a shader's time is the device's choice (commands.md 15): an endless one may hang another device for
 * good, and a driver cannot query a bound. */
#define MODEL AGPU_CASE_MODEL_CHOICE

static const struct agpu_case render_compute_cases[] = {
    AGPU_SCENE_CASE("compute.fill.view_with_offset", "commands.md 10", 0, compute_fill),
    AGPU_SCENE_CASE("compute.view.sizes", "commands.md 10", 0, compute_view_sizes),
    AGPU_SCENE_CASE("compute.view.offsets", "commands.md 10", 0, compute_view_offsets),
    AGPU_SCENE_CASE("compute.view.above_1_mib", "commands.md 10", 0, compute_wide_view),
    AGPU_SCENE_CASE("compute.view.above_64_kib", "commands.md 10", 0, compute_far_views),
    AGPU_SCENE_CASE("compute.loop", "commands.md 11", 0, compute_loop),
    AGPU_SCENE_CASE("compute.chain", "commands.md 10", 0, compute_chain),
    AGPU_SCENE_CASE("compute.structured", "commands.md 10", 0, compute_structured_buffers),
    AGPU_SCENE_CASE("compute.shared_memory", "commands.md 10", 0, shared_memory),
    AGPU_SCENE_CASE("compute.guest_source", "commands.md 10", 0, guest_source),
    AGPU_SCENE_CASE("compute.unbound", "commands.md 10", 0, compute_unbound),
    AGPU_SCENE_CASE("render.uav.geometry", "commands.md 10", 0, geometry_writes),
    AGPU_SCENE_CASE("render.uav.tessellation", "commands.md 10", 0, tessellation_writes),
    AGPU_SCENE_CASE("compute.no_groups", "commands.md 15", 0, no_groups),
    AGPU_SCENE_CASE("compute.fault.no_shader", "commands.md 15", 0, no_shader),
    AGPU_SCENE_CASE("compute.fault.unknown_handles", "commands.md 15", 0, compute_unknown_handles),
    AGPU_SCENE_CASE("compute.fault.too_many_groups", "commands.md 15", 0, too_many_groups),
    AGPU_SCENE_CASE("compute.fault.endless", "commands.md 15", MODEL, compute_endless),
};

AGPU_CASE_TABLE(agpu_cases_render_compute, render_compute_cases);
