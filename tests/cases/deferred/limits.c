/* limits.c: deferred contexts when something runs short, fails, or is reused: memory, the allocation list, errors of
 * one context, recycled lists (umd.md 15). */
#include <string.h>

#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/umd_deferred.h"

#define EDGE AGPU_EDGE

/* Given a failed allocation of memory, only that list must be lost: its context gets one error, later calls are
 * ignored, and the next list works. */
static void out_of_memory(struct agpu_test *t)
{
    static uint8_t bytes[1 << 17];
    struct agpu_runtime *runtime = t->env->umd.runtime;
    struct agpu_case_recorder dc = agpu_defer(t), other = agpu_defer(t), immediate = agpu_immediate(t);
    D3D10DDI_HRESOURCE large, quad;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn && other.fn);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    large = agpu_make_default(t, sizeof bytes, bytes);
    quad = agpu_make_quad(t, 1, 0, 0, 1);
    agpu_assert(t, large.pDrvPrivate && quad.pDrvPrivate);
    agpu_quads_bind(t, other, &quads);
    agpu_quads_draw(t, other, quad, 0, EDGE);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 0, 0, 1, 1), 0, EDGE);
    D3D10DDI_HRESOURCE local = agpu_resource_on(t, dc, large);

    agpu_runtime_limit_umd_heap(runtime, 0);
    dc.fn->pfnResourceUpdateSubresourceUP(dc.device, local, 0, NULL, bytes, 0, 0);
    agpu_runtime_limit_umd_heap(runtime, UINT64_MAX);
    agpu_check_recorder_errors(t, dc, 1, E_OUTOFMEMORY);
    dc.fn->pfnResourceUpdateSubresourceUP(dc.device, local, 0, NULL, bytes, 0, 0);
    agpu_quads_draw(t, dc, quad, 0, EDGE);
    agpu_check_recorder_errors(t, dc, 0, S_OK);
    agpu_finish_fails(t, dc, E_OUTOFMEMORY);
    agpu_check_recorder_errors(t, other, 0, S_OK);
    agpu_check_errors(t, 0, S_OK);
    agpu_return_unless(agpu_draw_expect(t, agpu_expected_nothing, 0));

    agpu_execute(t, agpu_finish(t, other));
    agpu_return_unless(agpu_draw_expect(t, agpu_expected_red, 0));
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, quad, 0, EDGE);
    immediate.fn->pfnClearRenderTargetView(immediate.device, agpu_draw_target_view(),
                                           (const float[4]){0, 0, 0, 0});
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* Given updates that exceed the command buffer, the execution of their list must allocate its stream once, before it
 * begins, and write all bytes. */
static void memory_taken_once(struct agpu_test *t)
{
    enum { BUFFERS = 4 };
    static uint8_t bytes[200u << 10];
    struct agpu_runtime *runtime = t->env->umd.runtime;
    struct agpu_case_recorder dc = agpu_defer(t);
    D3D10DDI_HRESOURCE buffers[BUFFERS];

    agpu_assert(t, dc.fn != NULL);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffers[i] = agpu_make_default(t, sizeof bytes, NULL);
        agpu_assert(t, buffers[i].pDrvPrivate != NULL);
        agpu_fill_pattern(bytes, sizeof bytes, i);
        dc.fn->pfnResourceUpdateSubresourceUP(dc.device, agpu_resource_on(t, dc, buffers[i]), 0, NULL, bytes,
                                              0, 0);
    }
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    struct agpu_runtime_list *list = agpu_finish(t, dc);
    agpu_runtime_limit_umd_heap(runtime, 1);
    agpu_execute(t, list);
    agpu_runtime_limit_umd_heap(runtime, UINT64_MAX);
    agpu_check_errors(t, 0, S_OK);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        agpu_fill_pattern(bytes, sizeof bytes, i);
        agpu_return_unless(agpu_check_contents(t, buffers[i], bytes, sizeof bytes));
    }
}

#define CALLS_MAX 100000u /* one of fewer calls must need memory */

static void limits_call_draw(struct agpu_case_recorder dc, const void *object, uint32_t n)
{
    (void)object;
    dc.fn->pfnDraw(dc.device, 4, n % 2);
}

static void limits_call_blend(struct agpu_case_recorder dc, const void *object, uint32_t n)
{
    const float factor[4] = {(float)n, 0, 0, 0};

    dc.fn->pfnSetBlendState(dc.device, *(const D3D10DDI_HBLENDSTATE *)object, factor, UINT32_MAX);
}

static void limits_call_topology(struct agpu_case_recorder dc, const void *object, uint32_t n)
{
    (void)object;
    dc.fn->pfnIaSetTopology(dc.device, 1 + n % 2);
}

/* A draw or a state that runs out of memory must be reported once. The context continues to record, fails at the end of
 * the list, and records the next one. */
static void out_of_memory_anywhere(struct agpu_test *t)
{
    static void (*const calls[])(struct agpu_case_recorder, const void *,
                                 uint32_t) = {limits_call_draw, limits_call_blend, limits_call_topology};
    struct agpu_runtime *runtime = t->env->umd.runtime;
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_quads quads;
    D3D10DDI_HBLENDSTATE blend;
    D3D10DDI_HRESOURCE quad;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    quad = agpu_make_quad(t, 1, 0, 0, 1);
    blend = agpu_blend_on(t, dc, agpu_make_blend(t, &agpu_additive));
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        uint32_t n = 0;

        agpu_quads_bind(t, dc, &quads);
        agpu_quads_draw(t, dc, quad, 0, EDGE);
        agpu_runtime_limit_umd_heap(runtime, 0);
        while (n < CALLS_MAX && agpu_runtime_deferred_errors(dc.deferred).count == 0) {
            calls[i](dc, &blend, n++);
        }
        for (uint32_t more = 0; more < 100; more++) {
            calls[i](dc, &blend, n++);
        }
        agpu_runtime_limit_umd_heap(runtime, UINT64_MAX);
        agpu_return_unless(agpu_check_recorder_errors(t, dc, 1, E_OUTOFMEMORY));
        calls[i](dc, &blend, n);
        agpu_check_recorder_errors(t, dc, 0, S_OK);
        agpu_finish_fails(t, dc, E_OUTOFMEMORY);
    }
    agpu_check_errors(t, 0, S_OK);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, quad, 0, EDGE);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* Given a lost submission, after which the state of the device is unknown, a list must set all state that it needs. */
static void after_a_loss(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    D3D10DDI_HRESOURCE quad = agpu_make_quad(t, 1, 0, 0, 1);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, quad, 0, EDGE);
    struct agpu_runtime_list *list = agpu_finish(t, dc);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_lose_submissions(1, E_OUTOFMEMORY);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), E_OUTOFMEMORY);
    agpu_check_errors(t, 1, E_OUTOFMEMORY);
    agpu_execute(t, list);
    agpu_draw_expect(t, agpu_expected_red, 0);
}

/* An error of a call must be reported on its own context only, and recording must continue. */
static void own_errors(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t), other = agpu_defer(t);
    D3D10DDI_HRESOURCE quad;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn && other.fn);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    quad = agpu_make_quad(t, 1, 0, 0, 1);
    agpu_assert(t, quad.pDrvPrivate != NULL);
    agpu_quads_bind(t, dc, &quads);
    dc.fn->pfnResourceUpdateSubresourceUP(dc.device, agpu_resource_on(t, dc, quad), 0, NULL, NULL, 0, 0);
    agpu_check_recorder_errors(t, dc, 1, E_INVALIDARG);
    agpu_check_recorder_errors(t, other, 0, S_OK);
    agpu_check_errors(t, 0, S_OK);
    agpu_quads_draw(t, dc, quad, 0, EDGE);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red, 0);
}

static void limits_offer_short_lists(struct agpu_runtime_config *config)
{
    agpu_offer_deferred(config);
    config->allocation_list = 6;
}

static uint32_t limits_columns(uint32_t x, uint32_t y)
{
    (void)y;
    return AGPU_RGBA(255, 17 * x, 0, 255);
}

/* Given more vertex buffers than one submission can name, the list must be executed completely and in order, in several
 * submissions. */
static void more_than_the_allocation_list(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_runtime_list *list;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, dc, &quads);
    for (uint32_t i = 0; i < EDGE; i++) { /* each covers what is right of it, too */
        agpu_quads_draw(t, dc, agpu_make_quad(t, 1, (float)i / 15, 0, 1), i, EDGE - i);
    }
    list = agpu_finish(t, dc);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_draw_clear(t, 0, 0, 0, 0);
        agpu_execute(t, list);
        agpu_return_unless(agpu_draw_expect(t, limits_columns, 0));
    }
}

/* Given more vertex buffers than one submission can name, a list within the list of another context must be executed
 * completely and in order. */
static void nested_beyond_the_allocation_list(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t), outer = agpu_defer(t);
    struct agpu_quads quads;

    agpu_assert(t, dc.fn && outer.fn);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_quads_bind(t, dc, &quads);
    for (uint32_t i = 0; i < EDGE; i++) {
        agpu_quads_draw(t, dc, agpu_make_quad(t, 1, (float)i / 15, 0, 1), i, EDGE - i);
    }
    agpu_quads_bind(t, outer, &quads);
    agpu_quads_draw(t, outer, agpu_make_quad(t, 0, 0, 1, 1), 0, EDGE);
    agpu_execute_on(t, agpu_finish(t, dc), outer);
    agpu_execute(t, agpu_finish(t, outer));
    agpu_draw_expect(t, limits_columns, 0);
}

/* Frames from recycled lists must take no more memory than the first ones. A context must not get a handle of a list
 * that RecycleDestroyCommandList has emptied. */
static void limits_recycled(struct agpu_test *t)
{
    enum { FRAMES = 24, WARM = 4 };
    const struct agpu_memory *memory = agpu_runtime_memory(t->env->umd.runtime);
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_vertex quad[4];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    const D3D10_DDI_BOX part = {.right = 32, .bottom = 1, .back = 1};
    D3D10DDI_HRESOURCE vertices, copied, on;
    struct agpu_quads quads;
    uint64_t takes = 0;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    vertices = agpu_make_dynamic(t, sizeof quad, D3D10_DDI_BIND_VERTEX_BUFFER);
    copied = agpu_make_default(t, 64, NULL);
    agpu_assert(t, vertices.pDrvPrivate && copied.pDrvPrivate);
    agpu_scene_quad(quad, 0.5f, 1, 0, 0, 1);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        D3D10DDI_HRESOURCE local = agpu_resource_on(t, dc, vertices);
        struct agpu_runtime_list *list;

        if (frame == WARM) {
            takes = memory->heap_allocs;
            agpu_runtime_limit_umd_heap(t->env->umd.runtime, 0);
        }
        agpu_quads_bind(t, dc, &quads);
        if (!agpu_check_hr(
                t, dc.fn->pfnResourceMap(dc.device, local, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped),
                S_OK)) {
            break;
        }
        memcpy(mapped.pData, quad, sizeof quad);
        dc.fn->pfnResourceUnmap(dc.device, local, 0);
        agpu_quads_draw(t, dc, vertices, 0, EDGE);
        on = agpu_resource_on(t, dc, copied); /* a copy within it takes a temporary */
        (void)dc.fn->pfnResourceCopyRegion(dc.device, on, 0, 32, 0, 0, on, 0, &part);
        list = agpu_finish(t, dc);
        agpu_execute(t, list);
        agpu_recycle_list(t, list, dc);
        agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    }
    agpu_runtime_limit_umd_heap(t->env->umd.runtime, UINT64_MAX);
    agpu_check(t, takes != 0);
    agpu_check_eq_u64(t, memory->heap_allocs, takes);
    agpu_draw_expect(t, agpu_expected_red, 0);

    struct agpu_runtime_list *emptied = agpu_finish(t, dc);
    agpu_assert(t, emptied != NULL);
    t->env->umd.funcs.pfnRecycleDestroyCommandList(
        t->env->umd.device, (D3D11DDI_HCOMMANDLIST){agpu_runtime_list_handle(emptied)});
    agpu_execute_on(t, emptied, dc);
    agpu_check_recorder_errors(t, dc, 1, E_INVALIDARG);
}

#define LIMIT(name, function) AGPU_DEFERRED_CASE("umd.deferred." name, "umd.md 15", function)
#define SHORT(name, function)                                                                                \
    AGPU_DEFERRED_CASE_WITH("umd.deferred." name, "umd.md 12.2", function, limits_offer_short_lists)

static const struct agpu_case deferred_limits_cases[] = {
    LIMIT("out_of_memory", out_of_memory),
    LIMIT("out_of_memory_anywhere", out_of_memory_anywhere),
    LIMIT("after_a_loss", after_a_loss),
    LIMIT("errors_of_one_context", own_errors),
    AGPU_DEFERRED_UNDRAWN_CASE("umd.deferred.memory_taken_once", "umd.md 15", memory_taken_once),
    LIMIT("recycled_lists", limits_recycled),
    SHORT("more_than_the_allocation_list", more_than_the_allocation_list),
    SHORT("nested_beyond_the_allocation_list", nested_beyond_the_allocation_list),
};

AGPU_CASE_TABLE(agpu_cases_deferred_limits, deferred_limits_cases);
