/* fault.c: faulty draws: the submission has the outcome of commands.md 15, and later draws work. */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/scene.h"

#define EDGE  AGPU_EDGE
#define RGBA  AEROGPU_FORMAT_R8G8B8A8_UNORM
#define PS    AEROGPU_SHADER_STAGE_PIXEL
#define WRONG AEROGPU_ERROR_CMD_DECODE

struct draw_fault {
    void (*change)(struct agpu_test *test); /* applies the fault, between the valid pipeline and its draw */
    uint32_t code;
    bool tolerated; /* a correct device may accept it; the drawn result is then unknown */
};

/* Given a valid pipeline with one fault, the draw must be refused and leave the target unchanged. All packets before
 * it run first, so nothing else can fail. */
static void fault_refused(struct agpu_test *t)
{
    const struct draw_fault *fault = t->test_case->arg;
    bool refused = true;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 1, 1);
    agpu_return_unless(agpu_run_clean(t));
    fault->change(t);
    if (fault->tolerated && !t->env->model) {
        agpu_return_unless(agpu_run_either(t, fault->code, &refused));
        agpu_scene_recovers(t);
    } else {
        agpu_return_unless(agpu_expect_fault(t, fault->code));
    }
    if (refused && fault->code == WRONG) {
        agpu_expect_all(t, AGPU_BLUE, 0);
    }
}

static void no_vertex_shader(struct agpu_test *t)
{
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.ps = AGPU_PS});
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void no_target(struct agpu_test *t)
{
    agpu_put_targets(agpu_rig_of(t), 0, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void unknown_target(struct agpu_test *t)
{
    agpu_put_targets(agpu_rig_of(t), 99, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void no_index_buffer(struct agpu_test *t)
{
    agpu_put_draw_indexed(agpu_rig_of(t), 4);
}

static void unknown_index_buffer(struct agpu_test *t)
{
    agpu_put_index_buffer(agpu_rig_of(t), 99, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_draw_indexed(agpu_rig_of(t), 4);
}

static void adjacency_without_geometry(struct agpu_test *t)
{
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_LINELIST_ADJ);
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void patches_without_hull(struct agpu_test *t)
{
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_draw(agpu_rig_of(t), 3);
}

static void hull_without_domain(struct agpu_test *t)
{
    agpu_put_shader(agpu_rig_of(t), AGPU_HS, &agpu_hs_triangle_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = AGPU_HS});
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_draw(agpu_rig_of(t), 3);
}

/* A topology between the known numbers must be refused, alone in its submission or at the draw. */
static void unknown_topology(struct agpu_test *t)
{
    bool passed;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 1, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_topology(agpu_rig_of(t), 7);
    agpu_return_unless(agpu_run_fault_or_pass(t, WRONG, &passed));
    if (passed) {
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_run_fault(t, WRONG));
    }
    agpu_expect_all(t, AGPU_BLUE, 0);
}

/* Given topology values around all known ones, the device must refuse the packet or the draw. Each is alone in its
 * submission, because packets around a faulty one may have any effect (commands.md 3). */
static void unknown_topologies(struct agpu_test *t)
{
    static const uint32_t unknown[] = {0, 9, 14, 32, 65, 256 + 4, 0x80000004, UINT32_MAX};
    bool passed = false;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        agpu_put_topology(agpu_rig_of(t), unknown[i]);
        agpu_return_unless(agpu_run_fault_or_pass(t, WRONG, &passed));
        if (passed) {
            agpu_put_draw(agpu_rig_of(t), 4);
            agpu_return_unless(agpu_run_fault(t, WRONG));
        }
    }
    agpu_choice(t, "unknown_topology", passed ? "refused at the draw" : "refused at once");
    agpu_put_topology(agpu_rig_of(t), AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Destroys a bound object: the draw must behave as if it had never been bound. */
static void put_destroyed(struct agpu_test *t, uint32_t opcode, uint32_t handle)
{
    struct aerogpu_cmd_destroy_shader *destroy = agpu_rig_packet(agpu_rig_of(t), opcode, sizeof *destroy);

    destroy->shader_handle = handle; /* all these packets have the handle here */
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void destroyed_vertex_shader(struct agpu_test *t)
{
    put_destroyed(t, AEROGPU_CMD_DESTROY_SHADER, AGPU_VS);
}

static void destroyed_layout(struct agpu_test *t)
{
    put_destroyed(t, AEROGPU_CMD_DESTROY_INPUT_LAYOUT, AGPU_LAYOUT);
}

static void destroyed_index_buffer(struct agpu_test *t)
{
    static const uint32_t indices[] = {0, 1, 2, 3};

    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_destroy(agpu_rig_of(t), AGPU_INDICES);
    agpu_put_draw_indexed(agpu_rig_of(t), 4);
}

static void target_destroyed(struct agpu_test *t)
{
    agpu_put_target(agpu_rig_of(t), 30, RGBA, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), 30, 0);
    agpu_put_destroy(agpu_rig_of(t), 30);
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void targets_of_two_sizes(struct agpu_test *t)
{
    struct aerogpu_cmd_set_render_targets *set;

    agpu_put_target(agpu_rig_of(t), 30, RGBA, 2 * EDGE, EDGE);
    set = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
    set->color_count = 2;
    set->colors[0] = AGPU_TARGET;
    set->colors[1] = 30;
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void targets_of_two_heights(struct agpu_test *t)
{
    struct aerogpu_cmd_set_render_targets *set;

    agpu_put_target(agpu_rig_of(t), 30, RGBA, EDGE, 2 * EDGE);
    set = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
    set->color_count = 2;
    set->colors[0] = AGPU_TARGET;
    set->colors[1] = 30;
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void larger_depth_target(struct agpu_test *t)
{
    agpu_put_target(agpu_rig_of(t), 30, AEROGPU_FORMAT_D32_FLOAT, 2 * EDGE, 2 * EDGE);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void not_a_shader(struct agpu_test *t)
{
    agpu_put_shader_bytes(agpu_rig_of(t), 60, PS, 0, "not a shader, 24 bytes..", 24);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = 60});
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void shader_cut_short(struct agpu_test *t)
{
    agpu_put_shader_bytes(agpu_rig_of(t), 60, PS, 0, agpu_ps_color_4_0.words,
                          agpu_ps_color_4_0.size_bytes / 8 * 4);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = 60});
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void other_stage(struct agpu_test *t)
{
    agpu_put_shader_bytes(agpu_rig_of(t), 60, PS, 0, agpu_vs_color_4_0.words, agpu_vs_color_4_0.size_bytes);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = 60});
    agpu_put_draw(agpu_rig_of(t), 4);
}

/* A valid vertex shader in the place of a pixel shader, and the other way round. */
static void bound_elsewhere(struct agpu_test *t)
{
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_VS});
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void shaders_exchanged(struct agpu_test *t)
{
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_PS, .ps = AGPU_VS});
    agpu_put_draw(agpu_rig_of(t), 4);
}

/* The pixel shader wants a texture coordinate, the vertex shader gives a colour. */
static void stages_disagree(struct agpu_test *t)
{
    agpu_put_shader(agpu_rig_of(t), 60, &agpu_ps_textured_4_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = 60});
    agpu_put_draw(agpu_rig_of(t), 4);
}

/* A pixel shader that has drawn is created again as one that wants another input. */
static void stages_disagree_later(struct agpu_test *t)
{
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 1, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_shader(agpu_rig_of(t), AGPU_PS, &agpu_ps_textured_4_0);
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void input_missing(struct agpu_test *t)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_COLOR, 1, 2, 0, 16, 0}};

    agpu_put_layout(agpu_rig_of(t), 60, elements, 2);
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void no_layout(struct agpu_test *t)
{
    struct aerogpu_cmd_set_input_layout *set =
        agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_SET_INPUT_LAYOUT, sizeof *set);

    set->input_layout_handle = 0;
    agpu_put_draw(agpu_rig_of(t), 4);
}

/* 5 is DXGI_FORMAT_R32G32B32_TYPELESS, which no layout may have. */
static void unsupported_format(struct agpu_test *t)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_COLOR, 0, 5, 0, 16, 0}};

    agpu_put_layout(agpu_rig_of(t), 60, elements, 2);
    agpu_put_draw(agpu_rig_of(t), 4);
}

/* No shader reads it. */
static void unread_unsupported_format(struct agpu_test *t)
{
    static const struct agpu_element elements[] = {
        {AGPU_POSITION, 0, 2, 0, 0, 0}, {AGPU_COLOR, 0, 2, 0, 16, 0}, {AGPU_TEXCOORD, 3, 5, 0, 0, 0}};

    agpu_put_layout(agpu_rig_of(t), 60, elements, 3);
    agpu_put_draw(agpu_rig_of(t), 4);
}

/* There is nothing after the 3 indices: no device has this many. */
static void enormous_index_count(struct agpu_test *t)
{
    static const uint32_t indices[] = {0, 1, 2};

    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_draw_indexed(agpu_rig_of(t), UINT32_MAX);
}

/* More than any device draws before its fence counts as lost: the model must stop it within the wait of a driver
 * (vidmm.md 7). */
static void enormous_draw(struct agpu_test *t)
{
    agpu_put_draw(agpu_rig_of(t), UINT32_MAX)->instance_count = UINT32_MAX;
}

static void color_as_depth(struct agpu_test *t)
{
    agpu_put_target(agpu_rig_of(t), 30, RGBA, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    agpu_put_draw(agpu_rig_of(t), 4);
}

static void unknown_texture(struct agpu_test *t)
{
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 99);
    agpu_put_shader(agpu_rig_of(t), 60, &agpu_vs_vertex_id_4_0);
    agpu_put_shader(agpu_rig_of(t), 61, &agpu_ps_load_4_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = 60, .ps = 61});
    agpu_put_draw(agpu_rig_of(t), 3);
}

/* Given an unknown texture in a slot that the shader does not read, the draw must be refused (other devices may draw),
 * and the next one draws. The device resolves handles at the draw whether or not the shader reads the slot: commands.md
 * 10 makes no difference. */
static void unknown_unread_texture(struct agpu_test *t)
{
    bool refused;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 5, 99);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_run_either(t, WRONG, &refused));
    agpu_check(t, refused || !t->env->model);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 5, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Given a sample mask that discards everything, a draw without vertex shader must still be refused: the device checks
 * the draw first. */
static void wrong_and_discarded(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_blend(agpu_rig_of(t))->sample_mask = 0;
    agpu_return_unless(agpu_run_clean(t));
    no_vertex_shader(t);
    agpu_return_unless(agpu_run_fault(t, WRONG));
    agpu_put_blend(agpu_rig_of(t));
    agpu_scene_recovers(t);
}

/* ---- no errors ---- */

/* Given an unknown texture in a slot of a stage without a shader, the draw must work: that stage reads nothing. */
static void unknown_texture_of_idle_stage(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_texture_slot(agpu_rig_of(t), AEROGPU_SHADER_STAGE_GEOMETRY, 0, 99);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* A draw with nothing to draw must cause no error, even with faulty state. */
static void nothing_to_draw(struct agpu_test *t)
{
    static const uint32_t indices[] = {0, 1, 2, 3};

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = t->env->model ? 0 : 1; i < 2; i++) {
        if (i == 1) { /* and with valid state */
            agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
            agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
            agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
        }
        agpu_put_draw(agpu_rig_of(t), 0);
        agpu_put_draw_indexed(agpu_rig_of(t), 0);
        agpu_put_draw(agpu_rig_of(t), 4)->instance_count = 0;
        agpu_put_draw_indexed(agpu_rig_of(t), 4)->instance_count = 0;
        agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    }
    agpu_put_draw_indexed(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Given a vertex slot without a buffer, all vertices must be read as 0 0 0 0, so that no triangle has an interior. */
static void slot_without_buffer(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_vertex_buffer(agpu_rig_of(t), 0, 0, 32, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* Indices after the end read 0: the second triangle is 2, 0, 0, and all others are 0, 0, 0. */
static uint32_t fault_upper_left(uint32_t x, uint32_t y)
{
    return x + y < EDGE - 1 ? AGPU_WHITE : AGPU_NOTHING;
}

/* Indices after the end of their buffer must read as 0. */
static void indices_behind_end(struct agpu_test *t)
{
    static const uint32_t indices[] = {0, 1, 2, 2};
    struct agpu_vertex quad[4];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(quad, 0.5f, 1, 1, 1, 1);
    quad[1].x = 0.99f; /* no centre on the diagonal */
    quad[2].y = -0.99f;
    agpu_scene_color(t, quad, 4, AEROGPU_TOPOLOGY_TRIANGLELIST);
    agpu_put_filled_buffer(agpu_rig_of(t), AGPU_INDICES, indices, sizeof indices);
    agpu_put_index_buffer(agpu_rig_of(t), AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_draw_indexed(agpu_rig_of(t), 300);
    agpu_expect(t, fault_upper_left, 0);
}

/* Given a draw from vertex 1000000 of a buffer of 4, all vertices must read 0. */
static void vertices_behind_end(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_draw(agpu_rig_of(t), 4)->first_vertex = 1000000;
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* A texture destroyed while bound must read as an unbound slot. */
static void destroyed_texture(struct agpu_test *t)
{
    static const uint32_t texel = AGPU_RED;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_put_create_texture(agpu_rig_of(t), 30, RGBA, 1, 1, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 30, 0, &texel, 4);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_clear_color(agpu_rig_of(t), 1, 1, 1, 1);
    agpu_put_destroy(agpu_rig_of(t), 30);
    agpu_put_draw(agpu_rig_of(t), 4); /* as with an unbound slot */
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

#define MODEL AGPU_CASE_MODEL_CHOICE
#define DRAW_FAULT_WITH(name, function, error, choice, either)                                               \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 15", .needs = AGPU_NEED_RING, .flags = (choice),                  \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = fault_refused,             \
        .arg = &(const struct draw_fault){(function), (error), (either)},                                    \
    }
#define DRAW_FAULT(name, function, error) DRAW_FAULT_WITH(name, function, error, 0, false)
/* Direct3D accepts these, with undefined results. */
#define DRAW_EITHER(name, function) DRAW_FAULT_WITH(name, function, WRONG, 0, true)
/* The limit and the time that a device tries are its own choice: only our model is known to stop in time. */
#define DRAW_ENORMOUS(name, function) DRAW_FAULT_WITH(name, function, AEROGPU_ERROR_BACKEND, MODEL, false)

static const struct agpu_case render_fault_cases[] = {
    DRAW_FAULT("render.fault.no_vertex_shader", no_vertex_shader, WRONG),
    DRAW_FAULT("render.fault.no_target", no_target, WRONG),
    DRAW_FAULT("render.fault.unknown_target", unknown_target, WRONG),
    DRAW_FAULT("render.fault.color_as_depth", color_as_depth, WRONG),
    DRAW_FAULT("render.fault.no_index_buffer", no_index_buffer, WRONG),
    DRAW_FAULT("render.fault.unknown_index_buffer", unknown_index_buffer, WRONG),
    DRAW_ENORMOUS("render.fault.enormous_index_count", enormous_index_count),
    DRAW_ENORMOUS("render.fault.enormous_draw", enormous_draw),
    DRAW_FAULT("render.fault.adjacency_without_geometry", adjacency_without_geometry, WRONG),
    DRAW_FAULT("render.fault.patches_without_hull", patches_without_hull, WRONG),
    DRAW_FAULT("render.fault.hull_without_domain", hull_without_domain, WRONG),
    AGPU_SCENE_CASE("render.fault.unknown_topology", "commands.md 9", 0, unknown_topology),
    AGPU_SCENE_CASE("render.fault.unknown_topologies", "commands.md 9", 0, unknown_topologies),
    DRAW_FAULT("render.fault.destroyed_vertex_shader", destroyed_vertex_shader, WRONG),
    DRAW_EITHER("render.fault.destroyed_layout", destroyed_layout),
    DRAW_FAULT("render.fault.destroyed_index_buffer", destroyed_index_buffer, WRONG),
    DRAW_FAULT("render.fault.destroyed_target", target_destroyed, WRONG),
    DRAW_EITHER("render.fault.targets_of_two_sizes", targets_of_two_sizes),
    DRAW_EITHER("render.fault.targets_of_two_heights", targets_of_two_heights),
    DRAW_EITHER("render.fault.larger_depth_target", larger_depth_target),
    AGPU_SCENE_CASE("render.fault.wrong_and_discarded", "commands.md 15", 0, wrong_and_discarded),
    DRAW_FAULT("render.fault.not_a_shader", not_a_shader, WRONG),
    DRAW_FAULT("render.fault.shader_cut_short", shader_cut_short, WRONG),
    DRAW_FAULT("render.fault.shader_of_other_stage", other_stage, WRONG),
    DRAW_FAULT("render.fault.shader_bound_elsewhere", bound_elsewhere, WRONG),
    DRAW_FAULT("render.fault.shaders_exchanged", shaders_exchanged, WRONG),
    DRAW_EITHER("render.fault.stages_disagree", stages_disagree),
    DRAW_EITHER("render.fault.stages_disagree_later", stages_disagree_later),
    DRAW_EITHER("render.fault.input_missing", input_missing),
    DRAW_EITHER("render.fault.no_layout", no_layout),
    DRAW_FAULT("render.fault.unsupported_vertex_format", unsupported_format, WRONG),
    DRAW_FAULT("render.fault.unread_unsupported_format", unread_unsupported_format, WRONG),
    DRAW_FAULT("render.fault.unknown_texture", unknown_texture, WRONG),
    AGPU_SCENE_CASE("render.fault.unknown_unread_texture", "commands.md 10", 0, unknown_unread_texture),
    AGPU_SCENE_CASE("render.robust.unknown_texture_of_idle_stage", "commands.md 10", 0,
                    unknown_texture_of_idle_stage),
    AGPU_SCENE_CASE("render.robust.nothing_to_draw", "commands.md 15", 0, nothing_to_draw),
    AGPU_SCENE_CASE("render.robust.slot_without_buffer", "commands.md 15", 0, slot_without_buffer),
    AGPU_SCENE_CASE("render.robust.indices_behind_end", "commands.md 15", 0, indices_behind_end),
    AGPU_SCENE_CASE("render.robust.vertices_behind_end", "commands.md 15", 0, vertices_behind_end),
    AGPU_SCENE_CASE("render.robust.destroyed_texture", "commands.md 15", 0, destroyed_texture),
};

AGPU_CASE_TABLE(agpu_cases_render_fault, render_fault_cases);
