/* flush.c: the time at which recorded work is submitted, and the ways to wait for it: flushes, busy maps, event queries
 * (umd.md 6.3, 8, 12.4). */
#include <string.h>

#include "pci/machine/wait.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_buffers.h"

#define SIZE 1024u
#define T    AEROGPU_FEATURE_TRANSFER

static uint64_t umd_flush_submitted(struct agpu_test *t)
{
    return agpu_runtime_kmd(t->env->umd.runtime)->submitted;
}

struct flush_scene {
    D3D10DDI_HRESOURCE source, staging;
    uint8_t data[SIZE];
};

/* Records a copy into staging without submitting it. */
static bool umd_flush_record(struct agpu_test *t, struct flush_scene *scene)
{
    agpu_fill_pattern(scene->data, SIZE, 1);
    scene->source = agpu_make_default(t, SIZE, scene->data);
    scene->staging = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    if (!agpu_check(t, scene->source.pDrvPrivate && scene->staging.pDrvPrivate) ||
        !agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK) ||
        !agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime))) {
        return false;
    }
    agpu_umd_copy(t, scene->staging, scene->source);
    return true;
}

/* Recording copies must not submit anything. */
static void recording_submits_nothing(struct agpu_test *t)
{
    struct flush_scene scene;
    uint64_t before;

    agpu_return_unless(umd_flush_record(t, &scene));
    before = umd_flush_submitted(t);
    for (unsigned i = 0; i < 20; i++) {
        agpu_umd_copy(t, scene.staging, scene.source);
    }
    agpu_check_eq_u64(t, umd_flush_submitted(t), before);
    agpu_check_staging(t, scene.staging, scene.data, SIZE);
}

/* Flush must submit the recorded commands, and an empty one too. */
static void flush_submits(struct agpu_test *t)
{
    struct flush_scene scene;
    uint64_t before;

    agpu_return_unless(umd_flush_record(t, &scene));
    before = umd_flush_submitted(t);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_check_eq_u64(t, umd_flush_submitted(t), before + 1);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK); /* even an empty one */
    agpu_check_eq_u64(t, umd_flush_submitted(t), before + 2);
    agpu_check_staging(t, scene.staging, scene.data, SIZE);
}

/* A map for reading must submit the recorded commands once, and a further map nothing. */
static void readable_map_submits_once(struct agpu_test *t)
{
    struct flush_scene scene;
    uint64_t before;

    agpu_return_unless(umd_flush_record(t, &scene));
    before = umd_flush_submitted(t);
    agpu_return_unless(agpu_check_staging(t, scene.staging, scene.data, SIZE));
    agpu_check_eq_u64(t, umd_flush_submitted(t), before + 1);
    agpu_return_unless(agpu_check_staging(t, scene.staging, scene.data, SIZE)); /* nothing recorded: none */
    agpu_check_eq_u64(t, umd_flush_submitted(t), before + 1);
}

/* A map with DO_NOT_WAIT of a busy resource must submit once and answer busy without an error. */
static void busy_map(struct agpu_test *t)
{
    struct flush_scene scene;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    uint64_t before;

    agpu_return_unless(umd_flush_record(t, &scene));
    agpu_gate_hold(t);
    before = umd_flush_submitted(t);
    for (unsigned i = 0; i < 5;
         i++) { /* submits at the first attempt; being busy is not reported as an error */
        agpu_check_hr(
            t, agpu_umd_map(t, scene.staging, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped),
            DXGI_ERROR_WAS_STILL_DRAWING);
    }
    agpu_check_eq_u64(t, umd_flush_submitted(t), before + 1);
    agpu_check_errors(t, 0, S_OK);
    agpu_check_eq_u64(t, t->env->umd.context.pfnResourceIsStagingBusy(t->env->umd.device, scene.staging), 1);
    agpu_gate_open(t);
    agpu_check_staging(t, scene.staging, scene.data, SIZE);
}

/* A map must not wait for later work on other resources. */
static void unrelated_work_is_not_waited_for(struct agpu_test *t)
{
    struct flush_scene scene;
    D3D10DDI_HRESOURCE other;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    agpu_return_unless(umd_flush_record(t, &scene));
    other = agpu_make_default(t, SIZE, NULL);
    agpu_assert(t, other.pDrvPrivate != NULL);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_gate_hold(t);
    agpu_umd_copy(t, other, scene.source);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_return_unless(agpu_check_hr(
        t, agpu_umd_map(t, scene.staging, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped), S_OK));
    agpu_check_eq_mem(t, mapped.pData, scene.data, SIZE);
    agpu_umd_unmap(t, scene.staging);
}

/* Destroying a resource of recorded commands must submit them. */
static void destroy_submits(struct agpu_test *t)
{
    struct flush_scene scene;
    uint64_t before;

    agpu_return_unless(umd_flush_record(t, &scene));
    before = umd_flush_submitted(t);
    agpu_umd_destroy(t, scene.source);
    agpu_check_eq_u64(t, umd_flush_submitted(t), before + 1);
    agpu_check_staging(t, scene.staging, scene.data, SIZE);
}

/* Guest memory of recorded commands is submitted before it is renamed (umd.md 6.3). */
static void dynamic_host_owned(struct agpu_runtime_config *config)
{
    config->options.dynamic_guest_backed = 0;
}

/* Given four maps with DISCARD and their unmaps, the driver must submit nothing; the device gets the last bytes with
 * the next submission. */
static void unmap_submits_nothing(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_VERTEX_BUFFER);
    uint8_t data[SIZE];
    uint64_t before;

    agpu_assert(t, dynamic.pDrvPrivate != NULL);
    before = umd_flush_submitted(t);
    agpu_fill_pattern(data, SIZE, 2);
    for (unsigned i = 0; i < 4; i++) {
        agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data, SIZE));
    }
    agpu_check_eq_u64(t, umd_flush_submitted(t), before);
    agpu_check_contents(t, dynamic, data, SIZE);
}

/* Given two submissions that write one resource, a map must wait for the second. */
static void later_fence_of_one_resource(struct agpu_test *t)
{
    struct flush_scene scene;
    D3D10DDI_HRESOURCE second;
    uint8_t other[SIZE];

    /* Written twice in two submissions: Map waits for the second. */
    agpu_return_unless(umd_flush_record(t, &scene));
    agpu_fill_pattern(other, SIZE, 3);
    second = agpu_make_default(t, SIZE, other);
    agpu_assert(t, second.pDrvPrivate != NULL);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_umd_copy(t, scene.staging, second);
    agpu_gate_crawl(t, 30, 0);
    agpu_check_staging(t, scene.staging, other, SIZE);
}

/* ---- event queries ---- */

static bool make_query(struct agpu_test *t, D3D10DDI_HQUERY *query, uint32_t kind, HRESULT expected)
{
    struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_platform *platform = t->env->platform;
    D3D10DDIARG_CREATEQUERY args = {.Query = kind};

    query->pDrvPrivate =
        platform->heap_alloc(platform->ctx, umd->funcs.pfnCalcPrivateQuerySize(umd->device, &args));
    if (query->pDrvPrivate == NULL) {
        agpu_error(t, "no memory for a query");
        return false;
    }
    return agpu_check_hr(t, umd->funcs.pfnCreateQuery(umd->device, &args, *query, (D3D10DDI_HRTQUERY){NULL}),
                         expected);
}

static void end_query(struct agpu_test *t, D3D10DDI_HQUERY *query)
{
    t->env->umd.funcs.pfnDestroyQuery(t->env->umd.device, *query);
    t->env->platform->heap_free(t->env->platform->ctx, query->pDrvPrivate);
}

static HRESULT get_data(struct agpu_test *t, D3D10DDI_HQUERY query, uint32_t *done)
{
    *done = 0;
    return t->env->umd.context.pfnQueryGetData(t->env->umd.device, query, done, sizeof *done, 0);
}

/* An event query must be busy until the work before it is done, and GetData must not wait. */
static void event_query(struct agpu_test *t)
{
    struct flush_scene scene;
    D3D10DDI_HQUERY query;
    struct agpu_wait wait;
    uint32_t done;
    HRESULT hr;

    agpu_return_unless(umd_flush_record(t, &scene));
    if (make_query(t, &query, 0, S_OK)) {
        agpu_gate_hold(t);
        t->env->umd.context.pfnQueryEnd(t->env->umd.device, query);
        /* GetData never waits. */
        agpu_check_hr(t, get_data(t, query, &done), DXGI_ERROR_WAS_STILL_DRAWING);
        agpu_check_hr(t, get_data(t, query, &done), DXGI_ERROR_WAS_STILL_DRAWING);
        agpu_gate_open(t);
        agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
        do {
            hr = get_data(t, query, &done);
        } while (hr == DXGI_ERROR_WAS_STILL_DRAWING && agpu_wait_again(&wait));
        agpu_check_hr(t, hr, S_OK);
        agpu_check_eq_u64(t, done, 1);
        agpu_check_staging(t, scene.staging, scene.data, SIZE);
    }
    end_query(t, &query);
}

/* When the last of several event queries is done, all earlier ones must be. */
static void queries_are_ordered(struct agpu_test *t)
{
    struct flush_scene scene;
    D3D10DDI_HQUERY queries[4];
    struct agpu_wait wait;
    uint32_t done;
    HRESULT hr;

    agpu_return_unless(umd_flush_record(t, &scene));
    for (unsigned i = 0; i < 4; i++) {
        agpu_return_unless(make_query(t, &queries[i], 0, S_OK));
        agpu_umd_copy(t, scene.staging, scene.source);
        t->env->umd.context.pfnQueryEnd(t->env->umd.device, queries[i]);
    }
    /* If the last one is done, all are. */
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    do {
        hr = get_data(t, queries[3], &done);
    } while (hr == DXGI_ERROR_WAS_STILL_DRAWING && agpu_wait_again(&wait));
    agpu_check_hr(t, hr, S_OK);
    for (unsigned i = 0; i < 4; i++) {
        agpu_check_hr(t, get_data(t, queries[i], &done), S_OK);
        agpu_check_eq_u64(t, done, 1);
        end_query(t, &queries[i]);
    }
    agpu_check_staging(t, scene.staging, scene.data, SIZE);
}

/* Other kinds of queries must be refused with E_NOTIMPL. */
static void other_queries(struct agpu_test *t)
{
    D3D10DDI_HQUERY query;
    uint32_t done;

    for (uint32_t kind = 1; kind < 6; kind++) {
        make_query(t, &query, kind, E_NOTIMPL);
        agpu_check_errors(t, 1, E_NOTIMPL);
        end_query(t, &query);
    }
    if (make_query(t, &query, 0, S_OK)) {
        agpu_check_hr(t, get_data(t, query, &done), E_INVALIDARG); /* it has not ended */
        agpu_check_errors(t, 1, E_INVALIDARG);
    }
    end_query(t, &query);
}

#define FLUSH(name, section, function) AGPU_STACK_CASE(name, section, T, 0, .body = function, .gate = true)

/* Runs a FLUSH() body while the device really is at work: the device stops at the submission (gate.h). */
#define STOPPED(name, section, function)                                                                     \
    AGPU_STACK_CASE(name, section, T, 0, .body = function, .gate = true, .stop = true)

static const struct agpu_case umd_flush_cases[] = {
    FLUSH("umd.flush.recording_submits_nothing", "umd.md 12.4", recording_submits_nothing),
    FLUSH("umd.flush.flush_submits", "umd.md 12.4", flush_submits),
    FLUSH("umd.flush.readable_map_submits_once", "umd.md 6.3", readable_map_submits_once),
    FLUSH("umd.flush.destroy_submits", "umd.md 5.7", destroy_submits),
    AGPU_STACK_CASE("umd.flush.unmap_submits_nothing", "umd.md 6.5", T, 0, .body = unmap_submits_nothing,
                    .gate = true, .configure = dynamic_host_owned),
    FLUSH("map.busy.do_not_wait", "umd.md 6.3", busy_map),
    FLUSH("map.busy.unrelated_work", "umd.md 6.3", unrelated_work_is_not_waited_for),
    FLUSH("map.busy.newest_write", "umd.md 3.4", later_fence_of_one_resource),
    STOPPED("map.busy.stopped_device.do_not_wait", "umd.md 6.3", busy_map),
    STOPPED("map.busy.stopped_device.unrelated_work", "umd.md 6.3", unrelated_work_is_not_waited_for),
    STOPPED("map.busy.stopped_device.newest_write", "umd.md 3.4", later_fence_of_one_resource),
    STOPPED("umd.query.stopped_device", "umd.md 8", event_query),
    FLUSH("umd.query.event", "umd.md 8", event_query),
    FLUSH("umd.query.ordered", "umd.md 8", queries_are_ordered),
    FLUSH("umd.query.others_refused", "umd.md 8", other_queries),
};

AGPU_CASE_TABLE(agpu_cases_umd_flush, umd_flush_cases);
