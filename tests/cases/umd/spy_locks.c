/* spy_locks.c: the LockCb calls of every map (umd.md 1.3, 6.3, 6.4), their answers, and waits. */
#include <string.h>

#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_peer.h"

#define SIZE   256u
#define POLL   D3D10_DDI_MAP_FLAG_DONOTWAIT
#define T      AEROGPU_FEATURE_TRANSFER
#define CALLS  (AGPU_SPY_LOCKS | AGPU_SPY_WAITS | AGPU_SPY_ERRORS)
#define READ   D3D10_DDI_CPU_ACCESS_READ
#define WRITE  D3D10_DDI_CPU_ACCESS_WRITE
#define VERTEX D3D10_DDI_BIND_VERTEX_BUFFER

/* Entries that map, of the Direct3D 11 context: all have the arguments of the generic Map. */
typedef HRESULT map_entry(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t, uint32_t, uint32_t,
                          D3D10DDI_MAPPED_SUBRESOURCE *);
typedef void unmap_entry(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t);

/* Maps and unmaps a resource with and without DO_NOT_WAIT; flags are those of the lock. */
static bool locks_with(struct agpu_test *t, D3D10DDI_HRESOURCE resource, map_entry *map, unmap_entry *unmap,
                       uint32_t type, const char *flags)
{
    static const char *const poll[] = {"", " DonotWait"};
    /* DonotWait is named in the order of the bits: in front of IgnoreSync and Discard. */
    const char *second = strcmp(flags, " WriteOnly Discard") == 0      ? " Discard"
                         : strcmp(flags, " WriteOnly IgnoreSync") == 0 ? " IgnoreSync"
                                                                       : "";
    const size_t first = strlen(flags) - strlen(second);
    const D3D10DDI_HDEVICE device = t->env->umd.device;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    char expected[120], head[40];

    agpu_format_line(head, first + 1, "%s", flags);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_check_hr(t, t->env->umd.context.pfnFlush(device), S_OK); /* what the last Unmap recorded */
        agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
        agpu_spy_begin(CALLS);
        if (!agpu_check_hr(t, map(device, resource, 0, type, i * POLL, &mapped), S_OK)) {
            return false;
        }
        unmap(device, resource, 0);
        agpu_format_line(expected, sizeof expected, "Lock a1%s%s%s\nUnlock a1\n", head, poll[i], second);
        if (!agpu_check_calls(t, expected)) {
            return false;
        }
    }
    return true;
}

/* Each map type, with and without DO_NOT_WAIT, must lock with exactly the flags of its row, and wait for nothing. */
static void lock_flags(struct agpu_test *t)
{
    const struct agpu_api_context *context = &t->env->umd.context;
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, READ | WRITE);
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE, VERTEX);
    const struct {
        D3D10DDI_HRESOURCE resource;
        uint32_t type;
        const char *flags;
    } rows[] = {
        {staging, D3D10_DDI_MAP_READ, " ReadOnly"},
        {staging, D3D10_DDI_MAP_WRITE, " WriteOnly"},
        {staging, D3D10_DDI_MAP_READWRITE, ""},
        {dynamic, D3D10_DDI_MAP_WRITE_DISCARD, " WriteOnly Discard"},
        {dynamic, D3D10_DDI_MAP_WRITE_NOOVERWRITE, " WriteOnly IgnoreSync"},
    };

    agpu_assert(t, staging.pDrvPrivate && dynamic.pDrvPrivate);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        agpu_return_unless(locks_with(t, rows[i].resource, context->pfnResourceMap, context->pfnResourceUnmap,
                                      rows[i].type, rows[i].flags));
    }
}

/* The entries for one kind of map must lock with the flags of that kind, whatever type they get. */
static void lock_flags_of_entries(struct agpu_test *t)
{
    const struct agpu_api_context *context = &t->env->umd.context;
    D3D10DDI_HRESOURCE vertices = agpu_make_dynamic(t, SIZE, VERTEX);
    D3D10DDI_HRESOURCE constants = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_CONSTANT_BUFFER);
    D3D10DDI_HRESOURCE views = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_SHADER_RESOURCE);
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, READ);
    const struct {
        D3D10DDI_HRESOURCE resource;
        map_entry *map;
        unmap_entry *unmap;
        uint32_t type;
        const char *flags;
    } rows[] = {
        {vertices, context->pfnDynamicIABufferMapDiscard, context->pfnDynamicIABufferUnmap,
         D3D10_DDI_MAP_WRITE_DISCARD, " WriteOnly Discard"},
        {vertices, context->pfnDynamicIABufferMapNoOverwrite, context->pfnDynamicIABufferUnmap,
         D3D10_DDI_MAP_WRITE_NOOVERWRITE, " WriteOnly IgnoreSync"},
        {constants, context->pfnDynamicConstantBufferMapDiscard, context->pfnDynamicConstantBufferUnmap,
         D3D10_DDI_MAP_WRITE_DISCARD, " WriteOnly Discard"},
        {views, context->pfnDynamicResourceMapDiscard, context->pfnDynamicResourceUnmap,
         D3D10_DDI_MAP_WRITE_DISCARD, " WriteOnly Discard"},
        {staging, context->pfnStagingResourceMap, context->pfnStagingResourceUnmap, D3D10_DDI_MAP_READ,
         " ReadOnly"},
    };

    agpu_assert(t, vertices.pDrvPrivate && constants.pDrvPrivate && views.pDrvPrivate && staging.pDrvPrivate);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        agpu_return_unless(
            locks_with(t, rows[i].resource, rows[i].map, rows[i].unmap, rows[i].type, rows[i].flags));
    }
}

static void spied_guest_backed(struct agpu_runtime_config *config)
{
    agpu_spied_config(config);
    config->options.dynamic_guest_backed = 1;
}

/* Buffers on which the device is at work, submitted and not complete. */
struct spy_busy {
    D3D10DDI_HRESOURCE dynamic, written, read;
};

static bool make_busy(struct agpu_test *t, struct spy_busy *busy)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRESOURCE target = agpu_make_default(t, SIZE, NULL);

    busy->dynamic = agpu_make_dynamic(t, SIZE, VERTEX);
    busy->written = agpu_make_staging(t, SIZE, READ | WRITE);
    busy->read = agpu_make_staging(t, SIZE, WRITE);
    if (!agpu_check(t, target.pDrvPrivate && busy->dynamic.pDrvPrivate && busy->written.pDrvPrivate &&
                           busy->read.pDrvPrivate) ||
        !agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK) ||
        !agpu_check(t, agpu_runtime_wait_idle(umd->runtime))) {
        return false;
    }
    agpu_gate_hold(t);
    agpu_umd_copy(t, target, busy->dynamic);
    agpu_umd_copy(t, target, busy->read);
    agpu_umd_copy(t, busy->written, target);
    return agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
}

/* While the device is at work, Discard and NoOverwrite must succeed without a wait, and the next submission must name
 * what Discard returned. Maps with DO_NOT_WAIT must answer busy: a read after one poll, a write with the answer of
 * LockCb. */
static void lock_busy(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    struct spy_busy busy;

    agpu_return_unless(make_busy(t, &busy));
    agpu_spy_begin(CALLS);
    agpu_check_hr(t, agpu_umd_map(t, busy.read, D3D10_DDI_MAP_WRITE, POLL, &mapped),
                  DXGI_ERROR_WAS_STILL_DRAWING);
    agpu_check_hr(t, agpu_umd_map(t, busy.written, D3D10_DDI_MAP_READ, POLL, &mapped),
                  DXGI_ERROR_WAS_STILL_DRAWING);
    agpu_check_hr(t, agpu_umd_map(t, busy.dynamic, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0, &mapped), S_OK);
    agpu_umd_unmap(t, busy.dynamic);
    agpu_return_unless(agpu_check_calls(t, "Lock a1 WriteOnly DonotWait\n"
                                           "Wait poll\n"
                                           "Lock a2 WriteOnly IgnoreSync\n"
                                           "Unlock a2\n"));
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_spy_begin(CALLS | AGPU_SPY_SUBMITS);
    agpu_check_hr(t, agpu_umd_map(t, busy.dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK);
    agpu_umd_unmap(t, busy.dynamic);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_check_calls(t, "Lock a1 WriteOnly Discard\n"
                        "Unlock a2\n"
                        "Render a2\n");
    agpu_check_errors(t, 0, S_OK);
}

/* A map for reading must wait in one callback, without a loop of the driver's own, and lock after it. */
static void lock_waits_once(struct agpu_test *t)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    struct spy_busy busy;

    agpu_return_unless(make_busy(t, &busy));
    agpu_gate_crawl(t, 8, 64);
    agpu_spy_begin(CALLS);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, busy.written, D3D10_DDI_MAP_READ, 0, &mapped), S_OK));
    agpu_umd_unmap(t, busy.written);
    agpu_check_calls(t, "Wait infinite\n"
                        "Lock a1 ReadOnly\n"
                        "Unlock a1\n");
}

static HRESULT lock_answer;

static HRESULT answered_lock(HANDLE device, D3DDDICB_LOCK *args)
{
    (void)device;
    args->pData = NULL;
    return lock_answer;
}

/* Each busy answer of LockCb must become the one that Direct3D knows, where it may be busy; others must be reported
 * once. */
static void lock_answers(struct agpu_test *t)
{
    static const struct {
        HRESULT answer, waiting, polling;
    } rows[] = {
        {D3DDDIERR_WASSTILLDRAWING, DXGI_ERROR_WAS_STILL_DRAWING, DXGI_ERROR_WAS_STILL_DRAWING},
        {DXGI_ERROR_WAS_STILL_DRAWING, DXGI_ERROR_WAS_STILL_DRAWING, DXGI_ERROR_WAS_STILL_DRAWING},
        {HRESULT_NT_TIMEOUT, DXGI_ERROR_WAS_STILL_DRAWING, DXGI_ERROR_WAS_STILL_DRAWING},
        {HRESULT_NT_GPU_BUSY, HRESULT_NT_GPU_BUSY, DXGI_ERROR_WAS_STILL_DRAWING},
        {HRESULT_WIN32_WAIT_TIMEOUT, HRESULT_WIN32_WAIT_TIMEOUT, DXGI_ERROR_WAS_STILL_DRAWING},
        {HRESULT_WIN32_ERROR_TIMEOUT, HRESULT_WIN32_ERROR_TIMEOUT, DXGI_ERROR_WAS_STILL_DRAWING},
        {E_PENDING, E_PENDING, DXGI_ERROR_WAS_STILL_DRAWING},
        {E_OUTOFMEMORY, E_OUTOFMEMORY, E_OUTOFMEMORY},
        {E_INVALIDARG, E_INVALIDARG, E_INVALIDARG},
    };
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, SIZE, READ | WRITE);
    HRESULT (*const lock)(HANDLE, D3DDDICB_LOCK *) = agpu_callback_table()->pfnLockCb;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    agpu_assert(t, staging.pDrvPrivate != NULL);
    agpu_callback_table()->pfnLockCb = answered_lock;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool waits = rows[i].waiting != DXGI_ERROR_WAS_STILL_DRAWING,
                   polls = rows[i].polling != DXGI_ERROR_WAS_STILL_DRAWING;

        lock_answer = rows[i].answer;
        agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &mapped), rows[i].waiting);
        agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, POLL, &mapped), rows[i].polling);
        agpu_check_errors(t, waits + polls, rows[i].waiting);
    }
    agpu_callback_table()->pfnLockCb = lock;
    agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK);
    agpu_umd_unmap(t, staging);
}

static struct {
    struct agpu_test *test;
    HRESULT (*wait)(HANDLE, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *);
    HRESULT answer;
    uint32_t left; /* answers in front of the real one */
} waiting;

static HRESULT answered_wait(HANDLE device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *args)
{
    if (waiting.left != 0) {
        waiting.left--;
        return waiting.answer;
    }
    agpu_gate_open(waiting.test);
    return waiting.wait(device, args);
}

/* A map for reading must wait again after each answer that means busy; another answer fails the map. */
static void wait_answers(struct agpu_test *t)
{
    static const struct {
        HRESULT answer, result;
    } rows[] = {
        {D3DDDIERR_WASSTILLDRAWING, S_OK},
        {DXGI_ERROR_WAS_STILL_DRAWING, S_OK},
        {HRESULT_NT_TIMEOUT, S_OK},
        {HRESULT_NT_GPU_BUSY, S_OK},
        {HRESULT_WIN32_WAIT_TIMEOUT, S_OK},
        {HRESULT_WIN32_ERROR_TIMEOUT, S_OK},
        {E_PENDING, E_PENDING},
        {E_OUTOFMEMORY, E_OUTOFMEMORY},
    };
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    struct spy_busy busy;

    waiting.test = t;
    waiting.wait = agpu_callback_table()->pfnWaitForSynchronizationObjectCb;
    agpu_callback_table()->pfnWaitForSynchronizationObjectCb = answered_wait;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        waiting.left = 0;
        agpu_return_unless(make_busy(t, &busy));
        waiting.answer = rows[i].answer;
        waiting.left = 3;
        agpu_check_hr(t, agpu_umd_map(t, busy.written, D3D10_DDI_MAP_READ, 0, &mapped), rows[i].result);
        agpu_check_eq_u64(t, waiting.left, rows[i].result == S_OK ? 0 : 2);
        agpu_check_errors(t, rows[i].result != S_OK, rows[i].result);
        if (rows[i].result == S_OK) {
            agpu_umd_unmap(t, busy.written);
        }
        agpu_gate_open(t);
    }
    agpu_callback_table()->pfnWaitForSynchronizationObjectCb = waiting.wait;
}

#define SPY_LOCKS(name, ...) AGPU_STACK_CASE("spy.lock." name, "umd.md 1.3", T, 0, __VA_ARGS__)
#define SPY_PEER(version)    .peer = (version), .act_as_peer = true

static const struct agpu_case umd_spy_locks_cases[] = {
    SPY_LOCKS("flags_d3d10", .body = lock_flags, SPY_PEER(D3D10_0_DDI_INTERFACE_VERSION)),
    SPY_LOCKS("flags_d3d10_1", .body = lock_flags, SPY_PEER(D3D10_1_DDI_INTERFACE_VERSION)),
    SPY_LOCKS("flags_d3d11", .body = lock_flags),
    SPY_LOCKS("flags_of_entries", .body = lock_flags_of_entries),
    SPY_LOCKS("held_gate", .body = lock_busy, .configure = spied_guest_backed, .gate = true),
    SPY_LOCKS("stopped_device", .body = lock_busy, .configure = spied_guest_backed, .gate = true,
              .stop = true),
    SPY_LOCKS("waits_once", .body = lock_waits_once, .configure = spied_guest_backed, .gate = true),
    SPY_LOCKS("answers", .body = lock_answers),
    SPY_LOCKS("wait_answers", .body = wait_answers, .configure = spied_guest_backed, .gate = true),
};

AGPU_CASE_TABLE(agpu_cases_umd_spy_locks, umd_spy_locks_cases);
