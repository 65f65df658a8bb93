/* context.c: creation, recycling and destruction of deferred contexts, and their error reports (umd.md 15). */
#include "umd-port/deferred/context.h"

#include <string.h>

#include "umd-port/base/trace.h"
#include "umd-port/deferred/deferred.h"
#include "umd-port/deferred/recording.h"
#include "umd-port/deferred/work.h"

/* A deferred context calls no runtime callback but SetErrorCb: operations that need another one fail. */
static const D3DDDI_DEVICECALLBACKS no_callbacks;

/* Receives every error of a call on a deferred context. When memory runs out the list is lost and later calls do
 * nothing, so E_OUTOFMEMORY is reported once per list. */
static void report_error(D3D10DDI_HRTCORELAYER layer, HRESULT error)
{
    struct agpu_deferred_context *dc = layer.handle;

    if (agpu_deferred_list_lost(dc)) {
        return;
    }
    if (error == E_OUTOFMEMORY) {
        dc->recorder.imm.cookie = AGPU_COOKIE_DEFERRED_LOST;
    }
    agpu_deferred_report_finish(dc, error);
}

static const D3D11DDI_CORELAYER_DEVICECALLBACKS error_callbacks = {.pfnSetErrorCb = report_error};

/* Replaces the adapter's handle counter: a copy within one resource uses a temporary resource, which gets its protocol
 * handle when the list is executed. */
static uint32_t temporary_symbol(void *ctx)
{
    struct agpu_deferred_context *dc = ctx;
    uint32_t symbol = agpu_symbol_new(dc, NULL, AGPU_SHARED_TEMPORARY);

    if (symbol) {
        agpu_symbol_free(dc, symbol);
    } else {
        agpu_set_error(&dc->recorder.imm, E_OUTOFMEMORY);
    }
    return symbol;
}

static HRESULT split_recorder(struct agpu_device *recorder)
{
    return agpu_deferred_split((struct agpu_deferred_context *)recorder);
}

static const struct agpu_recorder recorder_calls = {
    .split = split_recorder, .copy_bytes = agpu_record_byte_copy, .copy_across = agpu_record_copy_across};

static void construct_context(struct agpu_deferred_context *dc, struct agpu_device *device,
                              const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    memset(dc, 0, sizeof *dc);
    dc->sharing = device->sharing;
    dc->device_env = device->env;
    dc->core_layer = args->hRTCoreLayer;
    dc->core_callbacks = args->p11UMCallbacks;
    dc->env = *device->env;
    dc->env.options = &dc->options;
    dc->naming = dc->env;
    dc->naming.ctx = dc;
    dc->naming.next_handle = temporary_symbol;
    dc->adapter = *device->adapter;
    dc->adapter.env = &dc->naming;

    struct agpu_device *recorder = &dc->recorder;
    recorder->imm.device = recorder;
    recorder->imm.options = &dc->options;
    recorder->imm.core_layer.handle = dc;
    recorder->imm.core_callbacks = &error_callbacks;
    agpu_reset_topology(&recorder->imm);
    recorder->imm.drops_repeats = device->imm.drops_repeats;
    recorder->imm.list_epoch = &recorder->allocs.epoch;
    recorder->callbacks = &no_callbacks;
    recorder->env = &dc->env;
    recorder->adapter = &dc->adapter;
    recorder->recorder = &recorder_calls;
    recorder->vertex_slots = device->vertex_slots;
    agpu_cmd_init_vector(&recorder->imm.cmd, &dc->env);
    agpu_alloc_list_init(&recorder->allocs, &dc->env);
    agpu_deferred_start_list(dc);
}

size_t agpu_calc_deferred_context_size(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateDeferredContextSize", sizeof(struct agpu_deferred_context));
}

static HRESULT check_create(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL || agpu_deferred_of(handle) != NULL || args == NULL ||
        args->hDrvContext.pDrvPrivate == NULL || args->p11ContextFuncs == NULL) {
        return E_INVALIDARG;
    }
    return agpu_deferred_contexts_offered(context->device->adapter) ? S_OK : E_NOTIMPL;
}

HRESULT agpu_create_deferred_context(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    HRESULT hr = agpu_traced_result(handle, "CreateDeferredContext", check_create(handle, args));

    if (SUCCEEDED(hr)) {
        construct_context(args->hDrvContext.pDrvPrivate, agpu_context_of(handle)->device, args);
    }
    return hr;
}

/* A context that was not destroyed keeps its memory and handles; otherwise one is created. */
HRESULT agpu_recycle_create_deferred_context(D3D10DDI_HDEVICE handle,
                                             const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    HRESULT hr = agpu_traced_result(handle, "RecycleCreateDeferredContext", check_create(handle, args));

    if (FAILED(hr)) {
        return hr;
    }
    struct agpu_deferred_context *dc = agpu_deferred_of(args->hDrvContext);
    if (dc == NULL) {
        construct_context(args->hDrvContext.pDrvPrivate, agpu_context_of(handle)->device, args);
        return S_OK;
    }
    dc->core_layer = args->hRTCoreLayer;
    dc->core_callbacks = args->p11UMCallbacks;
    agpu_deferred_restart(dc);
    return S_OK;
}

void agpu_abandon_command_list(D3D10DDI_HDEVICE handle)
{
    struct agpu_deferred_context *dc = agpu_deferred_of(handle);

    agpu_traced(handle, "AbandonCommandList");
    if (dc != NULL) {
        agpu_deferred_restart(dc);
    }
}

void agpu_destroy_deferred_context(D3D10DDI_HDEVICE device, D3D10DDI_HDEVICE handle)
{
    struct agpu_deferred_context *dc = agpu_deferred_of(handle);
    struct agpu_context *context = agpu_context_of(device);

    agpu_traced(device, "DestroyDeferredContext");
    if (dc == NULL) {
        return;
    }
    agpu_deferred_restart(dc);
    for (uint32_t i = 0; i < dc->symbol_count; i++) { /* local handles may remain, but keep no object alive */
        if (dc->symbols[i].object != NULL) {
            agpu_shared_object_unref(dc->symbols[i].object);
        }
    }
    agpu_cmd_release(&dc->recorder.imm.cmd);
    agpu_alloc_list_release(&dc->recorder.allocs);
    agpu_arena_free(&dc->arena, &dc->env);
    agpu_sections_free(&dc->sections, &dc->env);
    if (dc->spare != NULL) {
        agpu_list_unref(dc->spare);
    }
    dc->env.heap_free(dc->env.ctx, dc->symbols);
    dc->recorder.imm.cookie = AGPU_COOKIE_DEFERRED_DESTROYED;
    if (context != NULL && context->device->sharing == dc->sharing) {
        agpu_sharing_destroy_unreferenced(dc->sharing);
    }
}
