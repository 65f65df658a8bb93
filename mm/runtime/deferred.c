/* deferred.c: the runtime's side of deferred contexts (umd.md 15): creation and destruction, local handles, command
 * lists. */
#include "mm/runtime/deferred.h"

#include "mm/runtime/saved_restore.h"
#include "mm/runtime/saved_state.h"
#include "mm/runtime/local_sizes.h"
#include "mm/runtime/types.h"

#include <string.h>

/* A type may be advertised with several sizes. A longer answer is treated as an error. */
#define AGPU_RUNTIME_HANDLE_SIZES 64u

/* The context's own handle of an object of the immediate context. */
struct agpu_runtime_local {
    struct agpu_runtime_local *next;
    uint32_t type;
    const void *immediate, *resource; /* as in agpu_runtime_object */
    void *handle;                     /* pDrvPrivate, in the driver's size */
    size_t bytes;
};

struct agpu_runtime_deferred {
    struct agpu_runtime_device *device;
    struct agpu_runtime_deferred *next; /* next context of the device */
    struct agpu_runtime_driver driver;
    D3D10DDI_HDEVICE handle;
    size_t bytes; /* size of the driver's private data */
    struct agpu_api api;
    struct agpu_api_context funcs;
    struct agpu_runtime_error_record errors;
    bool removed; /* the recording is lost; the application's FinishCommandList drops it */
    D3D11DDI_HANDLESIZE sizes[AGPU_RUNTIME_HANDLE_SIZES];
    uint32_t size_count;
    struct agpu_runtime_local *locals;
    struct agpu_runtime_list *spare; /* list recycled to this context; NULL = none */
};

struct agpu_runtime_list {
    struct agpu_runtime_device *device;
    struct agpu_runtime_driver driver;
    D3D11DDI_HCOMMANDLIST handle;
    size_t bytes;
};

/* On out of memory the runtime removes the list that is being recorded (umd.md 15). */
static void set_context_error(D3D10DDI_HRTCORELAYER core, HRESULT error)
{
    struct agpu_runtime_deferred *deferred = core.handle;

    deferred->removed = deferred->removed || error == E_OUTOFMEMORY;
    if (deferred->errors.count++ == 0) {
        deferred->errors.first = error;
    }
    deferred->errors.last = error;
}

/* Takes the sizes polled at device creation; otherwise makes both queries here: how many, then which. */
static HRESULT query_handle_sizes(struct agpu_runtime_deferred *deferred)
{
    const struct agpu_runtime_driver *driver = &deferred->driver;
    uint32_t count = 0;
    const D3D11DDI_HANDLESIZE *known = agpu_local_sizes_advertised(deferred->device, &count);

    if (known != NULL) {
        memcpy(deferred->sizes, known, count * sizeof *known);
        deferred->size_count = count;
        return S_OK;
    }

    driver->funcs->pfnCheckDeferredContextHandleSizes(driver->device, &count, NULL);
    if (count == 0 || count > AGPU_RUNTIME_HANDLE_SIZES) {
        return E_FAIL;
    }
    deferred->size_count = count;
    driver->funcs->pfnCheckDeferredContextHandleSizes(driver->device, &deferred->size_count, deferred->sizes);
    return deferred->size_count == count ? S_OK : E_FAIL;
}

static HRESULT open_context(struct agpu_runtime_deferred *deferred)
{
    static const D3D11DDI_CORELAYER_DEVICECALLBACKS callbacks = {.pfnSetErrorCb = set_context_error};
    const struct agpu_runtime_driver *driver = &deferred->driver;
    D3D11DDIARG_CREATEDEFERREDCONTEXT args = {.hRTCoreLayer = {deferred}, .p11UMCallbacks = &callbacks};
    HRESULT hr = query_handle_sizes(deferred);

    if (FAILED(hr)) {
        return hr;
    }
    agpu_api_begin_deferred(&deferred->api, driver->device, &args);
    deferred->bytes = driver->funcs->pfnCalcPrivateDeferredContextSize(driver->device, &args);
    args.hDrvContext.pDrvPrivate = agpu_memory_alloc(&deferred->device->runtime->memory, deferred->bytes);
    if (args.hDrvContext.pDrvPrivate == NULL) {
        return E_OUTOFMEMORY;
    }
    hr = driver->funcs->pfnCreateDeferredContext(driver->device, &args);
    if (FAILED(hr)) {
        agpu_memory_free(&deferred->device->runtime->memory, args.hDrvContext.pDrvPrivate, deferred->bytes);
    } else {
        deferred->handle = args.hDrvContext;
        agpu_api_open_deferred(&deferred->api, deferred->handle, &deferred->funcs);
    }
    return hr;
}

struct agpu_runtime_deferred *agpu_runtime_deferred_create(struct agpu_runtime_device *device,
                                                           const struct agpu_runtime_driver *driver,
                                                           HRESULT *result)
{
    struct agpu_memory *memory = &device->runtime->memory;
    struct agpu_runtime_deferred *deferred = agpu_memory_alloc(memory, sizeof *deferred);

    *result = E_OUTOFMEMORY;
    if (deferred == NULL) {
        return NULL;
    }
    deferred->device = device;
    deferred->driver = *driver;
    *result = open_context(deferred);
    if (FAILED(*result)) {
        agpu_memory_free(memory, deferred, sizeof *deferred);
        return NULL;
    }
    deferred->next = device->deferred;
    device->deferred = deferred;
    return deferred;
}

/* ---- local handles ---- */

static bool is_view_type(uint32_t type)
{
    return type == D3D10DDI_HT_SHADERRESOURCEVIEW || type == D3D10DDI_HT_RENDERTARGETVIEW ||
           type == D3D10DDI_HT_DEPTHSTENCILVIEW || type == D3D11DDI_HT_UNORDEREDACCESSVIEW;
}

/* Calls the ordinary create entries without a description, or with one that holds only this context's resource handle.
 * The immediate handle takes the place of the runtime's. */
static HRESULT create_local_handle(const struct agpu_runtime_deferred *deferred,
                                   const struct agpu_runtime_object *object, void *local, void *parent)
{
    const struct agpu_api_device *funcs = deferred->driver.funcs;
    D3D10DDI_HDEVICE context = deferred->handle;
    D3D10DDI_HRESOURCE resource = {parent};

    switch (object->type) {
    case D3D10DDI_HT_RESOURCE:
        return funcs->pfnCreateResource(context, NULL, (D3D10DDI_HRESOURCE){local},
                                        (D3D10DDI_HRTRESOURCE){object->immediate});
    case D3D10DDI_HT_SHADERRESOURCEVIEW: {
        const D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.hDrvResource = resource};

        return funcs->pfnCreateShaderResourceView(context, &args, (D3D10DDI_HSHADERRESOURCEVIEW){local},
                                                  (D3D10DDI_HRTSHADERRESOURCEVIEW){object->immediate});
    }
    case D3D10DDI_HT_RENDERTARGETVIEW: {
        const D3D10DDIARG_CREATERENDERTARGETVIEW args = {.hDrvResource = resource};

        return funcs->pfnCreateRenderTargetView(context, &args, (D3D10DDI_HRENDERTARGETVIEW){local},
                                                (D3D10DDI_HRTRENDERTARGETVIEW){object->immediate});
    }
    case D3D10DDI_HT_DEPTHSTENCILVIEW: {
        const D3D10DDIARG_CREATEDEPTHSTENCILVIEW args = {.hDrvResource = resource};

        return funcs->pfnCreateDepthStencilView(context, &args, (D3D10DDI_HDEPTHSTENCILVIEW){local},
                                                (D3D10DDI_HRTDEPTHSTENCILVIEW){object->immediate});
    }
    case D3D11DDI_HT_UNORDEREDACCESSVIEW: {
        const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW args = {.hDrvResource = resource};

        return funcs->pfnCreateUnorderedAccessView(context, &args, (D3D11DDI_HUNORDEREDACCESSVIEW){local},
                                                   (D3D11DDI_HRTUNORDEREDACCESSVIEW){object->immediate});
    }
    case D3D10DDI_HT_SHADER:
        return object->create_shader(context, NULL, (D3D10DDI_HSHADER){local},
                                     (D3D10DDI_HRTSHADER){object->immediate});
    case D3D10DDI_HT_ELEMENTLAYOUT:
        return funcs->pfnCreateElementLayout(context, NULL, (D3D10DDI_HELEMENTLAYOUT){local},
                                             (D3D10DDI_HRTELEMENTLAYOUT){object->immediate});
    case D3D10DDI_HT_BLENDSTATE:
        return funcs->pfnCreateBlendState(context, NULL, (D3D10DDI_HBLENDSTATE){local},
                                          (D3D10DDI_HRTBLENDSTATE){object->immediate});
    case D3D10DDI_HT_DEPTHSTENCILSTATE:
        return funcs->pfnCreateDepthStencilState(context, NULL, (D3D10DDI_HDEPTHSTENCILSTATE){local},
                                                 (D3D10DDI_HRTDEPTHSTENCILSTATE){object->immediate});
    case D3D10DDI_HT_RASTERIZERSTATE:
        return funcs->pfnCreateRasterizerState(context, NULL, (D3D10DDI_HRASTERIZERSTATE){local},
                                               (D3D10DDI_HRTRASTERIZERSTATE){object->immediate});
    case D3D10DDI_HT_SAMPLERSTATE:
        return funcs->pfnCreateSampler(context, NULL, (D3D10DDI_HSAMPLER){local},
                                       (D3D10DDI_HRTSAMPLER){object->immediate});
    case D3D10DDI_HT_QUERY:
        return funcs->pfnCreateQuery(context, NULL, (D3D10DDI_HQUERY){local},
                                     (D3D10DDI_HRTQUERY){object->immediate});
    case D3D11DDI_HT_COMMANDLIST:
        return funcs->pfnCreateCommandList(context, NULL, (D3D11DDI_HCOMMANDLIST){local},
                                           (D3D11DDI_HRTCOMMANDLIST){object->immediate});
    default:
        return E_INVALIDARG;
    }
}

static void destroy_local_handle(const struct agpu_runtime_deferred *deferred,
                                 const struct agpu_runtime_local *local)
{
    const struct agpu_api_device *funcs = deferred->driver.funcs;
    D3D10DDI_HDEVICE context = deferred->handle;
    void *handle = local->handle;

    switch (local->type) {
    case D3D10DDI_HT_RESOURCE:
        funcs->pfnDestroyResource(context, (D3D10DDI_HRESOURCE){handle});
        break;
    case D3D10DDI_HT_SHADERRESOURCEVIEW:
        funcs->pfnDestroyShaderResourceView(context, (D3D10DDI_HSHADERRESOURCEVIEW){handle});
        break;
    case D3D10DDI_HT_RENDERTARGETVIEW:
        funcs->pfnDestroyRenderTargetView(context, (D3D10DDI_HRENDERTARGETVIEW){handle});
        break;
    case D3D10DDI_HT_DEPTHSTENCILVIEW:
        funcs->pfnDestroyDepthStencilView(context, (D3D10DDI_HDEPTHSTENCILVIEW){handle});
        break;
    case D3D11DDI_HT_UNORDEREDACCESSVIEW:
        funcs->pfnDestroyUnorderedAccessView(context, (D3D11DDI_HUNORDEREDACCESSVIEW){handle});
        break;
    case D3D10DDI_HT_SHADER:
        funcs->pfnDestroyShader(context, (D3D10DDI_HSHADER){handle});
        break;
    case D3D10DDI_HT_ELEMENTLAYOUT:
        funcs->pfnDestroyElementLayout(context, (D3D10DDI_HELEMENTLAYOUT){handle});
        break;
    case D3D10DDI_HT_BLENDSTATE:
        funcs->pfnDestroyBlendState(context, (D3D10DDI_HBLENDSTATE){handle});
        break;
    case D3D10DDI_HT_DEPTHSTENCILSTATE:
        funcs->pfnDestroyDepthStencilState(context, (D3D10DDI_HDEPTHSTENCILSTATE){handle});
        break;
    case D3D10DDI_HT_RASTERIZERSTATE:
        funcs->pfnDestroyRasterizerState(context, (D3D10DDI_HRASTERIZERSTATE){handle});
        break;
    case D3D10DDI_HT_SAMPLERSTATE:
        funcs->pfnDestroySampler(context, (D3D10DDI_HSAMPLER){handle});
        break;
    case D3D10DDI_HT_QUERY:
        funcs->pfnDestroyQuery(context, (D3D10DDI_HQUERY){handle});
        break;
    default: /* D3D11DDI_HT_COMMANDLIST */
        funcs->pfnDestroyCommandList(context, (D3D11DDI_HCOMMANDLIST){handle});
        break;
    }
}

static bool is_size_advertised(const struct agpu_runtime_deferred *deferred, uint32_t type, size_t bytes)
{
    for (uint32_t i = 0; i < deferred->size_count; i++) {
        if (deferred->sizes[i].HandleType == type && deferred->sizes[i].Size == bytes) {
            return true;
        }
    }
    return false;
}

static struct agpu_runtime_local *find_local(const struct agpu_runtime_deferred *deferred,
                                             const void *immediate)
{
    struct agpu_runtime_local *local = deferred->locals;

    while (local != NULL && local->immediate != immediate) {
        local = local->next;
    }
    return local;
}

static struct agpu_runtime_local *make_local(struct agpu_runtime_deferred *deferred,
                                             const struct agpu_runtime_object *object, void *parent)
{
    struct agpu_memory *memory = &deferred->device->runtime->memory;
    size_t bytes = agpu_local_size_of(deferred->device, object->immediate);

    if (bytes == 0) {
        bytes = deferred->driver.funcs->pfnCalcDeferredContextHandleSize(deferred->driver.device,
                                                                         object->type, object->immediate);
    }
    if (!is_size_advertised(deferred, object->type, bytes)) {
        return NULL;
    }
    struct agpu_runtime_local *local = agpu_memory_alloc(memory, sizeof *local);
    if (local == NULL) {
        return NULL;
    }
    *local = (struct agpu_runtime_local){
        .type = object->type, .immediate = object->immediate, .resource = object->resource, .bytes = bytes};
    local->handle = agpu_memory_alloc(memory, bytes);
    if (local->handle == NULL) {
        goto free_local;
    }
    if (FAILED(create_local_handle(deferred, object, local->handle, parent))) {
        goto free_handle;
    }
    local->next = deferred->locals;
    deferred->locals = local;
    return local;

free_handle:
    agpu_memory_free(memory, local->handle, bytes);
free_local:
    agpu_memory_free(memory, local, sizeof *local);
    return NULL;
}

void *agpu_runtime_deferred_local(struct agpu_runtime_deferred *deferred,
                                  const struct agpu_runtime_object *object)
{
    struct agpu_runtime_local *local = find_local(deferred, object->immediate);

    if (local != NULL) {
        return local->handle;
    }
    void *parent = NULL;
    if (is_view_type(object->type)) {
        const struct agpu_runtime_object resource = {.type = D3D10DDI_HT_RESOURCE,
                                                     .immediate = object->resource};

        parent = agpu_runtime_deferred_local(deferred, &resource);
        if (parent == NULL) {
            return NULL;
        }
    }
    local = make_local(deferred, object, parent);
    return local == NULL ? NULL : local->handle;
}

/* Destroys the local handles of one immediate object (NULL: of all): its views, then the handle itself. */
static void destroy_locals(struct agpu_runtime_deferred *deferred, const void *immediate, bool views)
{
    struct agpu_memory *memory = &deferred->device->runtime->memory;

    for (struct agpu_runtime_local **link = &deferred->locals; *link != NULL;) {
        struct agpu_runtime_local *local = *link;
        const void *owner = views ? local->resource : local->immediate;

        if (is_view_type(local->type) < views || (immediate != NULL && owner != immediate)) {
            link = &local->next;
            continue;
        }
        *link = local->next;
        destroy_local_handle(deferred, local);
        agpu_memory_free(memory, local->handle, local->bytes);
        agpu_memory_free(memory, local, sizeof *local);
    }
}

void agpu_runtime_deferred_forget(struct agpu_runtime_device *device, const void *immediate)
{
    for (struct agpu_runtime_deferred *deferred = device->deferred; deferred != NULL;
         deferred = deferred->next) {
        destroy_locals(deferred, immediate, true);
        destroy_locals(deferred, immediate, false);
    }
}

/* ---- command lists ---- */

static void free_list(struct agpu_runtime_list *list)
{
    struct agpu_memory *memory = &list->device->runtime->memory;

    agpu_local_sizes_forget(list->device, list->handle.pDrvPrivate);
    agpu_memory_free(memory, list->handle.pDrvPrivate, list->bytes);
    agpu_memory_free(memory, list, sizeof *list);
}

static struct agpu_runtime_list *alloc_list(struct agpu_runtime_deferred *deferred,
                                            const D3D11DDIARG_CREATECOMMANDLIST *args)
{
    struct agpu_memory *memory = &deferred->device->runtime->memory;
    struct agpu_runtime_list *list = agpu_memory_alloc(memory, sizeof *list);

    if (list == NULL) {
        return NULL;
    }
    list->device = deferred->device;
    list->driver = deferred->driver;
    /* Creation is a call on the recording context, destruction one on the immediate context. */
    list->bytes = list->driver.funcs->pfnCalcPrivateCommandListSize(deferred->handle, args);
    list->handle.pDrvPrivate = agpu_memory_alloc(memory, list->bytes);
    if (list->handle.pDrvPrivate == NULL) {
        agpu_memory_free(memory, list, sizeof *list);
        return NULL;
    }
    return list;
}

HRESULT agpu_runtime_list_finish(struct agpu_runtime_deferred *deferred, struct agpu_runtime_list **out)
{
    const struct agpu_api_device *funcs = deferred->driver.funcs;
    const D3D11DDIARG_CREATECOMMANDLIST args = {.hDeferredContext = deferred->handle};
    struct agpu_runtime_list *list = deferred->spare;
    bool again = list != NULL;

    *out = NULL;
    if (deferred->removed) {
        funcs->pfnAbandonCommandList(deferred->handle);
        deferred->removed = false;
        return E_OUTOFMEMORY;
    }
    deferred->spare = NULL;
    if (!again) {
        list = alloc_list(deferred, &args);
    }
    if (list == NULL) {
        funcs->pfnAbandonCommandList(deferred->handle);
        return E_OUTOFMEMORY;
    }
    const D3D11DDI_HRTCOMMANDLIST runtime = {list};
    HRESULT hr = again ? funcs->pfnRecycleCreateCommandList(deferred->handle, &args, list->handle, runtime)
                       : funcs->pfnCreateCommandList(deferred->handle, &args, list->handle, runtime);
    deferred->removed &= SUCCEEDED(hr); /* a failure to finish ends the recording, too */
    if (FAILED(hr)) {
        if (again) { /* the driver owns a recycled handle until it is destroyed */
            funcs->pfnDestroyCommandList(list->driver.device, list->handle);
        }
        free_list(list);
        return hr;
    }
    /* A list is an object of the immediate context, too. If there is no memory for its size, it is queried again
     * later. */
    agpu_local_sizes_ask(deferred->device, D3D11DDI_HT_COMMANDLIST, list->handle.pDrvPrivate);
    *out = list;
    return S_OK;
}

void agpu_runtime_list_execute_restoring(struct agpu_runtime_list *list)
{
    list->driver.context->pfnCommandListExecute(list->driver.device, list->handle);
    agpu_saved_state_restore(list->device);
}

void agpu_runtime_list_execute(struct agpu_runtime_list *list, struct agpu_runtime_deferred *on)
{
    if (on == NULL) {
        list->driver.context->pfnCommandListExecute(list->driver.device, list->handle);
        agpu_saved_state_forget(list->device);
        return;
    }
    const struct agpu_runtime_object object = {.type = D3D11DDI_HT_COMMANDLIST,
                                               .immediate = list->handle.pDrvPrivate};
    void *local = agpu_runtime_deferred_local(on, &object);
    if (local != NULL) {
        on->funcs.pfnCommandListExecute(on->handle, (D3D11DDI_HCOMMANDLIST){local});
    }
}

void *agpu_runtime_list_handle(const struct agpu_runtime_list *list)
{
    return list->handle.pDrvPrivate;
}

void agpu_runtime_list_destroy(struct agpu_runtime_list *list)
{
    agpu_runtime_deferred_forget(list->device, list->handle.pDrvPrivate);
    list->driver.funcs->pfnDestroyCommandList(list->driver.device, list->handle);
    free_list(list);
}

void agpu_runtime_list_recycle(struct agpu_runtime_list *list, struct agpu_runtime_deferred *to)
{
    agpu_runtime_deferred_forget(list->device, list->handle.pDrvPrivate);
    if (to->spare != NULL) {
        agpu_runtime_list_destroy(to->spare);
    }
    list->driver.funcs->pfnRecycleDestroyCommandList(list->driver.device, list->handle);
    list->driver.funcs->pfnRecycleCommandList(to->handle, list->handle);
    to->spare = list;
}

/* ---- the context ---- */

void agpu_runtime_deferred_destroy(struct agpu_runtime_deferred *deferred)
{
    struct agpu_memory *memory = &deferred->device->runtime->memory;

    destroy_locals(deferred, NULL, true);
    destroy_locals(deferred, NULL, false);
    if (deferred->spare != NULL) {
        agpu_runtime_list_destroy(deferred->spare);
    }
    for (struct agpu_runtime_deferred **link = &deferred->device->deferred; *link != NULL;
         link = &(*link)->next) {
        if (*link == deferred) {
            *link = deferred->next;
            break;
        }
    }
    deferred->driver.funcs->pfnDestroyDeferredContext(deferred->driver.device, deferred->handle);
    agpu_api_end(&deferred->api);
    agpu_memory_free(memory, deferred->handle.pDrvPrivate, deferred->bytes);
    agpu_memory_free(memory, deferred, sizeof *deferred);
}

D3D10DDI_HDEVICE agpu_runtime_deferred_handle(const struct agpu_runtime_deferred *deferred)
{
    return deferred->handle;
}

const struct agpu_api_context *agpu_runtime_deferred_funcs(const struct agpu_runtime_deferred *deferred)
{
    return &deferred->funcs;
}

struct agpu_runtime_error_record agpu_runtime_deferred_errors(const struct agpu_runtime_deferred *deferred)
{
    return deferred->errors;
}

void agpu_runtime_deferred_errors_clear(struct agpu_runtime_deferred *deferred)
{
    deferred->errors = (struct agpu_runtime_error_record){0};
}
