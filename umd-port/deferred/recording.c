/* recording.c: symbols, sections and the restart of a recording (umd.md 15). */
#include "umd-port/deferred/recording.h"

#include <string.h>

#include "umd-port/base/track.h"
#include "umd-port/deferred/ops.h"

/* ---- symbols ---- */

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
                         enum agpu_shared_kind kind)
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
        agpu_shared_object_ref(object);
    }
    *agpu_symbol_at(dc, symbol) = (struct agpu_symbol){.object = object, .kind = (uint32_t)kind};
    return symbol;
}

static void free_symbol_now(struct agpu_deferred_context *dc, uint32_t symbol)
{
    struct agpu_symbol *slot = agpu_symbol_at(dc, symbol);

    if (slot->object != NULL) {
        agpu_shared_object_unref(slot->object);
    }
    *slot = (struct agpu_symbol){.kind = AGPU_SHARED_TEMPORARY, .next = dc->free_symbols};
    dc->free_symbols = symbol;
}

void agpu_symbol_free(struct agpu_deferred_context *dc, uint32_t symbol)
{
    struct agpu_symbol *slot = agpu_symbol_at(dc, symbol);

    slot->local = NULL;
    bool named = /* a packet may name it */
        slot->kind == AGPU_SHARED_TEMPORARY || !agpu_cmd_empty(&dc->recorder.imm.cmd) ||
        agpu_deferred_list_lost(dc);
    if (!named) {
        free_symbol_now(dc, symbol);
        return;
    }
    slot->next = dc->ending_symbols;
    dc->ending_symbols = symbol;
}

/* ---- recording ---- */

HRESULT agpu_deferred_split(struct agpu_deferred_context *dc)
{
    struct agpu_device *recorder = &dc->recorder;
    uint32_t used = (uint32_t)agpu_cmd_used(&recorder->imm.cmd);
    uint32_t end = used < AGPU_CMD_STREAM_HEADER_BYTES ? AGPU_CMD_STREAM_HEADER_BYTES : used;

    if (!agpu_sections_add(&dc->sections, &dc->env, &recorder->allocs, end)) {
        return E_OUTOFMEMORY;
    }
    agpu_alloc_list_restart(&recorder->allocs, dc->sharing->list_capacity);
    recorder->imm.pending = AGPU_PENDING_STATE;
    return S_OK;
}

void agpu_deferred_report_finish(const struct agpu_deferred_context *dc, HRESULT hr)
{
    if (FAILED(hr) && dc->core_callbacks != NULL && dc->core_callbacks->pfnSetErrorCb != NULL) {
        dc->core_callbacks->pfnSetErrorCb(dc->core_layer, hr);
    }
}

void agpu_deferred_report(struct agpu_deferred_context *dc, HRESULT hr)
{
    if (agpu_deferred_list_lost(dc)) {
        agpu_deferred_report_finish(dc, hr);
    } else {
        agpu_report(&dc->recorder.imm, hr);
    }
}

void *agpu_record_op(struct agpu_deferred_context *dc, uint32_t opcode, uint32_t bytes, uint32_t symbol)
{
    struct agpu_op_header *op = agpu_cmd_reserve(&dc->recorder.imm.cmd, opcode, bytes);

    if (op != NULL) {
        op->object = symbol;
    } else {
        agpu_set_error(&dc->recorder.imm, E_OUTOFMEMORY);
    }
    return op;
}

void agpu_deferred_start_list(struct agpu_deferred_context *dc)
{
    struct agpu_device *recorder = &dc->recorder;
    struct agpu_context *context = &recorder->imm;

    dc->options = *dc->device_env->options;
    dc->options.mirror_guest_memory = 0; /* the CPU copies belong to the immediate context */
    dc->list_number++;
    dc->sections.count = 0;
    agpu_alloc_list_restart(&recorder->allocs, dc->sharing->list_capacity);
    recorder->list_oom = false;
    context->cookie = AGPU_COOKIE_DEFERRED;
    context->pending = AGPU_PENDING_STATE;
}

/* Resets the bindings without packets: those that bound them belong to a finished list. */
static void reset_bindings(struct agpu_context *context)
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

/* Unmaps, without recording, resources that are still mapped at the end of a list. */
static void drop_mappings(struct agpu_deferred_context *dc)
{
    for (uint32_t i = 0; i < dc->symbol_count && dc->open_maps; i++) {
        if (dc->symbols[i].kind == AGPU_SHARED_RESOURCE && dc->symbols[i].local != NULL) {
            ((struct agpu_local_resource *)dc->symbols[i].local)->resource.map = (struct agpu_mapping){0};
        }
    }
    dc->open_maps = 0;
}

void agpu_deferred_restart(struct agpu_deferred_context *dc)
{
    reset_bindings(&dc->recorder.imm);
    drop_mappings(dc);
    while (dc->recorder.pending_staging != NULL) {
        agpu_forget_staging_write(dc->recorder.pending_staging);
    }
    while (dc->ending_symbols) {
        uint32_t symbol = dc->ending_symbols;

        dc->ending_symbols = agpu_symbol_at(dc, symbol)->next;
        free_symbol_now(dc, symbol);
    }
    agpu_cmd_reset(&dc->recorder.imm.cmd);
    agpu_arena_reset(&dc->arena);
    agpu_deferred_start_list(dc);
}
