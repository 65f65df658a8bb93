/* umd_draw.h: draws through the driver in one call each: target, shaders, layouts, states and views of the current
 * device, and the comparison of the target with an expected image. */
#ifndef AGPU_CASES_RIG_UMD_DRAW_H
#define AGPU_CASES_RIG_UMD_DRAW_H

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/umd_peer.h"
#include "tests/cases/rig/umd_views.h"

/* Primitive topologies by their Direct3D numbers. */
#define AGPU_DRAW_POINTS 1u
#define AGPU_DRAW_LIST   4u
#define AGPU_DRAW_STRIP  5u

/* The body of a case, and the version of its interface; 0 = the rig's Direct3D 11 device. */
struct agpu_draw_case {
    void (*body)(struct agpu_test *test);
    uint32_t interface_version;
    void (*configure)(
        struct agpu_runtime_config *config); /* changes the stack's configuration; may be NULL */
};

/* Skips on a device that does not draw (scene.h); otherwise opens the stack, runs the body and destroys everything. */
void agpu_run_draw_case(struct agpu_test *test);
/* Like agpu_run_draw_case(), for a body that draws nothing; runs on any device. */
void agpu_run_undrawn_case(struct agpu_test *test);

#define AGPU_DRAW_CASE(name, section, choice, function, version)                                             \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .flags = (choice),                         \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = agpu_run_draw_case,        \
        .arg = &(const struct agpu_draw_case){(function), (version), NULL},                                  \
    }

/* Creates a square R8G8B8A8 target, cleared and bound, with a viewport over all of it. False: failed, which is
 * recorded. edge: texels, at most AGPU_PNG_EDGE_MAX. */
bool agpu_draw_begin(struct agpu_test *test, uint32_t edge);
/* Return the target's resource and view; clear it. */
D3D10DDI_HRESOURCE agpu_draw_target(void);
D3D10DDI_HRENDERTARGETVIEW agpu_draw_target_view(void);
void agpu_draw_clear(struct agpu_test *test, float r, float g, float b, float a);
/* Binds the target, with this depth view (NULL = none), the viewport, and the objects of agpu_draw_colors() if it was
 * called: everything that ClearState unbinds. */
void agpu_draw_bind(struct agpu_test *test, D3D10DDI_HDEPTHSTENCILVIEW depth);
/* Sets the viewport to columns [left, left + width) of the target, over its whole height. */
void agpu_draw_columns(struct agpu_test *test, uint32_t left, uint32_t width);

/* Creates and sets shaders; gs may be NULL. */
void agpu_draw_shaders(struct agpu_test *test, const struct agpu_shader_blob *vs,
                       const struct agpu_shader_blob *gs, const struct agpu_shader_blob *ps);
void agpu_draw_compute(struct agpu_test *test, const struct agpu_shader_blob *cs);
void agpu_draw_layout(struct agpu_test *test, const D3D10DDIARG_INPUT_ELEMENT_DESC *elements, uint32_t count);
/* Sets the layout of struct agpu_vertex, vs_color and this pixel shader. */
void agpu_draw_colors(struct agpu_test *test, const struct agpu_shader_blob *ps);
/* Binds slot 0 and the topology. */
void agpu_draw_vertices(struct agpu_test *test, D3D10DDI_HRESOURCE buffer, uint32_t stride,
                        uint32_t topology);
/* Draws a strip of one colour over the viewport, after agpu_draw_colors(). */
void agpu_draw_solid(struct agpu_test *test, float depth, float r, float g, float b, float a);
/* Binds such a strip with texture coordinates from 0 to most, vs_textured and this pixel shader. */
void agpu_draw_textured(struct agpu_test *test, const struct agpu_shader_blob *ps, float most);

/* Each creates an object and sets it; a view or sampler for pixel shaders. */
void agpu_draw_rasterizer(struct agpu_test *test, const D3D10_DDI_RASTERIZER_DESC *desc);
void agpu_draw_depth(struct agpu_test *test, const D3D10_DDI_DEPTH_STENCIL_DESC *desc);
void agpu_draw_blend(struct agpu_test *test, const D3D10_DDI_RENDER_TARGET_BLEND_DESC *desc,
                     const float factor[4], uint32_t sample_mask);
void agpu_draw_sampler(struct agpu_test *test, uint32_t filter, uint32_t address);
void agpu_draw_view(struct agpu_test *test, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *args);
/* Create objects that the body sets; the pointer is NULL if that failed, which is recorded. create is the entry of
 * the shader's stage. */
typedef HRESULT agpu_create_shader(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                                   D3D10DDI_HRTSHADER);
D3D10DDI_HSHADER agpu_make_shader(struct agpu_test *test, agpu_create_shader *create,
                                  const struct agpu_shader_blob *blob);
/* The layout of struct agpu_vertex. */
D3D10DDI_HELEMENTLAYOUT agpu_make_color_layout(struct agpu_test *test);
D3D10DDI_HBLENDSTATE agpu_make_blend(struct agpu_test *test, const D3D10_DDI_RENDER_TARGET_BLEND_DESC *desc);
D3D10DDI_HRASTERIZERSTATE agpu_make_rasterizer(struct agpu_test *test, const D3D10_DDI_RASTERIZER_DESC *desc);
D3D10DDI_HDEPTHSTENCILSTATE agpu_make_depth(struct agpu_test *test, const D3D10_DDI_DEPTH_STENCIL_DESC *desc);
D3D10DDI_HSAMPLER agpu_make_sampler(struct agpu_test *test, uint32_t filter, uint32_t address);
D3D10DDI_HQUERY agpu_make_event(struct agpu_test *test);
D3D10DDI_HSHADERRESOURCEVIEW agpu_make_srv(struct agpu_test *test,
                                           const D3D10DDIARG_CREATESHADERRESOURCEVIEW *args);
D3D11DDI_HUNORDEREDACCESSVIEW agpu_make_uav(struct agpu_test *test,
                                            const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *args);

/* Checks what a dispatch wrote to a buffer of zeros, at most 256 bytes. A device may ignore dispatches although it
 * draws (commands.md 11), and does not announce that: zeros make the case a SKIP. */
#define agpu_check_dispatched(t, buffer, expected, bytes)                                                    \
    agpu_check_dispatched_at((t), (buffer), (expected), (bytes), AGPU_HERE)
bool agpu_check_dispatched_at(struct agpu_test *test, D3D10DDI_HRESOURCE buffer, const void *expected,
                              uint32_t bytes, struct agpu_where where);

/* Copies the target to a staging texture, maps it and compares it with this image. */
#define agpu_draw_expect(t, expected, tolerance) agpu_draw_expect_at((t), (expected), (tolerance), AGPU_HERE)
bool agpu_draw_expect_at(struct agpu_test *test, agpu_expected *expected, uint32_t tolerance,
                         struct agpu_where where);

#endif
