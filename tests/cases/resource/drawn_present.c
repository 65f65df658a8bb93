/* drawn_present.c: flagged presents of targets that were drawn to, by each way to bind them (commands.md 11, 15). */
#include "tests/cases/rig/framebuffer.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/shared_surface.h"

#define RGBA          AEROGPU_FORMAT_R8G8B8A8_UNORM
#define PRESENT_BYTES (4 * AGPU_EDGE * AGPU_EDGE)
#define PRESENT_ALLOC 7u

enum present_kind {
    PRESENT_PLAIN,
    PRESENT_VIEW,
    PRESENT_ALIAS,
    PRESENT_TWO,
    PRESENT_LATER,
    PRESENT_BACKED,
    PRESENT_KINDS
};

static const char *const present_names[PRESENT_KINDS] = {
    "the screen is white, target bound by its handle",
    "the screen is white, target bound by a view",
    "the screen is white, target with an alias",
    "the screen is white, first of two targets",
    "the screen is white, target moved to slot 1 after the draw",
    "the screen is white, target in guest memory",
};

static void put_two_targets(struct agpu_rig *r, uint32_t first, uint32_t second)
{
    struct aerogpu_cmd_set_render_targets *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);

    set->color_count = 2;
    set->colors[0] = first;
    set->colors[1] = second;
}

/* Creates a target, draws it white, and leaves it bound. */
static void put_drawn_target(struct agpu_rig *r, enum present_kind kind, uint32_t handle)
{
    struct aerogpu_cmd_create_texture2d *create = agpu_put_target(r, handle, RGBA, AGPU_EDGE, AGPU_EDGE);

    if (kind == PRESENT_BACKED) {
        create->backing_alloc_id = PRESENT_ALLOC;
        create->row_pitch_bytes = 4 * AGPU_EDGE;
        agpu_rig_alloc(r, PRESENT_ALLOC, &r->memory[1], 0);
    } else if (kind == PRESENT_VIEW) {
        agpu_put_view(r, handle + 1, handle, RGBA);
    } else if (kind == PRESENT_ALIAS) {
        agpu_put_export(r, handle, AGPU_TOKEN);
        agpu_put_import(r, handle + 1, AGPU_TOKEN);
    } else if (kind == PRESENT_TWO) {
        agpu_put_target(r, handle + 1, RGBA, AGPU_EDGE, AGPU_EDGE);
    }
    put_two_targets(r, kind == PRESENT_VIEW ? handle + 1 : handle, kind == PRESENT_TWO ? handle + 1 : 0);
    agpu_put_draw(r, 4);
    if (kind == PRESENT_LATER) {
        put_two_targets(r, 0, handle);
    }
}

/* A flagged present must show what was drawn, however the target is bound. */
static void presents_of_drawn(struct agpu_test *t)
{
    const struct agpu_screen screen = {RGBA, AGPU_EDGE, AGPU_EDGE, 4 * AGPU_EDGE, 0};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_draws_shaders(t) && agpu_screen_begin(t) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_screen_configure(t, &screen);
    for (enum present_kind kind = PRESENT_PLAIN; kind < PRESENT_KINDS; kind++) {
        /* Only slot 0 of another device may count, and an older one need not have views. */
        if ((kind == PRESENT_LATER && !t->env->model) ||
            (kind == PRESENT_VIEW && (!t->env->model || agpu_abi_minor(&t->env->abi) < 4))) {
            continue;
        }
        agpu_screen_poison(t);
        put_drawn_target(r, kind, 30 + 2 * (uint32_t)kind);
        agpu_put_present(r, 0, 0);
        agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(
            !agpu_screen_writes ||
            agpu_check_fill(t, agpu_screen_memory(t), 0xFF, PRESENT_BYTES, present_names[kind], AGPU_HERE));
    }
}

static const struct agpu_case resource_drawn_present_cases[] = {
    {.id = "present.screen.drawn_bindings",
     .spec = "commands.md 11",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = presents_of_drawn},
};

AGPU_CASE_TABLE(agpu_cases_resource_drawn_present, resource_drawn_present_cases);
