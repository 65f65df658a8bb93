/* generate.c: generates a session: a ring, a few hundred random actions, everything read back. */
#include "tests/host/compare/generate.h"

#include <string.h>

#include "tests/host/compare/gen_bad.h"
#include "tests/host/compare/gen_board.h"
#include "tests/host/compare/gen_draw.h"
#include "tests/host/compare/gen_function.h"
#include "tests/host/compare/gen_legacy.h"
#include "tests/host/compare/gen_resource.h"
#include "tests/host/compare/gen_state.h"

#define SUBMISSION_BYTES 8192u /* a submission with this many bytes is ended */

/* The actions of a session, and their relative frequency. */
static const struct {
    enum agpu_cmp_area area;
    uint32_t weight;
    world_action *action;
} table[] = {
    {AGPU_CMP_AREA_BUFFER, 40, world_create_buffer}, {AGPU_CMP_AREA_TEXTURE, 40, world_create_texture},
    {AGPU_CMP_AREA_BUFFER, 25, world_destroy},       {AGPU_CMP_AREA_TEXTURE, 25, world_destroy},
    {AGPU_CMP_AREA_BUFFER, 100, world_upload},       {AGPU_CMP_AREA_BUFFER, 50, world_dirty},
    {AGPU_CMP_AREA_TEXTURE, 50, world_dirty},        {AGPU_CMP_AREA_BUFFER, 90, world_copy_buffer},
    {AGPU_CMP_AREA_TEXTURE, 90, world_copy_texture}, {AGPU_CMP_AREA_BUFFER, 10, world_rebind},
    {AGPU_CMP_AREA_VIEW, 15, world_create_view},     {AGPU_CMP_AREA_VIEW, 5, world_destroy_view},
    {AGPU_CMP_AREA_CLEAR, 15, world_targets},        {AGPU_CMP_AREA_CLEAR, 60, world_clear_targets},
    {AGPU_CMP_AREA_STATE, 30, world_fixed},          {AGPU_CMP_AREA_STATE, 30, world_input},
    {AGPU_CMP_AREA_STATE, 40, world_bind},           {AGPU_CMP_AREA_STATE, 30, world_objects},
    {AGPU_CMP_AREA_STATE, 15, world_constants},      {AGPU_CMP_AREA_DRAW, 20, world_draw},
    {AGPU_CMP_AREA_DRAW, 150, world_scene},          {AGPU_CMP_AREA_DRAW, 40, world_compute},
    {AGPU_CMP_AREA_SHARED, 20, world_export},        {AGPU_CMP_AREA_SHARED, 20, world_import},
    {AGPU_CMP_AREA_SHARED, 8, world_release},        {AGPU_CMP_AREA_SCANOUT, 20, world_present},
    {AGPU_CMP_AREA_SCANOUT, 12, world_scanout},      {AGPU_CMP_AREA_SCANOUT, 12, world_time},
    {AGPU_CMP_AREA_STREAM, 30, world_framing},       {AGPU_CMP_AREA_FENCE, 30, world_interrupts},
    {AGPU_CMP_AREA_REGISTERS, 20, world_storage},    {AGPU_CMP_AREA_RING, 4, world_ring_set},
    {AGPU_CMP_AREA_RING, 3, world_ring_reset},       {AGPU_CMP_AREA_RING, 6, world_ring_off},
    {AGPU_CMP_AREA_RING, 3, world_fence_page},       {AGPU_CMP_AREA_CONFIG, 8, world_config},
    {AGPU_CMP_AREA_CONFIG, 1, world_function_reset}, {AGPU_CMP_AREA_APERTURE, 8, world_aperture},
    {AGPU_CMP_AREA_BOARD, 4, world_sleep},           {AGPU_CMP_AREA_BOARD, 3, world_level_reset},
    {AGPU_CMP_AREA_BOARD, 24, world_messages},       {AGPU_CMP_AREA_ERROR, 40, world_bad_packet},
    {AGPU_CMP_AREA_ERROR, 20, world_bad_structure},  {AGPU_CMP_AREA_ERROR, 5, world_bad_ring},
    {AGPU_CMP_AREA_DAMAGED, 60, world_damage},       {AGPU_CMP_AREA_BUFFER, 20, world_read_back},
    {AGPU_CMP_AREA_TEXTURE, 20, world_read_back},
};
#define ACTIONS (sizeof table / sizeof table[0])

static void session(struct agpu_cmp_generator *g)
{
    uint32_t sums[ACTIONS], sum = 0;

    /* Some sessions leave an area out, to show what it hides. */
    for (size_t i = 0; i < ACTIONS; i++) {
        sum += world_has(g, table[i].area) && !world_one_in(g, 12) ? table[i].weight : 0;
        sums[i] = sum;
    }
    world_fence_page(g);
    world_ring_set(g);
    for (uint32_t rounds = 0;
         g->submissions < g->plan.submissions && rounds < 40 * g->plan.submissions && !g->program->full;
         rounds++) {
        const uint32_t pick = world_below(g, sum > 0 ? sum : 1);
        size_t i = 0;

        while (i + 1 < ACTIONS && sums[i] <= pick) {
            i++;
        }
        table[i].action(g);
        if (sum == 0) { /* an area with registers only: add empty submissions */
            world_open(g);
        }
        if (g->open && (world_one_in(g, 3) || world_step(g)->bytes > SUBMISSION_BYTES)) {
            world_close(g, false);
        } else if (!g->open && world_one_in(g, 4)) {
            world_open(g);
        }
    }
    world_close(g, true);
    world_read_all(g);
    if (g->held_below != 0) {
        world_do(g, AGPU_CMP_ADVANCE)->value = 16 * 24;
        g->held_below = 0;
    }
    world_look(g);
}

void agpu_cmp_generate(struct agpu_cmp_generator *generator, const struct agpu_cmp_plan *plan,
                       uint64_t session_number, struct agpu_cmp_program *program)
{
    memset(generator, 0, sizeof *generator);
    generator->random.state =
        plan->seed * UINT64_C(0xD1342543DE82EF95) ^ session_number * UINT64_C(0xA24BAED4963EE407);
    generator->plan = *plan;
    generator->plan.areas &= ~agpu_cmp_areas_apart(&plan->common);
    generator->program = program;
    generator->batch = 1;
    agpu_cmp_program_clear(program);
    program->legacy = plan->common.legacy;
    world_clear(generator);
    if (plan->common.legacy) {
        world_legacy_session(generator);
    } else {
        session(generator);
    }
}
