/* gen_draw.h: actions that draw and compute with real shaders, for devices that execute them (commands.md 7 to 11,
 * 15). */
#ifndef AGPU_HOST_COMPARE_GEN_DRAW_H
#define AGPU_HOST_COMPARE_GEN_DRAW_H

#include "tests/host/compare/world.h"

/* A scene with its own objects: targets, vertices, shaders, some state, a few draws; read back. */
world_action world_scene;
/* A dispatch with its own buffers; read back. */
world_action world_compute;

#endif
