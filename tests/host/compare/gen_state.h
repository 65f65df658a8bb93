/* gen_state.h: actions on state, bindings, targets, shared surfaces, and no-ops (commands.md 1, 7 to 12). */
#ifndef AGPU_HOST_COMPARE_GEN_STATE_H
#define AGPU_HOST_COMPARE_GEN_STATE_H

#include "tests/host/compare/world.h"

world_action world_targets, world_clear_targets, world_fixed, world_input, world_bind, world_objects,
    world_constants;
world_action world_draw;
world_action world_export, world_import, world_release;
world_action world_present, world_framing;

#endif
