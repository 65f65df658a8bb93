/* usage_pipeline.c: usage rules of binding and drawing (umd.md 19): resources are bound according to their bind flags
 * and not while they are mapped; nothing that is bound may be mapped during a draw. */
#include "mm/runtime/usage_pipeline.h"

#include "mm/runtime/usage_records.h"

enum { VS, PS, GS, HS, DS, CS };

/* Returns the rule that binding this resource or view breaks. Null handles and unknown objects break none. */
static const char *bind_rule(const struct agpu_usage *usage, const void *handle, uint32_t bind)
{
    const struct agpu_usage_object *object = agpu_usage_find(usage, handle);

    if (handle == NULL || object == NULL) {
        return NULL;
    }
    if (object->refused) {
        return AGPU_RULE_CREATED;
    }
    const struct agpu_usage_object *resource = agpu_usage_resource_behind(usage, handle);
    if (resource == NULL) {
        return NULL;
    }
    return resource->mapped ? AGPU_RULE_BIND_MAPPED : agpu_rule_bind(&resource->resource, bind);
}

/* Returns the number of slots for this bind flag; handles beyond are not checked. */
static uint32_t slots_of(uint32_t bind)
{
    switch (bind) {
    case D3D10_DDI_BIND_CONSTANT_BUFFER:
        return AGPU_DDI_CONSTANT_BUFFER_SLOTS;
    case D3D10_DDI_BIND_SHADER_RESOURCE:
        return AGPU_DDI_SHADER_RESOURCE_SLOTS;
    case D3D10_DDI_BIND_VERTEX_BUFFER:
        return AGPU_DDI_VERTEX_BUFFER_SLOTS;
    case D3D10_DDI_BIND_STREAM_OUTPUT:
        return 4;
    default:
        return AGPU_DDI_RENDER_TARGET_SLOTS; /* unordered access has as many slots */
    }
}

/* Returns the first rule that an array of handles breaks; each handle is a structure that holds one pointer. */
static const char *bind_all_rule(const struct agpu_usage *usage, const void *handles, uint32_t count,
                                 uint32_t bind)
{
    void *const *each = handles;
    const char *rule = NULL;

    for (uint32_t i = 0; each != NULL && i < count && i < slots_of(bind) && rule == NULL; i++) {
        rule = bind_rule(usage, each[i], bind);
    }
    return rule;
}

static void remember(const void **slots, uint32_t limit, uint32_t start, uint32_t count, const void *handles)
{
    void *const *each = handles;

    for (uint32_t i = 0; i < count && start < limit && i < limit - start; i++) {
        slots[start + i] = each == NULL ? NULL : each[i];
    }
}

/* ---- slots ---- */

#define CHECKED_STAGE(stage, name, constants_entry, views_entry)                                             \
    static void name##_constants(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,                    \
                                 const D3D10DDI_HRESOURCE *buffers)                                          \
    {                                                                                                        \
        struct agpu_usage *usage = agpu_usage_of(device);                                                    \
                                                                                                             \
        if (agpu_usage_refuses(usage,                                                                        \
                               bind_all_rule(usage, buffers, count, D3D10_DDI_BIND_CONSTANT_BUFFER))) {      \
            return;                                                                                          \
        }                                                                                                    \
        usage->context.constants_entry(device, start, count, buffers);                                       \
        remember(usage->constants[stage], AGPU_DDI_CONSTANT_BUFFER_SLOTS, start, count, buffers);            \
    }                                                                                                        \
                                                                                                             \
    static void name##_views(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,                        \
                             const D3D10DDI_HSHADERRESOURCEVIEW *views)                                      \
    {                                                                                                        \
        struct agpu_usage *usage = agpu_usage_of(device);                                                    \
                                                                                                             \
        if (agpu_usage_refuses(usage, bind_all_rule(usage, views, count, D3D10_DDI_BIND_SHADER_RESOURCE))) { \
            return;                                                                                          \
        }                                                                                                    \
        usage->context.views_entry(device, start, count, views);                                             \
        remember(usage->views[stage], AGPU_DDI_SHADER_RESOURCE_SLOTS, start, count, views);                  \
    }
CHECKED_STAGE(VS, checked_vs, pfnVsSetConstantBuffers, pfnVsSetShaderResources)
CHECKED_STAGE(PS, checked_ps, pfnPsSetConstantBuffers, pfnPsSetShaderResources)
CHECKED_STAGE(GS, checked_gs, pfnGsSetConstantBuffers, pfnGsSetShaderResources)
CHECKED_STAGE(HS, checked_hs, pfnHsSetConstantBuffers, pfnHsSetShaderResources)
CHECKED_STAGE(DS, checked_ds, pfnDsSetConstantBuffers, pfnDsSetShaderResources)
CHECKED_STAGE(CS, checked_cs, pfnCsSetConstantBuffers, pfnCsSetShaderResources)

static void checked_uavs(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                         const D3D11DDI_HUNORDEREDACCESSVIEW *views, const uint32_t *initial_counts)
{
    struct agpu_usage *usage = agpu_usage_of(device);

    if (!agpu_usage_refuses(usage, bind_all_rule(usage, views, count, D3D11_DDI_BIND_UNORDERED_ACCESS))) {
        usage->context.pfnCsSetUnorderedAccessViews(device, start, count, views, initial_counts);
    }
}

static void checked_vertex_buffers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                                   const D3D10DDI_HRESOURCE *buffers, const uint32_t *strides,
                                   const uint32_t *offsets)
{
    struct agpu_usage *usage = agpu_usage_of(device);

    if (agpu_usage_refuses(usage, bind_all_rule(usage, buffers, count, D3D10_DDI_BIND_VERTEX_BUFFER))) {
        return;
    }
    usage->context.pfnIaSetVertexBuffers(device, start, count, buffers, strides, offsets);
    /* A count of 0 unbinds all slots from start on (umd.md 10). */
    remember(usage->vertex, AGPU_DDI_VERTEX_BUFFER_SLOTS, start,
             count != 0 ? count : AGPU_DDI_VERTEX_BUFFER_SLOTS, count != 0 ? buffers : NULL);
}

static void checked_index_buffer(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE buffer, uint32_t format,
                                 uint32_t offset)
{
    struct agpu_usage *usage = agpu_usage_of(device);

    if (agpu_usage_refuses(usage, bind_rule(usage, buffer.pDrvPrivate, D3D10_DDI_BIND_INDEX_BUFFER))) {
        return;
    }
    usage->context.pfnIaSetIndexBuffer(device, buffer, format, offset);
    usage->index = buffer.pDrvPrivate;
}

static void checked_so_targets(D3D10DDI_HDEVICE device, uint32_t count, uint32_t clear_targets,
                               const D3D10DDI_HRESOURCE *buffers, const uint32_t *offsets)
{
    struct agpu_usage *usage = agpu_usage_of(device);

    if (!agpu_usage_refuses(usage, bind_all_rule(usage, buffers, count, D3D10_DDI_BIND_STREAM_OUTPUT))) {
        usage->context.pfnSoSetTargets(device, count, clear_targets, buffers, offsets);
    }
}

static const char *targets_rule(const struct agpu_usage *usage, const D3D10DDI_HRENDERTARGETVIEW *views,
                                uint32_t count, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    const char *rule = bind_all_rule(usage, views, count, D3D10_DDI_BIND_RENDER_TARGET);

    return rule != NULL ? rule : bind_rule(usage, depth.pDrvPrivate, D3D10_DDI_BIND_DEPTH_STENCIL);
}

static void checked_targets(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views, uint32_t count,
                            uint32_t clear_slots, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    struct agpu_usage *usage = agpu_usage_of(device);

    if (!agpu_usage_refuses(usage, targets_rule(usage, views, count, depth))) {
        usage->context.pfnSetRenderTargets(device, views, count, clear_slots, depth);
    }
}

static void checked_targets_and_uavs(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views,
                                     uint32_t count, D3D10DDI_HDEPTHSTENCILVIEW depth,
                                     const D3D11DDI_HUNORDEREDACCESSVIEW *uavs,
                                     const uint32_t *initial_counts, uint32_t first_uav, uint32_t uav_count)
{
    struct agpu_usage *usage = agpu_usage_of(device);
    const char *rule = targets_rule(usage, views, count, depth);

    if (rule == NULL) {
        rule = bind_all_rule(usage, uavs, uav_count, D3D11_DDI_BIND_UNORDERED_ACCESS);
    }
    if (!agpu_usage_refuses(usage, rule)) {
        usage->context.pfnSetRenderTargetsAndUnorderedAccessViews(device, views, count, depth, uavs,
                                                                  initial_counts, first_uav, uav_count);
    }
}

static void checked_clear_state(D3D10DDI_HDEVICE device)
{
    struct agpu_usage *usage = agpu_usage_of(device);

    usage->context.pfnClearState(device);
    agpu_usage_forget_bound(usage);
}

static void checked_execute(D3D10DDI_HDEVICE device, D3D11DDI_HCOMMANDLIST list)
{
    struct agpu_usage *usage = agpu_usage_of(device);

    usage->context.pfnCommandListExecute(device, list);
    agpu_usage_forget_bound(usage); /* the context is in default state afterwards (umd.md 15) */
}

/* ---- draws ---- */

static bool any_mapped(const struct agpu_usage *usage, const void *const *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct agpu_usage_object *resource =
            slots[i] == NULL ? NULL : agpu_usage_resource_behind(usage, slots[i]);

        if (resource != NULL && resource->mapped) {
            return true;
        }
    }
    return false;
}

/* Returns the rule that work of these stages breaks. */
static const char *work_rule(const struct agpu_usage *usage, bool compute)
{
    bool found = false;

    if (usage->mapped == 0) {
        return NULL;
    }
    for (uint32_t stage = compute ? CS : VS; !found && stage <= (compute ? CS : DS); stage++) {
        found = any_mapped(usage, usage->constants[stage], AGPU_DDI_CONSTANT_BUFFER_SLOTS) ||
                any_mapped(usage, usage->views[stage], AGPU_DDI_SHADER_RESOURCE_SLOTS);
    }
    if (!found && !compute) {
        found = any_mapped(usage, usage->vertex, AGPU_DDI_VERTEX_BUFFER_SLOTS) ||
                any_mapped(usage, &usage->index, 1);
    }
    return found ? AGPU_RULE_DRAW_MAPPED : NULL;
}

#define CHECKED_WORK(name, compute, entry, parameters, arguments)                                            \
    static void name parameters                                                                              \
    {                                                                                                        \
        struct agpu_usage *usage = agpu_usage_of(device);                                                    \
                                                                                                             \
        if (!agpu_usage_refuses(usage, work_rule(usage, (compute)))) {                                       \
            usage->context.entry arguments;                                                                  \
        }                                                                                                    \
    }
CHECKED_WORK(checked_draw, false, pfnDraw, (D3D10DDI_HDEVICE device, uint32_t count, uint32_t first),
             (device, count, first))
CHECKED_WORK(checked_draw_indexed, false, pfnDrawIndexed,
             (D3D10DDI_HDEVICE device, uint32_t count, uint32_t first, int32_t base),
             (device, count, first, base))
CHECKED_WORK(checked_draw_instanced, false, pfnDrawInstanced,
             (D3D10DDI_HDEVICE device, uint32_t count, uint32_t instances, uint32_t first,
              uint32_t first_instance),
             (device, count, instances, first, first_instance))
CHECKED_WORK(checked_draw_indexed_instanced, false, pfnDrawIndexedInstanced,
             (D3D10DDI_HDEVICE device, uint32_t count, uint32_t instances, uint32_t first, int32_t base,
              uint32_t first_instance),
             (device, count, instances, first, base, first_instance))
CHECKED_WORK(checked_draw_auto, false, pfnDrawAuto, (D3D10DDI_HDEVICE device), (device))
CHECKED_WORK(checked_draw_indirect, false, pfnDrawInstancedIndirect,
             (D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE from, uint32_t offset), (device, from, offset))
CHECKED_WORK(checked_draw_indexed_indirect, false, pfnDrawIndexedInstancedIndirect,
             (D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE from, uint32_t offset), (device, from, offset))
CHECKED_WORK(checked_dispatch, true, pfnDispatch,
             (D3D10DDI_HDEVICE device, uint32_t x, uint32_t y, uint32_t z), (device, x, y, z))
CHECKED_WORK(checked_dispatch_indirect, true, pfnDispatchIndirect,
             (D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE from, uint32_t offset), (device, from, offset))

void agpu_usage_check_pipeline(struct agpu_api_context *context)
{
    AGPU_USAGE_WRAP(context, pfnVsSetConstantBuffers, checked_vs_constants);
    AGPU_USAGE_WRAP(context, pfnVsSetShaderResources, checked_vs_views);
    AGPU_USAGE_WRAP(context, pfnPsSetConstantBuffers, checked_ps_constants);
    AGPU_USAGE_WRAP(context, pfnPsSetShaderResources, checked_ps_views);
    AGPU_USAGE_WRAP(context, pfnGsSetConstantBuffers, checked_gs_constants);
    AGPU_USAGE_WRAP(context, pfnGsSetShaderResources, checked_gs_views);
    AGPU_USAGE_WRAP(context, pfnHsSetConstantBuffers, checked_hs_constants);
    AGPU_USAGE_WRAP(context, pfnHsSetShaderResources, checked_hs_views);
    AGPU_USAGE_WRAP(context, pfnDsSetConstantBuffers, checked_ds_constants);
    AGPU_USAGE_WRAP(context, pfnDsSetShaderResources, checked_ds_views);
    AGPU_USAGE_WRAP(context, pfnCsSetConstantBuffers, checked_cs_constants);
    AGPU_USAGE_WRAP(context, pfnCsSetShaderResources, checked_cs_views);
    AGPU_USAGE_WRAP(context, pfnCsSetUnorderedAccessViews, checked_uavs);
    AGPU_USAGE_WRAP(context, pfnIaSetVertexBuffers, checked_vertex_buffers);
    AGPU_USAGE_WRAP(context, pfnIaSetIndexBuffer, checked_index_buffer);
    AGPU_USAGE_WRAP(context, pfnSoSetTargets, checked_so_targets);
    AGPU_USAGE_WRAP(context, pfnSetRenderTargets, checked_targets);
    AGPU_USAGE_WRAP(context, pfnSetRenderTargetsAndUnorderedAccessViews, checked_targets_and_uavs);
    AGPU_USAGE_WRAP(context, pfnClearState, checked_clear_state);
    AGPU_USAGE_WRAP(context, pfnCommandListExecute, checked_execute);
    AGPU_USAGE_WRAP(context, pfnDraw, checked_draw);
    AGPU_USAGE_WRAP(context, pfnDrawIndexed, checked_draw_indexed);
    AGPU_USAGE_WRAP(context, pfnDrawInstanced, checked_draw_instanced);
    AGPU_USAGE_WRAP(context, pfnDrawIndexedInstanced, checked_draw_indexed_instanced);
    AGPU_USAGE_WRAP(context, pfnDrawAuto, checked_draw_auto);
    AGPU_USAGE_WRAP(context, pfnDrawInstancedIndirect, checked_draw_indirect);
    AGPU_USAGE_WRAP(context, pfnDrawIndexedInstancedIndirect, checked_draw_indexed_indirect);
    AGPU_USAGE_WRAP(context, pfnDispatch, checked_dispatch);
    AGPU_USAGE_WRAP(context, pfnDispatchIndirect, checked_dispatch_indirect);
}
