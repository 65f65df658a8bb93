/* clear.c: ClearRenderTargetView and ClearDepthStencilView: closed-form texels of every format, and no change outside
 * the view (umd.md 11, commands.md 11). */
#include <string.h>

#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_draw.h"
#include "tests/cases/rig/umd_views.h"

#define RGBA DXGI_FORMAT_R8G8B8A8_UNORM
#define BGRA DXGI_FORMAT_B8G8R8A8_UNORM

struct color_row {
    uint32_t format;
    float color[4];
    uint32_t texel_bytes;
    uint8_t texel[4];
};

/* A clear of a target of this format must store the closed-form texel everywhere. */
static void umd_clear_color(struct agpu_test *t)
{
    const struct color_row *row = agpu_stack_case(t)->variant;
    struct agpu_resource_desc desc = agpu_texture_desc(row->format, 33, 18);
    D3D10DDI_HRENDERTARGETVIEW view;
    D3D10DDI_HRESOURCE target;

    agpu_return_unless(agpu_asks_texture(t, &desc));
    target = agpu_make_target(t, row->format, 33, 18);
    view = agpu_make_rtv(t, target);
    agpu_assert(t, view.pDrvPrivate != NULL);
    t->env->umd.context.pfnClearRenderTargetView(t->env->umd.device, view, row->color);
    if (row->texel_bytes == 2 && !t->env->model) {
        /* A device need not clear these (commands.md 11); one that does not leaves them unchanged. */
        memset(agpu_scratch(0), 0, AGPU_IMAGE_BYTES);
        agpu_require(t, !agpu_image_is(t, target, &desc, 0, agpu_scratch(0)), AGPU_SKIP_NO_CLEAR);
    }
    agpu_check_solid_at(t, target, &desc, 0, row->texel, row->texel_bytes, AGPU_HERE);
}

/* Given several clears of one target, each must replace the previous one. */
static void umd_clear_again(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 16);
    D3D10DDI_HRESOURCE target = agpu_make_target(t, RGBA, 16, 16);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, target);

    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_bind_targets_of(t, &view, 1);
    for (uint32_t i = 0; i < 4; i++) {
        agpu_clear_view(t, view, i & 1 ? 1.0f : 0.0f, i & 2 ? 1.0f : 0.0f, 0, 1);
        agpu_return_unless(agpu_check_solid(t, target, &desc, 0, i & 1 ? 255 : 0, i & 2 ? 255 : 0, 0, 255));
    }
}

/* A clear through a view must fill the whole view, whatever scissor rectangle is set. */
static void umd_clear_scissored(struct agpu_test *t)
{
    static const D3D10_DDI_RECT rect = {2, 3, 7, 9};

    agpu_return_unless(agpu_draw_begin(t, 16));
    agpu_draw_rasterizer(t, &(D3D10_DDI_RASTERIZER_DESC){
                                .FillMode = 3, .CullMode = 1, .DepthClipEnable = 1, .ScissorEnable = 1});
    t->env->umd.context.pfnSetScissorRects(t->env->umd.device, 1, 0, &rect);
    agpu_draw_clear(t, 1, 0, 0, 1);
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* A clear must replace the initial data of a target. */
static void over_initial_data(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(BGRA, 24, 10);
    D3D10DDI_HRESOURCE target;
    D3D10DDI_HRENDERTARGETVIEW view;
    uint8_t *image = agpu_scratch(0);

    desc.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
    target = agpu_make_texture(t, &desc, 3);
    view = agpu_make_rtv(t, target);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_return_unless(agpu_check_texture(t, target, &desc, 3));
    agpu_clear_view(t, view, 0, 1, 0, 1);
    agpu_return_unless(agpu_check_solid(t, target, &desc, 0, 0, 255, 0, 255));
    /* And an update over the clear. */
    agpu_fill_image(&desc, 0, 4, image);
    agpu_umd_update(t, target, 0, NULL, image, 0);
    agpu_check_texture(t, target, &desc, 4);
}

/* A clear of a view of mip 0 must leave the other mips unchanged. */
static void mip_0_only(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 16);
    D3D10DDI_HRESOURCE target;
    D3D10DDI_HRENDERTARGETVIEW view;
    uint8_t *image = agpu_scratch(0);

    desc.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
    desc.MipLevels = 3;
    agpu_return_unless(agpu_asks_texture(t, &desc));
    target = agpu_make_texture(t, &desc, 5);
    view = agpu_make_rtv(t, target);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 1, 1, 1, 1);
    agpu_return_unless(agpu_check_solid(t, target, &desc, 0, 255, 255, 255, 255));
    for (uint32_t i = 1; i < 3; i++) {
        agpu_fill_image(&desc, i, 5, image);
        agpu_return_unless(agpu_check_image(t, target, &desc, i, image));
    }
}

/* A clear must change its view alone, although other targets are bound. */
static void only_the_view(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 16);
    D3D10DDI_HRESOURCE targets[3];
    D3D10DDI_HRENDERTARGETVIEW views[3];

    /* CLEAR clears all bound targets, so the driver must bind the view alone during the clear. */
    for (unsigned i = 0; i < 3; i++) {
        targets[i] = agpu_make_target(t, RGBA, 16, 16);
        views[i] = agpu_make_rtv(t, targets[i]);
        agpu_assert(t, views[i].pDrvPrivate != NULL);
        agpu_clear_view(t, views[i], 0, 0, 1, 1);
    }
    agpu_bind_targets_of(t, views, 2);
    agpu_clear_view(t, views[1], 1, 0, 0, 1);
    agpu_return_unless(agpu_check_solid(t, targets[0], &desc, 0, 0, 0, 255, 255));
    agpu_return_unless(agpu_check_solid(t, targets[1], &desc, 0, 255, 0, 0, 255));
    agpu_clear_view(t, views[2], 0, 1, 0, 1); /* not bound at all */
    agpu_return_unless(agpu_check_solid(t, targets[0], &desc, 0, 0, 0, 255, 255));
    agpu_return_unless(agpu_check_solid(t, targets[1], &desc, 0, 255, 0, 0, 255));
    agpu_check_solid(t, targets[2], &desc, 0, 0, 255, 0, 255);
}

/* Copies between clears must each read the colour of their time. */
static void umd_clear_in_order_with_copies(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(BGRA, 20, 20);
    D3D10DDI_HRESOURCE target = agpu_make_target(t, BGRA, 20, 20);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, target);
    D3D10DDI_HRESOURCE copies[4];

    agpu_assert(t, view.pDrvPrivate != NULL);
    for (unsigned i = 0; i < 4; i++) {
        copies[i] = agpu_make_texture(t, &desc, 0);
        agpu_assert(t, copies[i].pDrvPrivate != NULL);
        agpu_clear_view(t, view, i & 1 ? 1.0f : 0.0f, i & 2 ? 1.0f : 0.0f, 1, 0);
        agpu_umd_copy(t, copies[i], target);
    }
    for (unsigned i = 0; i < 4; i++) {
        agpu_return_unless(
            agpu_check_solid(t, copies[i], &desc, 0, 255, i & 2 ? 255 : 0, i & 1 ? 255 : 0, 0));
    }
}

/* A bound target must be cleared in each of several submissions. */
static void several_submissions(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 8, 8);
    D3D10DDI_HRESOURCE target = agpu_make_target(t, RGBA, 8, 8);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, target);

    /* Bindings survive a submission; the target is listed in each. */
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_bind_targets_of(t, &view, 1);
    for (unsigned i = 0; i < 8; i++) {
        agpu_clear_view(t, view, (float)i / 255.0f, 0, 0, 1);
        agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    }
    agpu_check_solid(t, target, &desc, 0, 7, 0, 0, 255);
}

/* A target destroyed while bound must not disturb later clears of others. */
static void destroyed_while_bound(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 8, 8);
    D3D10DDI_HRESOURCE bound = agpu_make_target(t, RGBA, 8, 8);
    D3D10DDI_HRESOURCE other = agpu_make_target(t, RGBA, 8, 8);
    D3D10DDI_HRENDERTARGETVIEW views[2] = {agpu_make_rtv(t, bound), agpu_make_rtv(t, other)};

    agpu_assert(t, views[0].pDrvPrivate && views[1].pDrvPrivate);
    agpu_bind_targets_of(t, views, 1);
    agpu_clear_view(t, views[0], 1, 1, 0, 1);
    agpu_umd_destroy(t, bound);
    agpu_clear_view(t, views[1], 1, 0, 1, 1);
    agpu_check_solid(t, other, &desc, 0, 255, 0, 255, 255);
}

/* A clear through a view of one mip and layer must leave all other subresources unchanged. */
static void mip_and_layer_view(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 16);
    D3D10DDI_HRESOURCE target;
    D3D10DDI_HRENDERTARGETVIEW view;
    uint8_t *image = agpu_scratch(0);

    agpu_return_unless(agpu_reported_minor(t, 4, "texture views (ABI 1.4)"));
    desc.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
    desc.MipLevels = 2;
    desc.ArraySize = 2;
    target = agpu_make_texture(t, &desc, 6);
    view = agpu_make_rtv_of(t, target, 1, 1);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 0, 1, 1, 1);
    /* No feature announces views (commands.md 6.1): a device without them refuses the clear or clears nothing. */
    agpu_require(t, !agpu_device_refused(t), AGPU_SKIP_NO_VIEWS);
    for (uint32_t i = 0; i < 3; i++) {
        agpu_fill_image(&desc, i, 6, image);
        agpu_return_unless(agpu_check_image(t, target, &desc, i, image));
    }
    agpu_fill_image(&desc, 3, 6, image);
    agpu_require(t, t->env->model || !agpu_image_is(t, target, &desc, 3, image), AGPU_SKIP_NO_VIEWS);
    agpu_check_solid(t, target, &desc, 3, 0, 255, 255, 255);
}

struct depth_row {
    uint32_t format;
    uint32_t flags;
    float depth;
    uint8_t stencil;
    uint32_t expected; /* after a clear of everything to depth 1, stencil 0 */
};

/* The depth of a clear that is not 0 or 1 may be one unit off (commands.md 11). */
static uint32_t depth_within_one_unit(struct agpu_test *t, D3D10DDI_HRESOURCE target,
                                      const struct agpu_resource_desc *desc, uint32_t expected)
{
    const struct agpu_image image = agpu_image_of(desc, 0);
    const uint32_t depth = expected & 0xFFFFFFu;
    uint32_t *texels = (uint32_t *)(void *)agpu_scratch(0);

    for (uint32_t way = 0; way < 2 && desc->Format == DXGI_FORMAT_D24_UNORM_S8_UINT && !t->env->model;
         way++) {
        const uint32_t near = (expected & 0xFF000000u) | (way ? depth + 1 : depth - 1);

        for (uint32_t i = 0; i < image.width * image.height; i++) {
            texels[i] = near;
        }
        if (depth != 0 && depth != 0xFFFFFFu && agpu_image_is(t, target, desc, 0, texels)) {
            return near;
        }
    }
    return expected;
}

/* A clear of depth and stencil must store the values of this format, for each combination of flags. */
static void umd_clear_depth(struct agpu_test *t)
{
    const struct depth_row *row = agpu_stack_case(t)->variant;
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_texture_desc(row->format, 18, 9);
    D3D10DDI_HRESOURCE target;
    D3D10DDI_HDEPTHSTENCILVIEW view;
    uint32_t expected;
    uint8_t texel[4];

    desc.BindFlags = D3D10_DDI_BIND_DEPTH_STENCIL;
    agpu_return_unless(agpu_asks_texture(t, &desc));
    target = agpu_make_texture(t, &desc, 0);
    view = agpu_make_dsv(t, target);
    agpu_assert(t, view.pDrvPrivate != NULL);
    umd->context.pfnClearDepthStencilView(umd->device, view, D3D10_DDI_CLEAR_DEPTH | D3D10_DDI_CLEAR_STENCIL,
                                          1.0f, 0);
    umd->context.pfnClearDepthStencilView(umd->device, view, row->flags, row->depth, row->stencil);
    if (agpu_device_refused(t)) { /* some devices have no depth formats (commands.md 6.1) */
        agpu_skip(t, AGPU_SKIP_NO_DEPTH);
        return;
    }
    expected = depth_within_one_unit(t, target, &desc, row->expected);
    memcpy(texel, &expected, sizeof texel);
    agpu_check_solid_at(t, target, &desc, 0, texel, 4, AGPU_HERE);
}

/* A clear of depth must leave the bound colour target unchanged. */
static void depth_leaves_color(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc depth_desc = agpu_texture_desc(DXGI_FORMAT_D32_FLOAT, 16, 16);
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 16);
    D3D10DDI_HRESOURCE target = agpu_make_target(t, RGBA, 16, 16);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, target);
    D3D10DDI_HRESOURCE buffer;
    D3D10DDI_HDEPTHSTENCILVIEW depth_view;

    depth_desc.BindFlags = D3D10_DDI_BIND_DEPTH_STENCIL;
    buffer = agpu_make_texture(t, &depth_desc, 0);
    depth_view = agpu_make_dsv(t, buffer);
    agpu_assert(t, view.pDrvPrivate && depth_view.pDrvPrivate);
    umd->context.pfnSetRenderTargets(umd->device, &view, 1, 0, depth_view);
    agpu_require(t, !agpu_device_refused(t), AGPU_SKIP_NO_DEPTH);
    agpu_clear_view(t, view, 1, 0, 0, 1);
    umd->context.pfnClearDepthStencilView(umd->device, depth_view, D3D10_DDI_CLEAR_DEPTH, 0.5f, 0);
    agpu_return_unless(agpu_check_solid(t, target, &desc, 0, 255, 0, 0, 255));
    agpu_clear_view(t, view, 0, 0, 1, 1);
    agpu_check_solid(t, target, &desc, 0, 0, 0, 255, 255);
}

#define T     AEROGPU_FEATURE_TRANSFER
#define NAN_F __builtin_nanf("")
#define COLOR(name, choice, ...)                                                                             \
    AGPU_STACK_CASE(name, "commands.md 11", T, choice, .body = umd_clear_color,                              \
                    .variant = &(const struct color_row){__VA_ARGS__})
#define DEPTH(name, ...)                                                                                     \
    AGPU_STACK_CASE(name, "commands.md 11", T, 0, .body = umd_clear_depth,                                   \
                    .variant = &(const struct depth_row){__VA_ARGS__})
#define CLEAR(name, section, choice, function) AGPU_STACK_CASE(name, section, T, choice, .body = function)

static const struct agpu_case umd_clear_cases[] = {
    COLOR("render.clear_view.rgba", 0, RGBA, {1, 0.5f, 0.25f, 0}, 4, {255, 128, 64, 0}),
    COLOR("render.clear_view.bgra", 0, BGRA, {1, 0.5f, 0.25f, 0}, 4, {64, 128, 255, 0}),
    COLOR("render.clear_view.typeless", 0, DXGI_FORMAT_R8G8B8A8_TYPELESS, {0.2f, 0.4f, 0.6f, 1}, 4,
          {51, 102, 153, 255}),
    COLOR("render.clear_view.clamped", 0, RGBA, {2, -1, 0.2f, 1}, 4, {255, 0, 51, 255}),
    COLOR("render.clear_view.rgba_srgb", 0, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, {1, 0.25f, 0, 0.4f}, 4,
          {255, 137, 0, 102}),
    COLOR("render.clear_view.bgra_srgb", 0, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, {0, 0.25f, 1, 1}, 4,
          {255, 137, 0, 255}),
    COLOR("render.clear_view.not_a_number", 0, RGBA, {NAN_F, 1, NAN_F, 1}, 4, {0, 255, 0, 255}),
    COLOR("render.clear_view.bgrx", 0, DXGI_FORMAT_B8G8R8X8_UNORM, {1, 0, 0.2f, 0}, 4, {51, 0, 255, 255}),
    COLOR("render.clear_view.b5g6r5", 0, DXGI_FORMAT_B5G6R5_UNORM, {1, 0.5f, 0, 1}, 2, {0x00, 0xFC}),
    COLOR("render.clear_view.b5g5r5a1", 0, DXGI_FORMAT_B5G5R5A1_UNORM, {1, 0.5f, 0, 1}, 2, {0x00, 0xFE}),
    CLEAR("render.clear_view.again", "umd.md 11", 0, umd_clear_again),
    {
        .id = "render.clear_view.scissored",
        .spec = "umd.md 11",
        .needs = AGPU_NEED_RING,
        .features = T | AEROGPU_FEATURE_ERROR_INFO,
        .run = agpu_run_undrawn_case,
        .arg = &(const struct agpu_draw_case){umd_clear_scissored, 0, NULL},
    },
    CLEAR("render.clear_view.over_initial_data", "commands.md 6.2", 0, over_initial_data),
    CLEAR("render.clear_view.mip_0_only", "commands.md 11", 0, mip_0_only),
    CLEAR("render.clear_view.only_the_view", "umd.md 11", 0, only_the_view),
    CLEAR("render.clear_view.in_order_with_copies", "umd.md 12", 0, umd_clear_in_order_with_copies),
    CLEAR("render.clear_view.several_submissions", "umd.md 12.2", 0, several_submissions),
    CLEAR("render.clear_view.destroyed_while_bound", "umd.md 5.7", 0, destroyed_while_bound),
    CLEAR("render.clear_view.mip_and_layer", "commands.md 6.1", 0, mip_and_layer_view),
    CLEAR("render.clear_view.depth_leaves_color", "umd.md 11", 0, depth_leaves_color),
    DEPTH("render.clear_view.d32", DXGI_FORMAT_D32_FLOAT, D3D10_DDI_CLEAR_DEPTH, 0.25f, 0, 0x3E800000u),
    DEPTH("render.clear_view.d32_clamped", DXGI_FORMAT_D32_FLOAT, D3D10_DDI_CLEAR_DEPTH, 7.0f, 0,
          0x3F800000u),
    DEPTH("render.clear_view.d24_depth", DXGI_FORMAT_D24_UNORM_S8_UINT, D3D10_DDI_CLEAR_DEPTH, 0, 0x5A,
          0x00000000u),
    DEPTH("render.clear_view.d24_stencil", DXGI_FORMAT_D24_UNORM_S8_UINT, D3D10_DDI_CLEAR_STENCIL, 0, 0x5A,
          0x5AFFFFFFu),
    DEPTH("render.clear_view.d24_both", DXGI_FORMAT_D24_UNORM_S8_UINT,
          D3D10_DDI_CLEAR_DEPTH | D3D10_DDI_CLEAR_STENCIL, 0.5f, 0xC3, 0xC3800000u),
};

AGPU_CASE_TABLE(agpu_cases_umd_clear, umd_clear_cases);
