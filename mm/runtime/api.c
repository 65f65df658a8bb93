/* api.c: the runtime's functions: each calls the driver's entry and returns what that reported. */
#include "mm/runtime/api.h"

#include <string.h>

#include "umd-port/ddi/d3d11creations.h"

static struct agpu_api *api_of(D3D10DDI_HDEVICE handle)
{
    return agpu_layer_of(AGPU_LAYER_API, handle);
}

static void set_error(D3D10DDI_HRTCORELAYER core, HRESULT error)
{
    struct agpu_api *api = core.handle;
    bool busy = error == DXGI_DDI_ERR_WASSTILLDRAWING;

    api->reports_result = api->returning;
    api->returning = false;
    if (api->reports_result) {
        api->result = busy ? DXGI_ERROR_WAS_STILL_DRAWING : error;
    }
    if ((!busy || !api->reports_result) && api->core_callbacks != NULL &&
        api->core_callbacks->pfnSetErrorCb != NULL) {
        api->core_callbacks->pfnSetErrorCb(api->core_layer, error);
    }
}

/* Calls an entry of a table of the API that h belongs to, and returns the first report; E_INVALIDARG without a device
 * in the process, hence without a table. */
#define RESULT_OF(h, call)                                                                                   \
    do {                                                                                                     \
        struct agpu_api *api = api_of(h);                                                                    \
                                                                                                             \
        if (api == NULL) {                                                                                   \
            return E_INVALIDARG;                                                                             \
        }                                                                                                    \
        api->result = S_OK;                                                                                  \
        api->returning = true;                                                                               \
        api->call;                                                                                           \
        api->returning = false;                                                                              \
        return api->result;                                                                                  \
    } while (0)

#define EACH_MAP(X)                                                                                          \
    X(ResourceMap)                                                                                           \
    X(DynamicIABufferMapDiscard)                                                                             \
    X(DynamicIABufferMapNoOverwrite)                                                                         \
    X(DynamicConstantBufferMapDiscard)                                                                       \
    X(DynamicConstantBufferMapNoOverwrite)                                                                   \
    X(DynamicResourceMapDiscard)                                                                             \
    X(StagingResourceMap)

#define CREATION(name, api_name, args_type, handle_type, runtime_type)                                       \
    static HRESULT api_##name(D3D10DDI_HDEVICE h, const args_type *args, handle_type object,                 \
                              runtime_type runtime)                                                          \
    {                                                                                                        \
        RESULT_OF(h, funcs->pfn##api_name(h, args, object, runtime));                                        \
    }
AGPU_CREATIONS(CREATION)
AGPU_CREATIONS11(CREATION)
CREATION(create_list, CreateCommandList, D3D11DDIARG_CREATECOMMANDLIST, D3D11DDI_HCOMMANDLIST,
         D3D11DDI_HRTCOMMANDLIST)

static size_t api_resource_size(D3D10DDI_HDEVICE h, const struct agpu_resource_desc *desc)
{
    const struct agpu_api *api = api_of(h);
    struct agpu_resource_args args;

    return api != NULL ? api->funcs->pfnCalcPrivateResourceSize(h, agpu_resource_args(desc, &args)) : 0;
}

static HRESULT api_create_resource(D3D10DDI_HDEVICE h, const struct agpu_resource_desc *desc,
                                   D3D10DDI_HRESOURCE object, D3D10DDI_HRTRESOURCE runtime)
{
    struct agpu_resource_args args;

    if (desc != NULL && !agpu_has_all_data(desc)) {
        return E_INVALIDARG;
    }
    RESULT_OF(h, funcs->pfnCreateResource(h, agpu_resource_args(desc, &args), object, runtime));
}

#define MAP(api_name)                                                                                        \
    static HRESULT api_##api_name(D3D10DDI_HDEVICE h, D3D10DDI_HRESOURCE resource, uint32_t subresource,     \
                                  uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)           \
    {                                                                                                        \
        RESULT_OF(h, context.pfn##api_name(h, resource, subresource, type, flags, out));                     \
    }
EACH_MAP(MAP)

static HRESULT api_get_data(D3D10DDI_HDEVICE h, D3D10DDI_HQUERY query, void *data, uint32_t size,
                            uint32_t flags)
{
    RESULT_OF(h, context.pfnQueryGetData(h, query, data, size, flags));
}

static HRESULT api_copy_region(D3D10DDI_HDEVICE h, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                               uint32_t x, uint32_t y, uint32_t z, D3D10DDI_HRESOURCE src,
                               uint32_t src_subresource, const D3D10_DDI_BOX *box)
{
    RESULT_OF(h, context.pfnResourceCopyRegion(h, dst, dst_subresource, x, y, z, src, src_subresource, box));
}

static HRESULT api_create_deferred(D3D10DDI_HDEVICE h, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    RESULT_OF(h, funcs->pfnCreateDeferredContext(h, args));
}

static HRESULT api_check_counter(D3D10DDI_HDEVICE h, uint32_t counter)
{
    RESULT_OF(h, funcs->pfnCheckCounter(h, counter));
}

static HRESULT api_flush(D3D10DDI_HDEVICE h)
{
    RESULT_OF(h, context.pfnFlush(h));
}

#define INSTALL(table, entry, function) ((table)->entry = (table)->entry != NULL ? (function) : NULL)

static void fill_context(const struct agpu_api *api, struct agpu_api_context *context)
{
    _Static_assert(sizeof *context == sizeof api->context, "the tables have the same entries");
    memcpy(context, &api->context, sizeof *context);
#define INSTALL_MAP(api_name) INSTALL(context, pfn##api_name, api_##api_name);
    EACH_MAP(INSTALL_MAP)
    INSTALL(context, pfnQueryGetData, api_get_data);
    INSTALL(context, pfnResourceCopyRegion, api_copy_region);
    INSTALL(context, pfnFlush, api_flush);
}

static const D3D10DDI_CORELAYER_DEVICECALLBACKS callbacks = {.pfnSetErrorCb = set_error};

void agpu_api_begin(struct agpu_api *api, D3D10DDIARG_CREATEDEVICE *args)
{
    *api = (struct agpu_api){.core_layer = args->hRTCoreLayer, .core_callbacks = args->pUMCallbacks};
    api->funcs = &api->own_funcs;
    args->hRTCoreLayer.handle = api;
    args->pUMCallbacks = &callbacks;
    args->p11DeviceFuncs = &api->own_funcs;
    args->p11ContextFuncs = &api->context;
}

void agpu_api_open(struct agpu_api *api, D3D10DDI_HDEVICE device, struct agpu_api_device *funcs,
                   struct agpu_api_context *context)
{
    _Static_assert(sizeof *funcs == sizeof api->own_funcs, "the tables have the same entries");
    memcpy(funcs, &api->own_funcs, sizeof *funcs);
#define INSTALL_CREATION(name, api_name, args_type, handle_type, runtime_type)                               \
    INSTALL(funcs, pfn##api_name, api_##name);
    INSTALL(funcs, pfnCalcPrivateResourceSize, api_resource_size);
    AGPU_CREATE_RESOURCE(INSTALL_CREATION, )
    AGPU_CREATIONS(INSTALL_CREATION)
    AGPU_CREATIONS11(INSTALL_CREATION)
    INSTALL(funcs, pfnCreateCommandList, api_create_list);
    INSTALL(funcs, pfnCreateDeferredContext, api_create_deferred);
    INSTALL(funcs, pfnCheckCounter, api_check_counter);
    fill_context(api, context);
    agpu_layer_enter(AGPU_LAYER_API, &api->layer, device);
}

void agpu_api_begin_deferred(struct agpu_api *api, D3D10DDI_HDEVICE device,
                             D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    *api = (struct agpu_api){.core_layer = args->hRTCoreLayer, .core_callbacks = args->p11UMCallbacks};
    const struct agpu_api *of = api_of(device);

    api->funcs = of != NULL ? of->funcs : NULL;
    args->hRTCoreLayer.handle = api;
    args->p11UMCallbacks = &callbacks;
    args->p11ContextFuncs = &api->context;
}

void agpu_api_open_deferred(struct agpu_api *api, D3D10DDI_HDEVICE context_handle,
                            struct agpu_api_context *context)
{
    fill_context(api, context);
    agpu_layer_enter(AGPU_LAYER_API, &api->layer, context_handle);
}

void agpu_api_end(struct agpu_api *api)
{
    agpu_layer_leave(AGPU_LAYER_API, &api->layer);
}
