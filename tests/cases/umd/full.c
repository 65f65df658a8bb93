/* full.c: a command buffer that is full without a flush: calls of every kind submit it and lose nothing (umd.md 12.4).
 */
#include <string.h>

#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_deferred.h"

#define LIMIT     AGPU_COMMAND_LIMIT_MIN
#define CALL      1024u /* more than any call here records */
#define FILLS     4u
#define CALLS_MAX 1024u
#define BYTES     32768u
#define PIECE     16u
#define RING      8u /* resources used in turn */
#define EDGE      AGPU_EDGE
#define RGBA      DXGI_FORMAT_R8G8B8A8_UNORM
#define T         AEROGPU_FEATURE_TRANSFER
#define KEEP      (&(const uint32_t){UINT32_MAX})

struct full_scene {
    D3D10DDI_HRESOURCE to, from, each[RING];
    D3D10DDI_HRENDERTARGETVIEW view;
    struct agpu_resource_desc desc;
    uint8_t *expected, *pattern;
};

/* A kind of calls: call n must be visible in the contents that check() compares after `calls` calls. */
struct full_kind {
    void (*prepare)(struct agpu_test *t, struct full_scene *scene);
    void (*call)(struct agpu_test *t, struct full_scene *scene, uint32_t n);
    void (*check)(struct agpu_test *t, struct full_scene *scene, uint32_t calls);
    uint32_t over; /* bytes by which a call may exceed the limit */
};

static void full_config(struct agpu_runtime_config *config)
{
    agpu_offer_deferred(config);
    config->options.command_limit = LIMIT;
    config->options.dynamic_guest_backed = 0;
    config->command_buffer_bytes = 2 * LIMIT;
}

static void full_host(struct agpu_runtime_config *config)
{
    full_config(config);
    config->options.backing_mode = AGPU_BACKING_HOST;
}

static void full_renaming(struct agpu_runtime_config *config)
{
    full_config(config);
    config->options.dynamic_guest_backed = 1;
}

/* Repeats a kind of calls until the driver has submitted FILLS times, with no memory but the command buffer. Returns
 * the number of calls, 0 after a failure. */
static uint32_t full_repeat(struct agpu_test *t, const struct full_kind *kind, struct full_scene *scene)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_submitted before, now;
    uint32_t calls = 0;

    if (!agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK)) {
        return 0;
    }
    before = now = agpu_submitted();
    agpu_runtime_limit_umd_heap(umd->runtime, 0);
    while (now.calls - before.calls < FILLS && calls < CALLS_MAX) {
        kind->call(t, scene, calls++);
        now = agpu_submitted();
    }
    agpu_runtime_limit_umd_heap(umd->runtime, UINT64_MAX);
    /* The driver submits neither past the limit nor long before it. */
    return agpu_check_u64(t, now.calls - before.calls, FILLS,
                          "submissions of a full command buffer while calls were recorded without a Flush",
                          false, AGPU_HERE) &&
                   agpu_check_errors(t, 0, S_OK) && agpu_check(t, now.largest <= LIMIT + kind->over) &&
                   agpu_check(t, now.bytes - before.bytes >= FILLS * (LIMIT - CALL))
               ? calls
               : 0;
}

static void full_run(struct agpu_test *t, const struct full_kind *kind)
{
    struct full_scene scene = {.expected = agpu_scratch(0), .pattern = agpu_scratch(1)};
    uint32_t calls;

    agpu_fill_pattern(scene.pattern, BYTES, 7);
    memset(scene.expected, 0, BYTES);
    kind->prepare(t, &scene);
    calls = full_repeat(t, kind, &scene);
    agpu_return_unless(calls != 0);
    kind->check(t, &scene, calls);
}

/* Given calls of one kind without a Flush, the driver must submit each time its command buffer is full, and each
 * call's work must arrive: seen in the submissions' sizes and the contents. */
static void full_body(struct agpu_test *t)
{
    full_run(t, agpu_stack_case(t)->variant);
}

/* ---- piece n of a buffer becomes piece n of the pattern ---- */

static void prepare_pieces(struct agpu_test *t, struct full_scene *scene)
{
    scene->from = agpu_make_default(t, BYTES, scene->pattern);
    scene->to = agpu_make_default(t, BYTES, scene->expected);
    agpu_assert(t, scene->from.pDrvPrivate && scene->to.pDrvPrivate);
    agpu_umd_copy(t, scene->to, scene->from); /* so that updates go through the stream */
    memcpy(scene->expected, scene->pattern, BYTES);
    for (uint32_t i = 0; i < BYTES; i++) {
        scene->pattern[i] = (uint8_t)~scene->pattern[i];
    }
    agpu_umd_destroy(t, scene->from);
    scene->from = agpu_make_default(t, BYTES, scene->pattern);
    agpu_assert(t, scene->from.pDrvPrivate);
}

static void check_pieces(struct agpu_test *t, struct full_scene *scene, uint32_t calls)
{
    memcpy(scene->expected, scene->pattern, calls * PIECE);
    agpu_check_contents(t, scene->to, scene->expected, BYTES);
}

static void call_copy(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    const D3D10_DDI_BOX box = agpu_box((int32_t)(n * PIECE), 0, (int32_t)((n + 1) * PIECE), 1);

    agpu_check_hr(t, agpu_umd_copy_region(t, scene->to, 0, n * PIECE, 0, scene->from, 0, &box), S_OK);
}

static void call_update(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    const D3D10_DDI_BOX box = agpu_box((int32_t)(n * PIECE), 0, (int32_t)((n + 1) * PIECE), 1);

    agpu_umd_update(t, scene->to, 0, &box, scene->pattern + n * PIECE, 0);
}

static void prepare_dynamic(struct agpu_test *t, struct full_scene *scene)
{
    scene->to = agpu_make_dynamic(t, BYTES, D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, scene->to.pDrvPrivate);
    agpu_write_through(t, scene->to, D3D10_DDI_MAP_WRITE_DISCARD, 0, scene->expected, BYTES);
}

static void call_no_overwrite(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    agpu_write_through(t, scene->to, D3D10_DDI_MAP_WRITE_NOOVERWRITE, n * PIECE, scene->pattern + n * PIECE,
                       PIECE);
}

/* ---- resources are rewritten in turn: number n with the pattern from byte n on ---- */

static void prepare_buffers(struct agpu_test *t, struct full_scene *scene)
{
    for (uint32_t i = 0; i < RING; i++) {
        scene->each[i] = agpu_make_dynamic(t, 256, D3D10_DDI_BIND_CONSTANT_BUFFER);
        agpu_assert(t, scene->each[i].pDrvPrivate);
    }
}

static void call_discard(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    agpu_write_through(t, scene->each[n % RING], D3D10_DDI_MAP_WRITE_DISCARD, 0, scene->pattern + n, 256);
}

static void check_buffers(struct agpu_test *t, struct full_scene *scene, uint32_t calls)
{
    for (uint32_t n = calls - RING; n < calls; n++) {
        agpu_check_contents(t, scene->each[n % RING], scene->pattern + n, 256);
    }
}

static void prepare_default_textures(struct agpu_test *t, struct full_scene *scene)
{
    if (!scene->desc.Width) {
        scene->desc = agpu_texture_desc(RGBA, 5, 2);
    }
    for (uint32_t i = 0; i < RING; i++) {
        scene->each[i] = agpu_make_texture(t, &scene->desc, 0);
        agpu_assert(t, scene->each[i].pDrvPrivate);
    }
}

static void prepare_textures(struct agpu_test *t, struct full_scene *scene)
{
    scene->desc = agpu_texture_desc(RGBA, 5, 2);
    scene->desc.Usage = D3D10_DDI_USAGE_DYNAMIC;
    scene->desc.CPUAccessFlags = D3D10_DDI_CPU_ACCESS_WRITE;
    prepare_default_textures(t, scene);
}

static void call_update_texture(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    agpu_umd_update(t, scene->each[n % RING], 0, NULL, scene->pattern + n, 20);
}

static void call_discard_texture(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    agpu_write_image(t, scene->each[n % RING], &scene->desc, 0, D3D10_DDI_MAP_WRITE_DISCARD,
                     scene->pattern + n);
}

static void check_textures(struct agpu_test *t, struct full_scene *scene, uint32_t calls)
{
    for (uint32_t n = calls - RING; n < calls; n++) {
        agpu_check_image(t, scene->each[n % RING], &scene->desc, 0, scene->pattern + n);
    }
}

/* ---- texel n of a texture is copied ---- */

static void prepare_texels(struct agpu_test *t, struct full_scene *scene)
{
    scene->desc = agpu_texture_desc(RGBA, 32, 32);
    scene->from = agpu_make_texture(t, &scene->desc, 3);
    scene->to = agpu_make_texture(t, &scene->desc, 4);
    agpu_assert(t, scene->from.pDrvPrivate && scene->to.pDrvPrivate);
    agpu_fill_image(&scene->desc, 0, 3, scene->pattern);
    agpu_fill_image(&scene->desc, 0, 4, scene->expected);
}

static void call_copy_texel(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    const uint32_t x = n % 32, y = n / 32;
    const D3D10_DDI_BOX box = agpu_box((int32_t)x, (int32_t)y, (int32_t)x + 1, (int32_t)y + 1);

    agpu_check_hr(t, agpu_umd_copy_region(t, scene->to, 0, x, y, scene->from, 0, &box), S_OK);
}

static void check_texels(struct agpu_test *t, struct full_scene *scene, uint32_t calls)
{
    memcpy(scene->expected, scene->pattern, 4 * (size_t)calls);
    agpu_check_image(t, scene->to, &scene->desc, 0, scene->expected);
}

/* ---- clears, each to another colour ---- */

static void prepare_unbound(struct agpu_test *t, struct full_scene *scene)
{
    scene->desc = agpu_texture_desc(RGBA, EDGE, EDGE);
    scene->to = agpu_make_target(t, RGBA, EDGE, EDGE);
    scene->view = agpu_make_rtv(t, scene->to);
    agpu_assert(t, scene->view.pDrvPrivate);
}

static void prepare_bound(struct agpu_test *t, struct full_scene *scene)
{
    prepare_unbound(t, scene);
    agpu_bind_targets_of(t, &scene->view, 1);
}

static void call_clear(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    agpu_clear_view(t, scene->view, n & 1 ? 1.0f : 0.0f, n & 2 ? 1.0f : 0.0f, n & 4 ? 1.0f : 0.0f, 1);
}

static void check_clears(struct agpu_test *t, struct full_scene *scene, uint32_t calls)
{
    const uint32_t n = calls - 1;

    agpu_check_solid(t, scene->to, &scene->desc, 0, n & 1 ? 255 : 0, n & 2 ? 255 : 0, n & 4 ? 255 : 0, 255);
}

/* ---- draws over the whole target, each in another colour ---- */

static void call_draw(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    (void)scene;
    t->env->umd.context.pfnDraw(t->env->umd.device, 4, 4 * (n % 4));
}

static void prepare_draws(struct agpu_test *t, struct full_scene *scene)
{
    struct agpu_vertex quads[4][4];

    agpu_assert(t, agpu_draw_begin(t, EDGE));
    agpu_draw_colors(t, &agpu_ps_color_4_0);
    for (uint32_t i = 0; i < 4; i++) {
        agpu_scene_quad(quads[i], 0.5f, i & 1 ? 1.0f : 0.0f, i & 2 ? 1.0f : 0.0f, 1, 1);
    }
    scene->from = agpu_make_default(t, sizeof quads, quads);
    agpu_assert(t, scene->from.pDrvPrivate);
    agpu_draw_vertices(t, scene->from, sizeof(struct agpu_vertex), AGPU_DRAW_STRIP);
    call_draw(t, scene, 0);
}

static uint32_t full_drawn; /* number of the last draw */

static uint32_t full_color(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return AGPU_RGBA(full_drawn & 1 ? 255 : 0, full_drawn & 2 ? 255 : 0, 255, 255);
}

static void check_draws(struct agpu_test *t, struct full_scene *scene, uint32_t calls)
{
    (void)scene;
    full_drawn = (calls - 1) % 4;
    agpu_draw_expect(t, full_color, 0);
}

/* ---- dispatches, which count themselves in word 0 ---- */

static void prepare_dispatches(struct agpu_test *t, struct full_scene *scene)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc =
        agpu_buffer_desc(256, D3D10_DDI_USAGE_DEFAULT, D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
    D3D11DDIARG_CREATEUNORDEREDACCESSVIEW args = {.NumElements = 64};
    D3D10_DDIARG_SUBRESOURCE_UP zeros = {.pSysMem = scene->expected};
    D3D11DDI_HUNORDEREDACCESSVIEW view;
    HRESULT hr;

    desc.pInitialDataUP = &zeros;
    desc.InitialDataCount = 1;
    args.hDrvResource = scene->to = agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, S_OK);
    view = agpu_make_uav(t, &args);
    agpu_assert(t, view.pDrvPrivate);
    agpu_draw_compute(t, &agpu_cs_count_5_0);
    umd->context.pfnCsSetUnorderedAccessViews(umd->device, 1, 1, &view, KEEP);
}

static void call_dispatch(struct agpu_test *t, struct full_scene *scene, uint32_t n)
{
    (void)scene;
    (void)n;
    t->env->umd.context.pfnDispatch(t->env->umd.device, 1, 1, 1);
}

static void check_dispatches(struct agpu_test *t, struct full_scene *scene, uint32_t calls)
{
    memcpy(scene->expected, &calls, sizeof calls);
    agpu_check_dispatched(t, scene->to, scene->expected, 256);
}

static const struct full_kind draws = {prepare_draws, call_draw, check_draws, CALL};
static const struct full_kind dispatches = {prepare_dispatches, call_dispatch, check_dispatches, CALL};

/* Given more draws than the command buffer holds, the driver must submit it while they are recorded, and draw all. */
static void full_draws(struct agpu_test *t)
{
    full_run(t, &draws);
}

/* Given more dispatches than the command buffer holds, the driver must submit it meanwhile, and execute all. */
static void full_dispatches(struct agpu_test *t)
{
    full_run(t, &dispatches);
}

/* State calls must not submit a full command buffer; the next operation must, with its own packets in the next
 * submission. */
static void full_states(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct full_scene scene = {.expected = agpu_scratch(0), .pattern = agpu_scratch(1)};
    struct agpu_submitted before;

    agpu_fill_pattern(scene.pattern, BYTES, 7);
    prepare_pieces(t, &scene);
    agpu_return_unless(agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK));
    before = agpu_submitted();
    for (uint32_t i = 0; i < LIMIT / 24; i++) {
        const D3D10_DDI_VIEWPORT viewport = {.Width = (float)(i % 2 + 1), .Height = 1, .MaxDepth = 1};

        umd->context.pfnSetViewports(umd->device, 1, 0, &viewport);
    }
    agpu_check_eq_u64(t, agpu_submitted().calls, before.calls);
    call_copy(t, &scene, 0);
    agpu_check_eq_u64(t, agpu_submitted().calls, before.calls + 1);
    check_pieces(t, &scene, 1);
}

/* A recording on a deferred context must submit nothing, however long it is; the operation after its execution must. */
static void full_deferred(struct agpu_test *t)
{
    enum { CALLS = LIMIT / 16 };
    struct full_scene scene = {.expected = agpu_scratch(0), .pattern = agpu_scratch(1)};
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_submitted before;
    D3D10DDI_HRESOURCE to, from;

    agpu_assert(t, dc.fn != NULL);
    agpu_fill_pattern(scene.pattern, BYTES, 7);
    prepare_pieces(t, &scene);
    agpu_return_unless(agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK));
    to = agpu_resource_on(t, dc, scene.to);
    from = agpu_resource_on(t, dc, scene.from);
    before = agpu_submitted();
    for (uint32_t n = 0; n < CALLS; n++) {
        const D3D10_DDI_BOX box = agpu_box((int32_t)(n * PIECE), 0, (int32_t)((n + 1) * PIECE), 1);

        agpu_check_hr(t, dc.fn->pfnResourceCopyRegion(dc.device, to, 0, n * PIECE, 0, 0, from, 0, &box),
                      S_OK);
    }
    agpu_execute(t, agpu_finish(t, dc));
    agpu_check_eq_u64(t, agpu_submitted().calls, before.calls);
    call_copy(t, &scene, CALLS);
    agpu_check(t, agpu_submitted().calls > before.calls);
    check_pieces(t, &scene, CALLS + 1);
}

/* Without the setting, 24 MiB of updates of a buffer in use must be submitted in parts of at most 8 MiB, and no memory
 * may be taken after the first part. */
static void full_default(struct agpu_test *t)
{
    enum { UPDATES = (24u << 20) / BYTES };
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct full_scene scene = {.expected = agpu_scratch(0), .pattern = agpu_scratch(1)};
    struct agpu_submitted first, now;

    agpu_fill_pattern(scene.pattern, BYTES, 7);
    prepare_pieces(t, &scene);
    agpu_return_unless(agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK));
    first = agpu_submitted();
    for (uint32_t i = 0; i < UPDATES; i++) {
        scene.pattern[i % BYTES]++;
        agpu_umd_update(t, scene.to, 0, NULL, scene.pattern, 0);
        if (i == UPDATES / 2) {
            agpu_check(t, agpu_submitted().bytes - first.bytes >= AGPU_COMMAND_LIMIT_DEFAULT);
            agpu_runtime_limit_umd_heap(umd->runtime, 0);
        }
    }
    now = agpu_submitted();
    agpu_runtime_limit_umd_heap(umd->runtime, UINT64_MAX);
    agpu_check(t, now.bytes - first.bytes >= 2 * AGPU_COMMAND_LIMIT_DEFAULT);
    agpu_check(t, now.bytes - first.bytes <= 3 * AGPU_COMMAND_LIMIT_DEFAULT);
    agpu_check_contents(t, scene.to, scene.pattern, BYTES);
}

#define KIND(name, options, ...)                                                                             \
    AGPU_STACK_CASE(name, "umd.md 12.4", T, 0, .body = full_body, .configure = (options),                    \
                    .variant = &(const struct full_kind){__VA_ARGS__})
#define FULL(name, options, function)                                                                        \
    AGPU_STACK_CASE(name, "umd.md 12.4", T, 0, .body = (function), .configure = (options))

static const struct agpu_case umd_full_cases[] = {
    AGPU_DEFERRED_CASE_WITH("umd.full.draw", "umd.md 12.4", full_draws, full_config),
    AGPU_DEFERRED_CASE_WITH("umd.full.dispatch", "umd.md 12.4", full_dispatches, full_config),
    KIND("umd.full.copy_buffer", full_config, prepare_pieces, call_copy, check_pieces, CALL),
    KIND("umd.full.copy_texture", full_config, prepare_texels, call_copy_texel, check_texels, CALL),
    KIND("umd.full.update", full_config, prepare_pieces, call_update, check_pieces, CALL),
    KIND("umd.full.update_texture", full_host, prepare_default_textures, call_update_texture, check_textures,
         0),
    KIND("umd.full.discard_buffer", full_config, prepare_buffers, call_discard, check_buffers, 0),
    KIND("umd.full.discard_texture", full_config, prepare_textures, call_discard_texture, check_textures, 0),
    KIND("umd.full.no_overwrite", full_renaming, prepare_dynamic, call_no_overwrite, check_pieces, CALL),
    KIND("umd.full.clear_bound", full_config, prepare_bound, call_clear, check_clears, CALL),
    KIND("umd.full.clear_unbound", full_config, prepare_unbound, call_clear, check_clears, CALL),
    FULL("umd.full.states", full_config, full_states),
    AGPU_DEFERRED_CASE_RUN("umd.full.deferred", "umd.md 12.4", full_deferred, full_config,
                           agpu_run_undrawn_case),
    FULL("umd.full.default", NULL, full_default),
};

AGPU_CASE_TABLE(agpu_cases_umd_full, umd_full_cases);
