/* generate.c: generates a session: a ring, a few hundred random actions, everything read back. */
#include "tests/cases/random/generate.h"

#include <string.h>

#include "tests/cases/random/bad.h"
#include "tests/cases/random/board.h"
#include "tests/cases/random/draw.h"
#include "tests/cases/random/fields.h"
#include "tests/cases/random/function.h"
#include "tests/cases/random/legacy.h"
#include "tests/cases/random/limit.h"
#include "tests/cases/random/read_back.h"
#include "tests/cases/random/repeat.h"
#include "tests/cases/random/resource.h"
#include "tests/cases/random/state.h"

#define FOCUS            4u
#define LONG_RUN         700u  /* one in this many actions is followed by a long run */
#define SUBMISSION_BYTES 8192u /* a submission with this many bytes is ended */

/* The actions of a session, and their relative frequency. */
static const struct {
    enum agpu_gen_area area;
    uint32_t weight;
    agpu_gen_action *action;
} table[] = {
    {AGPU_GEN_AREA_BUFFER, 40, agpu_gen_create_buffer},
    {AGPU_GEN_AREA_TEXTURE, 40, agpu_gen_create_texture},
    {AGPU_GEN_AREA_BUFFER, 25, agpu_gen_destroy},
    {AGPU_GEN_AREA_TEXTURE, 25, agpu_gen_destroy},
    {AGPU_GEN_AREA_BUFFER, 100, agpu_gen_upload},
    {AGPU_GEN_AREA_BUFFER, 50, agpu_gen_dirty},
    {AGPU_GEN_AREA_TEXTURE, 50, agpu_gen_dirty},
    {AGPU_GEN_AREA_BUFFER, 90, agpu_gen_copy_buffer},
    {AGPU_GEN_AREA_TEXTURE, 90, agpu_gen_copy_texture},
    {AGPU_GEN_AREA_BUFFER, 10, agpu_gen_rebind},
    {AGPU_GEN_AREA_VIEW, 15, agpu_gen_create_view},
    {AGPU_GEN_AREA_VIEW, 5, agpu_gen_destroy_view},
    {AGPU_GEN_AREA_CLEAR, 15, agpu_gen_targets},
    {AGPU_GEN_AREA_CLEAR, 60, agpu_gen_clear_targets},
    {AGPU_GEN_AREA_STATE, 30, agpu_gen_fixed},
    {AGPU_GEN_AREA_STATE, 30, agpu_gen_input},
    {AGPU_GEN_AREA_STATE, 40, agpu_gen_bind},
    {AGPU_GEN_AREA_STATE, 30, agpu_gen_objects},
    {AGPU_GEN_AREA_STATE, 15, agpu_gen_constants},
    {AGPU_GEN_AREA_DRAW, 20, agpu_gen_draw},
    {AGPU_GEN_AREA_DRAW, 150, agpu_gen_scene},
    {AGPU_GEN_AREA_COMPUTE, 40, agpu_gen_compute},
    {AGPU_GEN_AREA_SHARED, 20, agpu_gen_export},
    {AGPU_GEN_AREA_SHARED, 20, agpu_gen_import},
    {AGPU_GEN_AREA_SHARED, 8, agpu_gen_release},
    {AGPU_GEN_AREA_SCANOUT, 20, agpu_gen_present},
    {AGPU_GEN_AREA_SCANOUT, 12, agpu_gen_scanout},
    {AGPU_GEN_AREA_SCANOUT, 30, agpu_gen_time},
    {AGPU_GEN_AREA_SCANOUT, 20, agpu_gen_hold},
    {AGPU_GEN_AREA_STREAM, 30, agpu_gen_framing},
    {AGPU_GEN_AREA_FENCE, 90, agpu_gen_interrupts},
    {AGPU_GEN_AREA_FENCE, 30, agpu_gen_narrow},
    {AGPU_GEN_AREA_REGISTERS, 40, agpu_gen_storage},
    {AGPU_GEN_AREA_RING, 4, agpu_gen_ring_set},
    {AGPU_GEN_AREA_RING, 5, agpu_gen_ring_reset},
    {AGPU_GEN_AREA_RING, 6, agpu_gen_ring_off},
    {AGPU_GEN_AREA_RING, 3, agpu_gen_fence_page},
    {AGPU_GEN_AREA_CONFIG, 12, agpu_gen_config},
    {AGPU_GEN_AREA_CONFIG, 1, agpu_gen_function_reset},
    {AGPU_GEN_AREA_APERTURE, 8, agpu_gen_aperture},
    {AGPU_GEN_AREA_BOARD, 4, agpu_gen_sleep},
    {AGPU_GEN_AREA_BOARD, 3, agpu_gen_level_reset},
    {AGPU_GEN_AREA_BOARD, 24, agpu_gen_messages},
    {AGPU_GEN_AREA_ERROR, 40, agpu_gen_bad_packet},
    {AGPU_GEN_AREA_ERROR, 20, agpu_gen_bad_structure},
    {AGPU_GEN_AREA_ERROR, 5, agpu_gen_bad_ring},
    {AGPU_GEN_AREA_DAMAGED, 60, agpu_gen_damage},
    {AGPU_GEN_AREA_STATE, 1, agpu_gen_many},
    {AGPU_GEN_AREA_ERROR, 10, agpu_gen_edges},
    {AGPU_GEN_AREA_RING, 3, agpu_gen_long},
    {AGPU_GEN_AREA_RING, 4, agpu_gen_bell},
    {AGPU_GEN_AREA_BUFFER, 20, agpu_gen_read_back},
    {AGPU_GEN_AREA_TEXTURE, 20, agpu_gen_read_back},
};
#define ACTIONS (sizeof table / sizeof table[0])

static bool resets(agpu_gen_action *action)
{
    return action == agpu_gen_ring_reset || action == agpu_gen_function_reset ||
           action == agpu_gen_level_reset;
}

/* Events that may come between any two steps; the last two only while a fence is held. */
static void put_event(struct agpu_gen *g, bool unbroken)
{
    static const struct {
        enum agpu_gen_area area;
        agpu_gen_action *action;
    } events[] = {{AGPU_GEN_AREA_FENCE, agpu_gen_interrupts},  {AGPU_GEN_AREA_FENCE, agpu_gen_narrow},
                  {AGPU_GEN_AREA_SCANOUT, agpu_gen_time},      {AGPU_GEN_AREA_RING, agpu_gen_bell},
                  {AGPU_GEN_AREA_CONFIG, agpu_gen_master_off}, {AGPU_GEN_AREA_SCANOUT, agpu_gen_scanout},
                  {AGPU_GEN_AREA_SCANOUT, agpu_gen_present},   {AGPU_GEN_AREA_RING, agpu_gen_fence_page},
                  {AGPU_GEN_AREA_RING, agpu_gen_ring_reset},   {AGPU_GEN_AREA_RING, agpu_gen_fence_page}};
    const uint32_t count = sizeof events / sizeof events[0],
                   event = agpu_gen_below(g, g->held_below != 0 ? count : count - 2);

    if (agpu_gen_has(g, events[event].area) && !(unbroken && resets(events[event].action))) {
        events[event].action(g);
    }
}

static void session(struct agpu_gen *g)
{
    const bool unbroken = g->plan.unbroken || agpu_gen_one_in(g, 8);
    uint32_t sums[ACTIONS], sum = 0;

    /* Some sessions leave an area out, to show what it hides. */
    for (size_t i = 0; i < ACTIONS; i++) {
        const bool omitted = agpu_gen_one_in(g, 12) || (unbroken && resets(table[i].action));
        const uint32_t times = (g->plan.focus >> table[i].area & 1) != 0 ? FOCUS : 1;

        sum += agpu_gen_has(g, table[i].area) && !omitted ? times * table[i].weight : 0;
        sums[i] = sum;
    }
    agpu_gen_fence_page(g);
    agpu_gen_ring_set(g);
    for (uint32_t rounds = 0; g->submissions < g->plan.submissions && rounds < 40 * g->plan.submissions &&
                              !g->program->full && !agpu_gen_random_is_over(&g->random);
         rounds++) {
        const uint32_t pick = agpu_gen_below(g, sum > 0 ? sum : 1);
        const uint32_t steps = g->program->step_count, bytes = g->program->byte_count;
        size_t i = 0;

        while (i + 1 < ACTIONS && sums[i] <= pick) {
            i++;
        }
        table[i].action(g);
        if (g->program->step_count != steps || g->program->byte_count != bytes) {
            g->worked |= 1u << table[i].area;
        }
        if (agpu_gen_one_in(g, g->held_below != 0 ? 2 : 12)) {
            put_event(g, unbroken);
        }
        if (g->plan.again != 0 && agpu_gen_one_in(g, LONG_RUN)) {
            agpu_gen_again(g);
        }
        if (sum == 0) { /* an area with registers only: add empty submissions */
            agpu_gen_open(g);
        }
        if (g->open && (agpu_gen_one_in(g, 3) || agpu_gen_last(g)->bytes > SUBMISSION_BYTES)) {
            agpu_gen_close(g, false);
        } else if (!g->open && agpu_gen_one_in(g, 4)) {
            agpu_gen_open(g);
        }
    }
    agpu_gen_close(g, true);
    agpu_gen_read_all(g);
    if (g->held_below != 0) {
        agpu_gen_do(g, AGPU_GEN_ADVANCE)->value = 16 * 24;
        g->held_below = 0;
    }
    agpu_gen_compare(g);
}

void agpu_gen_generate(struct agpu_gen *generator, const struct agpu_gen_plan *plan, uint64_t session_number,
                       struct agpu_gen_program *program)
{
    memset(generator, 0, sizeof *generator);
    generator->random.state =
        plan->seed * UINT64_C(0xD1342543DE82EF95) ^ session_number * UINT64_C(0xA24BAED4963EE407);
    if (plan->input_bytes > 0) {
        generator->random.input = plan->input;
        generator->random.left = plan->input_bytes;
    }
    generator->plan = *plan;
    generator->plan.areas &= ~agpu_gen_areas_apart(&plan->common);
    generator->program = program;
    generator->batch = 1;
    agpu_gen_program_clear(program);
    program->legacy = plan->common.legacy;
    agpu_gen_clear(generator);
    if (plan->common.legacy) {
        generator->worked = 1u << AGPU_GEN_AREA_LEGACY;
        agpu_gen_legacy_session(generator);
    } else if (plan->fields) {
        agpu_gen_fields_session(generator, (uint32_t)session_number);
    } else {
        session(generator);
    }
}
