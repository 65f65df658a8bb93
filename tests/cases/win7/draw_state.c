/* draw_state.c: state and sampled textures, as in the Windows 7 test programs (required behaviours W). */
#include <string.h>

#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/texel.h"
#include "tests/cases/rig/umd_draw.h"

#define EDGE 16u

/* Direct3D numbers. */
#define LESS          2u
#define GREATER       5u
#define ZERO          1u
#define ONE           2u
#define SRC_ALPHA     5u
#define INV_SRC_ALPHA 6u
#define FACTOR        14u
#define CULL_NONE     1u
#define CULL_FRONT    2u
#define CULL_BACK     3u
#define POINT         0u
#define LINEAR        0x15u

static const float ones[4] = {1, 1, 1, 1};

/* ---- W-10 ---- */

/* W-10: after a clear to 1, LESS must keep the nearer triangle, after a clear to 0 GREATER the farther; ClearState
 * restores the default. */
static void depth_test(struct agpu_test *t)
{
    static const struct {
        float clear, first, second;
        uint32_t func;
    } ways[] = {{1, 0.25f, 0.75f, LESS}, {0, 0.75f, 0.25f, GREATER}};
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_D32_FLOAT, EDGE, EDGE);
    D3D10DDI_HDEPTHSTENCILVIEW view;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    desc.BindFlags = D3D10_DDI_BIND_DEPTH_STENCIL;
    view = agpu_make_dsv(t, agpu_make_texture(t, &desc, 0));
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_require(t, !agpu_device_refused(t), AGPU_SKIP_NO_DEPTH);
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_bind(t, view);
    for (uint32_t i = 0; i < 2; i++) {
        umd->context.pfnClearDepthStencilView(umd->device, view, D3D10_DDI_CLEAR_DEPTH, ways[i].clear, 0);
        agpu_draw_depth(t, &(D3D10_DDI_DEPTH_STENCIL_DESC){
                               .DepthEnable = 1, .DepthWriteMask = 1, .DepthFunc = ways[i].func});
        agpu_draw_clear(t, 0, 0, 0, 0);
        agpu_draw_solid(t, ways[i].first, 1, 0, 0, 1);
        agpu_draw_solid(t, ways[i].second, 0, 1, 0, 1);
        agpu_return_unless(agpu_draw_expect(t, agpu_expected_red, 0));
    }
    /* After ClearState the default is LESS with depth writes. */
    umd->context.pfnClearState(umd->device);
    agpu_draw_bind(t, view);
    umd->context.pfnClearDepthStencilView(umd->device, view, D3D10_DDI_CLEAR_DEPTH, 1, 0);
    agpu_draw_clear(t, 0, 0, 0, 0);
    agpu_draw_solid(t, 0.75f, 1, 0, 0, 1);
    agpu_draw_solid(t, 0.25f, 0, 1, 0, 1);
    agpu_draw_solid(t, 0.5f, 0, 0, 1, 1);
    agpu_draw_expect(t, agpu_expected_green, 0);
}

/* ---- W-11, W-26 ---- */

static void draw_state_rasterizer(struct agpu_test *t, uint32_t cull, uint32_t ccw, uint32_t clip,
                                  uint32_t scissor)
{
    agpu_draw_rasterizer(t, &(D3D10_DDI_RASTERIZER_DESC){.FillMode = 3,
                                                         .CullMode = cull,
                                                         .FrontCounterClockwise = ccw,
                                                         .DepthClipEnable = clip,
                                                         .ScissorEnable = scissor});
}

static uint32_t draw_state_middle(uint32_t x, uint32_t y)
{
    return x >= 4 && x < 12 && y >= 4 && y < 12 ? AGPU_RED : AGPU_NOTHING;
}

/* Draws a red clockwise strip over nothing and checks the image. */
static bool red_gives(struct agpu_test *t, float depth, agpu_expected *expected)
{
    agpu_draw_clear(t, 0, 0, 0, 0);
    agpu_draw_solid(t, depth, 1, 0, 0, 1);
    return agpu_draw_expect(t, expected, 0);
}

/* W-26: the scissor rectangle must apply exactly while it is enabled, and survive being switched off. */
static void draw_state_scissor(struct agpu_test *t)
{
    static const D3D10_DDI_RECT rect = {4, 4, 12, 12};
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_CLEAR_ALL) && agpu_draw_begin(t, EDGE));
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    umd->context.pfnSetScissorRects(umd->device, 1, 0, &rect);
    for (uint32_t i = 0; i < 4; i++) { /* off, on, off, on: the rectangle stays */
        draw_state_rasterizer(t, CULL_BACK, 0, 1, i & 1);
        agpu_return_unless(red_gives(t, 0.5f, i & 1 ? draw_state_middle : agpu_expected_red));
    }
}

static uint32_t half_green_on_red(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_RGBA(128, 128, 0, 128);
}

static uint32_t draw_state_factor(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_RGBA(51, 102, 153, 255);
}

static uint32_t green_channel(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_RGBA(0, 255, 0, 0);
}

static uint32_t draw_state_unblended(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_RGBA(0, 255, 0, 128);
}

static bool raster_states(struct agpu_test *t)
{
    draw_state_rasterizer(t, CULL_FRONT, 0, 1, 0);
    if (!red_gives(t, 0.5f, agpu_expected_nothing)) {
        return false;
    }
    draw_state_rasterizer(t, CULL_BACK, 0, 1, 0);
    if (!red_gives(t, 0.5f, agpu_expected_red)) {
        return false;
    }
    draw_state_rasterizer(t, CULL_FRONT, 1, 1, 0);
    if (!red_gives(t, 0.5f, agpu_expected_red)) {
        return false;
    }
    draw_state_rasterizer(t, CULL_BACK, 1, 1, 0);
    if (!red_gives(t, 0.5f, agpu_expected_nothing)) {
        return false;
    }
    draw_state_rasterizer(t, CULL_NONE, 0, 1, 0);
    if (!red_gives(t, 1.5f, agpu_expected_nothing)) {
        return false;
    }
    draw_state_rasterizer(t, CULL_NONE, 0, 0, 0);
    return red_gives(t, 1.5f, agpu_expected_red);
}

static bool blend_states(struct agpu_test *t)
{
    static const float constant[4] = {0.2f, 0.4f, 0.6f, 1};
    const D3D10_DDI_RENDER_TARGET_BLEND_DESC alpha = {1, SRC_ALPHA, INV_SRC_ALPHA, 1, ONE, ZERO, 1, 0xF};
    const D3D10_DDI_RENDER_TARGET_BLEND_DESC by_factor = {1, FACTOR, ZERO, 1, ONE, ZERO, 1, 0xF};
    const D3D10_DDI_RENDER_TARGET_BLEND_DESC masked = {.RenderTargetWriteMask = 2};
    const D3D10_DDI_RENDER_TARGET_BLEND_DESC off = {.RenderTargetWriteMask = 0xF};

    agpu_draw_blend(t, &alpha, ones, UINT32_MAX);
    agpu_draw_clear(t, 1, 0, 0, 1);
    agpu_draw_solid(t, 0.5f, 0, 1, 0, 0.5f);
    if (!agpu_draw_expect(t, half_green_on_red, 1)) {
        return false;
    }
    agpu_draw_blend(t, &by_factor, constant, UINT32_MAX);
    agpu_draw_clear(t, 0, 0, 0, 0);
    agpu_draw_solid(t, 0.5f, 1, 1, 1, 1);
    if (!agpu_draw_expect(t, draw_state_factor, 1)) {
        return false;
    }
    agpu_draw_blend(t, &masked, ones, UINT32_MAX);
    agpu_draw_clear(t, 0, 0, 0, 0);
    agpu_draw_solid(t, 0.5f, 1, 1, 1, 1);
    if (!agpu_draw_expect(t, green_channel, 0)) {
        return false;
    }
    agpu_draw_blend(t, &off, ones, 0);
    return red_gives(t, 0.5f, agpu_expected_nothing);
}

/* W-11: culling, depth clip, blending and masks must each take effect, and ClearState must restore the defaults. */
static void draw_state_states(struct agpu_test *t)
{
    static const D3D10_DDI_RECT rect = {4, 4, 12, 12};
    const D3D10_DDI_RENDER_TARGET_BLEND_DESC alpha = {1, SRC_ALPHA, INV_SRC_ALPHA, 1, ONE, ZERO, 1, 1};
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    umd->context.pfnSetScissorRects(umd->device, 1, 0, &rect);
    draw_state_rasterizer(t, CULL_BACK, 0, 1, 1);
    agpu_return_unless(red_gives(t, 0.5f, draw_state_middle));
    agpu_return_unless(raster_states(t) && blend_states(t));
    /* All at once, then none. */
    draw_state_rasterizer(t, CULL_FRONT, 0, 1, 1);
    agpu_draw_blend(t, &alpha, ones, 0);
    umd->context.pfnClearState(umd->device);
    agpu_draw_bind(t, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    agpu_draw_clear(t, 1, 0, 0, 1);
    agpu_draw_solid(t, 0.5f, 0, 1, 0, 0.5f);
    agpu_draw_expect(t, draw_state_unblended, 1);
}

/* ---- textures ---- */

static const uint32_t state_four[4] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};

/* Returns which of two texels is at a quarter of a coordinate that runs from 0 to 2. */
static uint32_t address_mode;
static uint32_t texel_at(uint32_t at)
{
    uint32_t i = at / 4;

    return address_mode == 1 ? i & 1 : address_mode == 2 ? (i == 1 || i == 2) : i > 0;
}

static uint32_t draw_state_addressed(uint32_t x, uint32_t y)
{
    return state_four[texel_at(y) * 2 + texel_at(x)];
}

/* Black to white in 8 of 16 columns. */
static uint32_t draw_state_ramp(uint32_t x, uint32_t y)
{
    uint32_t sixteenths = x < 4 ? 0 : x >= 12 ? 16 : 2 * (x - 4) + 1, value = (sixteenths * 255 + 8) / 16;

    (void)y;
    return AGPU_RGBA(value, value, value, 255);
}

static D3D10DDI_HRESOURCE draw_state_filled(struct agpu_test *t, const struct agpu_resource_desc *desc,
                                            const void *texels, uint32_t pitch)
{
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, desc, 0);

    if (texture.pDrvPrivate != NULL) {
        agpu_umd_update(t, texture, 0, NULL, texels, pitch);
    }
    return texture;
}

/* W-08: point and linear sampling, with wrap, clamp and mirror, must put the texel colours at the expected columns. */
static void draw_state_sampling(struct agpu_test *t)
{
    static const uint32_t columns[4] = {AGPU_RGBA(0, 0, 0, 255), AGPU_WHITE, AGPU_RGBA(0, 0, 0, 255),
                                        AGPU_WHITE};
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 2, 2);
    D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 1};

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    args.hDrvResource = draw_state_filled(t, &desc, state_four, 8);
    agpu_assert(t, args.hDrvResource.pDrvPrivate != NULL);
    agpu_draw_view(t, &args);
    agpu_draw_textured(t, &agpu_ps_textured_4_0, 2);
    for (address_mode = 1; address_mode <= 3; address_mode++) {
        agpu_draw_sampler(t, POINT, address_mode);
        umd->context.pfnDraw(umd->device, 4, 0);
        agpu_return_unless(agpu_draw_expect(t, draw_state_addressed, 0));
    }
    args.hDrvResource = draw_state_filled(t, &desc, columns, 8);
    agpu_assert(t, args.hDrvResource.pDrvPrivate != NULL);
    agpu_draw_view(t, &args);
    agpu_draw_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_draw_sampler(t, LINEAR, 3);
    umd->context.pfnDraw(umd->device, 4, 0);
    agpu_draw_expect(t, draw_state_ramp, 2);
}

/* The colour of every subresource of the textures with mips. */
static uint32_t level_color(uint32_t subresource)
{
    return AGPU_RGBA(40 * subresource + 15, 255 - 40 * subresource, 100, 255);
}

static D3D10DDI_HRESOURCE draw_state_levels(struct agpu_test *t, uint32_t mips, uint32_t layers)
{
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 8, 8);
    D3D10DDI_HRESOURCE texture;
    uint32_t *texels = (uint32_t *)(void *)agpu_scratch(0);

    desc.MipLevels = mips;
    desc.ArraySize = layers;
    texture = agpu_make_texture(t, &desc, 0);
    for (uint32_t i = 0; texture.pDrvPrivate != NULL && i < mips * layers; i++) {
        for (uint32_t k = 0; k < 64; k++) {
            texels[k] = level_color(i);
        }
        agpu_umd_update(t, texture, i, NULL, texels, (8u >> i % mips) * 4);
    }
    return texture;
}

static uint32_t six_strips(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 12 ? level_color(x / 2) : AGPU_NOTHING;
}

/* W-09: two layers of three mips must each show their colour through their own view. */
static void mips_and_layers(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {
        .ViewDimension = AGPU_DDI_VIEW_TEXTURE2DARRAY, .MipLevels = 1, .ArraySize = 1};

    agpu_return_unless(agpu_reported_minor(t, 4, "texture views (ABI 1.4)"));
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_LAYERS) && agpu_draw_begin(t, EDGE));
    args.hDrvResource = draw_state_levels(t, 3, 2);
    agpu_assert(t, args.hDrvResource.pDrvPrivate != NULL);
    agpu_draw_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_draw_sampler(t, POINT, 3);
    for (uint32_t i = 0; i < 6; i++) {
        args.MostDetailedMip = i % 3;
        args.FirstArraySlice = i / 3;
        agpu_draw_view(t, &args);
        agpu_draw_columns(t, i * 2, 2);
        umd->context.pfnDraw(umd->device, 4, 0);
    }
    /* No feature announces views (commands.md 6.1): without them a draw names an unknown texture. */
    if (agpu_device_refused(t)) {
        agpu_skip(t, AGPU_SKIP_NO_VIEWS);
        return;
    }
    agpu_draw_expect(t, six_strips, 0);
}

static uint32_t shrunk;
static uint32_t shrunk_square(uint32_t x, uint32_t y)
{
    return x < 8u >> shrunk && y < 8u >> shrunk ? level_color(shrunk) : AGPU_NOTHING;
}

/* W-23: squares of the size of each level must show that level. */
static void draw_state_minification(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 4};

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    args.hDrvResource = draw_state_levels(t, 4, 1);
    agpu_assert(t, args.hDrvResource.pDrvPrivate != NULL);
    agpu_draw_view(t, &args);
    agpu_draw_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_draw_sampler(t, POINT, 3);
    for (shrunk = 0; shrunk < 4; shrunk++) {
        const float edge = (float)(8u >> shrunk);
        const D3D10_DDI_VIEWPORT viewport = {0, 0, edge, edge, 0, 1};

        agpu_draw_clear(t, 0, 0, 0, 0);
        umd->context.pfnSetViewports(umd->device, 1, 0, &viewport);
        umd->context.pfnDraw(umd->device, 4, 0);
        agpu_return_unless(agpu_draw_expect(t, shrunk_square, 0));
    }
}

/* W-24: 4 columns each of red, green, blue and grey of about a half; of 1555 the last without alpha. */
static uint32_t grey;
static uint32_t sixteen_bits(uint32_t x, uint32_t y)
{
    (void)y;
    return x / 4 < 3 ? state_four[x / 4] : grey;
}

/* W-24: textures of 565 and 1555 texels must be sampled within their precision. */
static void formats_16_bit(struct agpu_test *t)
{
    static const struct {
        uint32_t format;
        uint16_t texels[4];
        uint32_t grey;
    } formats[] = {
        {DXGI_FORMAT_B5G6R5_UNORM, {0xF800, 0x07E0, 0x001F, 0x8410}, AGPU_RGBA(132, 130, 132, 255)},
        {DXGI_FORMAT_B5G5R5A1_UNORM, {0xFC00, 0x83E0, 0x801F, 0x4210}, AGPU_RGBA(132, 132, 132, 0)}};
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint16_t *texels = (uint16_t *)(void *)agpu_scratch(0);

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_shaders(t, &agpu_vs_vertex_id_4_0, NULL, &agpu_ps_load_4_0);
    umd->context.pfnIaSetTopology(umd->device, AGPU_DRAW_LIST);
    for (uint32_t f = 0; f < 2; f++) {
        struct agpu_resource_desc desc = agpu_texture_desc(formats[f].format, EDGE, EDGE);
        D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D,
                                                     .MipLevels = 1};

        for (uint32_t i = 0; i < EDGE * EDGE; i++) {
            texels[i] = formats[f].texels[i % EDGE / 4];
        }
        agpu_part(t, "DXGI format %s", agpu_dxgi_name(formats[f].format));
        args.hDrvResource = draw_state_filled(t, &desc, texels, EDGE * 2);
        agpu_assert(t, args.hDrvResource.pDrvPrivate != NULL);
        agpu_draw_view(t, &args);
        umd->context.pfnDraw(umd->device, 3, 0);
        grey = formats[f].grey;
        agpu_return_unless(agpu_draw_expect(t, sixteen_bits, 2));
    }
}

static const struct agpu_case win7_draw_state_cases[] = {
    AGPU_DRAW_CASE("render.win7.depth_test", "umd.md 10", 0, depth_test, 0),
    AGPU_DRAW_CASE("render.win7.states_d3d10", "umd.md 10", 0, draw_state_states,
                   D3D10_0_DDI_INTERFACE_VERSION),
    AGPU_DRAW_CASE("render.win7.states_d3d10_1", "umd.md 10", 0, draw_state_states,
                   D3D10_1_DDI_INTERFACE_VERSION),
    AGPU_DRAW_CASE("render.win7.states_d3d11", "umd.md 10", 0, draw_state_states, 0),
    AGPU_DRAW_CASE("render.win7.scissor", "umd.md 10", 0, draw_state_scissor, 0),
    AGPU_DRAW_CASE("render.win7.sampling", "umd.md 10", 0, draw_state_sampling, 0),
    AGPU_DRAW_CASE("render.win7.mips_and_layers", "umd.md 8", 0, mips_and_layers, 0),
    AGPU_DRAW_CASE("render.win7.minification", "umd.md 10", 0, draw_state_minification, 0),
    AGPU_DRAW_CASE("render.win7.formats_16_bit", "umd.md 2.1", 0, formats_16_bit, 0),
};

AGPU_CASE_TABLE(agpu_cases_win7_draw_state, win7_draw_state_cases);
