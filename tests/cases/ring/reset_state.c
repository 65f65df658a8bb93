/* reset_state.c: a ring reset discards objects and state, as later draws show (device.md 4.2). */
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/rig/scene.h"

#define RESET_TEXTURE 30u
#define RESET_SAMPLER 31u

enum reset_object {
    RESET_OBJECT_NONE,
    RESET_OBJECT_VS,
    RESET_OBJECT_PS,
    RESET_OBJECT_VERTICES,
    RESET_OBJECT_LAYOUT,
    RESET_OBJECT_TEXTURE,
    RESET_OBJECT_SAMPLER,
};

/* Draws a textured quad over the whole target, with one object bound but not created. */
static void reset_put_quad(struct agpu_rig *rig, enum reset_object left_out)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_TEXCOORD, 0, 16, 0, 16, 0}};
    static const float quad[4][6] = {
        {-1, 1, 0, 1, 0, 0}, {1, 1, 0, 1, 1, 0}, {-1, -1, 0, 1, 0, 1}, {1, -1, 0, 1, 1, 1}};
    static const uint32_t texels[4] = {AGPU_WHITE, AGPU_WHITE, AGPU_WHITE, AGPU_WHITE};

    if (left_out != RESET_OBJECT_VS) {
        agpu_put_shader(rig, AGPU_VS, &agpu_vs_textured_4_0);
    }
    if (left_out != RESET_OBJECT_PS) {
        agpu_put_shader(rig, AGPU_PS, &agpu_ps_textured_4_0);
    }
    agpu_put_bind_shaders(rig, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS});
    if (left_out != RESET_OBJECT_VERTICES) {
        agpu_put_filled_buffer(rig, AGPU_VERTICES, quad, sizeof quad);
    }
    agpu_put_vertex_buffer(rig, 0, AGPU_VERTICES, sizeof quad[0], 0);
    if (left_out != RESET_OBJECT_LAYOUT) {
        agpu_put_layout(rig, AGPU_LAYOUT, elements, 2);
    } else {
        struct aerogpu_cmd_set_input_layout *set =
            agpu_rig_packet(rig, AEROGPU_CMD_SET_INPUT_LAYOUT, sizeof *set);

        set->input_layout_handle = AGPU_LAYOUT;
    }
    if (left_out != RESET_OBJECT_TEXTURE) {
        agpu_put_create_texture(rig, RESET_TEXTURE, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2, 2, 0, 0);
        agpu_put_upload(rig, RESET_TEXTURE, 0, texels, sizeof texels);
    }
    agpu_put_texture_slot(rig, AEROGPU_SHADER_STAGE_PIXEL, 0, RESET_TEXTURE);
    if (left_out != RESET_OBJECT_SAMPLER) {
        agpu_put_sampler(rig, 0, RESET_SAMPLER, 0, 0);
    } else {
        agpu_put_sampler_slot(rig, AEROGPU_SHADER_STAGE_PIXEL, 0, RESET_SAMPLER);
    }
    agpu_put_topology(rig, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_draw(rig, 4);
}

/* A ring reset must discard each object that was created and used: its handle is unknown afterwards. */
static void reset_forgets_object(struct agpu_test *t)
{
    const enum reset_object *kind = t->test_case->arg;

    agpu_return_unless(agpu_scene_begin(t));
    reset_put_quad(&t->env->rig, RESET_OBJECT_NONE);
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_return_unless(agpu_scene_begin(t));
    reset_put_quad(&t->env->rig, *kind);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    /* Its handle is free. */
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_return_unless(agpu_scene_begin(t));
    reset_put_quad(&t->env->rig, RESET_OBJECT_NONE);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* A ring reset must restore the default of every state that could keep a quad from the target. */
static void reset_forgets_state(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;

    for (unsigned which = 0; which < 7; which++) {
        agpu_return_unless(agpu_scene_begin(t));
        agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
        switch (which) {
        case 0:
            agpu_put_viewport(rig, &(struct agpu_viewport){4, 4, 2, 2, 0, 1});
            break;
        case 1:
            agpu_put_rasterizer(rig)->scissor_enable = 1;
            agpu_put_scissor(rig, 0, 0, 3, 3);
            break;
        case 2:
            agpu_put_rasterizer(rig)->cull_mode = AEROGPU_CULL_FRONT;
            break;
        case 3:
            agpu_put_blend(rig)->color_write_mask = 0;
            break;
        case 4:
            agpu_put_blend(rig)->sample_mask = 0;
            break;
        case 5:
            agpu_put_depth_state(rig, 1, 1, AEROGPU_COMPARE_NEVER);
            break;
        default:
            agpu_put_rasterizer(rig)->fill_mode = AEROGPU_FILL_WIREFRAME;
            break;
        }
        agpu_put_draw(rig, 4);
        agpu_return_unless(agpu_run_clean(t));
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        agpu_put_target(rig, AGPU_TARGET, AEROGPU_FORMAT_R8G8B8A8_UNORM, AGPU_EDGE, AGPU_EDGE);
        agpu_put_targets(rig, AGPU_TARGET, 0);
        agpu_put_clear_color(rig, 0, 0, 0, 0);
        agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
        agpu_put_draw(rig, 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    }
}

/* Each of several resets in a row must drop the work that was posted since the previous one, although no doorbell was
 * rung for it. */
static void reset_drops_again(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;

    for (unsigned i = 0; i < 4; i++) {
        for (unsigned posted = 0; posted < 1 + i % 2; posted++) {
            const struct agpu_submission submission = {.fence = ++t->env->rig.fence};

            agpu_assert_ok(t, agpu_ring_post(ring, &submission));
        }
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL,
                       AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
        agpu_return_unless(agpu_check_head(t, ring->tail) && agpu_check_completed(t, 0));
    }
    agpu_run_empty(t);
}

#define RESET_OBJECT_CASE(name, kind)                                                                        \
    {                                                                                                        \
        .id = "ring.reset.forgets_" name, .spec = "device.md 4.2", .needs = AGPU_NEED_RING,                  \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = reset_forgets_object,      \
        .arg = &(const enum reset_object)                                                                    \
        {                                                                                                    \
            kind                                                                                             \
        }                                                                                                    \
    }

static const struct agpu_case ring_reset_state_cases[] = {
    RESET_OBJECT_CASE("vertex_shader", RESET_OBJECT_VS),
    RESET_OBJECT_CASE("pixel_shader", RESET_OBJECT_PS),
    RESET_OBJECT_CASE("vertex_buffer", RESET_OBJECT_VERTICES),
    RESET_OBJECT_CASE("input_layout", RESET_OBJECT_LAYOUT),
    RESET_OBJECT_CASE("texture", RESET_OBJECT_TEXTURE),
    RESET_OBJECT_CASE("sampler", RESET_OBJECT_SAMPLER),
    {.id = "ring.reset.drops_again",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = reset_drops_again},
    AGPU_SCENE_CASE("ring.reset.forgets_state", "device.md 4.2", 0, reset_forgets_state),
};

AGPU_CASE_TABLE(agpu_cases_ring_reset_state, ring_reset_state_cases);
