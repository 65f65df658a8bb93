/* names.c: the object that a slot's handle names: one that is created after it was bound; none after its destruction,
 * even when the handle is reused. Also handles that differ in any one bit (commands.md 2, 15). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/shared_surface.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define PS   AEROGPU_SHADER_STAGE_PIXEL
#define NAME 70u /* of the bound object */

enum name_kind {
    NAME_VERTEX_BUFFER,
    NAME_INDEX_BUFFER,
    NAME_CONSTANTS,
    NAME_TEXTURE,
    NAME_BUFFER_VIEW,
    NAME_SAMPLER,
    NAME_LAYOUT,
    NAME_SHADER,
    NAME_TARGET,
    NAME_KINDS
};

/* Two texels from left to right, twice. */
static uint32_t repeated(uint32_t x, uint32_t y)
{
    (void)y;
    return x / 4 % 2 == 0 ? AGPU_RED : AGPU_GREEN;
}

static uint32_t clamped(uint32_t x, uint32_t y)
{
    (void)y;
    return x / 4 == 0 ? AGPU_RED : AGPU_GREEN;
}

static void put_name_layout(struct agpu_rig *r, uint32_t handle, uint32_t color_offset)
{
    const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                            {AGPU_COLOR, 0, 2, 0, color_offset, 0}};

    agpu_put_layout_alone(r, handle, elements, 2);
}

/* Sets up everything except the object under test. */
static bool begin_kind(struct agpu_test *t, enum name_kind kind)
{
    static const uint32_t two[] = {AGPU_RED, AGPU_GREEN};
    struct agpu_rig *r = agpu_rig_of(t);

    if (!agpu_scene_begin(t)) {
        return false;
    }
    switch (kind) {
    case NAME_CONSTANTS:
        agpu_scene_pixel(t, &agpu_ps_constant_4_0);
        break;
    case NAME_BUFFER_VIEW:
        agpu_scene_pixel(t, &agpu_ps_buffer_4_0);
        break;
    case NAME_TEXTURE:
        agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
        break;
    case NAME_SAMPLER:
        agpu_scene_textured(t, &agpu_ps_textured_4_0, 2);
        agpu_put_create_texture(r, 30, RGBA, 2, 1, 0, 0);
        agpu_put_upload(r, 30, 0, two, sizeof two);
        agpu_put_texture_slot(r, PS, 0, 30);
        break;
    default:
        agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
        break;
    }
    agpu_put_clear_color(r, 0, 0, 1, 1);
    return true;
}

static void put_name_bind(struct agpu_rig *r, enum name_kind kind)
{
    switch (kind) {
    case NAME_VERTEX_BUFFER:
        agpu_put_vertex_buffer(r, 0, NAME, sizeof(struct agpu_vertex), 0);
        break;
    case NAME_INDEX_BUFFER:
        agpu_put_index_buffer(r, NAME, AEROGPU_INDEX_FORMAT_UINT32, 0);
        break;
    case NAME_CONSTANTS:
        agpu_put_constants(r, PS, 0, NAME, 0, 0);
        break;
    case NAME_TEXTURE:
        agpu_put_texture_slot(r, PS, 0, NAME);
        break;
    case NAME_BUFFER_VIEW:
        agpu_put_srv(r, PS, 0, NAME, 0, 0);
        break;
    case NAME_SAMPLER:
        agpu_put_sampler_slot(r, PS, 0, NAME);
        break;
    case NAME_LAYOUT:
        agpu_put_set_layout(r, NAME);
        break;
    case NAME_SHADER:
        agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = NAME});
        break;
    default:
        agpu_put_targets(r, NAME, 0);
        break;
    }
}

/* Creates the object and binds nothing. */
static void put_name_create(struct agpu_rig *r, enum name_kind kind)
{
    static const uint32_t indices[] = {0, 1, 2, 3}, white = AGPU_WHITE;
    static const float ones[4] = {1, 1, 1, 1};
    static const struct agpu_vertex quad[4] = {{-1, 1, 0.5f, 1, 1, 1, 1, 1},
                                               {1, 1, 0.5f, 1, 1, 1, 1, 1},
                                               {-1, -1, 0.5f, 1, 1, 1, 1, 1},
                                               {1, -1, 0.5f, 1, 1, 1, 1, 1}};
    uint32_t words[64];
    struct aerogpu_cmd_create_sampler *sampler;

    switch (kind) {
    case NAME_VERTEX_BUFFER:
        agpu_put_filled_buffer(r, NAME, quad, sizeof quad);
        break;
    case NAME_INDEX_BUFFER:
        agpu_put_filled_buffer(r, NAME, indices, sizeof indices);
        break;
    case NAME_CONSTANTS:
        agpu_put_filled_buffer(r, NAME, ones, sizeof ones);
        break;
    case NAME_TEXTURE:
        agpu_put_create_texture(r, NAME, RGBA, 1, 1, 0, 0);
        agpu_put_upload(r, NAME, 0, &white, sizeof white);
        break;
    case NAME_BUFFER_VIEW:
        for (uint32_t i = 0; i < 64; i++) {
            words[i] = AGPU_WHITE;
        }
        agpu_put_filled_buffer(r, NAME, words, sizeof words);
        break;
    case NAME_SAMPLER:
        sampler = agpu_rig_packet(r, AEROGPU_CMD_CREATE_SAMPLER, sizeof *sampler);
        sampler->sampler_handle = NAME;
        sampler->address_u = sampler->address_v = sampler->address_w = AEROGPU_SAMPLER_ADDRESS_REPEAT;
        break;
    case NAME_LAYOUT:
        put_name_layout(r, NAME, 16);
        break;
    case NAME_SHADER:
        agpu_put_shader(r, NAME, &agpu_ps_color_4_0);
        break;
    default:
        agpu_put_target(r, NAME, RGBA, AGPU_EDGE, AGPU_EDGE);
        break;
    }
}

static void put_name_destroy(struct agpu_rig *r, enum name_kind kind)
{
    static const uint32_t opcodes[NAME_KINDS] = {[NAME_SAMPLER] = AEROGPU_CMD_DESTROY_SAMPLER,
                                                 [NAME_LAYOUT] = AEROGPU_CMD_DESTROY_INPUT_LAYOUT,
                                                 [NAME_SHADER] = AEROGPU_CMD_DESTROY_SHADER};
    struct aerogpu_cmd_destroy_shader *destroy;

    if (opcodes[kind] == 0) {
        agpu_put_destroy(r, NAME);
        return;
    }
    destroy = agpu_rig_packet(r, opcodes[kind], sizeof *destroy);
    destroy->shader_handle = NAME; /* all of these have the handle here */
}

static void put_name_draw(struct agpu_rig *r, enum name_kind kind)
{
    if (kind == NAME_INDEX_BUFFER) {
        agpu_put_draw_indexed(r, 4);
    } else {
        agpu_put_draw(r, kind == NAME_CONSTANTS || kind == NAME_BUFFER_VIEW ? 3 : 4);
    }
}

static uint32_t first_words(uint32_t x, uint32_t y)
{
    return x + 4 * y < 64 ? AGPU_WHITE : AGPU_NOTHING;
}

static bool name_is_used(struct agpu_test *t, enum name_kind kind)
{
    switch (kind) {
    case NAME_SAMPLER:
        return agpu_expect(t, repeated, 0);
    case NAME_BUFFER_VIEW:
        return agpu_expect(t, first_words, 0);
    case NAME_TARGET:
        return agpu_expect_target_all(t, NAME, RGBA, AGPU_WHITE, 0);
    default:
        return agpu_expect_all(t, AGPU_WHITE, 0);
    }
}

/* Checks that the draw behaves as with an empty slot. */
static bool name_is_gone(struct agpu_test *t, enum name_kind kind)
{
    bool refused;

    switch (kind) {
    case NAME_SHADER: /* no pixel shader: refused, or the target is unchanged */
        return (t->env->model || agpu_run_either(t, AEROGPU_ERROR_CMD_DECODE, &refused)) &&
               agpu_expect_all(t, AGPU_BLUE, 0);
    case NAME_VERTEX_BUFFER: /* all vertices are 0 0 0 0 */
        return agpu_expect_all(t, AGPU_BLUE, 0);
    case NAME_CONSTANTS:
    case NAME_TEXTURE:
    case NAME_BUFFER_VIEW:
        return agpu_expect_all(t, AGPU_NOTHING, 0);
    case NAME_SAMPLER:
        return agpu_expect(t, clamped, 0);
    default:
        return agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    }
}

/* A handle that is bound before its object is created must name the object at the draw. */
static void name_is_late(struct agpu_test *t)
{
    const enum name_kind kind = *(const enum name_kind *)t->test_case->arg;

    agpu_return_unless(begin_kind(t, kind));
    put_name_bind(agpu_rig_of(t), kind);
    agpu_return_unless(agpu_run_clean(t));
    put_name_create(agpu_rig_of(t), kind);
    put_name_draw(agpu_rig_of(t), kind);
    name_is_used(t, kind);
}

/* Given an object destroyed while bound, its slot must be empty, even if a new object has the handle, until it is bound
 * again. */
static void name_is_given_again(struct agpu_test *t)
{
    const enum name_kind kind = *(const enum name_kind *)t->test_case->arg;
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_kind(t, kind));
    put_name_create(r, kind);
    put_name_bind(r, kind);
    put_name_draw(r, kind);
    agpu_return_unless(name_is_used(t, kind));
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_clear_color(r, 0, 0, 1, 1);
    if (kind == NAME_TARGET) {
        put_name_bind(r, kind);
    }
    agpu_return_unless(agpu_run_clean(t));
    put_name_destroy(r, kind);
    put_name_create(r, kind);
    put_name_draw(r, kind);
    agpu_return_unless(name_is_gone(t, kind));
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_clear_color(r, 0, 0, 1, 1);
    put_name_bind(r, kind);
    put_name_draw(r, kind);
    name_is_used(t, kind);
}

/* ---- unknown handles ---- */

/* Given an unknown handle in a slot that the stage's shader reads, the draw must be refused, whichever stage and
 * slot. */
static void unknown_in_stages(struct agpu_test *t)
{
    enum { CS = AEROGPU_SHADER_STAGE_COMPUTE, UNKNOWN = 99 };
    struct agpu_vertex quad[4];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(quad, 0.5f, 1, 1, 1, 1);
    agpu_put_shader(r, AGPU_GS, &agpu_gs_sized_4_0);
    agpu_put_shader(r, AGPU_HS, &agpu_hs_factors_5_0);
    agpu_put_shader(r, AGPU_DS, &agpu_ds_tinted_5_0);
    for (uint32_t i = 0; i < 6; i++) {
        agpu_scene_color(t, quad, 4,
                         i == 0   ? AEROGPU_TOPOLOGY_POINTLIST
                         : i <= 2 ? AEROGPU_TOPOLOGY_PATCHLIST_3
                                  : AEROGPU_TOPOLOGY_TRIANGLESTRIP);
        if (i > 2) {
            agpu_scene_shaders(t, &agpu_vs_slots_4_0, &agpu_ps_color_4_0);
        }
        agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS,
                                                       .ps = AGPU_PS,
                                                       .gs = i == 0 ? AGPU_GS : 0,
                                                       .hs = i == 1 || i == 2 ? AGPU_HS : 0,
                                                       .ds = i == 1 || i == 2 ? AGPU_DS : 0});
        for (uint32_t unknown = UNKNOWN;; unknown = 0) {
            switch (i) {
            case 0:
                agpu_put_constants_of(r, AEROGPU_SHADER_STAGE_GEOMETRY, 0, 1, unknown);
                break;
            case 1:
                agpu_put_constants_of(r, CS, AEROGPU_SHADER_STAGE_EX_HULL, 2, unknown);
                break;
            case 2:
                agpu_put_constants_of(r, CS, AEROGPU_SHADER_STAGE_EX_DOMAIN, 3, unknown);
                break;
            case 3:
                agpu_put_constants(r, AEROGPU_SHADER_STAGE_VERTEX, 13, unknown, 0, 0);
                break;
            case 4:
                agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_VERTEX, 127, unknown);
                break;
            default:
                agpu_put_srv(r, AEROGPU_SHADER_STAGE_VERTEX, 64, unknown, 0, 0);
                break;
            }
            agpu_return_unless(agpu_run_clean(t));
            agpu_put_draw(r, i == 0 ? 1 : i <= 2 ? 3 : 4);
            if (unknown == 0) { /* the valid handle */
                agpu_return_unless(agpu_run_clean(t));
                break;
            }
            agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
        }
    }
}

/* ---- hazards ---- */

/* A texture that becomes a target must be unbound from every stage, and stay so when it is no target any more. */
static void target_unbinds_texture(struct agpu_test *t)
{
    static const float positions[4][4] = {
        {-1, 1, 0.5f, 1}, {1, 1, 0.5f, 1}, {-1, -1, 0.5f, 1}, {1, -1, 0.5f, 1}};
    static const uint32_t colors[4] = {AGPU_WHITE, AGPU_WHITE, AGPU_WHITE, AGPU_WHITE};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_shaders(t, &agpu_vs_fetch_4_0, &agpu_ps_color_4_0);
    agpu_put_target(r, NAME, RGBA, 4, 1);
    agpu_put_upload(r, NAME, 0, colors, sizeof colors);
    agpu_put_filled_buffer(r, 40, positions, sizeof positions);
    agpu_put_srv(r, AEROGPU_SHADER_STAGE_VERTEX, 3, 40, 0, 0);
    agpu_put_export(r, NAME, AGPU_TOKEN);
    agpu_put_import(r, NAME + 1, AGPU_TOKEN);
    /* Also repeated, since the second time may take another path; and as a target under another name. */
    for (uint32_t i = 0; i < 4; i++) {
        agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_VERTEX, 2, NAME);
        agpu_put_clear_color(r, 0, 0, 1, 1);
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
        agpu_put_targets(r, i < 3 ? NAME : NAME + 1, 0);
        agpu_put_targets(r, AGPU_TARGET, 0);
        agpu_put_clear_color(r, 0, 0, 1, 1);
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    }
}

/* A depth texture that becomes a target must be unbound too, on a device that shows depth to shaders; our model
 * does. */
static void depth_target_unbinds_texture(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t texels[AGPU_IMAGE_TEXELS];
    bool refused, shown = true;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_target(r, NAME, AEROGPU_FORMAT_D32_FLOAT, AGPU_EDGE, AGPU_EDGE)->usage_flags |=
        AEROGPU_RESOURCE_USAGE_TEXTURE;
    agpu_put_targets(r, 0, NAME);
    agpu_put_clear_depth(r, 1, 0);
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_texture_slot(r, PS, 0, NAME);
    agpu_put_draw(r, 3);
    if (t->env->model) {
        agpu_return_unless(agpu_expect_all(t, AGPU_RED, 0));
    } else {
        agpu_return_unless(agpu_run_unsettled(t, &refused));
        agpu_return_unless(agpu_scene_read(t, AGPU_TARGET, RGBA, AGPU_EDGE, AGPU_EDGE, texels));
        shown = !refused && texels[0] == AGPU_RED;
        agpu_choice(t, "depth_as_a_texture", refused ? "refused" : shown ? "shown" : "not shown");
    }
    if (!shown) { /* then there is nothing to unbind */
        agpu_scene_recovers(t);
        return;
    }
    agpu_put_targets(r, AGPU_TARGET, NAME);
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_draw(r, 3);
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* ---- unordered access ---- */

/* A dispatch must resolve handles like a draw: created late, and given again. */
static void late_and_again_compute(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t words[64];
    static const uint32_t zeros[64];

    agpu_return_unless(agpu_draws_shaders(t));
    for (uint32_t i = 0; i < 64; i++) {
        words[i] = i * 3 + 1;
    }
    agpu_put_shader(r, AGPU_CS, &agpu_cs_fill_5_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = AGPU_CS});
    agpu_put_uav(r, 0, NAME, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 2; i++) { /* created late, and handle reused */
        agpu_put_filled_buffer(r, NAME, NULL, sizeof words);
        agpu_put_dispatch(r, 1, 1, 1);
        agpu_put_readback(r, NAME, 0, sizeof words);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_readback(t, i == 0 ? words : zeros, sizeof words));
        agpu_put_readback_done(r);
        agpu_put_destroy(r, NAME);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* ---- every bit ---- */

#define BASE 0x2A5u

static bool bits_of_samplers;
static uint32_t bits_other; /* cells that show the other object */

static uint32_t bits_image(uint32_t x, uint32_t y)
{
    const bool other = (bits_other >> (x / 4 + y / 4 * 4) & 1) != 0;

    if (bits_of_samplers) {
        return x % 4 == 0 || (x % 4 == 2 && !other) ? AGPU_RED : AGPU_GREEN;
    }
    return other ? AGPU_GREEN : AGPU_WHITE;
}

/* Creates an object: the base shows white, or repeats; the others show green, or clamp. */
static void put_object(struct agpu_rig *r, enum name_kind kind, uint32_t handle)
{
    const struct agpu_element beside[] = {{AGPU_POSITION, 0, 2, 0, 0, 0}, {AGPU_COLOR, 0, 2, 1, 0, 0}};
    struct aerogpu_cmd_create_sampler *sampler;

    if (kind == NAME_SHADER) {
        agpu_put_shader(r, handle, handle == BASE ? &agpu_ps_color_4_0 : &agpu_ps_constant_4_0);
    } else if (kind == NAME_LAYOUT && handle == BASE) {
        put_name_layout(r, handle, 16);
    } else if (kind == NAME_LAYOUT) {
        agpu_put_layout_alone(r, handle, beside, 2);
    } else {
        sampler = agpu_rig_packet(r, AEROGPU_CMD_CREATE_SAMPLER, sizeof *sampler);
        sampler->sampler_handle = handle;
        sampler->address_u = sampler->address_v = sampler->address_w =
            handle == BASE ? AEROGPU_SAMPLER_ADDRESS_REPEAT : AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE;
    }
}

static void put_object_cell(struct agpu_rig *r, enum name_kind kind, uint32_t handle, uint32_t cell)
{
    if (kind == NAME_SHADER) {
        agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = handle});
    } else if (kind == NAME_LAYOUT) {
        agpu_put_set_layout(r, handle);
    } else {
        agpu_put_sampler_slot(r, PS, 0, handle);
    }
    agpu_put_viewport(r, &(struct agpu_viewport){(float)(cell % 4 * 4), (float)(cell / 4 * 4), 4, 4, 0, 1});
    agpu_put_draw(r, 4);
}

/* Given objects whose handles differ from the base in one bit, each must be its own object, and the base must not
 * change, even after they are destroyed. */
static void handles_by_bit(struct agpu_test *t)
{
    static const uint32_t opcodes[NAME_KINDS] = {[NAME_SAMPLER] = AEROGPU_CMD_DESTROY_SAMPLER,
                                                 [NAME_LAYOUT] = AEROGPU_CMD_DESTROY_INPUT_LAYOUT,
                                                 [NAME_SHADER] = AEROGPU_CMD_DESTROY_SHADER};
    static const float green[4] = {0, 1, 0, 1};
    const enum name_kind kind = *(const enum name_kind *)t->test_case->arg;
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_kind(t, kind));
    bits_of_samplers = kind == NAME_SAMPLER;
    agpu_put_filled_buffer(r, 40, green, sizeof green);
    agpu_put_constants(r, PS, 0, 40, 0, 0);
    agpu_put_vertex_buffer(r, 1, 40, 0, 0);
    put_object(r, kind, BASE);
    for (uint32_t first = 0; first < 32; first += 8) {
        for (uint32_t i = 0; i < 8; i++) {
            put_object(r, kind, BASE ^ 1u << (first + i));
        }
        for (uint32_t cell = 0; cell < AGPU_CELLS; cell++) {
            put_object_cell(r, kind, cell % 2 == 0 ? BASE ^ 1u << (first + cell / 2) : BASE, cell);
        }
        bits_other = 0x5555;
        agpu_return_unless(agpu_expect(t, bits_image, 0));
        for (uint32_t i = 0; i < 8; i++) {
            struct aerogpu_cmd_destroy_shader *destroy = agpu_rig_packet(r, opcodes[kind], sizeof *destroy);

            destroy->shader_handle = BASE ^ 1u << (first + i); /* all of these have the handle here */
        }
        for (uint32_t cell = 0; cell < AGPU_CELLS; cell++) {
            put_object_cell(r, kind, BASE, cell);
        }
        bits_other = 0;
        agpu_return_unless(agpu_expect(t, bits_image, 0));
    }
}

#define NAME_CASE(name, which, function)                                                                     \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 15", .needs = AGPU_NEED_RING,                                     \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function),                \
        .arg = &(const enum name_kind){which},                                                               \
    }

static const struct agpu_case render_names_cases[] = {
    NAME_CASE("render.late.vertex_buffer", NAME_VERTEX_BUFFER, name_is_late),
    NAME_CASE("render.late.index_buffer", NAME_INDEX_BUFFER, name_is_late),
    NAME_CASE("render.late.constants", NAME_CONSTANTS, name_is_late),
    NAME_CASE("render.late.texture", NAME_TEXTURE, name_is_late),
    NAME_CASE("render.late.buffer_view", NAME_BUFFER_VIEW, name_is_late),
    NAME_CASE("render.late.sampler", NAME_SAMPLER, name_is_late),
    NAME_CASE("render.late.layout", NAME_LAYOUT, name_is_late),
    NAME_CASE("render.late.shader", NAME_SHADER, name_is_late),
    NAME_CASE("render.late.target", NAME_TARGET, name_is_late),
    NAME_CASE("render.again.vertex_buffer", NAME_VERTEX_BUFFER, name_is_given_again),
    NAME_CASE("render.again.index_buffer", NAME_INDEX_BUFFER, name_is_given_again),
    NAME_CASE("render.again.constants", NAME_CONSTANTS, name_is_given_again),
    NAME_CASE("render.again.texture", NAME_TEXTURE, name_is_given_again),
    NAME_CASE("render.again.buffer_view", NAME_BUFFER_VIEW, name_is_given_again),
    NAME_CASE("render.again.sampler", NAME_SAMPLER, name_is_given_again),
    NAME_CASE("render.again.layout", NAME_LAYOUT, name_is_given_again),
    NAME_CASE("render.again.shader", NAME_SHADER, name_is_given_again),
    NAME_CASE("render.again.target", NAME_TARGET, name_is_given_again),
    NAME_CASE("render.handle.shaders", NAME_SHADER, handles_by_bit),
    NAME_CASE("render.handle.layouts", NAME_LAYOUT, handles_by_bit),
    NAME_CASE("render.handle.samplers", NAME_SAMPLER, handles_by_bit),
    AGPU_SCENE_CASE("render.late.never", "commands.md 15", 0, unknown_in_stages),
    AGPU_SCENE_CASE("render.late.target_unbinds_texture", "commands.md 15", 0, target_unbinds_texture),
    AGPU_SCENE_CASE("render.late.depth_target_unbinds_texture", "commands.md 15", 0,
                    depth_target_unbinds_texture),
    AGPU_SCENE_CASE("compute.late_and_again", "commands.md 15", 0, late_and_again_compute),
};

AGPU_CASE_TABLE(agpu_cases_render_names, render_names_cases);
