/* frame.c: consecutive frames, each copied to a staging texture and presented: when an application can map the copy
 * without waiting (umd.md 19, vidmm.md 6.6). */
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_views.h"
#include "tests/cases/rig/vblank.h"

#define EDGE    16u
#define FRAMES  12u
#define PACED   6u /* each takes a period of the screen */
#define LATENCY 1u /* frames that the runtime lets an application be ahead: mapped at frame n + 2 (PRS-23) */
#define BEHIND  (LATENCY + 1u)

static bool frame_present(struct agpu_test *t, D3D10DDI_HRESOURCE surface, uint32_t interval)
{
    const DXGI_DDI_ARG_PRESENT args = {.hSurfaceToPresent = surface, .SyncInterval = interval};

    return agpu_check_hr(t, t->env->umd.context.pfnPresent(t->env->umd.device, &args), S_OK);
}

/* The copy of frame n must be ready in frame n + 1 + latency without a wait, because Present has blocked the
 * application. Younger copies may be ready or not; the query must not wait. */
static void frame_run(struct agpu_test *t, uint32_t interval, uint32_t frames)
{
    struct agpu_resource_desc desc =
        agpu_staging_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE target = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, target);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE copies[BEHIND];

    agpu_assert(t, view.pDrvPrivate != NULL);
    for (uint32_t i = 0; i < BEHIND; i++) {
        copies[i] = agpu_make_poisoned(t, &desc);
        agpu_assert(t, copies[i].pDrvPrivate != NULL);
    }
    for (uint32_t frame = 0; frame < frames; frame++) {
        D3D10DDI_HRESOURCE copy = copies[frame % BEHIND];
        HRESULT young;

        if (frame >= BEHIND) {
            agpu_return_unless(agpu_check_hr(
                t, agpu_umd_map(t, copy, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped), S_OK));
            agpu_check_u64(t, *(const uint8_t *)mapped.pData, 10 * (frame - BEHIND), "the red of that frame",
                           false, AGPU_HERE);
            agpu_umd_unmap(t, copy);
        }
        agpu_clear_view(t, view, (float)(10 * frame) / 255.0f, 0, 0, 1);
        agpu_umd_copy(t, copy, target);
        agpu_return_unless(frame_present(t, target, interval));
        young = agpu_umd_map(t, copy, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped);
        agpu_check(t, young == S_OK || young == DXGI_ERROR_WAS_STILL_DRAWING);
        if (young == S_OK) {
            agpu_umd_unmap(t, copy);
        }
    }
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

static void frame_latency(struct agpu_runtime_config *config)
{
    config->present_latency = LATENCY;
}

/* Given paced frames, each copy must be ready for a map without a wait once Present has blocked the application. */
static void frame_paced(struct agpu_test *t)
{
    agpu_scanout_enable(t, 1);
    frame_run(t, 1, PACED);
    agpu_scanout_enable(t, 0);
}

/* Given unpaced frames, each copy must be ready for a map without a wait once Present has blocked the application. */
static void frame_immediate(struct agpu_test *t)
{
    frame_run(t, 0, FRAMES);
}

#define T AEROGPU_FEATURE_TRANSFER
#define V (AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK)

static const struct agpu_case umd_frame_cases[] = {
    AGPU_STACK_CASE("present.frame.mapped_behind_the_latency", "umd.md 19", T | V, 0,
                    .configure = frame_latency, .body = frame_paced),
    AGPU_STACK_CASE("present.frame.mapped_immediate", "umd.md 19", T, 0, .configure = frame_latency,
                    .body = frame_immediate),
};

AGPU_CASE_TABLE(agpu_cases_umd_frame, umd_frame_cases);
