/* clear_odd.c: clears of targets of different sizes, of unusable targets, and of views of long textures (commands.md
 * 6.1, 11, 15). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA   AEROGPU_FORMAT_R8G8B8A8_UNORM
#define TEXELS 128u /* at least as many as any read here */

static uint32_t white[TEXELS];
static const uint32_t black[TEXELS];

/* Binds two targets of different sizes; in the second round the first is also bound for depth, which is invalid. */
static void put_odd_targets(struct agpu_rig *r, uint32_t round)
{
    struct aerogpu_cmd_set_render_targets *set;

    agpu_put_target(r, 10 + round, RGBA, 8, 8);
    agpu_put_target(r, 20 + round, RGBA, 5, 8);
    set = agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
    set->color_count = 2;
    set->colors[0] = 10 + round;
    set->colors[1] = 20 + round;
    set->depth_stencil = round == 0 ? 0 : 10; /* no depth format */
}

/* Another device may refuse targets of different sizes, or their clear; afterwards a clear of a normal target must
 * work. */
static void others_clear_odd_targets(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    bool at_once[2], at_clear[2];

    for (uint32_t round = 0; round < 2; round++) {
        put_odd_targets(r, round);
        agpu_return_unless(agpu_run_unsettled(t, &at_once[round]));
        agpu_put_clear_color(r, 1, 1, 1, 1);
        agpu_return_unless(agpu_run_unsettled(t, &at_clear[round]));
        agpu_put_target(r, 30, RGBA, 8, 8);
        agpu_put_targets(r, 30, 0);
        agpu_put_clear_color(r, 1, 1, 1, 1);
        agpu_reads_begin(r);
        agpu_put_texture_read(r, 30, RGBA, 0, 0, 8, 8);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(
            agpu_check_texture_read(t, 0, white, 0, "a target after those that differ in size or use"));
        agpu_put_reads_done(r);
        agpu_put_targets(r, 0, 0);
        agpu_put_destroy(r, 30);
        agpu_return_unless(agpu_run_clean(t));
    }
    agpu_choice(t, "clear_of_targets_that_differ",
                at_once[0]    ? "not bound"
                : at_clear[0] ? "refused"
                              : "done");
}

/* A clear must fill all targets, of different sizes too, but none if any of them is unusable (commands.md 15). A draw
 * needs targets of one size. */
static void clear_odd_targets(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    memset(white, 0xFF, sizeof white);
    if (!t->env->model) {
        others_clear_odd_targets(t);
        return;
    }
    for (uint32_t round = 0; round < 2; round++) {
        put_odd_targets(r, round);
        agpu_return_unless(agpu_run_clean(t));
        agpu_put_clear_color(r, 1, 1, 1, 1);
        agpu_return_unless(round == 0 ? agpu_run_clean(t) : agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
        agpu_reads_begin(r);
        agpu_put_texture_read(r, 10 + round, RGBA, 0, 0, 8, 8);
        agpu_put_texture_read(r, 20 + round, RGBA, 0, 0, 5, 8);
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t i = 0; i < 2; i++) {
            agpu_return_unless(agpu_check_texture_read(t, i, round == 0 ? white : black, 0,
                                                       "a target among such as differ in size or use"));
        }
        agpu_put_reads_done(r);
        agpu_put_targets(r, 0, 0);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* A clear through views of two layers must fill both, in a mip of a texture that is much higher than wide, and of one
 * that is much wider than high. */
static void clear_long_views(struct agpu_test *t)
{
    static const uint8_t edges[][2] = {{3, 40}, {40, 3}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS | AGPU_ASKS_LAYERS | AGPU_ASKS_TARGETS));
    memset(white, 0xFF, sizeof white);
    agpu_reads_begin(r);
    for (uint32_t i = 0; i < 2; i++) {
        struct aerogpu_cmd_create_texture2d *texture =
            agpu_put_target(r, 1 + i, RGBA, edges[i][0], edges[i][1]);

        struct aerogpu_cmd_set_render_targets *set;

        texture->mip_levels = 4;
        texture->array_layers = 2;
        for (uint32_t layer = 0; layer < 2; layer++) {
            struct aerogpu_cmd_create_texture_view *view = agpu_put_view(r, 20 + 2 * i + layer, 1 + i, RGBA);

            view->base_mip_level = 2;
            view->base_array_layer = layer;
        }
        set = agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
        set->color_count = 2;
        set->colors[0] = 20 + 2 * i;
        set->colors[1] = 21 + 2 * i;
        agpu_put_clear_color(r, 1, 1, 1, 1);
        for (uint32_t n = 0; n < 6; n++) { /* three mips of each layer */
            agpu_put_texture_read(r, 1 + i, RGBA, 1 + n % 3, n / 3, agpu_mip_edge(edges[i][0], 1 + n % 3),
                                  agpu_mip_edge(edges[i][1], 1 + n % 3));
        }
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 12; i++) {
        agpu_return_unless(
            agpu_check_texture_read(t, i, i % 3 == 1 ? white : black, 0,
                                    "mips around the one that a view of a long texture was cleared through"));
    }
}

static const struct agpu_case resource_clear_odd_cases[] = {
    {.id = "render.clear.odd_targets",
     .spec = "commands.md 15",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = clear_odd_targets},
    {.id = "render.clear.long_views",
     .spec = "commands.md 6.1",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = clear_long_views},
};

AGPU_CASE_TABLE(agpu_cases_resource_clear_odd, resource_clear_odd_cases);
