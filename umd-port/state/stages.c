/* stages.c: constant buffers, shader resources, samplers and unordered access buffers of the shader stages
 * (umd.md 10). */
#include "umd-port/state/stages.h"

#include <string.h>

#include "umd-port/base/device.h"
#include "umd-port/base/trace.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/objects.h"
#include "umd-port/state/targets.h"

#define AGPU_KEEP_COUNTER 0xFFFFFFFFu /* initial count that leaves a counter unchanged */

/* Stage names in trace lines, by enum agpu_stage. */
static const char *const stages_names[AGPU_STAGE_COUNT] = {"Vs", "Ps", "Gs", "Cs", "Hs", "Ds"};

bool agpu_bind_constants(struct agpu_context *context, enum agpu_stage stage, uint32_t start, uint32_t count,
                         const struct agpu_bound_constants *constants)
{
    struct agpu_stage_code code = agpu_stage_code(stage);
    struct agpu_stage_state *state = &context->stages[stage];

    struct aerogpu_cmd_set_constant_buffers *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_CONSTANT_BUFFERS,
                         (uint32_t)(sizeof *packet + count * sizeof(struct aerogpu_constant_buffer_binding)));
    if (packet == NULL) {
        return false;
    }
    struct aerogpu_constant_buffer_binding *out = (struct aerogpu_constant_buffer_binding *)(packet + 1);
    packet->shader_stage = code.stage;
    packet->start_slot = start;
    packet->buffer_count = count;
    packet->reserved0 = code.stage_ex;
    for (uint32_t i = 0; i < count; i++) {
        out[i].buffer = constants[i].buffer != NULL ? constants[i].buffer->handle : 0;
        out[i].offset_bytes = constants[i].offset;
        out[i].size_bytes = constants[i].size;
        out[i].reserved0 = 0;
        state->constants[start + i] = constants[i];
        agpu_list_at_draw(context, constants[i].buffer, AGPU_PENDING_CONSTANTS);
    }
    if (start + count > state->constant_top) {
        state->constant_top = start + count;
    }
    while (state->constant_top && state->constants[state->constant_top - 1].buffer == NULL) {
        state->constant_top--;
    }
    return true;
}

static struct agpu_bound_constants constants_of(D3D10DDI_HRESOURCE handle)
{
    struct agpu_resource *buffer = handle.pDrvPrivate;

    if (buffer == NULL || !buffer->handle || buffer->kind != AGPU_KIND_BUFFER) {
        return (struct agpu_bound_constants){.buffer = NULL};
    }
    return (struct agpu_bound_constants){buffer, 0, buffer->byte_width};
}

/* In Direct3D 10 a null array does not unbind (umd.md 10). */
static bool refuses_null_array(struct agpu_context *context, uint32_t count, const void *array)
{
    bool direct3d10 =
        context->cookie == (uint32_t)AGPU_COOKIE_D3D10 || context->cookie == (uint32_t)AGPU_COOKIE_D3D10_1;

    if (!direct3d10 || !count || array != NULL) {
        return false;
    }
    agpu_set_error(context, E_INVALIDARG);
    return true;
}

static __attribute__((noinline)) void change_constants(struct agpu_context *context, enum agpu_stage stage,
                                                       uint32_t start, uint32_t count,
                                                       const D3D10DDI_HRESOURCE *buffers)
{
    struct agpu_bound_constants constants[AGPU_DDI_CONSTANT_BUFFER_SLOTS];

    if (agpu_traces_state(context)) {
        agpu_trace_call(context, "%sSetConstantBuffers start=%u count=%u", stages_names[stage], start, count);
    }
    if (refuses_null_array(context, count, buffers) || !count || start >= AGPU_DDI_CONSTANT_BUFFER_SLOTS) {
        return;
    }
    if (count > AGPU_DDI_CONSTANT_BUFFER_SLOTS - start) {
        count = AGPU_DDI_CONSTANT_BUFFER_SLOTS - start;
    }
    bool changes = !context->drops_repeats || context->state_lost;
    const struct agpu_bound_constants *bound = &context->stages[stage].constants[start];
    for (uint32_t i = 0; i < count; i++) {
        constants[i] = constants_of(buffers != NULL ? buffers[i] : (D3D10DDI_HRESOURCE){NULL});
        changes |= constants[i].buffer != bound[i].buffer || constants[i].size != bound[i].size;
    }
    if (changes && !agpu_bind_constants(context, stage, start, count, constants)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

/* The most common calls bind one buffer, often the one already bound; that case needs no stack frame. A bound buffer is
 * alive, and a slot's range follows from its buffer. */
static inline void set_constants(D3D10DDI_HDEVICE handle, enum agpu_stage stage, uint32_t start,
                                 uint32_t count, const D3D10DDI_HRESOURCE *buffers)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    if (count == 1 && start < AGPU_DDI_CONSTANT_BUFFER_SLOTS && buffers != NULL && context->skips_repeats &&
        buffers[0].pDrvPrivate == context->stages[stage].constants[start].buffer) {
        return;
    }
    change_constants(context, stage, start, count, buffers);
}

bool agpu_bind_samplers(struct agpu_context *context, enum agpu_stage stage, uint32_t start, uint32_t count,
                        const uint32_t *handles)
{
    struct agpu_stage_code code = agpu_stage_code(stage);
    struct aerogpu_cmd_set_samplers *packet = agpu_cmd_reserve(
        &context->cmd, AEROGPU_CMD_SET_SAMPLERS, (uint32_t)(sizeof *packet + count * sizeof *handles));

    if (packet == NULL) {
        return false;
    }
    packet->shader_stage = code.stage;
    packet->start_slot = start;
    packet->sampler_count = count;
    packet->reserved0 = code.stage_ex;
    memcpy(packet + 1, handles, count * sizeof *handles);
    memcpy(&context->stages[stage].samplers[start], handles, count * sizeof *handles);
    return true;
}

static __attribute__((noinline)) void change_samplers(struct agpu_context *context, enum agpu_stage stage,
                                                      uint32_t start, uint32_t count,
                                                      const D3D10DDI_HSAMPLER *samplers)
{
    uint32_t handles[AGPU_DDI_SAMPLER_SLOTS];

    if (agpu_traces_state(context)) {
        agpu_trace_call(context, "%sSetSamplers start=%u count=%u", stages_names[stage], start, count);
    }
    if (refuses_null_array(context, count, samplers) || !count || start >= AGPU_DDI_SAMPLER_SLOTS) {
        return;
    }
    if (count > AGPU_DDI_SAMPLER_SLOTS - start) {
        count = AGPU_DDI_SAMPLER_SLOTS - start;
    }
    bool changes = !context->drops_repeats || context->state_lost;
    for (uint32_t i = 0; i < count; i++) {
        const struct agpu_sampler *sampler = samplers != NULL ? samplers[i].pDrvPrivate : NULL;

        handles[i] = sampler != NULL ? sampler->handle : 0;
        changes |= handles[i] != context->stages[stage].samplers[start + i];
    }
    if (changes && !agpu_bind_samplers(context, stage, start, count, handles)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

static inline void set_samplers(D3D10DDI_HDEVICE handle, enum agpu_stage stage, uint32_t start,
                                uint32_t count, const D3D10DDI_HSAMPLER *samplers)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    const struct agpu_sampler *first = samplers != NULL && count == 1 ? samplers[0].pDrvPrivate : NULL;
    if (first != NULL && start < AGPU_DDI_SAMPLER_SLOTS && context->skips_repeats &&
        first->handle == context->stages[stage].samplers[start]) {
        return;
    }
    change_samplers(context, stage, start, count, samplers);
}

static bool same_view(const struct agpu_bound_view *a, const struct agpu_bound_view *b)
{
    return a->resource == b->resource && a->view == b->view && a->offset == b->offset && a->size == b->size;
}

/* A buffer is either read through views or written through unordered access, so this unbinds the latter. */
static bool unbind_uavs_of(struct agpu_context *context, const struct agpu_resource *resource)
{
    static const struct agpu_bound_view nothing;
    const uint32_t keep = AGPU_KEEP_COUNTER;

    for (uint32_t slot = 0; slot < context->uav_top; slot++) {
        if (context->uavs[slot].resource != NULL &&
            agpu_same_memory(context->uavs[slot].resource, resource) &&
            !agpu_bind_uavs(context, slot, 1, &nothing, &keep)) {
            return false;
        }
    }
    return true;
}

/* Binds the `length` buffers of the slots before `end`. */
static bool end_run(struct agpu_context *context, enum agpu_stage stage, uint32_t end,
                    const struct agpu_bound_view *run, uint32_t *length)
{
    uint32_t count = *length;

    *length = 0;
    return !count || agpu_bind_buffer_views(context, stage, end - count, count, run);
}

/* First unbinds, view by view, the new views as outputs, even if the slot already has the view; then binds the changed
 * slots. The first packet without room ends the call. */
static bool bind_views(struct agpu_context *context, enum agpu_stage stage, uint32_t start, uint32_t count,
                       const D3D10DDI_HSHADERRESOURCEVIEW *views)
{
    const struct agpu_bound_view *bound = &context->stages[stage].views[start];
    bool outputs = context->targets.count || context->targets.depth.resource != NULL || context->uav_top;

    for (uint32_t i = 0; outputs && i < count; i++) {
        struct agpu_bound_view view = agpu_bound_view_of(views != NULL ? views[i].pDrvPrivate : NULL);

        if (view.resource != NULL &&
            (!agpu_unbind_targets_of(context, view.resource) || !unbind_uavs_of(context, view.resource))) {
            return false;
        }
    }
    /* Buffers of consecutive changed slots share a packet; each texture has its own. */
    struct agpu_bound_view run[AGPU_DDI_SHADER_RESOURCE_SLOTS];
    uint32_t length = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct agpu_bound_view view = agpu_bound_view_of(views != NULL ? views[i].pDrvPrivate : NULL);
        bool changes = context->state_lost || !same_view(&view, &bound[i]);
        bool joins = changes && agpu_binds_as_buffer(context, stage, start + i, &view);

        if (joins) {
            run[length++] = view;
            continue;
        }
        if (!end_run(context, stage, start + i, run, &length) ||
            (changes && !agpu_bind_view(context, stage, start + i, &view))) {
            return false;
        }
    }
    return end_run(context, stage, start + count, run, &length);
}

static void set_views(D3D10DDI_HDEVICE handle, enum agpu_stage stage, uint32_t start, uint32_t count,
                      const D3D10DDI_HSHADERRESOURCEVIEW *views)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "%sSetShaderResources start=%u count=%u", stages_names[stage], start, count);
    if (refuses_null_array(context, count, views) || start >= AGPU_DDI_SHADER_RESOURCE_SLOTS) {
        return;
    }
    if (count > AGPU_DDI_SHADER_RESOURCE_SLOTS - start) {
        count = AGPU_DDI_SHADER_RESOURCE_SLOTS - start;
    }
    if (!bind_views(context, stage, start, count, views)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

bool agpu_bind_uavs(struct agpu_context *context, uint32_t start, uint32_t count,
                    const struct agpu_bound_view *views, const uint32_t *initial_counts)
{
    struct agpu_stage_code code = agpu_stage_code(AGPU_STAGE_CS);
    struct aerogpu_cmd_set_unordered_access_buffers *packet = agpu_cmd_reserve(
        &context->cmd, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS,
        (uint32_t)(sizeof *packet + count * sizeof(struct aerogpu_unordered_access_buffer_binding)));

    if (packet == NULL) {
        return false;
    }
    struct aerogpu_unordered_access_buffer_binding *out =
        (struct aerogpu_unordered_access_buffer_binding *)(packet + 1);
    packet->shader_stage = code.stage;
    packet->start_slot = start;
    packet->uav_count = count;
    packet->reserved0 = code.stage_ex;
    for (uint32_t i = 0; i < count; i++) {
        out[i].buffer = agpu_view_handle(&views[i]);
        out[i].offset_bytes = views[i].offset;
        out[i].size_bytes = views[i].size;
        out[i].initial_count = initial_counts != NULL ? initial_counts[i] : AGPU_KEEP_COUNTER;
        context->uavs[start + i] = views[i];
        if (views[i].resource != NULL) {
            views[i].resource->device_ahead = true;
        }
    }
    if (start + count > context->uav_top) {
        context->uav_top = start + count;
    }
    while (context->uav_top && context->uavs[context->uav_top - 1].resource == NULL) {
        context->uav_top--;
    }
    context->pending |= AGPU_PENDING_UAVS;
    return true;
}

void agpu_cs_set_uavs(D3D10DDI_HDEVICE handle, uint32_t start, uint32_t count,
                      const D3D11DDI_HUNORDEREDACCESSVIEW *views, const uint32_t *initial_counts)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_bound_view bound[AGPU_DDI_UAV_SLOTS];

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "CsSetUnorderedAccessViews start=%u count=%u", start, count);
    if (!count || start >= AGPU_DDI_UAV_SLOTS) {
        return;
    }
    if (count > AGPU_DDI_UAV_SLOTS - start) {
        count = AGPU_DDI_UAV_SLOTS - start;
    }
    bool recorded = true, changes = !context->drops_repeats || context->state_lost;
    for (uint32_t i = 0; i < count && recorded; i++) {
        bound[i] = agpu_bound_view_of(views != NULL ? views[i].pDrvPrivate : NULL);
        changes |= !same_view(&bound[i], &context->uavs[start + i]) ||
                   (initial_counts != NULL && initial_counts[i] != AGPU_KEEP_COUNTER);
        if (bound[i].resource != NULL) {
            recorded = agpu_unbind_views_of(context, bound[i].resource);
        }
    }
    if (!recorded || (changes && !agpu_bind_uavs(context, start, count, bound, initial_counts))) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

#define STAGE(prefix, stage)                                                                                 \
    void agpu_##prefix##_set_constant_buffers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,       \
                                              const D3D10DDI_HRESOURCE *buffers)                             \
    {                                                                                                        \
        set_constants(device, stage, start, count, buffers);                                                 \
    }                                                                                                        \
    void agpu_##prefix##_set_shader_resources(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,       \
                                              const D3D10DDI_HSHADERRESOURCEVIEW *views)                     \
    {                                                                                                        \
        set_views(device, stage, start, count, views);                                                       \
    }                                                                                                        \
    void agpu_##prefix##_set_samplers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,               \
                                      const D3D10DDI_HSAMPLER *samplers)                                     \
    {                                                                                                        \
        set_samplers(device, stage, start, count, samplers);                                                 \
    }
STAGE(vs, AGPU_STAGE_VS)
STAGE(ps, AGPU_STAGE_PS)
STAGE(gs, AGPU_STAGE_GS)
STAGE(hs, AGPU_STAGE_HS)
STAGE(ds, AGPU_STAGE_DS)
STAGE(cs, AGPU_STAGE_CS)
