/* floor.h: the benchmark's scene directly on Vulkan, as the floor of the renderer's figures. */
#ifndef AGPU_TESTS_BENCH_RENDER_FLOOR_H
#define AGPU_TESTS_BENCH_RENDER_FLOOR_H

#include <stdint.h>

#include "tests/device/render/translate.h"

#define SCENE_EDGE  256 /* texels */
#define SCENE_DRAWS 1000

/* A triangle of a few pixels; position and colour, four floats each. */
extern const float scene_vertices[3][8];

struct floor;

/* Opens a Vulkan device with the scene's two shaders and two pipelines. Exits with a message on failure. */
struct floor *floor_open(struct vgpu_translator *translator);
void floor_close(struct floor *floor);

/* Records and submits SCENE_DRAWS draws and waits for them. changes: each draw uses the other pipeline. */
void floor_draw(struct floor *floor, bool changes);

#endif
