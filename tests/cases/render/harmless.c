/* harmless.c: packets without effect between draws, packets longer than their structure, and equivalent values. Also
 * bindings that displace each other or name one object twice (commands.md 1, 8, 10 to 12, 15). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define GREY AGPU_RGBA(51, 51, 51, 51)
#define PS   AEROGPU_SHADER_STAGE_PIXEL

/* ---- nothing happens ---- */

/* Puts a packet with this many words after its header; their values have no meaning. */
static uint32_t *put_any(struct agpu_rig *r, uint32_t opcode, uint32_t words, uint32_t value)
{
    uint32_t *packet = agpu_rig_packet(r, opcode, 8 + 4 * words);

    for (uint32_t i = 0; i < words; i++) {
        packet[2 + i] = value;
    }
    return packet;
}

static void put_nothing(struct agpu_rig *r, uint32_t kind)
{
    static const uint32_t empty[] = {AEROGPU_CMD_SET_SAMPLERS, AEROGPU_CMD_SET_CONSTANT_BUFFERS,
                                     AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS};
    static const uint32_t destroys[] = {AEROGPU_CMD_DESTROY_SHADER, AEROGPU_CMD_DESTROY_INPUT_LAYOUT,
                                        AEROGPU_CMD_DESTROY_SAMPLER, AEROGPU_CMD_DESTROY_RESOURCE,
                                        AEROGPU_CMD_DESTROY_TEXTURE_VIEW};
    uint32_t *packet;

    switch (kind) {
    case 1:
        put_any(r, AEROGPU_CMD_NOP, 0, 0);
        put_any(r, AEROGPU_CMD_NOP, 100, 4);
        break;
    case 2:
        put_any(r, AEROGPU_CMD_DEBUG_MARKER, 3, 0x41424344);
        break;
    case 3:
        put_any(r, AEROGPU_CMD_FLUSH, 2, 0);
        break;
    case 4:
        put_any(r, 0x7F000000 | AEROGPU_CMD_DRAW, 4, 4); /* an unknown opcode */
        break;
    case 5: /* of Direct3D 9: fill mode, culling and alpha blending */
        put_any(r, AEROGPU_CMD_SET_RENDER_STATE, 2, 22)[3] = 2;
        put_any(r, AEROGPU_CMD_SET_RENDER_STATE, 2, 27)[3] = 1;
        break;
    case 6:
        packet = put_any(r, AEROGPU_CMD_SET_SAMPLER_STATE, 4, 0);
        packet[2] = PS;
        packet[4] = 1;
        packet[5] = 3;
        break;
    case 7:
        for (uint32_t i = 0; i < 2; i++) {
            packet =
                put_any(r, i ? AEROGPU_CMD_SET_SHADER_CONSTANTS_B : AEROGPU_CMD_SET_SHADER_CONSTANTS_I, 8, 1);
            packet[2] = PS;
            packet[3] = 0;
            packet[4] = 1;
            packet[5] = 0;
        }
        break;
    case 8:
        for (uint32_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
            put_any(r, empty[i], 4, 0)[2] = PS;
        }
        put_any(r, AEROGPU_CMD_SET_SHADER_CONSTANTS_F, 4, 0)[2] = PS;
        put_any(r, AEROGPU_CMD_SET_VERTEX_BUFFERS, 2, 0);
        break;
    case 9:
        for (uint32_t i = 0; i < sizeof destroys / sizeof destroys[0]; i++) {
            put_any(r, destroys[i], 2, 0)[2] = 99;
        }
        break;
    case 10:
        put_any(r, AEROGPU_CMD_CLEAR, 7, 0);
        break;
    case 11:
        agpu_put_draw(r, 0);
        agpu_put_draw_indexed(r, 0);
        agpu_put_dispatch(r, 0, 1, 1);
        break;
    default:
        break;
    }
}

/* Given a packet without effect between any two draws, each draw must still look like the first. */
static void harmless_packets(struct agpu_test *t)
{
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"a first draw", AGPU_WHITE},
        {"a draw after NOP", AGPU_WHITE},
        {"a draw after DEBUG_MARKER", AGPU_WHITE},
        {"a draw after FLUSH", AGPU_WHITE},
        {"a draw after an unknown opcode", AGPU_WHITE},
        {"a draw after SET_RENDER_STATE", AGPU_WHITE},
        {"a draw after SET_SAMPLER_STATE", AGPU_WHITE},
        {"a draw after integer and bool constants", AGPU_WHITE},
        {"a draw after bindings of no slots", AGPU_WHITE},
        {"a draw after the destruction of an unused handle", AGPU_WHITE},
        {"a draw after CLEAR of nothing", AGPU_WHITE},
        {"a draw after draws of nothing", AGPU_WHITE}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t i = 0; i < 12; i++) {
        put_nothing(r, i);
        agpu_put_cell(r, i);
    }
    agpu_expect_cells_on(t, expected, GREY, 0);
}

/* ---- longer packets ---- */

/* Lengthens the last packet of the stream: bytes of ones after its structure. */
static void put_longer(struct agpu_rig *r, uint32_t opcode, const void *structure, uint32_t size)
{
    uint8_t *packet = agpu_rig_packet(r, opcode, size + 12);

    memcpy(packet + 8, (const uint8_t *)structure + 8, size - 8);
    memset(packet + size, 0xFF, 12);
}

/* The device must accept every packet of a draw with bytes after its structure, and ignore these; the last draw is
 * indexed. */
static void harmless_tails(struct agpu_test *t)
{
    static const struct agpu_cell expected[AGPU_CELLS] = {{"DRAW with a tail", AGPU_WHITE},
                                                          {"DRAW_INDEXED with a tail", AGPU_WHITE}};
    static const uint32_t indices[4] = {4, 5, 6, 7};
    struct agpu_rig *r = agpu_rig_of(t);
    const struct aerogpu_cmd_set_render_targets targets = {.color_count = 1, .colors = {AGPU_TARGET}};
    const struct aerogpu_cmd_set_rasterizer_state raster = {.state = {.scissor_enable = 1}};
    const struct aerogpu_cmd_set_depth_stencil_state depth = {.state = {.depth_func = AEROGPU_COMPARE_NEVER}};
    const struct aerogpu_cmd_set_blend_state blend = {
        .state = {.src_factor = AEROGPU_BLEND_ONE, .color_write_mask = 15, .sample_mask = UINT32_MAX}};
    const struct aerogpu_cmd_set_scissor scissor = {.width = EDGE, .height = EDGE};
    const struct aerogpu_cmd_set_viewport viewport = {.width_f32 = agpu_float_bits(EDGE),
                                                      .height_f32 = agpu_float_bits(EDGE),
                                                      .max_depth_f32 = agpu_float_bits(1)};
    const struct aerogpu_cmd_set_primitive_topology topology = {.topology = AEROGPU_TOPOLOGY_TRIANGLESTRIP};
    const struct aerogpu_cmd_set_index_buffer index = {.buffer = AGPU_INDICES,
                                                       .format = AEROGPU_INDEX_FORMAT_UINT32};
    const struct aerogpu_cmd_set_input_layout layout = {.input_layout_handle = AGPU_LAYOUT};
    const struct aerogpu_cmd_set_texture texture = {.shader_stage = PS, .slot = 3};
    const struct aerogpu_cmd_clear clear = {.flags = AEROGPU_CLEAR_COLOR};
    const struct aerogpu_cmd_draw draw = {.vertex_count = 4, .instance_count = 1};
    const struct aerogpu_cmd_draw_indexed indexed = {.index_count = 4, .instance_count = 1};
    const struct aerogpu_cmd_destroy_shader destroy = {.shader_handle = 99};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_put_filled_buffer(r, AGPU_INDICES, indices, sizeof indices);
    put_longer(r, AEROGPU_CMD_SET_RENDER_TARGETS, &targets, sizeof targets);
    put_longer(r, AEROGPU_CMD_SET_RASTERIZER_STATE, &raster, sizeof raster);
    put_longer(r, AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, &depth, sizeof depth);
    put_longer(r, AEROGPU_CMD_SET_BLEND_STATE, &blend, sizeof blend);
    put_longer(r, AEROGPU_CMD_SET_SCISSOR, &scissor, sizeof scissor);
    put_longer(r, AEROGPU_CMD_SET_VIEWPORT, &viewport, sizeof viewport);
    put_longer(r, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, &topology, sizeof topology);
    put_longer(r, AEROGPU_CMD_SET_INDEX_BUFFER, &index, sizeof index);
    put_longer(r, AEROGPU_CMD_SET_INPUT_LAYOUT, &layout, sizeof layout);
    put_longer(r, AEROGPU_CMD_SET_TEXTURE, &texture, sizeof texture);
    put_longer(r, AEROGPU_CMD_DESTROY_SHADER, &destroy, sizeof destroy);
    r->trailer = 12; /* the same for packets with a payload */
    agpu_put_filled_buffer(r, 40, indices, sizeof indices);
    agpu_put_vertex_buffer(r, 9, 40, 4, 0);
    agpu_put_registers(r, PS, 0, 3, 1, indices);
    agpu_put_constants(r, PS, 3, 40, 0, 0);
    agpu_put_srv(r, PS, 3, 40, 0, 0);
    agpu_put_sampler(r, 3, 41, 0, 0);
    agpu_put_layout_alone(r, 42, NULL, 0);
    agpu_put_shader(r, 43, &agpu_ps_color_4_0);
    r->trailer = 0;
    put_longer(r, AEROGPU_CMD_CLEAR, &clear, sizeof clear);
    put_longer(r, AEROGPU_CMD_DRAW, &draw, sizeof draw);
    put_longer(r, AEROGPU_CMD_DRAW_INDEXED, &indexed, sizeof indexed);
    agpu_expect_cells(t, expected, 0);
}

/* ---- values that mean the same as others ---- */

/* An unknown cull mode must change nothing, and an unknown depth function must mean ALWAYS. */
static void unknown_values(struct agpu_test *t)
{
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"an unknown cull mode after FRONT: as before", GREY},
        {"an unknown cull mode after NONE: as before", AGPU_WHITE},
        {"an unknown depth function: ALWAYS", AGPU_WHITE},
        {"the greatest depth function: ALWAYS", AGPU_WHITE}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH) && agpu_scene_begin(t));
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    agpu_put_target(r, 30, AEROGPU_FORMAT_D32_FLOAT, EDGE, EDGE);
    agpu_put_targets(r, AGPU_TARGET, 30);
    agpu_put_clear_depth(r, 0, 0);
    agpu_put_rasterizer(r)->cull_mode = AEROGPU_CULL_FRONT;
    agpu_put_rasterizer(r)->cull_mode = 3;
    agpu_put_cell(r, 0);
    agpu_put_rasterizer(r);
    agpu_put_rasterizer(r)->cull_mode = UINT32_MAX;
    agpu_put_cell(r, 1);
    agpu_put_depth_state(r, 1, 0, 8);
    agpu_put_cell(r, 2);
    agpu_put_depth_state(r, 1, 0, UINT32_MAX);
    agpu_put_cell(r, 3);
    agpu_expect_cells_on(t, expected, GREY, 0);
}

/* A write to integer or bool registers must not change the float registers. */
static void registers_apart(struct agpu_test *t)
{
    static const float ones[4] = {1, 1, 1, 1};
    static const uint32_t opcodes[] = {AEROGPU_CMD_SET_SHADER_CONSTANTS_I,
                                       AEROGPU_CMD_SET_SHADER_CONSTANTS_B};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_4_0);
    agpu_put_registers(r, PS, 0, 0, 1, ones);
    for (uint32_t i = 0; i < 2; i++) {
        struct aerogpu_cmd_set_shader_constants_f *set =
            agpu_rig_packet(r, opcodes[i], (uint32_t)sizeof *set + 16);

        set->stage = PS;
        set->vec4_count = 1; /* all three have their count here */
        memset(set + 1, 1, 16);
    }
    agpu_put_draw(r, 3);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Given an unbinding whose other fields are set, our model must ignore them; another device may refuse it. Drivers set
 * none. */
static void unbinding_alone(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    bool refused;

    agpu_put_index_buffer(r, 0, 7, 3);
    agpu_put_srv(r, PS, 1, 0, 1, 2);
    agpu_put_constants(r, PS, 1, 0, 3, 5);
    agpu_put_uav(r, 1, 0, 2, 1);
    agpu_return_unless(agpu_run_unsettled(t, &refused));
    agpu_choice(t, "numbers_beside_an_unbinding", refused ? "checked" : "not checked");
    agpu_put_target(r, AGPU_TARGET, RGBA, EDGE, EDGE);
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_clear_color(r, 0, 1, 0, 1);
    agpu_expect_all(t, AGPU_GREEN, 0);
}

/* Unknown blend factors and operations must give the source unchanged (commands.md 15). Another device may refuse them,
 * or blend in any way, until a valid packet. */
static void unknown_blending(struct agpu_test *t)
{
    static const struct agpu_cell expected[AGPU_CELLS] = {{"an unknown source factor: ONE", AGPU_WHITE},
                                                          {"an unknown destination factor: ZERO", AGPU_WHITE},
                                                          {"an unknown operation: ADD", GREY},
                                                          {"all unknown", AGPU_WHITE}};
    struct agpu_rig *r = agpu_rig_of(t);
    bool refused;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    agpu_scene_cells(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t i = 0; i < 4; i++) {
        struct aerogpu_blend_state *blend = agpu_put_blend(r);

        blend->enable = 1;
        blend->src_factor = blend->src_factor_alpha = i % 3 == 0 ? 8 : AEROGPU_BLEND_ONE;
        blend->dst_factor = blend->dst_factor_alpha = i == 1 || i == 3 ? 9 : AEROGPU_BLEND_ZERO;
        blend->blend_op = blend->blend_op_alpha = i >= 2 ? 5 + 256 * (i - 2) : AEROGPU_BLEND_OP_ADD;
        if (i == 2) { /* nothing of white and all of grey, which is no maximum */
            blend->src_factor = blend->src_factor_alpha = AEROGPU_BLEND_ZERO;
            blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
        }
        agpu_put_cell(r, i);
    }
    if (t->env->model) {
        agpu_expect_cells_on(t, expected, GREY, 0);
        return;
    }
    agpu_return_unless(agpu_run_unsettled(t, &refused));
    agpu_choice(t, "blending_without_meaning", refused ? "refused" : "taken");
    agpu_put_blend(r);
    agpu_scene_recovers(t);
}

/* ---- targets ---- */

/* Binds fewer targets than before: the others receive nothing more. A texture that is bound is removed from the
 * targets, also if a view of it is. */
static void give_way(struct agpu_test *t, bool to_view)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_set_render_targets *set;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_TARGETS) && agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_targets_4_0);
    for (uint32_t i = 0; i < 4; i++) {
        agpu_put_target(r, 100 + i, RGBA, EDGE, EDGE);
    }
    if (to_view) {
        agpu_put_view(r, 110, 101, RGBA);
    }
    for (uint32_t k = 0; k < 2; k++) {
        set = agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
        set->color_count = k ? 2 : 4;
        for (uint32_t i = 0; i < set->color_count; i++) {
            set->colors[i] = 100 + i;
        }
        if (k == 1) {
            agpu_put_texture_slot(r, PS, 5, to_view ? 110 : 101);
        }
        agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    }
    agpu_put_draw(r, 3);
    for (uint32_t i = 0; i < 4; i++) {
        agpu_return_unless(
            agpu_expect_target_all(t, 100 + i, RGBA, i == 0 ? AGPU_RGBA(32, 223, 0, 255) : GREY, 1));
    }
}

/* Binding a texture must remove it from the targets, and binding fewer targets must unbind the others. */
static void targets_give_way(struct agpu_test *t)
{
    give_way(t, false);
}

/* Binding a view as a texture must remove its texture from the targets. */
static void targets_give_way_to_view(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_views(t));
    give_way(t, true);
}

/* ---- two handles of one texture ---- */

/* A shared texture must be one texture under both handles: drawn, changed and shown by either. */
static void shared_alias(struct agpu_test *t)
{
    static uint32_t blue[EDGE * EDGE];
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_export_shared_surface *export;
    struct aerogpu_cmd_import_shared_surface *import;

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        blue[i] = AGPU_BLUE;
    }
    agpu_put_target(r, 30, RGBA, EDGE, EDGE);
    export = agpu_rig_packet(r, AEROGPU_CMD_EXPORT_SHARED_SURFACE, sizeof *export);
    export->resource_handle = 30;
    export->share_token = 0x123456789ABCDEFull;
    import = agpu_rig_packet(r, AEROGPU_CMD_IMPORT_SHARED_SURFACE, sizeof *import);
    import->out_resource_handle = 31;
    import->share_token = 0x123456789ABCDEFull;
    /* Drawn to under one handle, shown under the other. */
    agpu_put_targets(r, 31, 0);
    agpu_scene_solid(t, 0.5f, 1, 0, 0, 1);
    agpu_put_draw(r, 4);
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_texture_slot(r, PS, 0, 30);
    agpu_put_draw(r, 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_RED, 0));
    /* Changed under one handle, shown under the other, which stays bound. */
    agpu_put_upload(r, 31, 0, blue, sizeof blue);
    agpu_put_draw(r, 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_BLUE, 0));
    /* The first handle is destroyed; the other one continues to work. */
    agpu_put_texture_slot(r, PS, 0, 31);
    agpu_put_destroy(r, 30);
    agpu_put_clear_color(r, 0, 0, 0, 0);
    agpu_put_draw(r, 3);
    agpu_expect_all(t, AGPU_BLUE, 0);
}

static const struct agpu_case render_harmless_cases[] = {
    AGPU_SCENE_CASE("render.state.packets_that_change_nothing", "commands.md 1", 0, harmless_packets),
    AGPU_SCENE_CASE("render.state.packets_with_tails", "commands.md 1", 0, harmless_tails),
    AGPU_SCENE_CASE("render.state.unknown_values", "commands.md 15", 0, unknown_values),
    AGPU_SCENE_CASE("render.state.registers_apart", "commands.md 7", 0, registers_apart),
    AGPU_SCENE_CASE("render.state.unbinding_alone", "commands.md 15", 0, unbinding_alone),
    AGPU_SCENE_CASE("render.state.unknown_blending", "commands.md 15", 0, unknown_blending),
    AGPU_SCENE_CASE("render.target.gives_way_to_view", "commands.md 15", 0, targets_give_way_to_view),
    AGPU_SCENE_CASE("render.target.gives_way", "commands.md 8", 0, targets_give_way),
    AGPU_SCENE_CASE("render.alias.one_texture", "commands.md 12", 0, shared_alias),
};

AGPU_CASE_TABLE(agpu_cases_render_harmless, render_harmless_cases);
