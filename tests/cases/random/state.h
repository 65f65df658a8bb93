/* state.h: actions on state, bindings, targets, shared surfaces, and no-ops (commands.md 1, 7 to 12). */
#ifndef AGPU_CASES_RANDOM_STATE_H
#define AGPU_CASES_RANDOM_STATE_H

#include "tests/cases/random/world.h"

agpu_gen_action agpu_gen_targets, agpu_gen_clear_targets, agpu_gen_fixed, agpu_gen_input, agpu_gen_bind,
    agpu_gen_objects, agpu_gen_constants;
agpu_gen_action agpu_gen_draw;

/* Fields of state that scenes take from a covering array: for any two fields, each pair of values is in one row. */
#define AGPU_GEN_ROWS (19u * 19u)
enum agpu_gen_field {
    AGPU_GEN_BLEND_ENABLE,
    AGPU_GEN_BLEND_SOURCE,
    AGPU_GEN_BLEND_TARGET,
    AGPU_GEN_BLEND_OP,
    AGPU_GEN_BLEND_MASK,
    AGPU_GEN_ALPHA_SOURCE,
    AGPU_GEN_ALPHA_TARGET,
    AGPU_GEN_ALPHA_OP,
    AGPU_GEN_FILL_MODE,
    AGPU_GEN_CULL,
    AGPU_GEN_FRONT,
    AGPU_GEN_SCISSOR,
    AGPU_GEN_DEPTH,
    AGPU_GEN_DEPTH_WRITE,
    AGPU_GEN_DEPTH_FUNCTION,
    AGPU_GEN_TOPOLOGY,
    AGPU_GEN_COLOR_FORMAT,
    AGPU_GEN_DEPTH_FORMAT,
};
/* Returns the value of a field in the current row, a random one without row. values: at most 19. */
uint32_t agpu_gen_field(struct agpu_gen *g, enum agpu_gen_field field, uint32_t values);
/* Sets blend, rasterizer and depth state. */
agpu_gen_action agpu_gen_states;
agpu_gen_action agpu_gen_export, agpu_gen_import, agpu_gen_release;
agpu_gen_action agpu_gen_present, agpu_gen_framing;

#endif
