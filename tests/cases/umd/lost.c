/* lost.c: submissions that fail on their way to the kernel, and a device that the kernel removes: the errors that the
 * application gets, and the work that continues (umd.md 3.1, 12.3). */
#include <string.h>

#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_draw.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 1024u
#define RGBA DXGI_FORMAT_R8G8B8A8_UNORM
#define T    AEROGPU_FEATURE_TRANSFER
/* Bytes of a stream that contains only FLUSH. */
#define FLUSH_BYTES (sizeof(struct aerogpu_cmd_stream_header) + sizeof(struct aerogpu_cmd_flush))

/* Makes the recorded commands fail to arrive, and checks the application's error. */
static bool lose_recorded(struct agpu_test *t, uint32_t times)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_lose_submissions(times, E_OUTOFMEMORY);
    for (uint32_t i = 0; i < times; i++) {
        if (!agpu_check_hr(t, umd->context.pfnFlush(umd->device), E_OUTOFMEMORY)) {
            return false;
        }
    }
    return agpu_check_errors(t, times, E_OUTOFMEMORY);
}

/* Given lost creations of buffers and a texture of every usage, the driver must create and fill them again for later
 * work. */
static void lost_created(struct agpu_test *t)
{
    const uint32_t times = *(const uint32_t *)agpu_stack_case(t)->variant;
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 20, 12);
    uint8_t first[SIZE], second[SIZE];

    desc.MipLevels = 2;
    agpu_fill_pattern(first, SIZE, 1);
    agpu_fill_pattern(second, SIZE, 2);
    D3D10DDI_HRESOURCE filled = agpu_make_default(t, SIZE, first), empty = agpu_make_default(t, SIZE, NULL);
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_VERTEX_BUFFER);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 3);
    agpu_assert(t, filled.pDrvPrivate && empty.pDrvPrivate && dynamic.pDrvPrivate && texture.pDrvPrivate);
    agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, second, SIZE));
    agpu_return_unless(lose_recorded(t, times));
    agpu_umd_copy(t, empty, dynamic);
    agpu_check_contents(t, filled, first, SIZE);
    agpu_check_contents(t, empty, second, SIZE);
    agpu_check_texture(t, texture, &desc, 3);
}

/* Given lost updates by the CPU, resources that the device has already must still get their bytes. */
static void lost_updates(struct agpu_test *t)
{
    const D3D10_DDI_BOX box = {.left = 64, .right = 128, .bottom = 1, .back = 1};
    const struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 20, 12);
    uint8_t bytes[SIZE], other[SIZE], *image = agpu_scratch(0);

    agpu_fill_pattern(bytes, SIZE, 4);
    agpu_fill_pattern(other, SIZE, 5);
    D3D10DDI_HRESOURCE idle = agpu_make_default(t, SIZE, other), used = agpu_make_default(t, SIZE, other);
    D3D10DDI_HRESOURCE seen = agpu_make_default(t, SIZE, NULL);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 5), copied = agpu_make_texture(t, &desc, 0);
    agpu_assert(t, idle.pDrvPrivate && used.pDrvPrivate && seen.pDrvPrivate);
    agpu_assert(t, texture.pDrvPrivate && copied.pDrvPrivate);
    agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
    agpu_umd_update(t, idle, 0, NULL, bytes, 0);
    agpu_umd_copy(t, seen, used);
    agpu_umd_update(t, used, 0, &box, bytes, 0); /* in the stream: the copy above reads it */
    agpu_umd_copy(t, copied, texture);
    agpu_fill_image(&desc, 0, 6, image);
    agpu_umd_update(t, texture, 0, NULL, image, 0);
    agpu_return_unless(lose_recorded(t, 1));
    agpu_check_contents(t, idle, bytes, SIZE);
    memcpy(other + 64, bytes, 64);
    agpu_check_contents(t, used, other, SIZE);
    agpu_check_image(t, texture, &desc, 0, image);
}

/* Given resources whose creation and destruction are lost, each destruction must report one error, and other resources
 * must keep their contents. */
static void lost_destroyed(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 8, 8);
    uint8_t bytes[SIZE];

    agpu_fill_pattern(bytes, SIZE, 6);
    D3D10DDI_HRESOURCE known = agpu_make_default(t, SIZE, bytes);
    agpu_assert(t, known.pDrvPrivate && t->env->umd.context.pfnFlush(t->env->umd.device) == S_OK);
    D3D10DDI_HRESOURCE gone = agpu_make_default(t, SIZE, bytes), kept = agpu_make_default(t, SIZE, bytes);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 7);
    agpu_assert(t, gone.pDrvPrivate && kept.pDrvPrivate && texture.pDrvPrivate);
    agpu_lose_submissions(6, E_OUTOFMEMORY); /* a destruction tries twice */
    agpu_umd_destroy(t, gone);
    agpu_umd_destroy(t, texture);
    agpu_umd_destroy(t, known);
    agpu_check_errors(t, 3, E_OUTOFMEMORY);
    agpu_check_contents(t, kept, bytes, SIZE);
}

/* Given two textures and views of their mips whose creation is lost, the destruction of one texture, whose view is
 * destroyed or not, must leave the other texture and its view. */
static void lost_views(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    static uint64_t object[64];
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 8, 8);
    D3D10DDI_HRESOURCE textures[3];

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS));

    agpu_without_rules(t);
    desc.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
    desc.MipLevels = 2;
    for (uint32_t i = 0; i < 3; i++) {
        textures[i] = agpu_make_texture(t, &desc, 10 + i);
        agpu_assert(t, textures[i].pDrvPrivate != NULL);
    }
    const D3D10DDI_HRENDERTARGETVIEW view = {object};
    const D3D10DDIARG_CREATERENDERTARGETVIEW args = {
        .hDrvResource = textures[0], .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipSlice = 1};
    agpu_assert(t, umd->funcs.pfnCalcPrivateRenderTargetViewSize(umd->device, &args) <= sizeof object);
    agpu_check_hr(
        t,
        umd->funcs.pfnCreateRenderTargetView(umd->device, &args, view, (D3D10DDI_HRTRENDERTARGETVIEW){NULL}),
        S_OK);
    agpu_make_rtv_of(t, textures[1], 1, 0);
    const D3D10DDI_HRENDERTARGETVIEW kept = agpu_make_rtv_of(t, textures[2], 1, 0);
    agpu_assert(t, kept.pDrvPrivate != NULL);
    agpu_return_unless(lose_recorded(t, 1));
    umd->funcs.pfnDestroyRenderTargetView(umd->device, view);
    agpu_lose_submissions(4, E_OUTOFMEMORY); /* a destruction tries twice */
    agpu_umd_destroy(t, textures[0]);
    agpu_umd_destroy(t, textures[1]);
    agpu_check_errors(t, 2, E_OUTOFMEMORY);
    agpu_clear_view(t, kept, 0, 1, 1, 1);
    agpu_check_solid(t, textures[2], &desc, 1, 0, 255, 255, 255);
}

/* After 16 lost submissions in a row the driver must still record the creation again, and after 17 no more. */
static void lost_too_many(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    for (uint32_t times = 16; times <= 17; times++) {
        agpu_make_default(t, 64, NULL);
        agpu_return_unless(lose_recorded(t, times));
        agpu_spy_begin(AGPU_SPY_SUBMITS | AGPU_SPY_PACKETS);
        agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
        agpu_check_calls(t, times == 16 ? "Render a1\n"
                                          "  CREATE_BUFFER h1 1 64 0 h1 0 0 0\n"
                                          "  FLUSH 0 0\n"
                                        : "Render\n"
                                          "  FLUSH 0 0\n");
    }
}

/* Creation of a shared surface must fail if the submission that announces it is lost, because others depend on it. */
static void lost_shared(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 8, 8);
    HRESULT hr;

    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    struct agpu_resource_desc plain = agpu_texture_desc(RGBA, 8, 8);
    D3D10DDI_HRESOURCE before = agpu_make_texture(t, &plain, 8);
    agpu_assert(t, before.pDrvPrivate != NULL);
    agpu_lose_submissions(1, E_OUTOFMEMORY);
    agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, E_OUTOFMEMORY);
    agpu_check_errors(t, 1, E_OUTOFMEMORY);
    agpu_check_texture(t, before, &plain, 8);
    agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, S_OK);
}

/* Given lost creations of shaders, layout, states, views and the target, a draw must work when all is bound again. */
static void lost_pipeline(struct agpu_test *t)
{
    agpu_return_unless(agpu_draw_begin(t, 16));
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    agpu_draw_solid(t, 0.5f, 1, 0, 0, 1);
    agpu_return_unless(lose_recorded(t, 2));
    /* All bindings must be set again (umd.md 10.1). */
    agpu_draw_bind(t, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    agpu_draw_solid(t, 0.5f, 0, 1, 0, 1);
    agpu_draw_expect(t, agpu_expected_green, 0);
}

/* ---- a device that is removed ---- */

static void lost_impatient(struct agpu_runtime_config *config)
{
    config->kmd.tdr_timeout_ns = 200000000u;
    config->kmd.tdr_limit = 2;
}

static void check_reason(struct agpu_test *t, HRESULT reason)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_check_hr(t, umd->funcs.pfnGetDeviceRemovedReason(umd->device), reason);
    agpu_check_hr(t, umd->funcs.pfnCheckDeviceState(umd->device), reason);
}

/* Given a device whose work, or another device's work, hangs, the application must get this reason for the removal, and
 * each later flush must fail. */
static void lost_reason(struct agpu_test *t)
{
    static uint64_t object[64];
    static const D3D10_DDI_SAMPLER_DESC wraps = {.AddressU = 1, .AddressV = 1, .AddressW = 1};
    const HRESULT reason = *(const HRESULT *)agpu_stack_case(t)->variant;
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t bytes[64];

    agpu_fill_pattern(bytes, sizeof bytes, 9);
    D3D10DDI_HRESOURCE buffer = agpu_make_default(t, sizeof bytes, bytes);
    agpu_assert(t, buffer.pDrvPrivate && umd->context.pfnFlush(umd->device) == S_OK);
    check_reason(t, S_OK);
    agpu_gate_hang(t);
    if (reason == DXGI_ERROR_DEVICE_HUNG) {
        agpu_assert(t, umd->context.pfnFlush(umd->device) == S_OK);
    } else {
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
    }
    agpu_check(t, !agpu_runtime_wait_idle(t->env->umd.runtime));
    check_reason(t, reason);
    /* Nothing arrives any more, every attempt reports it, and nothing of it is repeated. */
    (void)umd->funcs.pfnCreateSampler(umd->device, &wraps, (D3D10DDI_HSAMPLER){object},
                                      (D3D10DDI_HRTSAMPLER){NULL});
    agpu_check(t, FAILED(umd->context.pfnFlush(umd->device)));
    const uint64_t sent = agpu_submitted().bytes;
    agpu_check(t, FAILED(umd->context.pfnFlush(umd->device)));
    agpu_check_eq_u64(t, agpu_submitted().bytes - sent, FLUSH_BYTES);
    agpu_check_errors(t, 2, D3DDDIERR_DEVICEREMOVED);
    check_reason(t, reason);
}

#define LOST(name, function, ...) AGPU_STACK_CASE(name, "umd.md 12.3", T, 0, .body = (function), __VA_ARGS__)
#define REASON(name, code)                                                                                   \
    AGPU_STACK_CASE(name, "umd.md 3.1", T, 0, .body = lost_reason, .gate = true, .client = true,             \
                    .configure = lost_impatient, .variant = &(const HRESULT){(code)})

/* Runs a REASON() body on a device that really hangs: the device is stopped until the reset (gate.h). */
#define STOPPED(name, code)                                                                                  \
    AGPU_STACK_CASE("umd.removed.stopped_device." name, "umd.md 3.1", T, 0, .body = lost_reason,             \
                    .gate = true, .stop = true, .client = true, .configure = lost_impatient,                 \
                    .variant = &(const HRESULT){(code)})

static const struct agpu_case umd_lost_cases[] = {
    /* one lost submission */
    LOST("umd.lost.created", lost_created, .variant = &(const uint32_t){1}),
    /* five lost submissions in a row */
    LOST("umd.lost.in_a_row", lost_created, .variant = &(const uint32_t){5}),
    LOST("umd.lost.too_many", lost_too_many, .configure = agpu_spied_config),
    LOST("umd.lost.updates", lost_updates, ),
    LOST("umd.lost.destroyed", lost_destroyed, ),
    LOST("umd.lost.views", lost_views, ),
    LOST("umd.lost.shared", lost_shared, ),
    AGPU_DRAW_CASE("umd.lost.pipeline", "umd.md 12.3", 0, lost_pipeline, 0),
    REASON("umd.removed.own_hang", DXGI_ERROR_DEVICE_HUNG),
    REASON("umd.removed.hang_of_another", DXGI_ERROR_DEVICE_RESET),
    STOPPED("own_hang", DXGI_ERROR_DEVICE_HUNG),
    STOPPED("hang_of_another", DXGI_ERROR_DEVICE_RESET),
};

AGPU_CASE_TABLE(agpu_cases_umd_lost, umd_lost_cases);
