/* scene.h: fixture of the rendering tests: a device with the renderer, and helpers for packets that draw. Each scene
 * starts with target 1, TARGET x TARGET texels of R8G8B8A8, cleared to black with alpha 0. */
#ifndef AGPU_TESTS_UNIT_RENDER_SCENE_H
#define AGPU_TESTS_UNIT_RENDER_SCENE_H

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/render/render.h"
#include "tests/shaders/shaders.h"
#include "tests/unit/device/packets_short.h"
#include "tests/unit/test.h"

#define TARGET 16 /* texels along an edge of the target */

enum {
    /* Handles of each scene. */
    COLOR = 1,
    VERTICES = 2,
    INDICES = 3,
    VS = 10,
    PS = 11,
    GS = 12,
    HS = 13,
    DS = 14,
    CS = 15,
    LAYOUT = 20,
};

/* Colours as read from R8G8B8A8 in memory order. */
#define RGBA(r, g, b, a) ((uint32_t)(r) | (uint32_t)(g) << 8 | (uint32_t)(b) << 16 | (uint32_t)(a) << 24)
#define NOTHING          RGBA(0, 0, 0, 0)
#define WHITE            RGBA(255, 255, 255, 255)
#define RED              RGBA(255, 0, 0, 255)
#define GREEN            RGBA(0, 255, 0, 255)

/* Position and colour as vs_color reads them. */
struct vertex {
    float x, y, z, w;
    float r, g, b, a;
};

struct render_scene {
    struct fake_driver *driver;
    struct vgpu_render *render;
};

/* cmocka set-up and tear-down; *state is a struct render_scene. */
int scene_setup(void **state);
int scene_teardown(void **state);

/* A fixture of the group: exits with 77 (skipped), and prints why, if drawing is not possible. */
int scene_required(void **state);

/* Submits the packets added so far and starts a new stream. scene_run() expects no error, scene_fail() this one. */
void scene_run(struct render_scene *scene);
void scene_fail(struct render_scene *scene, uint32_t code);

/* Creates a shader of the stage in its name. */
void scene_shader(struct render_scene *scene, uint32_t handle, const struct agpu_shader_blob *blob);
void scene_shader_bytes(struct render_scene *scene, uint32_t handle, uint32_t stage, uint32_t stage_ex,
                        const void *bytes, uint32_t size);
/* Binds shaders; 0: none. */
void scene_bind(struct render_scene *scene, uint32_t vs, uint32_t ps, uint32_t gs, uint32_t hs, uint32_t ds,
                uint32_t cs);
/* Creates vs and ps with the handles VS and PS, and binds them. */
void scene_shaders(struct render_scene *scene, const struct agpu_shader_blob *vs,
                   const struct agpu_shader_blob *ps);

struct element {
    uint32_t hash;
    uint32_t index;
    uint32_t format; /* DXGI */
    uint32_t slot;
    uint32_t offset;
    uint32_t step; /* 0: per vertex */
};
#define POSITION 0x7808E88Au
#define COLOR_0  0xE7C308F8u
void scene_layout(struct render_scene *scene, uint32_t handle, const struct element *elements,
                  uint32_t count);

/* Creates a buffer with these contents. */
void scene_buffer(struct render_scene *scene, uint32_t handle, const void *bytes, uint32_t size);
void scene_vertex_buffer(struct render_scene *scene, uint32_t slot, uint32_t buffer, uint32_t stride,
                         uint32_t offset);
/* Creates VERTICES with these vertices in slot 0, and LAYOUT for them. */
void scene_vertices(struct render_scene *scene, const struct vertex *vertices, uint32_t count);
/* Creates INDICES with these indices, and binds them. */
void scene_indices(struct render_scene *scene, const uint32_t *indices, uint32_t count);

void scene_topology(struct render_scene *scene, uint32_t topology);
void scene_raster(struct render_scene *scene, uint32_t cull, uint32_t front_ccw, uint32_t scissor_enable);
void scene_uav(struct render_scene *scene, uint32_t slot, uint32_t buffer, uint32_t offset, uint32_t size);

void scene_draw(struct render_scene *scene, uint32_t count);
struct aerogpu_cmd_draw_indexed *scene_draw_indexed(struct render_scene *scene, uint32_t count);
void scene_dispatch(struct render_scene *scene, uint32_t x, uint32_t y, uint32_t z);

/* Reads a target of TARGET x TARGET texels with 4 bytes each. */
void scene_read(struct render_scene *scene, uint32_t texture, uint32_t format,
                uint32_t pixels[TARGET * TARGET]);

/* Checks that all of COLOR is one colour; channels may differ by tolerance. */
void scene_expect_all(struct render_scene *scene, uint32_t color, uint32_t tolerance);

#endif
