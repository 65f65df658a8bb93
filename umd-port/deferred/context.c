/* context.c: deferred contexts: creation, loss of a list for want of memory, restart (umd.md 15). */
#include "umd-port/deferred/context.h"

#include <string.h>

#include "umd-port/base/track.h"
#include "umd-port/deferred/calls.h"
#include "umd-port/deferred/deferred.h"
#include "umd-port/base/trace.h"

/* A deferred context reaches nothing outside: whatever would call out fails instead. */
static const D3DDDI_DEVICECALLBACKS no_callbacks;

/* Every error of a call on a deferred context passes here. Running out of memory costs the list: from then on
 * calls are ignored, so it is reported once. */
static void report(D3D10DDI_HRTCORELAYER layer, HRESULT error)
{
    struct agpu_deferred_context *dc = layer.handle;

    if (agpu_deferred_removed(dc)) {
        return;
    }
    if (error == E_OUTOFMEMORY) {
        dc->recorder.imm.cookie = AGPU_COOKIE_DEFERRED_REMOVED;
    }
    if (dc->core_callbacks != NULL && dc->core_callbacks->pfnSetErrorCb != NULL) {
        dc->core_callbacks->pfnSetErrorCb(dc->core_layer, error);
    }
}

static const D3D11DDI_CORELAYER_DEVICECALLBACKS reporting = {.pfnSetErrorCb = report};

/* Temporaries of a copy within one resource; they get real handles when the list is executed. */
static uint32_t name_temporary(void *ctx)
{
    struct agpu_deferred_context *dc = ctx;
    uint32_t symbol = agpu_symbol_new(dc, NULL, AGPU_USE_TEMPORARY);

    if (symbol) {
        agpu_symbol_end(dc, symbol);
    } else {
        agpu_set_error(&dc->recorder.imm, E_OUTOFMEMORY);
    }
    return symbol;
}

HRESULT agpu_deferred_split(struct agpu_deferred_context *dc)
{
    struct agpu_device *recorder = &dc->recorder;
    uint32_t used = (uint32_t)agpu_cmd_used(&recorder->imm.cmd);
    uint32_t end = used < AGPU_CMD_STREAM_HEADER_BYTES ? AGPU_CMD_STREAM_HEADER_BYTES : used;
    uint32_t start = dc->uses.count ? dc->uses.at[dc->uses.count - 1].value : AGPU_CMD_STREAM_HEADER_BYTES;

    if (end == start && !recorder->allocs.count) {
        return S_OK;
    }
    if (!agpu_uses_close(&dc->uses, &dc->env, &recorder->allocs, end)) {
        return E_OUTOFMEMORY;
    }
    agpu_alloc_list_restart(&recorder->allocs, dc->sharing->list_capacity);
    recorder->imm.pending = AGPU_PENDING_STATE;
    return S_OK;
}

static HRESULT split(struct agpu_device *recorder)
{
    return agpu_deferred_split((struct agpu_deferred_context *)recorder);
}

static const struct agpu_recorder recorder_calls = {.split = split, .copy_bytes = agpu_record_byte_copy};

static void start_list(struct agpu_deferred_context *dc)
{
    struct agpu_device *recorder = &dc->recorder;
    struct agpu_context *context = &recorder->imm;

    dc->options = *dc->device_env->options;
    dc->options.mirror_guest_memory = 0; /* the CPU's copies belong to the immediate context */
    dc->list_number++;
    dc->uses.count = 0;
    agpu_alloc_list_restart(&recorder->allocs, dc->sharing->list_capacity);
    recorder->list_oom = false;
    context->cookie = AGPU_COOKIE_DEFERRED;
    context->pending = AGPU_PENDING_STATE;
}

static void construct(struct agpu_deferred_context *dc, struct agpu_device *device,
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
    dc->naming.next_handle = name_temporary;
    dc->adapter = *device->adapter;
    dc->adapter.env = &dc->naming;

    struct agpu_device *recorder = &dc->recorder;
    recorder->imm.device = recorder;
    recorder->imm.core_layer.handle = dc;
    recorder->imm.core_callbacks = &reporting;
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
    start_list(dc);
}

size_t agpu_calc_deferred_context_size(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateDeferredContextSize", sizeof(struct agpu_deferred_context));
}

static HRESULT check(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
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
    HRESULT hr = agpu_traced_result(handle, "CreateDeferredContext", check(handle, args));

    if (FAILED(hr)) {
        return hr;
    }
    construct(args->hDrvContext.pDrvPrivate, agpu_context_of(handle)->device, args);
    *args->p11ContextFuncs = agpu_deferred_context_funcs;
    return S_OK;
}

/* A context that still lives keeps its memory and handles; anything else is created. */
HRESULT agpu_recycle_create_deferred_context(D3D10DDI_HDEVICE handle,
                                             const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    HRESULT hr = check(handle, args);

    if (FAILED(hr)) {
        return hr;
    }
    struct agpu_deferred_context *dc = agpu_deferred_of(args->hDrvContext);
    if (dc == NULL) {
        return agpu_create_deferred_context(handle, args);
    }
    agpu_traced(handle, "RecycleCreateDeferredContext");
    dc->core_layer = args->hRTCoreLayer;
    dc->core_callbacks = args->p11UMCallbacks;
    agpu_deferred_restart(dc);
    *args->p11ContextFuncs = agpu_deferred_context_funcs;
    return S_OK;
}

/* Nothing is bound any more; caches only, the packets belong to a list that ended. */
static void forget_state(struct agpu_context *context)
{
    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        struct agpu_stage_state *state = &context->stages[stage];

        memset(state->constants, 0, sizeof state->constants);
        memset(state->samplers, 0, sizeof state->samplers);
        memset(state->views, 0, state->view_top * sizeof state->views[0]);
        state->view_top = state->constant_top = 0;
    }
    memset(context->vertices, 0, sizeof context->vertices);
    memset(context->uavs, 0, sizeof context->uavs);
    context->vertex_top = context->uav_top = 0;
    context->index_buffer = NULL;
    context->index_format = context->index_offset = 0;
    context->targets = (struct agpu_target_set){.count = 0};
    context->shaders = (struct agpu_shader_handles){0};
    context->input_layout = 0;
    agpu_reset_topology(context);
}

/* An application that ends its list with something mapped has lost the mapping. */
static void forget_maps(struct agpu_deferred_context *dc)
{
    for (uint32_t i = 0; i < dc->symbol_count && dc->open_maps; i++) {
        if (dc->symbols[i].use == AGPU_USE_RESOURCE && dc->symbols[i].local != NULL) {
            ((struct agpu_local_resource *)dc->symbols[i].local)->resource.map = (struct agpu_mapping){0};
        }
    }
    dc->open_maps = 0;
}

static void free_symbol(struct agpu_deferred_context *dc, uint32_t symbol)
{
    struct agpu_symbol *slot = agpu_symbol_at(dc, symbol);

    if (slot->object != NULL) {
        agpu_share_release(slot->object);
    }
    *slot = (struct agpu_symbol){.use = AGPU_USE_TEMPORARY, .next = dc->free_symbols};
    dc->free_symbols = symbol;
}

void agpu_deferred_restart(struct agpu_deferred_context *dc)
{
    forget_state(&dc->recorder.imm);
    forget_maps(dc);
    while (dc->recorder.pending_staging != NULL) {
        agpu_forget_staging_write(dc->recorder.pending_staging);
    }
    while (dc->ending_symbols) {
        uint32_t symbol = dc->ending_symbols;

        dc->ending_symbols = agpu_symbol_at(dc, symbol)->next;
        free_symbol(dc, symbol);
    }
    agpu_cmd_reset(&dc->recorder.imm.cmd);
    agpu_arena_reset(&dc->arena);
    start_list(dc);
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
    for (uint32_t i = 0; i < dc->symbol_count; i++) { /* handles that outlive their context hold nothing */
        if (dc->symbols[i].object != NULL) {
            agpu_share_release(dc->symbols[i].object);
        }
    }
    agpu_cmd_release(&dc->recorder.imm.cmd);
    agpu_alloc_list_release(&dc->recorder.allocs);
    agpu_arena_release(&dc->arena, &dc->env);
    agpu_uses_release(&dc->uses, &dc->env);
    if (dc->spare != NULL) {
        agpu_list_release(dc->spare);
    }
    dc->env.heap_free(dc->env.ctx, dc->symbols);
    dc->recorder.imm.cookie = AGPU_COOKIE_DEFERRED_DEAD;
    if (context != NULL && context->device->sharing == dc->sharing) {
        agpu_sharing_bury(dc->sharing);
    }
}

static bool grow_symbols(struct agpu_deferred_context *dc)
{
    uint32_t room = dc->symbol_room ? 2 * dc->symbol_room : 64;
    struct agpu_symbol *symbols = dc->env.heap_alloc(dc->env.ctx, room * sizeof *symbols);

    if (symbols == NULL) {
        return false;
    }
    if (dc->symbol_count) {
        memcpy(symbols, dc->symbols, dc->symbol_count * sizeof *symbols);
    }
    dc->env.heap_free(dc->env.ctx, dc->symbols);
    dc->symbols = symbols;
    dc->symbol_room = room;
    return true;
}

uint32_t agpu_symbol_new(struct agpu_deferred_context *dc, struct agpu_shared_object *object,
                         enum agpu_shared_use use)
{
    uint32_t symbol = dc->free_symbols;

    if (symbol) {
        dc->free_symbols = agpu_symbol_at(dc, symbol)->next;
    } else {
        if (dc->symbol_count == dc->symbol_room && !grow_symbols(dc)) {
            return 0;
        }
        symbol = ++dc->symbol_count;
    }
    if (object != NULL) {
        agpu_share_hold(object);
    }
    *agpu_symbol_at(dc, symbol) = (struct agpu_symbol){.object = object, .use = (uint32_t)use};
    return symbol;
}

void agpu_symbol_end(struct agpu_deferred_context *dc, uint32_t symbol)
{
    struct agpu_symbol *slot = agpu_symbol_at(dc, symbol);

    slot->local = NULL;
    bool named = slot->use == AGPU_USE_TEMPORARY || !agpu_cmd_empty(&dc->recorder.imm.cmd) ||
                 agpu_deferred_removed(dc);
    if (!named) { /* no packet can name it */
        free_symbol(dc, symbol);
        return;
    }
    slot->next = dc->ending_symbols;
    dc->ending_symbols = symbol;
}
