/* shared.c: surfaces shared between devices of two processes: one exports, the other opens by token
 * (umd.md 5.6, vidmm.md 3.3-3.5, commands.md 12). */
#include <string.h>

#include "pci/registers.h"
#include "tests/cases/rig/umd_peer.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_views.h"
#include "tests/cases/rig/vidmm_client.h"

#define RGBA   DXGI_FORMAT_R8G8B8A8_UNORM
#define BGRA   DXGI_FORMAT_B8G8R8A8_UNORM
#define WIDTH  40u
#define HEIGHT 24u

static struct agpu_resource_desc shared_desc(uint32_t format)
{
    struct agpu_resource_desc desc = agpu_texture_desc(format, WIDTH, HEIGHT);

    desc.BindFlags = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE;
    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    return desc;
}

/* Creates a shared surface as the current device; returns its token in *token. */
static D3D10DDI_HRESOURCE make_shared(struct agpu_test *t, uint32_t format, uint32_t seed, uint64_t *token)
{
    struct agpu_resource_desc desc = shared_desc(format);
    D3D10DDI_HRESOURCE surface = agpu_make_texture(t, &desc, seed);

    *token = agpu_newest_token(t);
    agpu_check(t, *token != 0);
    return surface;
}

static D3D10DDI_HRESOURCE open_shared(struct agpu_test *t, uint64_t token)
{
    HRESULT hr;
    D3D10DDI_HRESOURCE alias = agpu_umd_open_shared(t, token, &hr);

    if (agpu_check_hr(t, hr, S_OK)) {
        return alias;
    }
    return (D3D10DDI_HRESOURCE){NULL};
}

static bool umd_shared_flush(struct agpu_test *t)
{
    return agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
}

/* Given a shared texture created with initial data, another device that opens it at once must see these texels. */
static void opener_sees_initial_data(struct agpu_test *t)
{
    struct agpu_resource_desc desc = shared_desc(RGBA);
    uint64_t token;

    agpu_assert(t, make_shared(t, RGBA, 1, &token).pDrvPrivate != NULL);
    /* The creation has submitted it: another device can open it without further calls. */
    agpu_peer_swap(t);
    agpu_check_texture(t, open_shared(t, token), &desc, 1);
}

/* Given a shared texture that the producer clears, the opener must see the colour. */
static void producer_clears(struct agpu_test *t)
{
    struct agpu_resource_desc desc = shared_desc(BGRA);
    uint64_t token;
    D3D10DDI_HRESOURCE surface = make_shared(t, BGRA, 0, &token);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, surface);

    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 1, 0, 0, 1);
    agpu_return_unless(umd_shared_flush(t));
    agpu_peer_swap(t);
    agpu_check_solid(t, open_shared(t, token), &desc, 0, 0, 0, 255, 255);
}

/* Given an opener that clears the shared texture, the producer must see the colour. */
static void consumer_writes(struct agpu_test *t)
{
    struct agpu_resource_desc desc = shared_desc(RGBA);
    uint64_t token;
    D3D10DDI_HRESOURCE surface = make_shared(t, RGBA, 2, &token);
    D3D10DDI_HRESOURCE alias;
    D3D10DDI_HRENDERTARGETVIEW view;

    agpu_assert(t, surface.pDrvPrivate != NULL);
    agpu_peer_swap(t);
    alias = open_shared(t, token);
    view = agpu_make_rtv(t, alias);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 0, 1, 0, 1);
    agpu_return_unless(umd_shared_flush(t));
    agpu_peer_swap(t);
    agpu_check_solid(t, surface, &desc, 0, 0, 255, 0, 255);
}

/* Given a shared buffer that the opener updates, as a whole and then in a part, the producer must see the bytes. */
static void consumer_updates_buffer(struct agpu_test *t)
{
    struct agpu_resource_desc desc =
        agpu_buffer_desc(256, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    const D3D10_DDI_BOX box = agpu_box(16, 0, 40, 1);
    uint8_t bytes[256];
    HRESULT hr;

    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);
    agpu_assert(t, agpu_check_hr(t, hr, S_OK));
    const uint64_t token = agpu_newest_token(t);
    agpu_peer_swap(t);
    D3D10DDI_HRESOURCE alias = open_shared(t, token);
    agpu_assert(t, alias.pDrvPrivate != NULL);
    agpu_fill_pattern(bytes, sizeof bytes, 3);
    agpu_umd_update(t, alias, 0, NULL, bytes, 0);
    agpu_fill_pattern(bytes + 16, 24, 4);
    agpu_umd_update(t, alias, 0, &box, bytes + 16, 0);
    agpu_check_contents(t, alias, bytes, sizeof bytes);
    agpu_return_unless(umd_shared_flush(t));
    agpu_peer_swap(t);
    agpu_check_contents(t, buffer, bytes, sizeof bytes);
}

/* Given copies into a shared texture by producer and consumer in turn, the other must see each of them. */
static void both_ways_by_copies(struct agpu_test *t)
{
    struct agpu_resource_desc desc = shared_desc(RGBA);
    struct agpu_resource_desc own = agpu_texture_desc(RGBA, WIDTH, HEIGHT);
    uint64_t token;
    D3D10DDI_HRESOURCE surface = make_shared(t, RGBA, 0, &token);
    D3D10DDI_HRESOURCE alias;

    agpu_assert(t, surface.pDrvPrivate != NULL);
    agpu_peer_swap(t);
    alias = open_shared(t, token);
    agpu_assert(t, alias.pDrvPrivate != NULL);
    for (uint32_t round = 1; round <= 4; round++) {
        /* Even rounds as the producer, odd ones as the consumer. */
        bool consumer = round & 1;
        D3D10DDI_HRESOURCE source = agpu_make_texture(t, &own, 10 + round);

        agpu_assert(t, source.pDrvPrivate != NULL);
        agpu_umd_copy(t, consumer ? alias : surface, source);
        agpu_return_unless(umd_shared_flush(t));
        agpu_umd_destroy(t, source);
        agpu_peer_swap(t);
        agpu_return_unless(agpu_check_texture(t, consumer ? surface : alias, &desc, 10 + round));
    }
}

/* Given a surface opened twice, the second alias must keep its texels after the first is destroyed. */
static void opened_twice(struct agpu_test *t)
{
    struct agpu_resource_desc desc = shared_desc(RGBA);
    uint64_t token;
    D3D10DDI_HRESOURCE first, second;

    agpu_assert(t, make_shared(t, RGBA, 3, &token).pDrvPrivate != NULL);
    agpu_peer_swap(t);
    first = open_shared(t, token);
    second = open_shared(t, token);
    agpu_assert(t, first.pDrvPrivate && second.pDrvPrivate);
    agpu_return_unless(agpu_check_texture(t, first, &desc, 3));
    agpu_umd_destroy(t, first);
    agpu_check_texture(t, second, &desc, 3);
}

/* Given a surface opened by its own process, both names must mean one texture, also in one submission. */
static void opened_by_its_own_process(struct agpu_test *t)
{
    struct agpu_resource_desc desc = shared_desc(RGBA);
    uint64_t token;
    D3D10DDI_HRESOURCE surface = make_shared(t, RGBA, 4, &token);
    D3D10DDI_HRESOURCE alias = open_shared(t, token);
    D3D10DDI_HRENDERTARGETVIEW view;

    agpu_assert(t, surface.pDrvPrivate && alias.pDrvPrivate);
    agpu_return_unless(agpu_check_texture(t, alias, &desc, 4));
    view = agpu_make_rtv(t, alias);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 0, 0, 1, 1);
    /* Both names in one submission are one table entry; otherwise the submission would have a duplicate. */
    agpu_check_solid(t, surface, &desc, 0, 0, 0, 255, 255);
}

/* Given a producer that destroys its surface, the opener must keep its texels and draw into it. */
static void producer_closes_first(struct agpu_test *t)
{
    struct agpu_resource_desc desc = shared_desc(RGBA);
    uint64_t token;
    D3D10DDI_HRESOURCE surface = make_shared(t, RGBA, 5, &token);
    D3D10DDI_HRESOURCE alias;
    D3D10DDI_HRENDERTARGETVIEW view;

    agpu_assert(t, surface.pDrvPrivate != NULL);
    agpu_peer_swap(t);
    alias = open_shared(t, token);
    agpu_return_unless(agpu_check_texture(t, alias, &desc, 5));
    agpu_peer_swap(t);
    agpu_umd_destroy(t, surface);
    agpu_return_unless(umd_shared_flush(t));
    agpu_peer_swap(t);
    agpu_return_unless(agpu_check_texture(t, alias, &desc, 5));
    view = agpu_make_rtv(t, alias);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 1, 1, 0, 1);
    agpu_check_solid(t, alias, &desc, 0, 255, 255, 0, 255);
}

/* A surface must remain usable for a device that has opened it, even if the creator destroys it before the first
 * use. */
static void opened_at_once(struct agpu_test *t)
{
    struct agpu_resource_desc desc = shared_desc(RGBA);
    uint64_t token;
    D3D10DDI_HRESOURCE surface = make_shared(t, RGBA, 6, &token);
    D3D10DDI_HRESOURCE alias;

    agpu_assert(t, surface.pDrvPrivate != NULL);
    agpu_peer_swap(t);
    alias = open_shared(t, token);
    agpu_peer_swap(t);
    agpu_umd_destroy(t, surface);
    agpu_return_unless(umd_shared_flush(t));
    agpu_peer_swap(t);
    agpu_check_texture(t, alias, &desc, 6);
}

/* Asks the device itself, bypassing the driver, for an alias of the token; returns true if it creates one. */
static bool device_knows_token(struct agpu_test *t, uint64_t token)
{
    enum { ALIAS = 0x7FFF0001 };
    struct agpu_env *env = t->env;
    struct aerogpu_cmd_import_shared_surface *import;
    struct aerogpu_cmd_destroy_resource *destroy;
    uint32_t errors;

    import = agpu_client_packet(AEROGPU_CMD_IMPORT_SHARED_SURFACE, sizeof *import);
    import->out_resource_handle = ALIAS;
    import->share_token = token;
    agpu_client_submit(t);
    destroy = agpu_client_packet(AEROGPU_CMD_DESTROY_RESOURCE, sizeof *destroy);
    destroy->resource_handle = ALIAS;
    agpu_client_submit(t);
    agpu_check(t, agpu_runtime_wait_idle(env->umd.runtime));
    errors = agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_COUNT);
    if (errors == env->device_errors) {
        return true;
    }
    env->device_errors = errors;
    return false;
}

/* With fewer buffers, the wait for the next one would find the error of the failing import too early. */
static void several_buffers(struct agpu_runtime_config *config)
{
    config->command_buffers = 4;
}

/* A token must work until the last alias is destroyed, and then be unknown to driver and device, without a fence for
 * its release. */
static void token_dies_with_the_last(struct agpu_test *t)
{
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    uint64_t token, submitted;
    D3D10DDI_HRESOURCE surface = make_shared(t, RGBA, 6, &token);
    D3D10DDI_HRESOURCE alias;
    uint64_t internals;
    HRESULT hr;

    agpu_assert(t, surface.pDrvPrivate != NULL);
    agpu_peer_swap(t);
    alias = open_shared(t, token);
    agpu_assert(t, alias.pDrvPrivate != NULL);
    /* OpenResource records the import and does not submit it (umd.md 5.6): until the submission the creator must
     * exist. */
    agpu_return_unless(umd_shared_flush(t));
    agpu_peer_swap(t);
    agpu_umd_destroy(t, surface);
    agpu_peer_swap(t);
    alias = open_shared(t, token); /* still exists through the alias */
    agpu_assert(t, alias.pDrvPrivate != NULL);
    agpu_return_unless(umd_shared_flush(t));
    agpu_return_unless(agpu_check(t, device_knows_token(t, token)));
    internals = kmd->counters.internals;
    while (t->env->umd.resource_count != 0) {
        agpu_umd_destroy(t, t->env->umd.resources[t->env->umd.resource_count - 1]);
    }
    agpu_return_unless(umd_shared_flush(t));
    submitted = kmd->submitted;
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_runtime_poll(t->env->umd.runtime);
    /* The device is informed, without a separate fence (vidmm.md 3.5). */
    agpu_check(t, kmd->counters.internals > internals);
    agpu_check_eq_u64(t, kmd->submitted, submitted);
    agpu_umd_open_shared(t, token, &hr);
    agpu_check(t, FAILED(hr));
    agpu_check(t, !device_knows_token(t, token));
}

/* Given surfaces created and destroyed in turn, each token must be greater than the one before. */
static void tokens_are_never_reused(struct agpu_test *t)
{
    uint64_t before = 0;

    for (uint32_t i = 0; i < 12; i++) {
        uint64_t token;
        D3D10DDI_HRESOURCE surface = make_shared(t, RGBA, 0, &token);

        agpu_assert(t, surface.pDrvPrivate != NULL);
        agpu_check(t, token > before);
        before = token;
        agpu_umd_destroy(t, surface);
    }
}

/* Given sixteen shared textures read in one submission, as by a compositor, each must have its own texels. */
static void many_producers(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, WIDTH, HEIGHT);
    D3D10DDI_HRESOURCE aliases[16];
    D3D10DDI_HRESOURCE copies[16];
    uint64_t tokens[16];

    for (uint32_t i = 0; i < 16; i++) {
        agpu_assert(t, make_shared(t, RGBA, 20 + i, &tokens[i]).pDrvPrivate != NULL);
    }
    agpu_peer_swap(t);
    for (uint32_t i = 0; i < 16; i++) {
        aliases[i] = open_shared(t, tokens[i]);
        copies[i] = agpu_make_texture(t, &desc, 0);
        agpu_assert(t, aliases[i].pDrvPrivate && copies[i].pDrvPrivate);
    }
    for (uint32_t i = 0; i < 16; i++) { /* all in one submission, like a compositor */
        agpu_umd_copy(t, copies[i], aliases[i]);
    }
    for (uint32_t i = 0; i < 16; i++) {
        agpu_return_unless(agpu_check_texture(t, copies[i], &desc, 20 + i));
    }
}

/* Given a surface created, opened and destroyed 24 times in either order, its texels must be right each time and no
 * memory may be lost. */
static void again_and_again(struct agpu_test *t)
{
    struct agpu_resource_desc desc = shared_desc(RGBA);
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    uint64_t committed = 0;

    for (uint32_t i = 0; i < 24; i++) {
        uint64_t token;
        D3D10DDI_HRESOURCE surface, alias;

        agpu_return_unless(agpu_time_left(t));
        surface = make_shared(t, RGBA, 40 + i, &token);
        agpu_assert(t, surface.pDrvPrivate != NULL);
        agpu_peer_swap(t);
        alias = open_shared(t, token);
        agpu_return_unless(agpu_check_texture(t, alias, &desc, 40 + i));
        if (i & 1) {
            agpu_umd_destroy(t, alias);
        }
        agpu_peer_swap(t);
        agpu_umd_destroy(t, surface);
        if (!(i & 1)) {
            agpu_peer_swap(t);
            agpu_umd_destroy(t, alias);
            agpu_peer_swap(t);
        }
        agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
        if (i == 4) {
            committed = kmd->vm.segments[0].committed;
        }
    }
    agpu_check_eq_u64(t, kmd->vm.segments[0].committed, committed);
}

/* A token that no surface has must be refused. */
static void forged_token(struct agpu_test *t)
{
    uint64_t token;
    HRESULT hr;

    agpu_assert(t, make_shared(t, RGBA, 7, &token).pDrvPrivate != NULL);
    agpu_peer_swap(t);
    agpu_umd_open_shared(t, token + 1, &hr);
    agpu_check(t, FAILED(hr));
    agpu_umd_open_shared(t, 0, &hr);
    agpu_check(t, FAILED(hr));
    agpu_umd_open_shared(t, UINT64_MAX, &hr);
    agpu_check(t, FAILED(hr));
}

/* Given private data with a wrong magic, version, id, flag, token or size, or another number than one allocation,
 * OpenResource must refuse it; the valid data works. */
static void bad_records(struct agpu_test *t)
{
    struct agpu_umd_rig *umd = &t->env->umd;
    uint64_t token;
    uint8_t good[64], bad[64];
    uint32_t size = 0;
    D3DDDI_OPENALLOCATIONINFO info = {.pPrivateDriverData = bad, .PrivateDriverDataSize = 64};
    D3D10DDIARG_OPENRESOURCE args = {.NumAllocations = 1, .pOpenAllocationInfo = &info};
    D3D10DDI_HRESOURCE memory;
    struct agpu_resource_desc small = agpu_buffer_desc(4, D3D10_DDI_USAGE_DEFAULT, 1, 0);

    static const struct {
        uint32_t offset, value, size;
    } rows[] = {{0, 0x12345678u, 64}, {4, 3, 64}, {8, 0, 64}, {12, 0, 64},
                {16, 0, 64},          {0, 0, 39}, {0, 0, 63}};
    HRESULT hr;

    agpu_assert(t, make_shared(t, RGBA, 8, &token).pDrvPrivate != NULL);
    agpu_peer_swap(t);
    agpu_return_unless(agpu_check_hr(
        t, agpu_runtime_open_shared(umd->runtime_device, token, &info.hAllocation, good, &size), S_OK));
    memory = agpu_umd_create(t, &small, &hr); /* for its memory; destroyed before it is used again */
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    umd->funcs.pfnDestroyResource(umd->device, memory);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memcpy(bad, good, sizeof bad);
        if (rows[i].size == 64) {
            memcpy(bad + rows[i].offset, &rows[i].value, 4);
            if (rows[i].offset == 16) {
                memset(bad + 16, 0, 8);
            }
        }
        info.PrivateDriverDataSize = rows[i].size;
        agpu_part(t, "row %u", i);
        agpu_check_hr(t, umd->funcs.pfnOpenResource(umd->device, &args, memory, (D3D10DDI_HRTRESOURCE){0}),
                      E_INVALIDARG);
    }
    agpu_part_end(t);
    args.NumAllocations = 0;
    agpu_check_hr(t, umd->funcs.pfnOpenResource(umd->device, &args, memory, (D3D10DDI_HRTRESOURCE){0}),
                  E_INVALIDARG);
    args.NumAllocations = 2;
    agpu_check_hr(t, umd->funcs.pfnOpenResource(umd->device, &args, memory, (D3D10DDI_HRTRESOURCE){0}),
                  E_NOTIMPL);
    agpu_runtime_errors_clear(umd->runtime_device);
    /* And the valid one works in the same memory. */
    memcpy(bad, good, sizeof bad);
    info.PrivateDriverDataSize = size;
    args.NumAllocations = 1;
    agpu_check_hr(t, umd->funcs.pfnOpenResource(umd->device, &args, memory, (D3D10DDI_HRTRESOURCE){0}), S_OK);
}

#define SHARED(name, section, function)                                                                      \
    AGPU_STACK_CASE(name, section, AEROGPU_FEATURE_TRANSFER, 0, .body = function,                            \
                    .peer = D3D11_0_DDI_INTERFACE_VERSION)

static const struct agpu_case umd_shared_cases[] = {
    SHARED("shared.devices.initial_data", "umd.md 5.5", opener_sees_initial_data),
    SHARED("shared.devices.producer_clears", "umd.md 5.6", producer_clears),
    SHARED("shared.devices.consumer_writes", "umd.md 5.6", consumer_writes),
    SHARED("shared.devices.buffer", "umd.md 5.6", consumer_updates_buffer),
    SHARED("shared.devices.both_ways", "umd.md 5.6", both_ways_by_copies),
    SHARED("shared.devices.opened_twice", "vidmm.md 3.3", opened_twice),
    SHARED("shared.devices.same_process", "vidmm.md 3.3", opened_by_its_own_process),
    SHARED("shared.devices.producer_closes_first", "vidmm.md 3.5", producer_closes_first),
    SHARED("shared.devices.opened_at_once", "umd.md 5.6", opened_at_once),
    AGPU_STACK_CASE("shared.devices.token_dies_with_the_last", "vidmm.md 3.5",
                    AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, 0,
                    .body = token_dies_with_the_last, .peer = D3D11_0_DDI_INTERFACE_VERSION, .client = true,
                    .configure = several_buffers),
    SHARED("shared.devices.tokens_are_never_reused", "vidmm.md 3.2", tokens_are_never_reused),
    SHARED("shared.devices.many_producers", "umd.md 12.2", many_producers),
    SHARED("shared.devices.again_and_again", "vidmm.md 3.5", again_and_again),
    SHARED("shared.devices.forged_token", "vidmm.md 3.3", forged_token),
    SHARED("shared.devices.bad_records", "umd.md 5.6", bad_records),
};

AGPU_CASE_TABLE(agpu_cases_umd_shared, umd_shared_cases);
