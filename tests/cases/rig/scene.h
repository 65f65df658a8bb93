/* scene.h: shared by the rendering cases: a small target, usual pipelines, and the comparison of targets with
 * expected images. */
#ifndef AGPU_CASES_RIG_SCENE_H
#define AGPU_CASES_RIG_SCENE_H

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/harness/image.h"
#include "tests/cases/rig/draws.h"

/* In an expected image: any colour is accepted. */
#define AGPU_ANY AGPU_RGBA(1, 2, 254, 3)

/* Edge lengths, in texels, of the R8G8B8A8 target of agpu_scene_begin(). */
#define AGPU_EDGE 16u

/* Handles that every scene uses; cases use 30 and up. */
enum {
    AGPU_TARGET = 1,
    AGPU_VERTICES = 2,
    AGPU_INDICES = 3,
    AGPU_VS = 10,
    AGPU_PS = 11,
    AGPU_GS = 12,
    AGPU_HS = 13,
    AGPU_DS = 14,
    AGPU_CS = 15,
    AGPU_LAYOUT = 20,
};

/* Position and colour, as vs_color reads them. */
struct agpu_vertex {
    float x, y, z, w;
    float r, g, b, a;
};

/* Starts a case. Skips it if the device does not execute shaders (draws.h). Otherwise begins a stream with AGPU_TARGET
 * as the only target, cleared to AGPU_NOTHING: no culling, no depth test, blending off, viewport of the whole target,
 * triangle strips. */
bool agpu_scene_begin(struct agpu_test *test);
/* Like agpu_scene_begin(), for cases that a device without shaders can draw too. */
bool agpu_scene_begin_triangles(struct agpu_test *test);

/* Skips the case if drivers use no texture views: before 1.4 a device need not have them (commands.md 13). */
bool agpu_scene_views(struct agpu_test *test);

/* Creates and binds AGPU_VS and AGPU_PS. */
void agpu_scene_shaders(struct agpu_test *test, const struct agpu_shader_blob *vs,
                        const struct agpu_shader_blob *ps);
/* Draws a triangle over the whole target (3 vertices) without vertex data; the pixel shader's input, if any, is
 * white. */
void agpu_scene_pixel(struct agpu_test *test, const struct agpu_shader_blob *ps);
/* Binds AGPU_VERTICES with these vertices, interpolated colours. */
void agpu_scene_color(struct agpu_test *test, const struct agpu_vertex *vertices, uint32_t count,
                      uint32_t topology);
/* Writes a strip of 4 vertices over the whole target in one colour at one depth, for agpu_scene_color(). */
void agpu_scene_quad(struct agpu_vertex quad[4], float depth, float r, float g, float b, float a);
/* Binds the strip of agpu_scene_quad(), ready to draw. */
void agpu_scene_solid(struct agpu_test *test, float depth, float r, float g, float b, float a);
/* Like agpu_scene_solid(), with texture coordinates from 0 to most for this pixel shader. */
void agpu_scene_textured(struct agpu_test *test, const struct agpu_shader_blob *ps, float most);

/* Runs the stream with a copy of mip 0 of a target into guest memory. Returns false if that failed, which is
 * recorded. texels, without padding, are as in memory, 2 or 4 bytes each, in 32 bits; scene_rgba() of the format
 * converts them to AGPU_RGBA(). */
bool agpu_scene_read(struct agpu_test *test, uint32_t texture, uint32_t format, uint32_t width,
                     uint32_t height, uint32_t texels[AGPU_IMAGE_TEXELS]);
/* Run the stream, and compare AGPU_TARGET, or any target of a colour format, with an expected image. */
#define agpu_expect(t, expected, tolerance)                                                                  \
    agpu_expect_at((t), AGPU_TARGET, AEROGPU_FORMAT_R8G8B8A8_UNORM, (expected), (tolerance), AGPU_HERE)
#define agpu_expect_target(t, texture, format, expected, tolerance)                                          \
    agpu_expect_at((t), (texture), (format), (expected), (tolerance), AGPU_HERE)
/* Like agpu_expect(), with one colour for the whole target. */
#define agpu_expect_all(t, color, tolerance)                                                                 \
    agpu_expect_all_at((t), AGPU_TARGET, AEROGPU_FORMAT_R8G8B8A8_UNORM, (color), (tolerance), AGPU_HERE)
#define agpu_expect_target_all(t, texture, format, color, tolerance)                                         \
    agpu_expect_all_at((t), (texture), (format), (color), (tolerance), AGPU_HERE)
/* Checks that every texel of a depth target, masked, is a number within [high]. */
#define agpu_expect_depth(t, texture, format, mask, low, high)                                               \
    agpu_expect_depth_at((t), (texture), (format), (mask), (low), (high), AGPU_HERE)

bool agpu_expect_at(struct agpu_test *test, uint32_t texture, uint32_t format, agpu_expected *expected,
                    uint32_t tolerance, struct agpu_where where);
bool agpu_expect_all_at(struct agpu_test *test, uint32_t texture, uint32_t format, uint32_t color,
                        uint32_t tolerance, struct agpu_where where);
bool agpu_expect_depth_at(struct agpu_test *test, uint32_t texture, uint32_t format, uint32_t mask,
                          uint32_t low, uint32_t high, struct agpu_where where);

/* Runs the stream, which must fail with this code. Then checks in the pipeline of agpu_scene_solid() that the device
 * still draws. */
#define agpu_expect_fault(t, code) agpu_expect_fault_at((t), (code), AGPU_HERE)
bool agpu_expect_fault_at(struct agpu_test *test, uint32_t code, struct agpu_where where);
/* The second half of it. */
#define agpu_scene_recovers(t) agpu_scene_recovers_at((t), AGPU_HERE)
bool agpu_scene_recovers_at(struct agpu_test *test, struct agpu_where where);

/* ---- cells: many checks in one image ---- */

/* Compares the target as 4 x 4 cells of 4 x 4 texels, from left to right and top to bottom. what completes "is to
 * show ..." in the message about a wrong texel. */
#define AGPU_CELLS 16u
struct agpu_cell {
    const char *what;
    uint32_t color;
};

/* Writes the strip of 4 vertices that covers a cell. */
void agpu_scene_cell(struct agpu_vertex quad[4], uint32_t cell, float depth, float r, float g, float b,
                     float a);
/* Writes two triangles of a list that cover a cell; turned: with the opposite winding. */
void agpu_scene_cell_list(struct agpu_vertex out[6], uint32_t cell, float depth, const float color[4],
                          bool turned);
/* Does the same as agpu_scene_solid(), with a strip for each cell; agpu_put_cell() draws one of them. Such draws
 * differ only in first_vertex. */
void agpu_scene_cells(struct agpu_test *test, float depth, float r, float g, float b, float a);
void agpu_put_cell(struct agpu_rig *rig, uint32_t cell);
/* Cells that are not in the table must have the background colour, AGPU_NOTHING by default. */
#define agpu_expect_cells(t, expected, tolerance) agpu_expect_cells_on(t, expected, AGPU_NOTHING, tolerance)
#define agpu_expect_cells_on(t, expected, background, tolerance)                                             \
    agpu_expect_cells_at((t), AGPU_TARGET, AEROGPU_FORMAT_R8G8B8A8_UNORM, (expected), (background),          \
                         (tolerance), AGPU_HERE)
bool agpu_expect_cells_at(struct agpu_test *test, uint32_t texture, uint32_t format,
                          const struct agpu_cell expected[AGPU_CELLS], uint32_t background,
                          uint32_t tolerance, struct agpu_where where);

/* Runs a stream that a device may either refuse or execute. The fence completes; failed receives if there was an
 * error, which is checked and acknowledged. Our model must execute it. */
#define agpu_run_either(t, code, failed) agpu_run_either_at((t), (code), (failed), AGPU_HERE)
bool agpu_run_either_at(struct agpu_test *test, uint32_t code, bool *failed, struct agpu_where where);

/* Like agpu_run_either(), for a submission that the case has built. */
#define agpu_wait_either(t, submission, code, failed)                                                        \
    agpu_wait_either_at((t), (submission), (code), (failed), AGPU_HERE)
bool agpu_wait_either_at(struct agpu_test *test, const struct agpu_submission *submission, uint32_t code,
                         bool *failed, struct agpu_where where);

/* Runs a stream whose result the specification leaves open. Our model executes it; another device may refuse it
 * (refused: with any of the codes for that). The fence completes either way. */
#define agpu_run_unsettled(t, refused) agpu_run_unsettled_at((t), (refused), AGPU_HERE)
bool agpu_run_unsettled_at(struct agpu_test *test, bool *refused, struct agpu_where where);

/* A case that draws. */
#define AGPU_SCENE_CASE(name, section, choice, function)                                                     \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .flags = (choice),                         \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function),                \
    }

#endif
