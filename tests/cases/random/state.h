/* state.h: actions on state, bindings, targets, shared surfaces, and no-ops (commands.md 1, 7 to 12). */
#ifndef AGPU_CASES_RANDOM_STATE_H
#define AGPU_CASES_RANDOM_STATE_H

#include "tests/cases/random/world.h"

agpu_gen_action agpu_gen_targets, agpu_gen_clear_targets, agpu_gen_fixed, agpu_gen_input, agpu_gen_bind,
    agpu_gen_objects, agpu_gen_constants;
agpu_gen_action agpu_gen_draw;
agpu_gen_action agpu_gen_export, agpu_gen_import, agpu_gen_release;
agpu_gen_action agpu_gen_present, agpu_gen_framing;

#endif
