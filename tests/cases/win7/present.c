/* present.c: swapchains as in the Windows 7 test programs: buffers, rotation at present, pacing (required behaviours
 * W). */
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_views.h"
#include "tests/cases/rig/vblank.h"

#define BGRA DXGI_FORMAT_B8G8R8A8_UNORM
#define EDGE 32u

static const DXGI_DDI_PRIMARY_DESC first_source = {.VidPnSourceId = 0};

static struct agpu_resource_desc buffer_desc(void)
{
    struct agpu_resource_desc desc = agpu_texture_desc(BGRA, EDGE, EDGE);

    desc.BindFlags = D3D10_DDI_BIND_RENDER_TARGET;
    return desc;
}

struct win7_chain {
    D3D10DDI_HRESOURCE buffers[2];
    D3D10DDI_HRENDERTARGETVIEW views[2];
};

static bool win7_present_make_chain(struct agpu_test *t, struct win7_chain *chain)
{
    struct agpu_resource_desc desc = buffer_desc();

    desc.pPrimaryDesc = &first_source;
    for (unsigned i = 0; i < 2; i++) {
        chain->buffers[i] = agpu_make_texture(t, &desc, 0);
        chain->views[i] = agpu_make_rtv(t, chain->buffers[i]);
        if (chain->views[i].pDrvPrivate == NULL) {
            return false;
        }
    }
    return true;
}

/* Presents like DXGI for a flip chain. */
static bool win7_present_present(struct agpu_test *t, struct win7_chain *chain, uint32_t interval)
{
    const DXGI_DDI_ARG_PRESENT args = {.hSurfaceToPresent = chain->buffers[0], .SyncInterval = interval};
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES turn = {.pResources = chain->buffers, .Resources = 2};
    const struct agpu_umd_rig *umd = &t->env->umd;

    return agpu_check_hr(t, umd->context.pfnPresent(umd->device, &args), S_OK) &&
           agpu_check_hr(t, umd->context.pfnRotateResourceIdentities(umd->device, &turn), S_OK);
}

/* W-12: given a red buffer 0 and a green buffer 1, a present must swap them: buffer 0 is green, buffer 1 red. */
static void win7_present_rotate(struct agpu_test *t)
{
    struct agpu_resource_desc desc = buffer_desc();
    struct win7_chain chain;

    agpu_return_unless(win7_present_make_chain(t, &chain));
    agpu_clear_view(t, chain.views[0], 1, 0, 0, 1);
    agpu_clear_view(t, chain.views[1], 0, 1, 0, 1);
    agpu_return_unless(agpu_check_solid(t, chain.buffers[0], &desc, 0, 0, 0, 255, 255));
    agpu_return_unless(agpu_check_solid(t, chain.buffers[1], &desc, 0, 0, 255, 0, 255));
    agpu_return_unless(win7_present_present(t, &chain, 0));
    agpu_return_unless(agpu_check_solid(t, chain.buffers[0], &desc, 0, 0, 255, 0, 255));
    agpu_check_solid(t, chain.buffers[1], &desc, 0, 0, 0, 255, 255);
}

/* W-13: both buffers of a swapchain must work as render targets, and a present must succeed. */
static void win7_present_probe(struct agpu_test *t)
{
    struct agpu_resource_desc desc = buffer_desc();
    struct win7_chain chain;

    agpu_return_unless(win7_present_make_chain(t, &chain));
    for (unsigned i = 0; i < 2; i++) {
        agpu_bind_targets_of(t, &chain.views[i], 1);
        agpu_clear_view(t, chain.views[i], 0, 0, i == 0, 1);
    }
    agpu_return_unless(agpu_check_solid(t, chain.buffers[0], &desc, 0, 255, 0, 0, 255));
    agpu_return_unless(agpu_check_solid(t, chain.buffers[1], &desc, 0, 0, 0, 0, 255));
    win7_present_present(t, &chain, 0);
}

/* W-21: each of 30 presented frames must have its own colour; clears stand for the triangle. */
static void many_frames(struct agpu_test *t)
{
    struct agpu_resource_desc desc = buffer_desc();
    struct win7_chain chain;

    agpu_return_unless(win7_present_make_chain(t, &chain));
    for (uint32_t frame = 0; frame < 30; frame++) {
        agpu_bind_targets_of(t, chain.views, 1);
        agpu_clear_view(t, chain.views[0], (float)frame / 255.0f, (float)(255 - frame) / 255.0f, 0, 1);
        if (frame % 5 == 0) {
            agpu_return_unless(agpu_check_solid(t, chain.buffers[0], &desc, 0, 0, (uint8_t)(255 - frame),
                                                (uint8_t)frame, 255));
        }
        agpu_return_unless(win7_present_present(t, &chain, 0));
    }
    agpu_check_solid(t, chain.buffers[1], &desc, 0, 0, 226, 29, 255);
}

#define PACED_FRAMES 5u
#define PACED_TRIES  10u

/* Presents this many frames, starting at an edge, and returns the edges and the time that they took. */
static bool win7_present_frames(struct agpu_test *t, struct win7_chain *chain, uint64_t *edges, uint64_t *ns)
{
    uint64_t started, first;

    if (!win7_present_present(t, chain, 1) || /* starts at an edge */
        !agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime))) {
        return false;
    }
    first = agpu_vblank_seq(t);
    started = agpu_now(t);
    for (uint32_t i = 0; i < PACED_FRAMES; i++) {
        agpu_clear_view(t, chain->views[0], (float)(40 * i) / 255.0f, 0, 0, 1);
        if (!win7_present_present(t, chain, 1)) {
            return false;
        }
    }
    if (!agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime))) {
        return false;
    }
    *ns = agpu_now(t) - started;
    *edges = agpu_vblank_seq(t) - first;
    return true;
}

/* W-30: paced presents must come at the refresh rate, no faster and no slower. */
static void win7_present_pacing(struct agpu_test *t)
{
    const uint64_t period = agpu_vblank_period(t);
    struct agpu_resource_desc desc = buffer_desc();
    struct win7_chain chain;
    uint64_t edges, elapsed;
    unsigned checks;

    agpu_require(t, period != 0, AGPU_SKIP_NO_VBLANK_PERIOD);
    agpu_return_unless(win7_present_make_chain(t, &chain));
    agpu_scanout_enable(t, 1);
    checks = t->checks;
    for (unsigned i = 0; i < PACED_TRIES; i++) {
        const bool last = i + 1 == PACED_TRIES;

        agpu_check_drop(t, checks);
        agpu_return_unless(win7_present_frames(t, &chain, &edges, &elapsed));
        agpu_metric(t, "frame_ns", elapsed / PACED_FRAMES, "ns");
        /* Too fast is wrong in each attempt. The first edge may have been seen up to a period late. */
        agpu_return_unless(agpu_check_within(t, edges, PACED_FRAMES, last ? PACED_FRAMES + 1 : UINT64_MAX,
                                             "vblank edges for five paced frames"));
        agpu_return_unless(agpu_check_within(t, elapsed, (PACED_FRAMES - 1) * period * 9 / 10,
                                             last ? (2 * PACED_FRAMES + 3) * period / 2 : UINT64_MAX,
                                             "nanoseconds for five paced frames"));
        /* Too slow may be the machine's fault, once or twice. */
        if (edges <= PACED_FRAMES + 1 && elapsed <= (2 * PACED_FRAMES + 3) * period / 2) {
            break;
        }
    }
    agpu_scanout_enable(t, 0);
    agpu_check_solid(t, chain.buffers[1], &desc, 0, 0, 0, 40 * (PACED_FRAMES - 1), 255);
}

#define T AEROGPU_FEATURE_TRANSFER
#define ON(name, feature_bits, function, version)                                                            \
    AGPU_STACK_CASE(name, "umd.md 13", feature_bits, 0, .body = function, .peer = version,                   \
                    .act_as_peer = version != 0)

static const struct agpu_case win7_present_cases[] = {
    ON("present.win7.rotate_d3d10", T, win7_present_rotate, D3D10_0_DDI_INTERFACE_VERSION),
    ON("present.win7.rotate_d3d10_1", T, win7_present_rotate, D3D10_1_DDI_INTERFACE_VERSION),
    ON("present.win7.rotate_d3d11", T, win7_present_rotate, 0),
    ON("present.win7.probe_d3d10", T, win7_present_probe, D3D10_0_DDI_INTERFACE_VERSION),
    ON("present.win7.probe_d3d10_1", T, win7_present_probe, D3D10_1_DDI_INTERFACE_VERSION),
    ON("present.win7.probe_d3d11", T, win7_present_probe, 0),
    ON("present.win7.many_frames", T, many_frames, 0),
    ON("present.win7.pacing", T | AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK, win7_present_pacing, 0),
};

AGPU_CASE_TABLE(agpu_cases_win7_present, win7_present_cases);
