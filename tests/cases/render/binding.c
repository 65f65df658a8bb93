/* binding.c: every kind of slot of every stage, the first and the last; packets of several slots; constants after the
 * first vectors; views that end before their buffer (commands.md 4, 7, 10). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define VS   AEROGPU_SHADER_STAGE_VERTEX
#define PS   AEROGPU_SHADER_STAGE_PIXEL
#define CS   AEROGPU_SHADER_STAGE_COMPUTE
#define GS   AEROGPU_SHADER_STAGE_GEOMETRY

/* ---- constants ---- */

/* Values of the vectors when they are set, and the ranges that are set. */
static const struct {
    uint32_t first, count;
} ranges[] = {{0, 100}, {240, 40}, {300, 200}, {2040, 16}, {3900, 1}, {4000, 96}};

static void vector_of(uint32_t n, float out[4])
{
    out[0] = (float)(n & 255) / 255;
    out[1] = (float)(n >> 8) / 255;
    out[2] = 1;
    out[3] = 0.2f;
}

static uint32_t first_vector, last_vector = 4095, changed_vector;

static uint32_t vectors_image(uint32_t x, uint32_t y)
{
    uint32_t n = first_vector + x + EDGE * y;

    if (changed_vector != 0 && n == changed_vector) {
        return AGPU_RED;
    }
    for (uint32_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (n >= ranges[i].first && n < ranges[i].first + ranges[i].count && n <= last_vector) {
            return AGPU_RGBA(n & 255, n >> 8, 255, 51);
        }
    }
    return AGPU_NOTHING;
}

/* Shows 256 vectors of constant buffer 0 of the pixel stage, starting at each of these. */
static bool expect_vectors(struct agpu_test *t)
{
    static const uint32_t firsts[] = {0, 256, 1920, 3840};
    struct agpu_rig *r = agpu_rig_of(t);

    for (uint32_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        agpu_put_upload(r, 41, 0, (const uint32_t[4]){firsts[i], 1}, 16);
        agpu_put_draw(r, 3);
        first_vector = firsts[i];
        if (!agpu_expect(t, vectors_image, 0)) {
            return false;
        }
    }
    return true;
}

static bool begin_vectors(struct agpu_test *t)
{
    if (!agpu_scene_begin(t)) {
        return false;
    }
    agpu_scene_pixel(t, &agpu_ps_constants_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, 16);
    agpu_put_constants(agpu_rig_of(t), PS, 13, 41, 0, 0);
    last_vector = 4095;
    changed_vector = 0;
    return true;
}

static float vectors[256][4];

static void make_vectors(uint32_t range)
{
    for (uint32_t i = 0; i < ranges[range].count; i++) {
        vector_of(ranges[range].first + i, vectors[i]);
    }
}

/* Float registers set in several ranges must each reach the pixel shader. */
static void float_registers(struct agpu_test *t)
{
    agpu_return_unless(begin_vectors(t));
    for (uint32_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        make_vectors(i);
        agpu_put_registers(agpu_rig_of(t), PS, 0, ranges[i].first, ranges[i].count, vectors);
    }
    agpu_return_unless(expect_vectors(t));
    /* One of them alone, between two draws. */
    agpu_put_draw(agpu_rig_of(t), 3);
    changed_vector = 4090;
    agpu_put_registers(agpu_rig_of(t), PS, 0, changed_vector, 1, (const float[4]){1, 0, 0, 1});
    agpu_put_draw(agpu_rig_of(t), 3);
    first_vector = 3840;
    agpu_return_unless(agpu_expect(t, vectors_image, 0));
    expect_vectors(t);
}

/* A constant buffer of 64 KiB must show all vectors; a binding that ends after 300 vectors, or starts at vector 240,
 * must show its part. */
static void large_constant_buffer(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_vectors(t));
    agpu_put_create_buffer(r, 40, 65536, 0, 0);
    for (uint32_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        make_vectors(i);
        agpu_put_upload(r, 40, ranges[i].first * 16, vectors, ranges[i].count * 16);
    }
    agpu_put_constants(r, PS, 0, 40, 0, 0);
    agpu_return_unless(expect_vectors(t));
    agpu_put_draw(r, 3);
    changed_vector = 4095;
    agpu_put_upload(r, 40, 65520, (const float[4]){1, 0, 0, 1}, 16);
    agpu_put_draw(r, 3);
    first_vector = 3840;
    agpu_return_unless(agpu_expect(t, vectors_image, 0));
    changed_vector = 0;
    last_vector = 79;
    agpu_put_constants(r, PS, 0, 40, 0, 80 * 16);
    agpu_return_unless(expect_vectors(t));
    last_vector = 319;
    agpu_put_constants(r, PS, 0, 40, 0, 320 * 16);
    expect_vectors(t);
}

/* 14 columns, one per slot; columns of slots in the set show zeros. */
static uint32_t empty_slots, moved_slots;

static uint32_t slot_columns(uint32_t x, uint32_t y)
{
    uint32_t shown = moved_slots >> x & 1 ? x + 1 : x;

    (void)y;
    return x >= 14 || empty_slots >> x & 1 ? AGPU_NOTHING : AGPU_RGBA(shown * 16, 255 - shown, shown, 255);
}

static void put_constant_buffers(struct agpu_rig *r, uint32_t first, uint32_t count, uint32_t shift)
{
    struct aerogpu_constant_buffer_binding *bindings;
    struct aerogpu_cmd_set_constant_buffers *set = agpu_rig_packet(
        r, AEROGPU_CMD_SET_CONSTANT_BUFFERS, (uint32_t)(sizeof *set + count * sizeof *bindings));

    set->shader_stage = PS;
    set->start_slot = first;
    set->buffer_count = count;
    bindings = (struct aerogpu_constant_buffer_binding *)(set + 1);
    for (uint32_t i = 0; i < count && !r->broken; i++) {
        bindings[i].buffer = 40;
        bindings[i].offset_bytes = (first + i + shift) * 256;
        bindings[i].size_bytes = 16;
    }
}

/* Each of the 14 constant buffer slots must show its own buffer, moved parts and empty slots included. */
static void constant_slots(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_slots_4_0);
    agpu_put_create_buffer(r, 40, 15 * 256, 0, 0);
    for (uint32_t i = 0; i < 15; i++) {
        const float value[4] = {(float)(i * 16) / 255, (float)(255 - i) / 255, (float)i / 255, 1};

        agpu_put_upload(r, 40, i * 256, value, sizeof value);
    }
    put_constant_buffers(r, 0, 14, 0);
    agpu_put_draw(r, 3);
    empty_slots = moved_slots = 0;
    agpu_return_unless(agpu_expect(t, slot_columns, 0));
    put_constant_buffers(r, 3, 2, 1);
    put_constant_buffers(r, 12, 2, 1);
    agpu_put_constants(r, PS, 7, 0, 0, 0);
    agpu_put_constants(r, PS, 1, 0, 0, 0);
    agpu_put_registers(r, PS, 0, 0, 1,
                       (const float[4]){1, 1, 1, 1}); /* registers show in slot 0 only, when it is empty */
    agpu_put_constants(r, VS, 9, 40, 0, 0);           /* of another stage */
    agpu_put_draw(r, 3);
    empty_slots = 1u << 7 | 1u << 1;
    moved_slots = 3u << 3 | 3u << 12;
    agpu_expect(t, slot_columns, 0);
}

/* ---- textures and samplers ---- */

static const uint32_t texture_slots[8] = {0, 1, 15, 16, 17, 64, 126, 127};

static uint32_t texture_columns(uint32_t x, uint32_t y)
{
    (void)y;
    return x >= 8 || empty_slots >> x & 1 ? AGPU_NOTHING : AGPU_RGBA(x * 20, 255, 255 - x, 255);
}

/* Given textures in slots from the first to the last, each must be read from its own slot, an empty slot as zeros. */
static void all_texture_slots(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_texture_slots_4_0);
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t texel = AGPU_RGBA(i * 20, 255, 255 - i, 255);

        agpu_put_create_texture(r, 100 + i, RGBA, 1, 1, 0, 0);
        agpu_put_upload(r, 100 + i, 0, &texel, 4);
        agpu_put_texture_slot(r, PS, texture_slots[i], 100 + i);
    }
    agpu_put_draw(r, 3);
    empty_slots = 0;
    agpu_return_unless(agpu_expect(t, texture_columns, 0));
    agpu_put_texture_slot(r, PS, 16, 0);
    agpu_put_texture_slot(r, PS, 127, 0);
    agpu_put_texture_slot(r, VS, 1, 0); /* of another stage */
    agpu_put_draw(r, 3);
    empty_slots = 1u << 3 | 1u << 7;
    agpu_return_unless(agpu_expect(t, texture_columns, 0));
    /* A texture that becomes the target is unbound from every texture slot. */
    agpu_put_target(r, 120, RGBA, EDGE, EDGE);
    agpu_put_targets(r, 120, 0);
    agpu_put_clear_color(r, 1, 1, 1, 1);
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_texture_slot(r, PS, 15, 120);
    agpu_put_texture_slot(r, PS, 64, 120);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_targets(r, 120, 0);
    agpu_put_draw(r, 3);
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_draw(r, 3);
    empty_slots |= 1u << 2 | 1u << 5;
    agpu_return_unless(agpu_expect_target(t, 120, RGBA, texture_columns, 0));
    agpu_expect(t, texture_columns, 0);
}

/* One slot after the other changes between draws of one stream, the first slot never: a row of cells each. */
static uint32_t texture_rows(uint32_t x, uint32_t y)
{
    static const uint32_t changed[4] = {8, 7, 3, 1};
    uint32_t row = y / 4;

    for (uint32_t i = 1; i <= row; i++) {
        if (x == changed[i]) {
            return i == 2 ? AGPU_NOTHING : AGPU_WHITE;
        }
    }
    return x < 8 ? AGPU_RGBA(x * 20, 255, 255 - x, 255) : AGPU_NOTHING;
}

/* A change of one texture slot between two draws must show in the later draw only. */
static void later_texture_slots(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_scene_shaders(t, &agpu_vs_color_4_0, &agpu_ps_texture_slots_4_0);
    for (uint32_t i = 0; i < 9; i++) {
        const uint32_t texel = i == 8 ? AGPU_WHITE : AGPU_RGBA(i * 20, 255, 255 - i, 255);

        agpu_put_create_texture(r, 100 + i, RGBA, 1, 1, 0, 0);
        agpu_put_upload(r, 100 + i, 0, &texel, 4);
        if (i < 8) {
            agpu_put_texture_slot(r, PS, texture_slots[i], 100 + i);
        }
    }
    for (uint32_t row = 0; row < 4; row++) {
        if (row == 1) {
            agpu_put_texture_slot(r, PS, 127, 108);
        } else if (row == 2) {
            agpu_put_texture_slot(r, PS, 16, 0);
        } else if (row == 3) {
            agpu_put_texture_slot(r, PS, 1, 108);
        }
        for (uint32_t i = 0; i < 4; i++) {
            agpu_put_cell(r, 4 * row + i);
        }
    }
    agpu_expect(t, texture_rows, 0);
}

/* 2x2 texels at u = 1.25: red when repeated, green when clamped or mirrored. Slots in the set repeat. */
static uint32_t repeating;

static uint32_t sampler_columns(uint32_t x, uint32_t y)
{
    (void)y;
    return repeating >> x & 1 ? AGPU_RED : AGPU_GREEN;
}

static void put_samplers(struct agpu_rig *r, uint32_t stage, uint32_t first, uint32_t count, uint32_t repeat)
{
    struct aerogpu_cmd_set_samplers *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_SAMPLERS, (uint32_t)sizeof *set + 4 * count);
    uint32_t *handles = (uint32_t *)(set + 1);

    set->shader_stage = stage;
    set->start_slot = first;
    set->sampler_count = count;
    for (uint32_t i = 0; i < count; i++) {
        handles[i] = repeat >> (first + i) & 1 ? 51 : 50;
    }
}

static void binding_texture(struct agpu_rig *r, uint32_t texture)
{
    static const uint32_t four[] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};

    agpu_put_create_texture(r, texture, RGBA, 2, 2, 0, 0);
    agpu_put_upload(r, texture, 0, four, sizeof four);
}

/* Each of the 16 sampler slots must use its own sampler. */
static void all_sampler_slots(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_destroy_sampler *destroy;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_sampler_slots_4_0);
    binding_texture(r, 30);
    agpu_put_texture_slot(r, PS, 0, 30);
    agpu_put_sampler(r, 0, 51, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    repeating = 0xA5C3;
    put_samplers(r, PS, 0, 16, repeating);
    agpu_put_draw(r, 3);
    agpu_return_unless(agpu_expect(t, sampler_columns, 0));
    put_samplers(r, PS, 5, 3, 0x40); /* alone: 5 and 7 clamp, 6 repeats */
    agpu_put_draw(r, 3);
    repeating = (repeating & ~0xE0u) | 0x40;
    agpu_return_unless(agpu_expect(t, sampler_columns, 0));
    put_samplers(r, VS, 0, 16, UINT32_MAX); /* of another stage */
    agpu_put_sampler_slot(r, PS, 15, 0);
    agpu_put_draw(r, 3);
    repeating &= ~0x8000u;
    agpu_return_unless(agpu_expect(t, sampler_columns, 0));
    /* A bound sampler is created again, and one is destroyed. */
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    agpu_put_draw(r, 3);
    repeating = 0x7FFF;
    agpu_return_unless(agpu_expect(t, sampler_columns, 0));
    destroy = agpu_rig_packet(r, AEROGPU_CMD_DESTROY_SAMPLER, sizeof *destroy);
    destroy->sampler_handle = 50;
    agpu_put_draw(r, 3);
    repeating = ((0xA5C3 & ~0xE0u) | 0x40) & 0x7FFF & ~1u;
    agpu_expect(t, sampler_columns, 0);
}

/* ---- the slots of each stage ---- */

/* The values that the shaders *_slots show of their stage: register c1, texture 127 through sampler 15, constant buffer
 * 13, a view at t64. The two sets have different colours. */
static const struct stage_row {
    uint32_t stage, stage_ex;
} stage_rows[] = {
    {VS, 0}, {GS, 0}, {CS, AEROGPU_SHADER_STAGE_EX_HULL}, {CS, AEROGPU_SHADER_STAGE_EX_DOMAIN}, {CS, 0}};

/* Every stage is checked with two samplers, because one of them is like an empty slot. */
static uint32_t other_sampler;

/* n = 0..4: red 0.2 .. 1 in steps, green 0 or 1, blue the other way round, alpha 1 or 0.2. */
static uint32_t stage_color(uint32_t n)
{
    return AGPU_RGBA(51 * (n + 1), (n ^ other_sampler) & 1 ? 255 : 0, 255 - 51 * n, n & 2 ? 255 : 51);
}

static void put_stage_sampler(struct agpu_rig *r, uint32_t n)
{
    struct aerogpu_cmd_set_samplers *samplers =
        agpu_rig_packet(r, AEROGPU_CMD_SET_SAMPLERS, (uint32_t)sizeof *samplers + 8);

    samplers->shader_stage = stage_rows[n].stage;
    samplers->reserved0 = stage_rows[n].stage_ex;
    samplers->start_slot = 14;
    samplers->sampler_count = 2;
    memcpy(samplers + 1, (const uint32_t[2]){50, (n ^ other_sampler) & 1 ? 50 : 51}, 8);
}

static void put_stage(struct agpu_rig *r, uint32_t n)
{
    const struct stage_row *row = &stage_rows[n];
    const float registers[3][4] = {{1, 1, 1, 1}, {0.2f * (float)(n + 1), 1, 1, 1}, {1, 1, 1, 1}};
    const float tint[4] = {1, 1, 1 - 0.2f * (float)n, 1}, word[2] = {1, n & 2 ? 1 : 0.2f};
    struct aerogpu_cmd_set_texture *texture;
    struct aerogpu_cmd_set_shader_resource_buffers *views;
    struct aerogpu_shader_resource_buffer_binding *bindings;

    agpu_put_registers(r, row->stage, row->stage_ex, 0, 3, registers);
    agpu_put_filled_buffer(r, 200 + n, tint, sizeof tint);
    agpu_put_constants_of(r, row->stage, row->stage_ex, 13, 200 + n);
    agpu_put_filled_buffer(r, 210 + n, word, sizeof word);
    views = agpu_rig_packet(r, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS,
                            (uint32_t)(sizeof *views + 2 * sizeof *bindings));
    views->shader_stage = row->stage;
    views->reserved0 = row->stage_ex;
    views->start_slot = 63;
    views->buffer_count = 2;
    bindings = (struct aerogpu_shader_resource_buffer_binding *)(views + 1);
    bindings[1].buffer = 210 + n;
    texture = agpu_rig_packet(r, AEROGPU_CMD_SET_TEXTURE, sizeof *texture);
    texture->shader_stage = row->stage;
    texture->reserved0 = row->stage_ex;
    texture->slot = 127;
    texture->texture = 30;
    put_stage_sampler(r, n);
}

static bool begin_stages(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    if (!agpu_scene_begin(t)) {
        return false;
    }
    binding_texture(r, 30);
    agpu_put_sampler(r, 0, 51, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    other_sampler = 0;
    for (uint32_t n = 0; n < 5; n++) {
        put_stage(r, n);
    }
    /* The pixel stage's slots of the same numbers hold values that no stage shows. */
    agpu_put_filled_buffer(r, 220, (const float[4]){0.5f, 0.5f, 0.5f, 0.5f}, 16);
    agpu_put_constants(r, PS, 13, 220, 0, 0);
    agpu_put_srv(r, PS, 64, 220, 0, 0);
    agpu_put_registers(r, PS, 0, 1, 1, (const float[4]){0.5f, 1, 1, 1});
    agpu_put_create_texture(r, 31, RGBA, 1, 1, 0, 0);
    agpu_put_upload(r, 31, 0, &(const uint32_t){AGPU_WHITE}, 4);
    agpu_put_texture_slot(r, PS, 127, 31);
    return true;
}

/* Draws this many vertices with each sampler; the image must be that of the stage. */
static void draw_stage(struct agpu_test *t, uint32_t n, uint32_t vertices, agpu_expected *image)
{
    for (other_sampler = 0; other_sampler < 2; other_sampler++) {
        put_stage_sampler(agpu_rig_of(t), n);
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_draw(agpu_rig_of(t), vertices);
        agpu_return_unless(image != NULL ? agpu_expect(t, image, 0) : agpu_expect_all(t, stage_color(n), 0));
    }
}

static const struct agpu_vertex whole[3] = {
    {-1, 1, 0.5f, 1, 0, 0, 0, 0}, {3, 1, 0.5f, 1, 0, 0, 0, 0}, {-1, -3, 0.5f, 1, 0, 0, 0, 0}};

/* The vertex stage must read its own registers, textures, samplers, constants and views. */
static void vertex_slots(struct agpu_test *t)
{
    agpu_return_unless(begin_stages(t));
    agpu_scene_color(t, whole, 3, AEROGPU_TOPOLOGY_TRIANGLELIST);
    agpu_scene_shaders(t, &agpu_vs_slots_4_0, &agpu_ps_color_4_0);
    draw_stage(t, 0, 3, NULL);
}

static uint32_t geometry_square(uint32_t x, uint32_t y)
{
    return x >= 4 && x < 12 && y >= 4 && y < 12 ? stage_color(1) : AGPU_NOTHING;
}

/* The geometry stage must read its own registers, textures, samplers, constants and views. */
static void geometry_slots(struct agpu_test *t)
{
    static const struct agpu_vertex point = {0, 0, 0.5f, 1, 0, 0, 0, 0};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_stages(t));
    agpu_scene_color(t, &point, 1, AEROGPU_TOPOLOGY_POINTLIST);
    agpu_put_shader(r, AGPU_GS, &agpu_gs_slots_4_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = AGPU_GS});
    draw_stage(t, 1, 1, geometry_square);
}

/* Hull and domain stage must each read their own registers, textures, samplers, constants and views. */
static void tessellation_slots(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_stages(t));
    agpu_scene_color(t, whole, 3, AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_shader(r, 60, &agpu_hs_slots_5_0);
    agpu_put_shader(r, 61, &agpu_ds_color_5_0);
    agpu_put_shader(r, 62, &agpu_hs_factors_5_0);
    agpu_put_shader(r, 63, &agpu_ds_slots_5_0);
    agpu_put_filled_buffer(r, 43, (const float[4]){1}, 16);
    agpu_put_constants_of(r, CS, AEROGPU_SHADER_STAGE_EX_HULL, 2, 43);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = 60, .ds = 61});
    draw_stage(t, 2, 3, NULL);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = 62, .ds = 63});
    draw_stage(t, 3, 3, NULL);
}

/* Slots 0 and 7 of unordered access must both work when one packet binds them and empties those between. */
static void compute_slots(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_unordered_access_buffer_binding *bindings;
    struct aerogpu_cmd_set_unordered_access_buffers *set;

    agpu_return_unless(begin_stages(t));
    agpu_put_filled_buffer(r, 40, NULL, 64);
    agpu_put_filled_buffer(r, 41, NULL, 64);
    set = agpu_rig_packet(r, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS,
                          (uint32_t)(sizeof *set + 8 * sizeof *bindings));
    set->shader_stage = CS;
    set->uav_count = 8;
    bindings = (struct aerogpu_unordered_access_buffer_binding *)(set + 1);
    for (uint32_t i = 0; i < 8; i++) {
        bindings[i].initial_count = UINT32_MAX;
    }
    bindings[0].buffer = 40;
    bindings[7].buffer = 41;
    bindings[7].offset_bytes = 16;
    agpu_put_shader(r, AGPU_CS, &agpu_cs_slots_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = AGPU_CS});
    for (other_sampler = 0; other_sampler < 2; other_sampler++) {
        /* put_stage() computes these. */
        const float expected[4] = {1, other_sampler ? 1 : 0, 1 - 0.2f * 4.0f, 0.2f};

        put_stage_sampler(r, 4);
        agpu_put_dispatch(r, 1, 1, 1);
        agpu_put_readback(r, 41, 16, 16);
        agpu_return_unless(agpu_run_clean(t));
        agpu_check_readback(t, expected, sizeof expected);
        agpu_put_readback_done(r);
    }
    agpu_put_readback(r, 40, 0, 4);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, &(const uint32_t){7}, 4);
    agpu_put_readback_done(r);
}

/* ---- shaders ---- */

/* The long form of BIND_SHADERS must take the geometry shader from its own field, whatever reserved0 is. */
static void long_bind(struct agpu_test *t)
{
    struct aerogpu_cmd_bind_shaders *bind;
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    bind = agpu_rig_packet(r, AEROGPU_CMD_BIND_SHADERS, (uint32_t)sizeof *bind + 12);
    bind->vs = AGPU_VS;
    bind->ps = AGPU_PS;
    bind->reserved0 = 99; /* no shader has this handle */
    agpu_put_draw(r, 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Bytes after the long form of BIND_SHADERS must have no effect. */
static void longer_bind(struct agpu_test *t)
{
    static const struct agpu_vertex point = {0, 0, 0.5f, 1, 0, 0, 0, 0};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_stages(t));
    agpu_scene_color(t, &point, 1, AEROGPU_TOPOLOGY_POINTLIST);
    agpu_put_shader(r, AGPU_GS, &agpu_gs_slots_4_0);
    for (uint32_t more = 0; more <= 32; more += 4) {
        uint32_t *bind = agpu_rig_packet(r, AEROGPU_CMD_BIND_SHADERS, 36 + more);

        bind[2] = AGPU_VS;
        bind[3] = AGPU_PS;
        bind[6] = AGPU_GS;
        agpu_put_draw(r, 1);
        agpu_return_unless(agpu_expect(t, geometry_square, 0));
        agpu_put_clear_color(r, 0, 0, 0, 0);
    }
}

/* Each BIND_SHADERS packet must replace every stage: a stage that it gives as 0 has no shader. */
static void bind_replaces_all(struct agpu_test *t)
{
    static const struct agpu_vertex point = {0, 0, 0, 1, 1, 0, 0, 1};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, &point, 1, AEROGPU_TOPOLOGY_POINTLIST);
    agpu_put_shader(r, AGPU_GS, &agpu_gs_expand_4_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = AGPU_GS});
    agpu_return_unless(agpu_run_clean(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1); /* no geometry shader: the previous one takes no triangles */
    agpu_put_draw(r, 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

static const struct agpu_case render_binding_cases[] = {
    AGPU_SCENE_CASE("render.constants.all_registers", "commands.md 7", 0, float_registers),
    AGPU_SCENE_CASE("render.constants.buffer_of_64_kib", "commands.md 10", 0, large_constant_buffer),
    AGPU_SCENE_CASE("render.constants.slots", "commands.md 10", 0, constant_slots),
    AGPU_SCENE_CASE("render.texture.all_slots", "commands.md 10", 0, all_texture_slots),
    AGPU_SCENE_CASE("render.texture.later_slots_alone", "commands.md 10", 0, later_texture_slots),
    AGPU_SCENE_CASE("render.sampler.all_slots", "commands.md 10", 0, all_sampler_slots),
    AGPU_SCENE_CASE("render.stage.vertex_slots", "commands.md 4", 0, vertex_slots),
    AGPU_SCENE_CASE("render.stage.geometry_slots", "commands.md 4", 0, geometry_slots),
    AGPU_SCENE_CASE("render.stage.tessellation_slots", "commands.md 4", 0, tessellation_slots),
    AGPU_SCENE_CASE("compute.slots", "commands.md 4", 0, compute_slots),
    AGPU_SCENE_CASE("render.shader.long_bind", "commands.md 7", 0, long_bind),
    AGPU_SCENE_CASE("render.stage.longer_bind", "commands.md 7", 0, longer_bind),
    AGPU_SCENE_CASE("render.shader.bind_replaces_all", "commands.md 7", 0, bind_replaces_all),
};

AGPU_CASE_TABLE(agpu_cases_render_binding, render_binding_cases);
