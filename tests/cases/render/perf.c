/* perf.c: measures the cost of draws; checks only that they are done (commands.md 11). */
#include "tests/cases/rig/samples.h"
#include "tests/cases/rig/scene.h"

#define DRAWS    16u /* in a submission */
#define VERTICES 6u  /* a list of two triangles */

static uint32_t perf_green(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_RGBA(0, 255, 0, 255);
}

/* Measures draws of one state, a quad over a small target, which must be drawn. */
static void perf_draws(struct agpu_test *t)
{
    struct agpu_samples samples = {0};
    struct agpu_vertex quad[4], list[VERTICES];

    agpu_return_unless(agpu_scene_begin_triangles(t));
    agpu_scene_quad(quad, 0.5f, 0, 1, 0, 1);
    for (unsigned i = 0; i < VERTICES; i++) {
        list[i] = quad[i < 3 ? i : VERTICES - i];
    }
    agpu_scene_color(t, list, VERTICES,
                     AEROGPU_TOPOLOGY_TRIANGLELIST); /* software executors have no strips */
    agpu_put_draw(&t->env->rig, VERTICES);
    agpu_return_unless(agpu_run_clean(t)); /* the first draw has created what it needs */
    while (agpu_samples_go_on(t, &samples)) {
        uint64_t before;

        for (unsigned i = 0; i < DRAWS; i++) {
            agpu_put_draw(&t->env->rig, VERTICES);
        }
        before = t->platform->now_ns(t->platform->ctx);
        agpu_return_unless(agpu_run_clean(t));
        agpu_samples_add(&samples, (t->platform->now_ns(t->platform->ctx) - before) / DRAWS);
    }
    agpu_samples_send_rate(t, AGPU_FIGURE_draw_ns, AGPU_FIGURE_draw_rate, &samples, 1);
    agpu_expect(t, perf_green, 0);
}

static const struct agpu_case render_perf_cases[] = {
    AGPU_SCENE_CASE("perf.draw.rate", "commands.md 11", 0, perf_draws),
};

AGPU_CASE_TABLE(agpu_cases_render_perf, render_perf_cases);
