/* unsupported.c: features refused cleanly, hints ignored (umd.md 3.1, 16). */
#include "umd-port/core/unsupported.h"

#include "umd-port/core/device.h"
#include "umd-port/resource/resource_ddi.h"

void agpu_check_format_support(D3D10DDI_HDEVICE handle, uint32_t format, uint32_t *support)
{
    struct agpu_context *context = agpu_context_of(handle);
    if (support)
        *support = context
                       ? agpu_format_support_word(agpu_adapter_format_caps(context->device->adapter, format))
                       : 0;
}

void agpu_check_multisample_levels(D3D10DDI_HDEVICE handle, uint32_t format, uint32_t samples,
                                   uint32_t *levels)
{
    struct agpu_context *context = agpu_context_of(handle);
    if (levels)
        *levels = context ? agpu_adapter_multisample_levels(context->device->adapter, format, samples) : 0;
}

HRESULT agpu_device_state_ok(D3D10DDI_HDEVICE handle)
{
    (void)handle;
    return S_OK;
}

HRESULT agpu_blt(D3D10DDI_HDEVICE handle, const DXGI_DDI_ARG_BLT *args)
{
    struct agpu_subresource sub;
    if (!agpu_context_of(handle) || !args)
        return E_INVALIDARG;
    const struct agpu_resource *src = args->hSrcResource.pDrvPrivate;
    if (!src || src->kind != AGPU_KIND_TEXTURE2D ||
        !agpu_layout_subresource(&src->layout, args->SrcSubresource, &sub))
        return E_INVALIDARG;
    if (args->DstRight < args->DstLeft || args->DstBottom < args->DstTop ||
        args->DstRight - args->DstLeft != sub.width || args->DstBottom - args->DstTop != sub.height)
        return E_NOTIMPL;
    return agpu_resource_copy_region(handle, args->hDstResource, args->DstSubresource, args->DstLeft,
                                     args->DstTop, 0, args->hSrcResource, args->SrcSubresource, NULL);
}

void agpu_ignore_device(D3D10DDI_HDEVICE handle)
{
    (void)handle;
}

void agpu_ignore_text(D3D10DDI_HDEVICE handle, const char *text)
{
    (void)handle, (void)text;
}

void agpu_ignore_resource(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource)
{
    (void)handle, (void)resource;
}

void agpu_ignore_view(D3D10DDI_HDEVICE handle, HANDLE view)
{
    (void)handle, (void)view;
}

void agpu_ignore_srv_hazard(D3D10DDI_HDEVICE handle, D3D10DDI_HSHADERRESOURCEVIEW view,
                            D3D10DDI_HRESOURCE resource)
{
    (void)handle, (void)view, (void)resource;
}

void agpu_ignore_min_lod(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource, float lod)
{
    (void)handle, (void)resource, (void)lod;
}

void agpu_ignore_text_filter(D3D10DDI_HDEVICE handle, uint32_t width, uint32_t height)
{
    (void)handle, (void)width, (void)height;
}

void agpu_ignore_relocate10(D3D10DDI_HDEVICE handle, D3D10DDI_DEVICEFUNCS *funcs)
{
    (void)handle, (void)funcs; /* the driver keeps no pointer to the table */
}

void agpu_ignore_relocate11(D3D10DDI_HDEVICE handle, struct D3D11DDI_DEVICEFUNCS *funcs)
{
    (void)handle, (void)funcs;
}

void agpu_ignore_object(D3D10DDI_HDEVICE handle, void *object)
{
    (void)handle, (void)object;
}

void agpu_ignore_command_list(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list)
{
    (void)handle, (void)list;
}

void agpu_ignore_context(D3D10DDI_HDEVICE handle, D3D10DDI_HDEVICE context)
{
    (void)handle, (void)context;
}

size_t agpu_small_size(D3D10DDI_HDEVICE handle)
{
    (void)handle;
    return sizeof(void *);
}

size_t agpu_small_context_handle_size(D3D10DDI_HDEVICE handle, uint32_t type, void *object)
{
    (void)handle, (void)type, (void)object;
    return sizeof(void *);
}

size_t agpu_small_context_size(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    (void)handle, (void)args;
    return sizeof(void *);
}

size_t agpu_small_command_list_size(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATECOMMANDLIST *args)
{
    (void)handle, (void)args;
    return sizeof(void *);
}

HRESULT agpu_refuse_object(D3D10DDI_HDEVICE handle, void *object)
{
    (void)handle, (void)object;
    return E_NOTIMPL;
}

HRESULT agpu_refuse_counter(D3D10DDI_HDEVICE handle, uint32_t counter)
{
    (void)handle, (void)counter;
    return E_NOTIMPL;
}

HRESULT agpu_refuse_display_mode(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource, uint32_t value)
{
    (void)handle, (void)resource, (void)value;
    return E_NOTIMPL;
}

HRESULT agpu_refuse_residency(D3D10DDI_HDEVICE handle, uint32_t count, const D3D10DDI_HRESOURCE *resources,
                              uint32_t *status)
{
    (void)handle, (void)count, (void)resources, (void)status;
    return E_NOTIMPL;
}

HRESULT agpu_refuse_context(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    (void)handle, (void)args;
    return E_NOTIMPL;
}

HRESULT agpu_refuse_command_list(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATECOMMANDLIST *args,
                                 D3D11DDI_HCOMMANDLIST list, D3D11DDI_HRTCOMMANDLIST runtime)
{
    (void)handle, (void)args, (void)list, (void)runtime;
    return E_NOTIMPL;
}

static void refuse(D3D10DDI_HDEVICE handle, bool any)
{
    struct agpu_context *context = agpu_context_of(handle);
    if (context && any)
        agpu_set_error(context, E_NOTIMPL);
}

void agpu_refuse_counter_info(D3D10DDI_HDEVICE handle, void *info)
{
    refuse(handle, info != NULL);
}

void agpu_refuse_handle_sizes(D3D10DDI_HDEVICE handle, uint32_t *count, D3D11DDI_HANDLESIZE *sizes)
{
    (void)sizes;
    if (count)
        *count = 0;
    refuse(handle, count != NULL);
}

void agpu_refuse_abandon(D3D10DDI_HDEVICE handle)
{
    refuse(handle, true);
}

void agpu_refuse_execute(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list)
{
    refuse(handle, list.pDrvPrivate != NULL);
}

void agpu_refuse_so_targets(D3D10DDI_HDEVICE handle, uint32_t count, uint32_t clear_targets,
                            const D3D10DDI_HRESOURCE *targets, const uint32_t *offsets)
{
    bool any = false;
    (void)clear_targets, (void)offsets;
    for (uint32_t i = 0; targets && i < count; i++)
        any |= targets[i].pDrvPrivate != NULL;
    refuse(handle, any);
}

void agpu_refuse_predication(D3D10DDI_HDEVICE handle, D3D10DDI_HQUERY query, uint32_t value)
{
    (void)value;
    refuse(handle, query.pDrvPrivate != NULL);
}

void agpu_refuse_gen_mips(D3D10DDI_HDEVICE handle, D3D10DDI_HSHADERRESOURCEVIEW view)
{
    refuse(handle, view.pDrvPrivate != NULL);
}

void agpu_refuse_resolve(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                         D3D10DDI_HRESOURCE src, uint32_t src_subresource, uint32_t format)
{
    (void)dst_subresource, (void)src_subresource, (void)format;
    refuse(handle, dst.pDrvPrivate || src.pDrvPrivate);
}

void agpu_refuse_structure_count(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE dst, uint32_t offset,
                                 D3D11DDI_HUNORDEREDACCESSVIEW view)
{
    (void)offset;
    refuse(handle, dst.pDrvPrivate || view.pDrvPrivate);
}

void agpu_refuse_clear_uint(D3D10DDI_HDEVICE handle, D3D11DDI_HUNORDEREDACCESSVIEW view,
                            const uint32_t *values)
{
    (void)values;
    refuse(handle, view.pDrvPrivate != NULL);
}

void agpu_refuse_clear_float(D3D10DDI_HDEVICE handle, D3D11DDI_HUNORDEREDACCESSVIEW view, const float *values)
{
    (void)values;
    refuse(handle, view.pDrvPrivate != NULL);
}
