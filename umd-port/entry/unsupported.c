/* unsupported.c: features refused cleanly, hints ignored (umd.md 3.1, 16). */
#include "umd-port/entry/unsupported.h"

#include "umd-port/base/lock.h"
#include "umd-port/base/removal.h"
#include "umd-port/base/trace.h"
#include "umd-port/format/format.h"

void agpu_check_format_support(D3D10DDI_HDEVICE handle, uint32_t format, uint32_t *support)
{
    struct agpu_context *context = agpu_context_of(handle);

    agpu_traced(handle, "CheckFormatSupport");
    if (support != NULL) {
        *support = context != NULL
                       ? agpu_format_support_word(agpu_adapter_format_caps(context->device->adapter, format))
                       : 0;
    }
}

void agpu_check_multisample_levels(D3D10DDI_HDEVICE handle, uint32_t format, uint32_t samples,
                                   uint32_t *levels)
{
    struct agpu_context *context = agpu_context_of(handle);

    agpu_traced(handle, "CheckMultisampleQualityLevels");
    if (levels != NULL) {
        *levels =
            context != NULL ? agpu_adapter_multisample_levels(context->device->adapter, format, samples) : 0;
    }
}

#define DEVICE_STATE(function, entry)                                                                        \
    HRESULT function(D3D10DDI_HDEVICE handle)                                                                \
    {                                                                                                        \
        AGPU_HOLD(handle);                                                                                   \
        struct agpu_context *context = agpu_context_of(handle);                                              \
                                                                                                             \
        return agpu_traced_result(handle, entry,                                                             \
                                  context != NULL ? agpu_removal_reason(context->device) : S_OK);            \
    }
DEVICE_STATE(agpu_get_device_removed_reason, "GetDeviceRemovedReason")
DEVICE_STATE(agpu_check_device_state, "CheckDeviceState")

#define MARKER(function, entry)                                                                              \
    void function(D3D10DDI_HDEVICE handle, const char *text)                                                 \
    {                                                                                                        \
        const struct agpu_context *context = agpu_context_of(handle);                                        \
                                                                                                             \
        (void)text; /* unless tracing is on */                                                               \
        if (context != NULL) {                                                                               \
            AGPU_TRACE_SET(context, entry " %s", text);                                                      \
        }                                                                                                    \
    }
MARKER(agpu_set_marker, "SetMarker")
MARKER(agpu_begin_event, "BeginEvent")

void agpu_end_event(D3D10DDI_HDEVICE handle)
{
    agpu_traced(handle, "EndEvent");
}

#define IGNORE_RESOURCE(function, entry)                                                                     \
    void function(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource)                                      \
    {                                                                                                        \
        (void)resource;                                                                                      \
        agpu_traced(handle, entry ": ignored");                                                              \
    }
IGNORE_RESOURCE(agpu_ignore_discard_resource, "DiscardResource")
IGNORE_RESOURCE(agpu_ignore_resource_hazard, "ResourceReadAfterWriteHazard")

void agpu_ignore_view(D3D10DDI_HDEVICE handle, HANDLE view)
{
    agpu_traced(handle, "DiscardView: ignored");
    (void)view;
}

void agpu_ignore_srv_hazard(D3D10DDI_HDEVICE handle, D3D10DDI_HSHADERRESOURCEVIEW view,
                            D3D10DDI_HRESOURCE resource)
{
    agpu_traced(handle, "ShaderResourceViewReadAfterWriteHazard: ignored");
    (void)view, (void)resource;
}

void agpu_ignore_min_lod(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource, float lod)
{
    agpu_traced(handle, "SetResourceMinLOD: ignored");
    (void)resource, (void)lod;
}

void agpu_ignore_text_filter(D3D10DDI_HDEVICE handle, uint32_t width, uint32_t height)
{
    agpu_traced(handle, "SetTextFilterSize: ignored");
    (void)width, (void)height;
}

void agpu_ignore_relocate10(D3D10DDI_HDEVICE handle, D3D10DDI_DEVICEFUNCS *funcs)
{
    agpu_traced(handle, "RelocateDeviceFuncs");
    (void)funcs; /* the driver keeps no pointer to the table */
}

void agpu_ignore_relocate11(D3D10DDI_HDEVICE handle, struct D3D11DDI_DEVICEFUNCS *funcs)
{
    agpu_traced(handle, "RelocateDeviceFuncs");
    (void)funcs;
}

#define UNSUPPORTED_OBJECT(name, api)                                                                        \
    size_t agpu_calc_##name##_size(D3D10DDI_HDEVICE handle)                                                  \
    {                                                                                                        \
        return agpu_traced_size(handle, "CalcPrivate" #api "Size", sizeof(void *));                          \
    }                                                                                                        \
    HRESULT agpu_refuse_##name(D3D10DDI_HDEVICE handle, void *object)                                        \
    {                                                                                                        \
        (void)object;                                                                                        \
        return agpu_traced_result(handle, "Create" #api, E_NOTIMPL);                                         \
    }                                                                                                        \
    void agpu_ignore_##name(D3D10DDI_HDEVICE handle, void *object)                                           \
    {                                                                                                        \
        (void)object;                                                                                        \
        agpu_traced(handle, "Destroy" #api);                                                                 \
    }
AGPU_UNSUPPORTED_OBJECTS(UNSUPPORTED_OBJECT)

HRESULT agpu_refuse_gamma_caps(D3D10DDI_HDEVICE handle, void *caps)
{
    (void)caps;
    return agpu_traced_result(handle, "GetGammaCaps", E_NOTIMPL);
}

#define IGNORE_COMMAND_LIST(function, entry)                                                                 \
    void function(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list)                                       \
    {                                                                                                        \
        (void)list;                                                                                          \
        agpu_traced(handle, entry);                                                                          \
    }
IGNORE_COMMAND_LIST(agpu_ignore_destroy_list, "DestroyCommandList")
IGNORE_COMMAND_LIST(agpu_ignore_recycle_destroy_list, "RecycleDestroyCommandList")

void agpu_ignore_context(D3D10DDI_HDEVICE handle, D3D10DDI_HDEVICE context)
{
    agpu_traced(handle, "DestroyDeferredContext");
    (void)context;
}

size_t agpu_small_context_handle_size(D3D10DDI_HDEVICE handle, uint32_t type, void *object)
{
    (void)type, (void)object;
    return agpu_traced_size(handle, "CalcDeferredContextHandleSize", sizeof(void *));
}

size_t agpu_small_context_size(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    (void)args;
    return agpu_traced_size(handle, "CalcPrivateDeferredContextSize", sizeof(void *));
}

size_t agpu_small_command_list_size(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATECOMMANDLIST *args)
{
    (void)args;
    return agpu_traced_size(handle, "CalcPrivateCommandListSize", sizeof(void *));
}

#define REFUSE_FOR_RESOURCE(function, entry)                                                                 \
    HRESULT function(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource, uint32_t value)                   \
    {                                                                                                        \
        (void)resource, (void)value;                                                                         \
        return agpu_traced_result(handle, entry, E_NOTIMPL);                                                 \
    }
REFUSE_FOR_RESOURCE(agpu_refuse_display_mode, "SetDisplayMode")
REFUSE_FOR_RESOURCE(agpu_refuse_resource_priority, "SetResourcePriority")

HRESULT agpu_refuse_residency(D3D10DDI_HDEVICE handle, uint32_t count, const D3D10DDI_HRESOURCE *resources,
                              uint32_t *status)
{
    (void)count, (void)resources, (void)status;
    return agpu_traced_result(handle, "QueryResourceResidency", E_NOTIMPL);
}

HRESULT agpu_refuse_recycle_context(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    (void)args;
    return agpu_traced_result(handle, "RecycleCreateDeferredContext", E_NOTIMPL);
}

HRESULT agpu_refuse_recycle_create_list(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATECOMMANDLIST *args,
                                        D3D11DDI_HCOMMANDLIST list, D3D11DDI_HRTCOMMANDLIST runtime)
{
    (void)args, (void)list, (void)runtime;
    return agpu_traced_result(handle, "RecycleCreateCommandList", E_NOTIMPL);
}

static void refuse_void(D3D10DDI_HDEVICE handle, const char *name, bool any)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_CALL(context, "%s -> hr=0x%X", name, (unsigned)(any ? E_NOTIMPL : S_OK));
    if (any) {
        agpu_set_error(context, E_NOTIMPL);
    }
}

void agpu_refuse_context(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    (void)args;
    refuse_void(handle, "CreateDeferredContext", true);
}

void agpu_refuse_create_list(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATECOMMANDLIST *args,
                             D3D11DDI_HCOMMANDLIST list, D3D11DDI_HRTCOMMANDLIST runtime)
{
    (void)args, (void)list, (void)runtime;
    refuse_void(handle, "CreateCommandList", true);
}

void agpu_refuse_check_counter(D3D10DDI_HDEVICE handle, uint32_t counter)
{
    (void)counter;
    refuse_void(handle, "CheckCounter", true);
}

void agpu_refuse_counter_info(D3D10DDI_HDEVICE handle, void *info)
{
    refuse_void(handle, "CheckCounterInfo", info != NULL);
}

void agpu_refuse_handle_sizes(D3D10DDI_HDEVICE handle, uint32_t *count, D3D11DDI_HANDLESIZE *sizes)
{
    (void)sizes;
    if (count != NULL) {
        *count = 0;
    }
    refuse_void(handle, "CheckDeferredContextHandleSizes", count != NULL);
}

void agpu_refuse_abandon(D3D10DDI_HDEVICE handle)
{
    refuse_void(handle, "AbandonCommandList", true);
}

#define REFUSE_LIST(function, entry)                                                                         \
    void function(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list)                                       \
    {                                                                                                        \
        refuse_void(handle, entry, list.pDrvPrivate != NULL);                                                \
    }
REFUSE_LIST(agpu_refuse_execute, "CommandListExecute")
REFUSE_LIST(agpu_refuse_recycle_list, "RecycleCommandList")

void agpu_refuse_so_targets(D3D10DDI_HDEVICE handle, uint32_t count, uint32_t clear_targets,
                            const D3D10DDI_HRESOURCE *targets, const uint32_t *offsets)
{
    bool any = false;

    (void)clear_targets, (void)offsets;
    for (uint32_t i = 0; targets != NULL && i < count; i++) {
        any |= targets[i].pDrvPrivate != NULL;
    }
    refuse_void(handle, "SoSetTargets", any);
}

void agpu_refuse_predication(D3D10DDI_HDEVICE handle, D3D10DDI_HQUERY query, uint32_t value)
{
    (void)value;
    refuse_void(handle, "SetPredication", query.pDrvPrivate != NULL);
}

void agpu_refuse_gen_mips(D3D10DDI_HDEVICE handle, D3D10DDI_HSHADERRESOURCEVIEW view)
{
    refuse_void(handle, "GenMips", view.pDrvPrivate != NULL);
}

void agpu_refuse_resolve(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                         D3D10DDI_HRESOURCE src, uint32_t src_subresource, uint32_t format)
{
    (void)dst_subresource, (void)src_subresource, (void)format;
    refuse_void(handle, "ResourceResolveSubresource", dst.pDrvPrivate != NULL || src.pDrvPrivate != NULL);
}

void agpu_refuse_structure_count(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE dst, uint32_t offset,
                                 D3D11DDI_HUNORDEREDACCESSVIEW view)
{
    (void)offset;
    refuse_void(handle, "CopyStructureCount", dst.pDrvPrivate != NULL || view.pDrvPrivate != NULL);
}

void agpu_refuse_clear_uint(D3D10DDI_HDEVICE handle, D3D11DDI_HUNORDEREDACCESSVIEW view,
                            const uint32_t *values)
{
    (void)values;
    refuse_void(handle, "ClearUnorderedAccessViewUint", view.pDrvPrivate != NULL);
}

void agpu_refuse_clear_float(D3D10DDI_HDEVICE handle, D3D11DDI_HUNORDEREDACCESSVIEW view, const float *values)
{
    (void)values;
    refuse_void(handle, "ClearUnorderedAccessViewFloat", view.pDrvPrivate != NULL);
}
