/* draw.h: actions that draw and compute with real shaders, for devices that execute them (commands.md 7 to 11,
 * 15). */
#ifndef AGPU_CASES_RANDOM_DRAW_H
#define AGPU_CASES_RANDOM_DRAW_H

#include "tests/cases/random/world.h"

/* A scene with its own objects: targets, vertices, shaders, some state, a few draws; read back. */
agpu_gen_action agpu_gen_scene;
/* A dispatch with its own buffers; read back. */
agpu_gen_action agpu_gen_compute;

#endif
