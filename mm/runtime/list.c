/* list.c: command lists as the runtime drives them: finished, executed, destroyed or used again
 * (umd.md 15). */
#include "mm/runtime/deferred_types.h"

static void give(struct agpu_runtime_list *list)
{
    struct agpu_memory *memory = &list->device->runtime->memory;

    agpu_memory_give(memory, list->handle.pDrvPrivate, list->bytes);
    agpu_memory_give(memory, list, sizeof *list);
}

static struct agpu_runtime_list *take(struct agpu_runtime_deferred *deferred,
                                      const D3D11DDIARG_CREATECOMMANDLIST *args)
{
    struct agpu_memory *memory = &deferred->device->runtime->memory;
    struct agpu_runtime_list *list = agpu_memory_take(memory, sizeof *list);

    if (list == NULL) {
        return NULL;
    }
    list->device = deferred->device;
    list->driver = deferred->driver;
    /* Creation is a call on the context that recorded, destruction one on the immediate context. */
    list->bytes = list->driver.funcs->pfnCalcPrivateCommandListSize(deferred->handle, args);
    list->handle.pDrvPrivate = agpu_memory_take(memory, list->bytes);
    if (list->handle.pDrvPrivate == NULL) {
        agpu_memory_give(memory, list, sizeof *list);
        return NULL;
    }
    return list;
}

HRESULT agpu_runtime_list_finish(struct agpu_runtime_deferred *deferred, struct agpu_runtime_list **out)
{
    const D3D11DDI_DEVICEFUNCS *funcs = deferred->driver.funcs;
    const D3D11DDIARG_CREATECOMMANDLIST args = {.hDeferredContext = deferred->handle};
    struct agpu_runtime_list *list = deferred->spare;
    bool again = list != NULL;

    deferred->spare = NULL;
    *out = NULL;
    if (!again) {
        list = take(deferred, &args);
    }
    if (list == NULL) {
        funcs->pfnAbandonCommandList(deferred->handle);
        return E_OUTOFMEMORY;
    }
    const D3D11DDI_HRTCOMMANDLIST runtime = {list};
    HRESULT hr = again ? funcs->pfnRecycleCreateCommandList(deferred->handle, &args, list->handle, runtime)
                       : funcs->pfnCreateCommandList(deferred->handle, &args, list->handle, runtime);
    if (FAILED(hr)) {
        if (again) { /* a recycled handle stays the driver's until it is destroyed */
            funcs->pfnDestroyCommandList(list->driver.device, list->handle);
        }
        give(list);
        return hr;
    }
    *out = list;
    return S_OK;
}

void agpu_runtime_list_execute(struct agpu_runtime_list *list, struct agpu_runtime_deferred *on)
{
    if (on == NULL) {
        list->driver.context->pfnCommandListExecute(list->driver.device, list->handle);
        return;
    }
    const struct agpu_runtime_object object = {.type = D3D11DDI_HT_COMMANDLIST,
                                               .immediate = list->handle.pDrvPrivate};
    void *local = agpu_runtime_deferred_local(on, &object);
    if (local != NULL) {
        on->funcs.pfnCommandListExecute(on->handle, (D3D11DDI_HCOMMANDLIST){local});
    }
}

void agpu_runtime_list_destroy(struct agpu_runtime_list *list)
{
    agpu_runtime_deferred_forget(list->device, list->handle.pDrvPrivate);
    list->driver.funcs->pfnDestroyCommandList(list->driver.device, list->handle);
    give(list);
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
