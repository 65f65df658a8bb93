/* spy_submits.c: RenderCb and PresentCb with their lists and packets: what is bound, indirect arguments, presents, lost
 * submissions, views of deferred contexts (umd.md 11, 12, 13, 15). */
#include <string.h>

#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_deferred.h"
#include "tests/cases/rig/vblank.h"

#define T       AEROGPU_FEATURE_TRANSFER
#define EDGE    AGPU_EDGE
#define RGBA    DXGI_FORMAT_R8G8B8A8_UNORM
#define SUBMITS AGPU_SPY_SUBMITS
#define PACKETS (AGPU_SPY_SUBMITS | AGPU_SPY_PACKETS | AGPU_SPY_ERRORS)

static void spied_flush(struct agpu_test *t)
{
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
}

/* Bound resources of each kind must be in the list of every submission that draws with them, also when nothing was
 * bound in between. */
static void bound_again(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_resource_desc desc = agpu_texture_desc(RGBA, EDGE, EDGE);
    const struct agpu_resource_desc constant_desc =
        agpu_buffer_desc(64, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    static const uint16_t numbers[4] = {0, 1, 2, 3};
    D3D10DDIARG_CREATESHADERRESOURCEVIEW view = {.hDrvResource = agpu_make_texture(t, &desc, 1)};
    D3D10DDI_HRESOURCE indices = agpu_make_indices(t, sizeof numbers, numbers), constants;
    HRESULT hr;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_draw_view(t, &view);
    constants = agpu_umd_create(t, &constant_desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    umd->context.pfnVsSetConstantBuffers(umd->device, 3, 1, &constants);
    umd->context.pfnIaSetIndexBuffer(umd->device, indices, DXGI_FORMAT_R16_UINT, 0);
    spied_flush(t);
    agpu_spy_begin(SUBMITS);
    for (unsigned i = 0; i < 3; i++) {
        umd->context.pfnDrawIndexed(umd->device, 4, 0, 0);
        spied_flush(t);
    }
    agpu_check_calls(t, "Render a1w a2 a3 a4 a5\n"
                        "Render a1w a2 a3 a4 a5\n"
                        "Render a1w a2 a3 a4 a5\n");
}

/* Given bound views of two textures, the destruction of one must leave the other bound: listed, and bound again after a
 * clear has pushed it out. */
static void other_view_stays(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, EDGE, EDGE);
    D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {
        .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MostDetailedMip = 1, .MipLevels = 1};
    D3D10DDI_HSHADERRESOURCEVIEW views[2];
    static uint64_t memory[2][64];

    agpu_return_unless(agpu_reported_minor(t, 4, "views of mips (ABI 1.4)"));
    desc.MipLevels = 2;
    desc.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
    for (uint32_t i = 0; i < 2; i++) {
        args.hDrvResource = agpu_make_texture(t, &desc, i);
        agpu_assert(t,
                    umd->funcs.pfnCalcPrivateShaderResourceViewSize(umd->device, &args) <= sizeof memory[i]);
        views[i].pDrvPrivate = memory[i];
        (void)umd->funcs.pfnCreateShaderResourceView(umd->device, &args, views[i],
                                                     (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL});
    }
    umd->context.pfnPsSetShaderResources(umd->device, 0, 2, views);
    spied_flush(t);
    umd->funcs.pfnDestroyShaderResourceView(umd->device, views[0]);
    spied_flush(t);
    agpu_spy_begin(PACKETS);
    agpu_clear_view(t, agpu_make_rtv(t, args.hDrvResource), 0, 0, 0, 1);
    spied_flush(t);
    agpu_check_calls(t, "Render a1w\n"
                        "  SET_RENDER_TARGETS 1 0 h1 0 0 0 0 0 0 0\n"
                        "  CLEAR 1 0 0 0 0x3f800000 0x3f800000 0\n"
                        "  SET_RENDER_TARGETS 0 0 0 0 0 0 0 0 0 0\n"
                        "  SET_TEXTURE 1 1 h2 0\n"
                        "  FLUSH 0 0\n");
    umd->funcs.pfnDestroyShaderResourceView(umd->device, views[1]);
}

/* The device's words in h1 get into memory through a temporary buffer. */
#define WRITTEN_BACK(bytes)                                                                                  \
    "  CREATE_BUFFER h3 0 " bytes " 0 0 0 0 0\n"                                                             \
    "  COPY_BUFFER h3 h1 0 0 0 0 " bytes " 0 0 0\n"                                                          \
    "  COPY_BUFFER h1 h3 0 0 0 0 " bytes " 0 1 0\n"                                                          \
    "  DESTROY_RESOURCE h3 0\n"

/* An indirect draw right after a copy into its arguments must submit the copy, lock the arguments once, for reading,
 * and draw what the copy wrote. */
static void indirect_after_copy(struct agpu_test *t)
{
    static const uint32_t none[5], four[5] = {4, 1, 0, 0, 0};
    static const uint16_t numbers[4] = {0, 1, 2, 3};
    const struct agpu_umd_rig *umd = &t->env->umd;
    const bool indexed = t->test_case->id[strlen(t->test_case->id) - 1] == 'd';
    D3D10DDI_HRESOURCE source = agpu_make_default(t, sizeof four, four),
                       arguments = agpu_make_default(t, sizeof none, none),
                       indices = agpu_make_indices(t, sizeof numbers, numbers);
    struct agpu_quads quads;

    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, agpu_immediate(t), &quads);
    agpu_quads_draw(t, agpu_immediate(t), agpu_make_quad(t, 0, 1, 0, 1), 0, EDGE);
    agpu_quads_vertices(t, agpu_immediate(t), agpu_make_quad(t, 1, 0, 0, 1));
    agpu_quads_columns(agpu_immediate(t), 0, EDGE / 2);
    umd->context.pfnIaSetIndexBuffer(umd->device, indices, DXGI_FORMAT_R16_UINT, 0);
    spied_flush(t);
    agpu_spy_begin(PACKETS | AGPU_SPY_LOCKS);
    agpu_umd_copy(t, arguments, source);
    if (indexed) {
        umd->context.pfnDrawIndexedInstancedIndirect(umd->device, arguments, 0);
    } else {
        umd->context.pfnDrawInstancedIndirect(umd->device, arguments, 0);
    }
    spied_flush(t);
    agpu_check_calls(
        t, indexed ? "Render a1w a2 a3w a4 a5\n"
                     "  COPY_BUFFER h1 h2 0 0 0 0 20 0 0 0\n" WRITTEN_BACK("20") "Lock a1 ReadOnly\n"
                                                                                 "Unlock a1\n"
                                                                                 "Render a3w a4 a5\n"
                                                                                 "  DRAW_INDEXED 4 1 0 0 0\n"
                                                                                 "  FLUSH 0 0\n"
                   : "Render a1w a2 a3w a4 a5\n"
                     "  COPY_BUFFER h1 h2 0 0 0 0 20 0 0 0\n" WRITTEN_BACK("16") "Lock a1 ReadOnly\n"
                                                                                 "Unlock a1\n"
                                                                                 "Render a3w a4 a5\n"
                                                                                 "  DRAW 4 1 0 0\n"
                                                                                 "  FLUSH 0 0\n");
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

static bool present_spied(struct agpu_test *t, D3D10DDI_HRESOURCE surface, uint32_t interval)
{
    const DXGI_DDI_ARG_PRESENT args = {.hSurfaceToPresent = surface, .SyncInterval = interval};

    return agpu_check_hr(t, t->env->umd.context.pfnPresent(t->env->umd.device, &args), S_OK);
}

/* A present must list its source, read, name it as hSrcAllocation, and pass the interval on; without a source, none. */
static void present_source(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE target = agpu_make_target(t, DXGI_FORMAT_B8G8R8A8_UNORM, 16, 4);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, target);

    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_scanout_enable(t, 1);
    spied_flush(t);
    agpu_spy_begin(PACKETS);
    agpu_clear_view(t, view, 0, 0, 0, 1);
    for (uint32_t interval = 0; interval < 3; interval++) {
        present_spied(t, target, interval);
    }
    present_spied(t, (D3D10DDI_HRESOURCE){NULL}, 0);
    agpu_check_calls(t, "Present a1w source=a1\n"
                        "  SET_RENDER_TARGETS 1 0 h1 0 0 0 0 0 0 0\n"
                        "  CLEAR 1 0 0 0 0x3f800000 0x3f800000 0\n"
                        "  SET_RENDER_TARGETS 0 0 0 0 0 0 0 0 0 0\n"
                        "  PRESENT 0 0\n"
                        "Present a1 source=a1 interval=1\n"
                        "  PRESENT 0 1\n"
                        "Present a1 source=a1 interval=2\n"
                        "  PRESENT 0 1\n"
                        "Present\n"
                        "  PRESENT 0 0\n");
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_scanout_enable(t, 0);
}

static void small_limit(struct agpu_runtime_config *config)
{
    agpu_spied_config(config);
    config->options.command_limit = AGPU_COMMAND_LIMIT_MIN;
}

/* Given an Unmap of subresource n that cannot be recorded, because the submission in front of it is lost, the driver
 * must report one error and unlock. The next map must show the subresource as the device has it. */
static void unmap_rolled_back(struct agpu_test *t)
{
    const struct agpu_api_context *context = &t->env->umd.context;
    const D3D10DDI_HDEVICE device = t->env->umd.device;
    struct agpu_resource_desc desc =
        agpu_staging_desc(RGBA, 16, 8, D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE staging;
    uint8_t *image = agpu_scratch(0);

    desc.MipLevels = 3;
    agpu_return_unless(agpu_asks_texture(t, &desc));
    staging = agpu_make_texture(t, &desc, 6);
    agpu_assert(t, staging.pDrvPrivate != NULL);
    for (uint32_t subresource = 3; subresource-- > 0;) {
        spied_flush(t);
        agpu_return_unless(agpu_check_hr(
            t, context->pfnResourceMap(device, staging, subresource, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK));
        memset(mapped.pData, 0x5A, 8); /* at least two texels are in each */
        for (uint32_t i = 0; i < AGPU_COMMAND_LIMIT_MIN / 16; i++) {
            context->pfnIaSetTopology(device, 1 + i % 2);
        }
        agpu_spy_begin(SUBMITS | AGPU_SPY_LOCKS | AGPU_SPY_ERRORS);
        agpu_lose_submissions(1, E_OUTOFMEMORY);
        context->pfnResourceUnmap(device, staging, subresource);
        agpu_lose_submissions(0, S_OK);
        agpu_return_unless(agpu_check_calls(t, "Render\n"
                                               "Unlock a1\n"
                                               "SetError 0x8007000e\n"));
        agpu_check_errors(t, 1, E_OUTOFMEMORY);
        agpu_fill_image(&desc, subresource, 6, image);
        agpu_return_unless(agpu_check_mapped_image(t, staging, &desc, subresource, image));
    }
    agpu_check_texture(t, staging, &desc, 6);
}

#define VIEW_CREATED                                                                                         \
    "Render a1w\n"                                                                                           \
    "  CREATE_TEXTURE_VIEW h1 h2 3 1 1 1 1 0 0\n"
#define VIEW_CLEARED                                                                                         \
    "  SET_RENDER_TARGETS 1 0 h1 0 0 0 0 0 0 0\n"                                                            \
    "  CLEAR 1 0 0x3f800000 0 0x3f800000 0x3f800000 0\n"                                                     \
    "  SET_RENDER_TARGETS 0 0 0 0 0 0 0 0 0 0\n"
/* The state in which a list begins, and which it leaves. */
#define DEFAULTS                                                                                             \
    "  SET_BLEND_STATE 0 1 0 0 15 1 0 0 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0xffffffff\n"            \
    "  SET_DEPTH_STENCIL_STATE 1 1 1 0 65535\n"                                                              \
    "  SET_RASTERIZER_STATE 0 2 0 0 0 0\n"                                                                   \
    "  SET_VIEWPORT 0 0 0 0 0 0x3f800000\n"                                                                  \
    "  SET_SCISSOR 0 0 0 0\n"

/* A view of a mip and layer through a deferred context must be created and cleared with the packets of the
 * immediate context, between the defaults of the list. */
static void deferred_view(struct agpu_test *t)
{
    static const char *const expected[2] = {VIEW_CREATED VIEW_CLEARED "  FLUSH 0 0\n",
                                            VIEW_CREATED DEFAULTS VIEW_CLEARED DEFAULTS "  FLUSH 0 0\n"};
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 8);
    struct agpu_case_recorder recorders[2] = {agpu_immediate(t), agpu_defer(t)};
    const float color[4] = {0, 1, 0, 1};
    D3D10DDI_HRENDERTARGETVIEW view;
    D3D10DDI_HRESOURCE texture;

    agpu_return_unless(agpu_reported_minor(t, 4, "views of mips and layers (ABI 1.4)"));
    agpu_assert(t, recorders[1].fn != NULL);
    desc.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
    desc.MipLevels = 3;
    desc.ArraySize = 2;
    texture = agpu_make_texture(t, &desc, 0);
    for (unsigned i = 0; i < 2; i++) {
        spied_flush(t);
        agpu_spy_begin(PACKETS);
        view = agpu_make_rtv_of(t, texture, 1, 1);
        agpu_assert(t, view.pDrvPrivate != NULL);
        recorders[i].fn->pfnClearRenderTargetView(recorders[i].device,
                                                  agpu_rtv_on(t, recorders[i], view, texture), color);
        if (i == 1) {
            agpu_execute(t, agpu_finish(t, recorders[i]));
        }
        spied_flush(t);
        agpu_check_calls(t, expected[i]);
    }
}

#define SPY_DRAW(name, section, function)                                                                    \
    {                                                                                                        \
        .id = "spy." name, .spec = (section), .needs = AGPU_NEED_RING,                                       \
        .features = T | AEROGPU_FEATURE_ERROR_INFO, .run = agpu_run_draw_case,                               \
        .arg = &(const struct agpu_draw_case){(function), 0, agpu_spied_config},                             \
    }
#define SPY_PRESENT(name, ...)                                                                               \
    AGPU_STACK_CASE("spy.present." name, "umd.md 13", AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK, 0,   \
                    .configure = agpu_spied_config, .body = present_source, __VA_ARGS__)

static const struct agpu_case umd_spy_submits_cases[] = {
    SPY_DRAW("submit.bound_again", "umd.md 12.2", bound_again),
    SPY_DRAW("submit.other_view_stays", "umd.md 10", other_view_stays),
    SPY_DRAW("submit.indirect_after_copy", "umd.md 11", indirect_after_copy),
    SPY_DRAW("submit.indirect_after_copy_indexed", "umd.md 11", indirect_after_copy),
    SPY_PRESENT("source_d3d10", .peer = D3D10_0_DDI_INTERFACE_VERSION, .act_as_peer = true),
    SPY_PRESENT("source_d3d10_1", .peer = D3D10_1_DDI_INTERFACE_VERSION, .act_as_peer = true),
    SPY_PRESENT("source_d3d11", .peer = 0),
    AGPU_STACK_CASE("spy.unmap.rolled_back", "umd.md 6.5", T, 0, .configure = small_limit,
                    .body = unmap_rolled_back),
    AGPU_DEFERRED_UNDRAWN_CASE("spy.deferred.view", "umd.md 15", deferred_view),
};

AGPU_CASE_TABLE(agpu_cases_umd_spy_submits, umd_spy_submits_cases);
