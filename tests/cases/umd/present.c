/* present.c: swapchains through the driver: Present with and without vblank, the scanned-out picture, rotation of
 * identities (umd.md 13, vidmm.md 8). */
#include <string.h>

#include "pci/registers.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_views.h"
#include "tests/cases/rig/vblank.h"

#define BGRA   DXGI_FORMAT_B8G8R8A8_UNORM
#define WIDTH  64u
#define HEIGHT 32u

static const struct agpu_resource_desc target_desc = {
    .ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D,
    .BindFlags = D3D10_DDI_BIND_RENDER_TARGET,
    .Format = BGRA,
    .Width = WIDTH,
    .Height = HEIGHT,
    .MipLevels = 1,
    .ArraySize = 1,
    .SampleDesc = {.Count = 1},
};

static bool umd_present_present(struct agpu_test *t, D3D10DDI_HRESOURCE surface, uint32_t interval)
{
    const DXGI_DDI_ARG_PRESENT args = {.hSurfaceToPresent = surface, .SyncInterval = interval};

    return agpu_check_hr(t, t->env->umd.context.pfnPresent(t->env->umd.device, &args), S_OK);
}

/* Creates a buffer of a full-screen or of a windowed swapchain. */
static D3D10DDI_HRESOURCE make_buffer(struct agpu_test *t, bool primary)
{
    static const DXGI_DDI_PRIMARY_DESC first_source = {.VidPnSourceId = 0};
    struct agpu_resource_desc desc = target_desc;

    if (primary) {
        desc.pPrimaryDesc = &first_source;
    }
    return agpu_make_texture(t, &desc, 0);
}

/* Given interval 0 and scanout off, ten presents must return without a wait and leave the last frame in the buffer. */
static void without_vblank(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(t, false);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, buffer);

    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_bind_targets_of(t, &view, 1);
    for (unsigned frame = 0; frame < 10; frame++) {
        agpu_clear_view(t, view, (float)frame / 255.0f, 0, 1, 1);
        agpu_return_unless(umd_present_present(t, buffer, 0));
    }
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_check_solid(t, buffer, &target_desc, 0, 255, 0, 9, 255);
}

/* Attempts: a busy machine may disturb a count of edges, which is then repeated. */
#define PRESENT_TRIES 10u

/* Presents this many times and returns the edges until all are done. */
static bool umd_present_edges(struct agpu_test *t, D3D10DDI_HRESOURCE surface, uint32_t interval,
                              uint32_t frames, uint64_t *edges)
{
    const uint64_t before = agpu_vblank_seq(t);

    for (uint32_t frame = 0; frame < frames; frame++) {
        if (!umd_present_present(t, surface, interval)) {
            return false;
        }
    }
    if (!agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime))) {
        return false;
    }
    *edges = agpu_vblank_seq(t) - before;
    return true;
}

/* Twenty presents of interval 0 must take less than four vblank edges. */
static void immediate_is_not_paced(struct agpu_test *t)
{
    const unsigned checks = t->checks;
    uint64_t edges = UINT64_MAX;

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < PRESENT_TRIES && edges > 3; i++) {
        agpu_check_drop(t, checks);
        agpu_return_unless(umd_present_edges(t, (D3D10DDI_HRESOURCE){NULL}, 0, 20, &edges));
    }
    agpu_check_within(t, edges, 0, 3, "vblank edges for twenty immediate presents");
}

/* Four presents of interval 1 must take four or five vblank edges. */
static void interval_1_is_paced(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(t, true);
    const unsigned checks = t->checks;
    uint64_t edges = UINT64_MAX;

    agpu_assert(t, buffer.pDrvPrivate != NULL);
    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < PRESENT_TRIES && edges > 5; i++) {
        agpu_check_drop(t, checks);
        agpu_return_unless(umd_present_edges(t, buffer, 1, 4, &edges));
        agpu_return_unless(
            agpu_check_within(t, edges, 4, UINT64_MAX, "vblank edges for four presents of interval 1"));
    }
    agpu_check_within(t, edges, 4, 5, "vblank edges for four presents of interval 1");
    agpu_scanout_enable(t, 0);
}

static void three_ahead(struct agpu_runtime_config *config)
{
    config->present_latency = 3;
}

/* Given presents of interval 1, at most three frames may be pending (vidmm.md 6.6), so that the fifth must wait. */
static void at_most_three_ahead(struct agpu_test *t)
{
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    uint64_t before;

    agpu_scanout_enable(t, 1);
    before = agpu_vblank_seq(t);
    for (unsigned frame = 0; frame < 5; frame++) {
        agpu_return_unless(umd_present_present(t, (D3D10DDI_HRESOURCE){NULL}, 1));
        agpu_check(t, kmd->pending_count <= 3);
    }
    agpu_check(t, agpu_vblank_seq(t) - before >= 2);
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_check_within(t, agpu_vblank_seq(t) - before, 5, UINT64_MAX,
                      "vblank edges for five presents of interval 1");
    agpu_scanout_enable(t, 0);
}

/* A present without arguments must be refused with E_INVALIDARG; one without a buffer is counted. */
static void umd_present_arguments(struct agpu_test *t)
{
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    uint64_t presents = kmd->counters.presents;

    agpu_check_hr(t, t->env->umd.context.pfnPresent(t->env->umd.device, NULL), E_INVALIDARG);
    agpu_runtime_errors_clear(t->env->umd.runtime_device);
    agpu_check_eq_u64(t, kmd->counters.presents, presents);
    agpu_return_unless(umd_present_present(t, (D3D10DDI_HRESOURCE){NULL}, 0));
    agpu_check_eq_u64(t, kmd->counters.presents, presents + 1);
}

/* Checks the framebuffer after a flagged present: the target bound as first colour or, on a device that leaves the
 * memory unchanged (commands.md 11), its old contents. */
static bool umd_check_screen(struct agpu_test *t, const struct agpu_dma *screen, uint32_t pitch,
                             const uint8_t texel[3], bool written)
{
    bool ok = true;

    if (!written) {
        return agpu_check_filled(t, screen->cpu, 0xAB, pitch * HEIGHT);
    }
    for (uint32_t y = 0; y < HEIGHT && ok; y++) {
        const uint8_t *row = (const uint8_t *)screen->cpu + y * pitch;

        for (uint32_t x = 0; x < WIDTH && ok; x++) {
            ok = agpu_check_eq_mem(t, row + x * 4, texel, 3); /* X is undefined */
        }
        ok = ok && agpu_check_filled(t, row + WIDTH * 4, 0xAB, 64);
    }
    return ok;
}

/* Given scanout of a buffer with padded rows, each presented frame must be in it (devices that write no framebuffer
 * leave all of it unchanged). */
static void reaches_the_screen(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    D3D10DDI_HRESOURCE buffer = make_buffer(t, true);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, buffer);
    const uint32_t pitch = WIDTH * 4 + 64;
    bool ok = true, written = true;
    struct agpu_dma screen;

    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_require_ok(
        t, t->env->platform->dma_alloc(t->env->platform->ctx, &function->found.ref, pitch * HEIGHT, &screen));
    memset(screen.cpu, 0xAB, screen.size);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, WIDTH);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, HEIGHT);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8X8_UNORM);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, pitch);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, screen.device_address);
    agpu_scanout_enable(t, 1);
    agpu_bind_targets_of(t, &view, 1);
    for (unsigned frame = 0; frame < 3 && ok; frame++) {
        const uint8_t texel[3] = {frame == 2 ? 255 : 0, frame == 1 ? 255 : 0, frame == 0 ? 255 : 0};

        agpu_clear_view(t, view, frame == 0, frame == 1, frame == 2, 1);
        ok = umd_present_present(t, buffer, 0) && agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
        if (frame == 0) { /* the first frame shows which of the two this device does */
            written = t->env->model || *(const uint8_t *)screen.cpu != 0xAB;
        }
        ok = ok && umd_check_screen(t, &screen, pitch, texel, written);
    }
    agpu_scanout_enable(t, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0);
    t->env->platform->dma_free(t->env->platform->ctx, &screen);
}

/* ---- rotation ---- */

static bool umd_present_rotate(struct agpu_test *t, const D3D10DDI_HRESOURCE *buffers, uint32_t count)
{
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args = {.pResources = buffers, .Resources = count};

    return agpu_check_hr(t, t->env->umd.context.pfnRotateResourceIdentities(t->env->umd.device, &args), S_OK);
}

struct umd_chain {
    D3D10DDI_HRESOURCE buffers[3];
    D3D10DDI_HRENDERTARGETVIEW views[3];
};

/* Buffer i has 40 * (i + 1) in its red channel. */
static bool umd_present_make_chain(struct agpu_test *t, struct umd_chain *chain, bool primary)
{
    for (unsigned i = 0; i < 3; i++) {
        chain->buffers[i] = make_buffer(t, primary);
        chain->views[i] = agpu_make_rtv(t, chain->buffers[i]);
        if (chain->views[i].pDrvPrivate == NULL) {
            return false;
        }
        agpu_clear_view(t, chain->views[i], 40.0f * (float)(i + 1) / 255.0f, 0, 0, 1);
    }
    return true;
}

static bool check_red(struct agpu_test *t, D3D10DDI_HRESOURCE buffer, uint32_t number)
{
    return agpu_check_solid(t, buffer, &target_desc, 0, 0, 0, (uint8_t)(40 * (number + 1)), 255);
}

/* Each rotation of three buffers must move their contents by one place, and the third must restore them. */
static void umd_present_rotation(struct agpu_test *t)
{
    struct umd_chain chain;

    agpu_return_unless(umd_present_make_chain(t, &chain, false));
    for (uint32_t turn = 0; turn <= 3; turn++) {
        for (uint32_t i = 0; i < 3; i++) {
            agpu_return_unless(check_red(t, chain.buffers[i], (i + turn) % 3));
        }
        agpu_return_unless(umd_present_rotate(t, chain.buffers, 3));
    }
}

/* A view must draw into the memory that its resource has after a rotation. */
static void views_follow(struct agpu_test *t)
{
    struct umd_chain chain;

    agpu_return_unless(umd_present_make_chain(t, &chain, true));
    agpu_bind_targets_of(t, chain.views, 1);
    agpu_return_unless(umd_present_rotate(t, chain.buffers, 3));
    agpu_clear_view(t, chain.views[0], 1, 1, 1, 1);
    agpu_return_unless(agpu_check_solid(t, chain.buffers[0], &target_desc, 0, 255, 255, 255, 255));
    agpu_return_unless(check_red(t, chain.buffers[1], 2));
    agpu_return_unless(check_red(t, chain.buffers[2], 0));
    agpu_return_unless(umd_present_rotate(t, chain.buffers, 3));
    agpu_check_solid(t, chain.buffers[2], &target_desc, 0, 255, 255, 255, 255);
}

/* A rotation of one buffer, of one named twice, of another size, or of a null handle must change nothing. */
static void rotation_refused(struct agpu_test *t)
{
    struct umd_chain chain;
    struct agpu_resource_desc other = target_desc;
    D3D10DDI_HRESOURCE smaller;
    D3D10DDI_HRESOURCE list[3];

    agpu_return_unless(umd_present_make_chain(t, &chain, false));
    other.Width = WIDTH / 2;
    smaller = agpu_make_texture(t, &other, 0);
    agpu_return_unless(umd_present_rotate(t, chain.buffers, 1));
    list[0] = chain.buffers[0];
    list[1] = chain.buffers[1];
    list[2] = chain.buffers[0]; /* twice */
    agpu_return_unless(umd_present_rotate(t, list, 3));
    list[2] = smaller;
    agpu_return_unless(umd_present_rotate(t, list, 3));
    list[2] = (D3D10DDI_HRESOURCE){NULL};
    agpu_return_unless(umd_present_rotate(t, list, 3));
    for (uint32_t i = 0; i < 3; i++) {
        agpu_return_unless(check_red(t, chain.buffers[i], i));
    }
}

/* Given twelve frames drawn into buffer 0, presented and rotated, like a flip swapchain, no frame must change later. */
static void umd_present_frames(struct agpu_test *t)
{
    struct umd_chain chain;

    agpu_return_unless(umd_present_make_chain(t, &chain, true));
    for (uint32_t frame = 0; frame < 12; frame++) {
        agpu_bind_targets_of(t, chain.views, 1);
        agpu_clear_view(t, chain.views[0], 0, (float)(20 * frame) / 255.0f, 0, 1);
        agpu_return_unless(umd_present_present(t, chain.buffers[0], 0));
        agpu_return_unless(umd_present_rotate(t, chain.buffers, 3));
        agpu_return_unless(
            agpu_check_solid(t, chain.buffers[2], &target_desc, 0, 0, (uint8_t)(20 * frame), 0, 255));
    }
}

/* An update after a rotation must reach the new memory of its buffer only, and destroying the buffer must not change
 * the others. */
static void update_after_rotation(struct agpu_test *t)
{
    struct umd_chain chain;
    uint8_t *image = agpu_scratch(0);

    agpu_return_unless(umd_present_make_chain(t, &chain, false));
    agpu_return_unless(umd_present_rotate(t, chain.buffers, 2));
    agpu_fill_image(&target_desc, 0, 9, image);
    agpu_umd_update(t, chain.buffers[0], 0, NULL, image, 0);
    agpu_return_unless(agpu_check_image(t, chain.buffers[0], &target_desc, 0, image));
    agpu_return_unless(check_red(t, chain.buffers[1], 0));
    agpu_umd_destroy(t, chain.buffers[0]);
    agpu_return_unless(check_red(t, chain.buffers[1], 0));
    check_red(t, chain.buffers[2], 2);
}

#define PRESENT(name, section, feature_bits, choice, function)                                               \
    AGPU_STACK_CASE(name, section, feature_bits, choice, .body = function)
#define T AEROGPU_FEATURE_TRANSFER
#define V (AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK)

static const struct agpu_case umd_present_cases[] = {
    PRESENT("present.driver.without_vblank", "umd.md 13", T, 0, without_vblank),
    PRESENT("present.driver.immediate_is_not_paced", "vidmm.md 8", V, 0, immediate_is_not_paced),
    PRESENT("present.driver.interval_1_is_paced", "vidmm.md 8", V, 0, interval_1_is_paced),
    AGPU_STACK_CASE("present.driver.at_most_three_ahead", "vidmm.md 6.6", V, 0, .body = at_most_three_ahead,
                    .configure = three_ahead),
    PRESENT("present.driver.arguments", "umd.md 13", 0, 0, umd_present_arguments),
    PRESENT("present.driver.reaches_the_screen", "commands.md 11", T | V, 0, reaches_the_screen),
    PRESENT("present.rotate.identities", "umd.md 13", T, 0, umd_present_rotation),
    PRESENT("present.rotate.views_follow", "umd.md 13", T, 0, views_follow),
    PRESENT("present.rotate.refused", "umd.md 13", T, 0, rotation_refused),
    PRESENT("present.rotate.frames", "umd.md 13", T, 0, umd_present_frames),
    PRESENT("present.rotate.update_after", "umd.md 13", T, 0, update_after_rotation),
};

AGPU_CASE_TABLE(agpu_cases_umd_present, umd_present_cases);
