/* dispatch.c: the numbers of a dispatch, all its results, its slots before and after, and draws and copies that use its
 * results (commands.md 4, 10, 11). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/shared_surface.h"

#define CS AEROGPU_SHADER_STAGE_COMPUTE
#define PS AEROGPU_SHADER_STAGE_PIXEL

static void put_dispatched(struct agpu_rig *r, const struct agpu_shader_blob *shader)
{
    agpu_put_shader(r, AGPU_CS, shader);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = AGPU_CS});
}

/* Runs the stream and checks the buffer's bytes at offset. */
static bool expect_at(struct agpu_test *t, uint32_t buffer, uint32_t offset, const void *words,
                      uint32_t bytes)
{
    bool ok;

    agpu_put_readback(agpu_rig_of(t), buffer, offset, bytes);
    ok = agpu_run_clean(t) && agpu_check_readback(t, words, bytes);
    agpu_put_readback_done(agpu_rig_of(t));
    return ok;
}

/* ---- groups ---- */

/* Each group must run once, in every direction; further dispatches add to the first. */
static void dispatch_groups(struct agpu_test *t)
{
    static const uint8_t grids[][3] = {{4, 3, 2}, {1, 4, 1}, {1, 1, 4}, {2, 1, 3},
                                       {3, 2, 1}, {4, 1, 1}, {4, 4, 4}};
    static uint32_t counts[64], numbers[64];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    put_dispatched(r, &agpu_cs_count_5_0);
    for (uint32_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
        uint32_t counted = 40 + 2 * g, numbered = 41 + 2 * g;

        memset(counts, 0, sizeof counts);
        memset(numbers, 0, sizeof numbers);
        agpu_put_filled_buffer(r, counted, NULL, sizeof counts);
        agpu_put_filled_buffer(r, numbered, NULL, sizeof numbers);
        agpu_put_uav(r, 1, counted, 0, 0);
        agpu_put_uav(r, 3, numbered, 0, 0);
        for (uint32_t i = 0; i < 1 + g; i++) {
            agpu_put_dispatch(r, grids[g][0], grids[g][1], grids[g][2]);
        }
        for (uint32_t n = 0; n < 64; n++) {
            uint32_t x = n % 4, y = n / 4 % 4, z = n / 16;

            if (x < grids[g][0] && y < grids[g][1] && z < grids[g][2]) {
                counts[n] = (1 + g) * (1 + x + 16 * y + 256 * z);
                numbers[n] = 1000 + n;
            }
        }
        agpu_return_unless(expect_at(t, counted, 0, counts, sizeof counts));
        agpu_return_unless(expect_at(t, numbered, 0, numbers, sizeof numbers));
    }
}

/* 1100 groups of 64 threads must fill more than 256 KiB: the start, around 4 KiB and 64 KiB, the end, and nothing after
 * it. Then the buffer is a source of 64 KiB and more. */
static void dispatch_large(struct agpu_test *t)
{
    static const uint32_t places[] = {0, 1000, 1024, 16360, 16384, 65500, 65536, 70400 - 64};
    uint32_t words[64];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_put_create_buffer(r, 40, (70400 + 16) * 4, 0, 0)->usage_flags |= AEROGPU_RESOURCE_USAGE_STORAGE;
    put_dispatched(r, &agpu_cs_fill_5_0);
    agpu_put_uav(r, 0, 40, 0, 0);
    agpu_put_dispatch(r, 1100, 1, 1);
    for (uint32_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        for (uint32_t i = 0; i < 64; i++) {
            words[i] = (places[p] + i) * 3 + 1;
        }
        agpu_return_unless(expect_at(t, 40, places[p] * 4, words, sizeof words));
    }
    memset(words, 0, sizeof words);
    agpu_return_unless(expect_at(t, 40, 70400 * 4, words, 64));
    agpu_put_create_buffer(r, 41, 70400 * 4, 0, 0)->usage_flags |= AEROGPU_RESOURCE_USAGE_STORAGE;
    agpu_put_filled_buffer(r, 42, (const uint32_t[4]){5}, 16);
    put_dispatched(r, &agpu_cs_scale_5_0);
    agpu_put_uav(r, 0, 0, 0, 0);
    agpu_put_srv(r, CS, 2, 40, 0, 0);
    agpu_put_uav(r, 1, 41, 0, 0);
    agpu_put_constants(r, CS, 0, 42, 0, 0);
    agpu_put_dispatch(r, 9000, 1, 1); /* the last 4,600 groups are beyond the views */
    for (uint32_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        for (uint32_t i = 0; i < 64; i++) {
            words[i] = ((places[p] + i) * 3 + 1) * 5;
        }
        agpu_return_unless(expect_at(t, 41, places[p] * 4, words, sizeof words));
    }
}

/* 1000 groups in each direction must all run. */
static void dispatch_long(struct agpu_test *t)
{
    enum { GROUPS = 1000, WORDS = 16 * GROUPS };
    static const uint32_t steps[] = {1, 4, 16}, sums[] = {1, 16, 256};
    static uint32_t words[WORDS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    put_dispatched(r, &agpu_cs_count_5_0);
    for (uint32_t d = 0; d < 3; d++) {
        agpu_put_create_buffer(r, 40 + d, sizeof words, 0, 0)->usage_flags |= AEROGPU_RESOURCE_USAGE_STORAGE;
        agpu_put_uav(r, 1, 40 + d, 0, 0);
        agpu_put_dispatch(r, d == 0 ? GROUPS : 1, d == 1 ? GROUPS : 1, d == 2 ? GROUPS : 1);
        memset(words, 0, sizeof words);
        for (uint32_t i = 0; i < GROUPS; i++) {
            words[i * steps[d]] = 1 + i * sums[d];
        }
        agpu_return_unless(expect_at(t, 40 + d, 0, words, sizeof words));
    }
}

/* Destroying a compute shader must not destroy any other shader. */
static void destroyed_beside_draws(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_destroy_shader *destroy;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .cs = AGPU_CS});
    destroy = agpu_rig_packet(r, AEROGPU_CMD_DESTROY_SHADER, sizeof *destroy);
    destroy->shader_handle = AGPU_CS;
    agpu_put_draw(r, 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Bindings of draws must survive dispatches that use the same slot numbers for other resources. */
static void dispatch_leaves_bindings(struct agpu_test *t)
{
    static const uint32_t white = AGPU_WHITE, black = AGPU_RGBA(0, 0, 0, 255);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_create_texture(r, 30 + i, AEROGPU_FORMAT_R8G8B8A8_UNORM, 1, 1, 0, 0);
        agpu_put_upload(r, 30 + i, 0, i ? &black : &white, 4);
    }
    agpu_put_texture_slot(r, PS, 0, 30);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .cs = AGPU_CS});
    agpu_put_filled_buffer(r, 40, NULL, 256);
    for (uint32_t i = 0; i < 3; i++) {
        agpu_put_clear_color(r, 0, 0, 1, 1);
        agpu_put_texture_slot(r, CS, 0, i == 2 ? 0 : 31);
        agpu_put_uav(r, 0, 40, 0, 0);
        agpu_put_dispatch(r, 1, 1, 1);
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    }
}

/* A dispatch with a count of 0 in any direction must do nothing and cause no error; shader and slots are valid. */
static void dispatch_none(struct agpu_test *t)
{
    static const uint32_t zeros[64];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    put_dispatched(r, &agpu_cs_count_5_0);
    agpu_put_filled_buffer(r, 40, NULL, sizeof zeros);
    agpu_put_uav(r, 1, 40, 0, 0);
    agpu_put_dispatch(r, 0, 1, 1);
    agpu_put_dispatch(r, 1, 0, 1);
    agpu_put_dispatch(r, 1, 1, 0);
    agpu_put_dispatch(r, 0, 0, 0);
    expect_at(t, 40, 0, zeros, sizeof zeros);
}

/* ---- slots ---- */

static void put_scale(struct agpu_rig *r, uint32_t source, uint32_t result)
{
    static const uint32_t factor[4] = {3};

    agpu_put_filled_buffer(r, 49, factor, sizeof factor);
    put_dispatched(r, &agpu_cs_scale_5_0);
    agpu_put_constants(r, CS, 0, 49, 0, 0);
    agpu_put_srv(r, CS, 2, source, 0, 0);
    agpu_put_uav(r, 1, result, 0, 0);
}

static uint32_t sixteen[16], tripled[16];
static const uint32_t sixteen_zeros[16];

static void make_sixteen(void)
{
    for (uint32_t i = 0; i < 16; i++) {
        sixteen[i] = 100 + i;
        tripled[i] = 3 * sixteen[i];
    }
}

/* A slot that is emptied must take no writes and read 0; a bound buffer must keep its first word whatever the counter
 * is. */
static void dispatch_unbind(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_unordered_access_buffer_binding *binding;
    struct aerogpu_cmd_set_unordered_access_buffers *set;

    agpu_return_unless(agpu_draws_shaders(t));
    make_sixteen();
    agpu_put_filled_buffer(r, 40, sixteen, sizeof sixteen);
    agpu_put_filled_buffer(r, 41, NULL, sizeof sixteen);
    put_scale(r, 40, 41);
    agpu_put_uav(r, 1, 0, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(expect_at(t, 41, 0, sixteen_zeros, sizeof sixteen_zeros));
    agpu_put_uav(r, 1, 41, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(expect_at(t, 41, 0, tripled, sizeof tripled));
    set = agpu_rig_packet(r, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS,
                          (uint32_t)(sizeof *set + sizeof *binding));
    set->shader_stage = CS;
    set->start_slot = 1;
    set->uav_count = 1;
    binding = (struct aerogpu_unordered_access_buffer_binding *)(set + 1);
    binding->buffer = 41;
    binding->initial_count = 0; /* there are no counters to set */
    agpu_return_unless(expect_at(t, 41, 0, tripled, sizeof tripled));
    agpu_put_srv(r, CS, 2, 0, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    expect_at(t, 41, 0, sixteen_zeros, sizeof sixteen_zeros);
}

/* Given a buffer bound as view and for unordered access, the later packet must empty the earlier slot. */
static void dispatch_hazards(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    make_sixteen();
    agpu_put_filled_buffer(r, 40, sixteen, sizeof sixteen);
    agpu_put_filled_buffer(r, 41, sixteen, sizeof sixteen);
    put_scale(r, 40, 41);
    agpu_put_uav(r, 2, 40, 0, 0); /* takes buffer 40 from view 2 */
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(expect_at(t, 41, 0, sixteen_zeros, sizeof sixteen_zeros));
    agpu_put_upload(r, 41, 0, sixteen, sizeof sixteen);
    agpu_put_srv(r, CS, 2, 41, 0, 0); /* takes buffer 41 from slot 1 */
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(expect_at(t, 41, 0, sixteen, sizeof sixteen));
    agpu_put_uav(r, 1, 40, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    expect_at(t, 40, 0, tripled, sizeof tripled);
}

/* Given a buffer with two names, a binding of one must empty the slot of the other; only our model must share
 * buffers. */
static void dispatch_alias_hazards(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    make_sixteen();
    agpu_put_filled_buffer(r, 40, sixteen, sizeof sixteen);
    agpu_put_filled_buffer(r, 41, sixteen, sizeof sixteen);
    agpu_put_export(r, 40, AGPU_TOKEN);
    agpu_put_import(r, 45, AGPU_TOKEN);
    put_scale(r, 40, 41);
    agpu_put_uav(r, 2, 45, 0, 0); /* takes it from view 2 */
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(expect_at(t, 41, 0, sixteen_zeros, sizeof sixteen_zeros));
    agpu_put_filled_buffer(r, 42, sixteen, sizeof sixteen);
    put_scale(r, 42, 45);
    agpu_put_srv(r, CS, 3, 40, 0, 0); /* takes it from slot 1 */
    agpu_put_dispatch(r, 1, 1, 1);
    expect_at(t, 40, 0, sixteen, sizeof sixteen);
}

/* A packet must set the slots that it names and leave those before and after them. */
static void dispatch_leaves_other_slots(struct agpu_test *t)
{
    static const uint32_t once[4] = {1, 2}, numbers[4] = {1000, 1001};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    make_sixteen();
    put_dispatched(r, &agpu_cs_count_5_0);
    for (uint32_t i = 0; i < 2;
         i++) { /* the higher slot first, then the lower one; and the other way round */
        agpu_put_filled_buffer(r, 41 + 10 * i, NULL, sizeof once);
        agpu_put_filled_buffer(r, 43 + 10 * i, NULL, sizeof once);
        agpu_put_uav(r, i ? 1 : 3, (i ? 41 : 43) + 10 * i, 0, 0);
        agpu_put_uav(r, i ? 3 : 1, (i ? 43 : 41) + 10 * i, 0, 0);
        agpu_put_dispatch(r, 2, 1, 1);
        agpu_return_unless(expect_at(t, 41 + 10 * i, 0, once, sizeof once));
        agpu_return_unless(expect_at(t, 43 + 10 * i, 0, numbers, sizeof numbers));
    }
    agpu_put_filled_buffer(r, 60, sixteen, sizeof sixteen);
    agpu_put_filled_buffer(r, 61, NULL, sizeof sixteen);
    agpu_put_uav(r, 3, 0, 0, 0);
    put_scale(r, 60, 61);
    agpu_put_srv(r, CS, 1, 49, 0, 0); /* beside the one that is read */
    agpu_put_srv(r, CS, 3, 49, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    expect_at(t, 61, 0, tripled, sizeof tripled);
}

/* Given views of parts of buffers, reads after their end must return 0 and writes must be dropped; one packet binds
 * several views. */
static void dispatch_parts(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_shader_resource_buffer_binding *bindings;
    struct aerogpu_cmd_set_shader_resource_buffers *set;
    uint32_t expected[16];

    agpu_return_unless(agpu_draws_shaders(t));
    make_sixteen();
    agpu_put_filled_buffer(r, 40, sixteen, sizeof sixteen);
    agpu_put_filled_buffer(r, 41, sixteen, sizeof sixteen);
    put_scale(r, 41, 41);
    set = agpu_rig_packet(r, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS,
                          (uint32_t)(sizeof *set + 3 * sizeof *bindings));
    set->shader_stage = CS;
    set->start_slot = 1;
    set->buffer_count = 3;
    bindings = (struct aerogpu_shader_resource_buffer_binding *)(set + 1);
    bindings[0].buffer = 49;
    bindings[1].buffer = 40; /* words 4 to 9 of this */
    bindings[1].offset_bytes = 16;
    bindings[1].size_bytes = 24;
    bindings[2].buffer = 49;
    agpu_put_uav(r, 1, 41, 32, 28); /* and words 8 to 14 of this */
    agpu_put_dispatch(r, 1, 1, 1);
    memcpy(expected, sixteen, sizeof expected);
    for (uint32_t i = 0; i < 7; i++) {
        expected[8 + i] = i < 6 ? tripled[4 + i] : 0;
    }
    expect_at(t, 41, 0, expected, sizeof expected);
}

/* A dispatch must use texture, sampler and constant of the compute stage, while the pixel stage has others in the same
 * slots. */
static void dispatch_texture(struct agpu_test *t)
{
    uint32_t texels[16], others[16], expected[32];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    for (uint32_t i = 0; i < 16; i++) {
        texels[i] = AGPU_RGBA(i * 16, 255 - i, i * 3, 200 + i);
        others[i] = AGPU_WHITE;
        expected[i] = expected[16 + i] = texels[i];
    }
    put_dispatched(r, &agpu_cs_texture_5_0);
    agpu_put_create_texture(r, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0, 0);
    agpu_put_upload(r, 30, 0, texels, sizeof texels);
    agpu_put_create_texture(r, 31, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0, 0);
    agpu_put_upload(r, 31, 0, others, sizeof others);
    agpu_put_texture_slot(r, CS, 3, 30);
    agpu_put_texture_slot(r, PS, 3, 31);
    agpu_put_filled_buffer(r, 40, NULL, sizeof expected);
    agpu_put_uav(r, 0, 40, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(expect_at(t, 40, 0, expected, sizeof expected));
    /* The texture alone changes. */
    texels[15] = expected[15] = expected[31] = AGPU_RED;
    agpu_put_upload(r, 30, 0, texels, sizeof texels);
    agpu_put_dispatch(r, 1, 1, 1);
    expect_at(t, 40, 0, expected, sizeof expected);
}

/* The protocol binds no textures for writing: a dispatch's writes to textures must be dropped, its other writes must
 * arrive. */
static void dispatch_no_texture_writes(struct agpu_test *t)
{
    static const uint32_t sevens[4] = {7, 7, 7, 7};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    put_dispatched(r, &agpu_cs_texture_write_5_0);
    agpu_put_filled_buffer(r, 40, NULL, sizeof sevens);
    agpu_put_uav(r, 1, 40, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    expect_at(t, 40, 0, sevens, sizeof sevens);
}

/* ---- stage_ex ---- */

/* stage_ex 5 must mean the compute stage too, in every packet that has stage_ex. */
static void dispatch_stage_ex_5(struct agpu_test *t)
{
    static const uint32_t factor[4] = {3};
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_set_shader_resource_buffers *views;

    agpu_return_unless(agpu_draws_shaders(t));
    make_sixteen();
    agpu_put_filled_buffer(r, 40, sixteen, sizeof sixteen);
    agpu_put_filled_buffer(r, 41, NULL, sizeof sixteen);
    agpu_put_filled_buffer(r, 42, factor, sizeof factor);
    agpu_put_shader_bytes(r, AGPU_CS, CS, AEROGPU_SHADER_STAGE_EX_COMPUTE, agpu_cs_scale_5_0.words,
                          agpu_cs_scale_5_0.size_bytes);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = AGPU_CS});
    agpu_put_constants_of(r, CS, AEROGPU_SHADER_STAGE_EX_COMPUTE, 0, 42);
    agpu_put_uav_of(r, CS, AEROGPU_SHADER_STAGE_EX_COMPUTE, 1, 41);
    views = agpu_rig_packet(r, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, (uint32_t)sizeof *views + 16);
    views->shader_stage = CS;
    views->reserved0 = AEROGPU_SHADER_STAGE_EX_COMPUTE;
    views->start_slot = 2;
    views->buffer_count = 1;
    memcpy(views + 1, (const uint32_t[4]){40, 0, 0, 0}, 16);
    agpu_put_dispatch(r, 1, 1, 1)->reserved0 = AEROGPU_SHADER_STAGE_EX_COMPUTE;
    expect_at(t, 41, 0, tripled, sizeof tripled);
}

/* In a stream of minor 2, stage_ex must be ignored: bindings that it would give to the hull stage belong to the compute
 * stage. */
static void dispatch_minor_2(struct agpu_test *t)
{
    static const uint32_t factor[4] = {3};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    make_sixteen();
    agpu_put_filled_buffer(r, 40, sixteen, sizeof sixteen);
    agpu_put_filled_buffer(r, 41, NULL, sizeof sixteen);
    put_scale(r, 40, 41);
    agpu_put_constants(r, CS, 0, 0, 0, 0);
    agpu_put_filled_buffer(r, 42, factor, sizeof factor);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_constants_of(r, CS, AEROGPU_SHADER_STAGE_EX_HULL, 0, 42);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(agpu_run_of_minor(t, 2));
    expect_at(t, 41, 0, tripled, sizeof tripled);
}

/* ---- what others see ---- */

/* Indices that a dispatch wrote: 1, 4, 7 and 10; a draw uses two more than there are. */
static uint32_t written_indices(uint32_t x, uint32_t y)
{
    return x < 4 && y < 4 ? AGPU_WHITE : AGPU_NOTHING;
}

/* A draw must use the indices that a dispatch wrote, and read indices after their end like others. */
static void dispatch_indices(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex vertices[12], quad[4];

    agpu_return_unless(agpu_scene_begin(t));
    memset(vertices, 0, sizeof vertices);
    agpu_scene_cell(quad, 0, 0.5f, 1, 1, 1, 1);
    for (uint32_t i = 0; i < 4; i++) {
        vertices[1 + 3 * i] = quad[i];
    }
    vertices[0] = quad[3]; /* after the end: like the last */
    agpu_scene_color(t, vertices, 12, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_filled_buffer(r, AGPU_INDICES, NULL, 16);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .cs = AGPU_CS});
    agpu_put_uav(r, 0, AGPU_INDICES, 0, 0);
    agpu_put_index_buffer(r, AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_draw_indexed(r, 4);
    agpu_return_unless(agpu_expect(t, written_indices, 0));
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_put_upload(r, AGPU_INDICES, 0, sixteen_zeros, 16);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_draw_indexed(r, 6);
    agpu_expect(t, written_indices, 0);
}

/* A draw, a dispatch and an upload, the same draw: no state is set between. */
static uint32_t dispatch_halves(uint32_t x, uint32_t y)
{
    return x < 4 ? y < 4 ? AGPU_RED : AGPU_NOTHING : x < 8 && y < 4 ? AGPU_GREEN : AGPU_NOTHING;
}

/* A dispatch and an upload of vertices between two draws must leave the state of the draws; each shows its vertices. */
static void dispatch_between_draws(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex quad[4];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cell(quad, 0, 0.5f, 1, 0, 0, 1);
    agpu_scene_color(t, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .cs = AGPU_CS});
    agpu_put_filled_buffer(r, 40, NULL, 256);
    agpu_put_uav(r, 0, 40, 0, 0);
    agpu_put_draw(r, 4);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_scene_cell(quad, 1, 0.5f, 0, 1, 0, 1);
    agpu_put_upload(r, AGPU_VERTICES, 0, quad, sizeof quad);
    agpu_put_draw(r, 4);
    agpu_expect(t, dispatch_halves, 0);
}

/* A copy into a buffer that a dispatch wrote must leave the rest of its words; a copy out of it must return all. */
static void dispatch_and_copies(struct agpu_test *t)
{
    uint32_t expected[64];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t));
    make_sixteen();
    agpu_put_filled_buffer(r, 40, NULL, sizeof expected);
    agpu_put_filled_buffer(r, 41, sixteen, sizeof sixteen);
    agpu_put_filled_buffer(r, 42, NULL, sizeof expected);
    put_dispatched(r, &agpu_cs_fill_5_0);
    agpu_put_uav(r, 0, 40, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_copy_buffer(r, 40, 32, 41, 4, 16, 0);
    agpu_put_copy_buffer(r, 42, 0, 40, 0, sizeof expected, 0);
    agpu_put_upload(r, 40, 128, sixteen, 8);
    for (uint32_t i = 0; i < 64; i++) {
        expected[i] = i >= 8 && i < 12 ? sixteen[i - 7] : i * 3 + 1;
    }
    agpu_return_unless(expect_at(t, 42, 0, expected, sizeof expected));
    expected[32] = sixteen[0];
    expected[33] = sixteen[1];
    expect_at(t, 40, 0, expected, sizeof expected);
}

static const struct agpu_case render_dispatch_cases[] = {
    AGPU_SCENE_CASE("compute.groups", "commands.md 11", 0, dispatch_groups),
    AGPU_SCENE_CASE("compute.large", "commands.md 11", 0, dispatch_large),
    AGPU_SCENE_CASE("compute.long_in_each_direction", "commands.md 11", 0, dispatch_long),
    AGPU_SCENE_CASE("compute.view_or_unordered_alias", "commands.md 12", AGPU_CASE_MODEL_CHOICE,
                    dispatch_alias_hazards),
    AGPU_SCENE_CASE("compute.leaves_other_slots", "commands.md 10", 0, dispatch_leaves_other_slots),
    AGPU_SCENE_CASE("compute.destroyed_beside_draws", "commands.md 15", 0, destroyed_beside_draws),
    AGPU_SCENE_CASE("compute.leaves_bindings", "commands.md 10", 0, dispatch_leaves_bindings),
    AGPU_SCENE_CASE("compute.zero_counts", "commands.md 11", 0, dispatch_none),
    AGPU_SCENE_CASE("compute.unbind", "commands.md 10", 0, dispatch_unbind),
    AGPU_SCENE_CASE("compute.view_or_unordered", "commands.md 10", 0, dispatch_hazards),
    AGPU_SCENE_CASE("compute.parts_of_buffers", "commands.md 10", 0, dispatch_parts),
    AGPU_SCENE_CASE("compute.texture", "commands.md 10", 0, dispatch_texture),
    AGPU_SCENE_CASE("compute.no_texture_writes", "commands.md 15.1", 0, dispatch_no_texture_writes),
    AGPU_SCENE_CASE("compute.stage_ex_5", "commands.md 4", 0, dispatch_stage_ex_5),
    AGPU_SCENE_CASE("compute.stream_of_minor_2", "commands.md 4", 0, dispatch_minor_2),
    AGPU_SCENE_CASE("compute.writes_indices", "commands.md 10", 0, dispatch_indices),
    AGPU_SCENE_CASE("compute.between_draws", "commands.md 11", 0, dispatch_between_draws),
    AGPU_SCENE_CASE("compute.copies_of_results", "commands.md 6.4", 0, dispatch_and_copies),
};

AGPU_CASE_TABLE(agpu_cases_render_dispatch, render_dispatch_cases);
