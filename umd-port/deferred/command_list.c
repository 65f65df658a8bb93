/* command_list.c: creation and destruction of command lists, and CommandListExecute (umd.md 15). */
#include "umd-port/deferred/command_list.h"

#include "umd-port/base/trace.h"
#include "umd-port/deferred/execute.h"
#include "umd-port/deferred/finish.h"
#include "umd-port/deferred/nested_list.h"

size_t agpu_calc_command_list_size(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATECOMMANDLIST *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateCommandListSize", sizeof(struct agpu_command_list));
}

/* Creates a context-local handle of a finished list. */
static HRESULT create_local_list(D3D10DDI_HDEVICE handle, struct agpu_command_list *list, void *immediate)
{
    struct agpu_deferred_context *dc = agpu_deferred_of(handle);

    const struct agpu_command_list *finished = agpu_command_list_of((D3D11DDI_HCOMMANDLIST){immediate});

    if (dc == NULL || finished == NULL || finished->body == NULL) {
        return E_INVALIDARG;
    }
    *list = *finished;
    agpu_list_ref(list->body);
    return S_OK;
}

static HRESULT finish_list(D3D10DDI_HDEVICE handle, const char *entry,
                           const D3D11DDIARG_CREATECOMMANDLIST *args, struct agpu_command_list *list)
{
    struct agpu_deferred_context *dc = agpu_deferred_of(args->hDeferredContext);

    if (dc == NULL) {
        dc = agpu_deferred_of(handle);
    }
    if (dc == NULL) {
        return E_INVALIDARG;
    }
    struct agpu_list_body *body = agpu_deferred_finish(dc);
    agpu_deferred_restart(dc);
    AGPU_TRACE(&dc->env, AGPU_TRACE_CALLS, "%s bytes=%u references=%u fixups=%u", entry,
               body ? body->stream_bytes : 0, body ? body->ref_count : 0, body ? body->fixup_count : 0);
    if (body == NULL) {
        return E_OUTOFMEMORY;
    }
    *list = (struct agpu_command_list){.cookie = AGPU_COOKIE_LIST, .body = body};
    return S_OK;
}

static HRESULT create_list(D3D10DDI_HDEVICE handle, const char *entry,
                           const D3D11DDIARG_CREATECOMMANDLIST *args, D3D11DDI_HCOMMANDLIST list_handle,
                           D3D11DDI_HRTCOMMANDLIST runtime)
{
    struct agpu_command_list *list = list_handle.pDrvPrivate;

    if (list == NULL) {
        return E_INVALIDARG;
    }
    *list = (struct agpu_command_list){.cookie = 0};
    if (args == NULL) {
        return create_local_list(handle, list, runtime.handle);
    }
    return finish_list(handle, entry, args, list);
}

void agpu_create_command_list(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATECOMMANDLIST *args,
                              D3D11DDI_HCOMMANDLIST list_handle, D3D11DDI_HRTCOMMANDLIST runtime)
{
    struct agpu_deferred_context *dc = agpu_deferred_of(handle);
    HRESULT hr = create_list(handle, "CreateCommandList", args, list_handle, runtime);

    if (dc != NULL) {
        agpu_deferred_report_finish(dc, hr);
    } else {
        agpu_report(agpu_context_of(handle), hr);
    }
}

/* Destroys objects that only the list referred to: at once on the immediate context; on a deferred one the immediate
 * context's next submission does it. */
static void destroy_unreferenced_lists(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context != NULL && agpu_deferred_of(handle) == NULL && context->device->sharing != NULL) {
        agpu_sharing_destroy_unreferenced(context->device->sharing);
    }
}

void agpu_destroy_command_list(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list_handle)
{
    struct agpu_command_list *list = agpu_command_list_of(list_handle);

    agpu_traced(handle, "DestroyCommandList");
    if (list == NULL) {
        return;
    }
    if (list->body != NULL) {
        agpu_list_unref(list->body);
    }
    if (list->spare != NULL) {
        agpu_list_unref(list->spare);
    }
    *list = (struct agpu_command_list){.cookie = 0};
    destroy_unreferenced_lists(handle);
}

/* Drops the contents; the handle keeps the memory. */
static void empty_list(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list_handle)
{
    struct agpu_command_list *list = agpu_command_list_of(list_handle);

    if (list == NULL || list->body == NULL) {
        return;
    }
    if (agpu_list_is_sole(list->body)) {
        agpu_list_empty(list->body);
        list->spare = list->body;
    } else { /* another context has a local handle of it */
        agpu_list_unref(list->body);
    }
    list->body = NULL;
    destroy_unreferenced_lists(handle);
}

void agpu_recycle_destroy_command_list(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list_handle)
{
    agpu_traced(handle, "RecycleDestroyCommandList");
    empty_list(handle, list_handle);
}

/* Drops the contents and gives the memory to the context's next list. */
static void recycle_list(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list_handle)
{
    struct agpu_deferred_context *dc = agpu_deferred_of(handle);
    struct agpu_command_list *list = agpu_command_list_of(list_handle);

    empty_list(handle, list_handle);
    if (list == NULL || list->spare == NULL || dc == NULL) {
        return; /* no context: the handle keeps the memory */
    }
    if (dc->spare != NULL) {
        agpu_list_unref(dc->spare);
    }
    dc->spare = list->spare;
    list->spare = NULL;
}

void agpu_recycle_command_list(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list_handle)
{
    agpu_traced(handle, "RecycleCommandList");
    recycle_list(handle, list_handle);
}

HRESULT agpu_recycle_create_command_list(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATECOMMANDLIST *args,
                                         D3D11DDI_HCOMMANDLIST list_handle, D3D11DDI_HRTCOMMANDLIST runtime)
{
    struct agpu_deferred_context *dc = agpu_deferred_of(handle);

    if (args == NULL) {
        return E_INVALIDARG;
    }
    if (dc == NULL) {
        dc = agpu_deferred_of(args->hDeferredContext);
    }
    if (dc == NULL) {
        return E_INVALIDARG;
    }
    recycle_list((D3D10DDI_HDEVICE){dc}, list_handle);
    return create_list(handle, "RecycleCreateCommandList", args, list_handle, runtime);
}

void agpu_command_list_execute(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list_handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL || list_handle.pDrvPrivate == NULL) {
        return;
    }
    const struct agpu_command_list *list = agpu_command_list_of(list_handle);
    struct agpu_deferred_context *dc = agpu_deferred_of(handle);
    if (list == NULL || list->body == NULL) {
        agpu_set_error(context, E_INVALIDARG);
        return;
    }
    HRESULT hr;
    if (dc != NULL) {
        hr = agpu_record_list(dc, list->body);
    } else {
        agpu_sharing_destroy_unreferenced(context->device->sharing);
        hr = agpu_execute_list(context->device, list->body);
    }
    AGPU_TRACE(context->device->env, AGPU_TRACE_CALLS, "CommandListExecute bytes=%u -> hr=0x%X",
               list->body->stream_bytes, (unsigned)hr);
    if (FAILED(hr) && !context->device->list_oom) { /* running out of list memory was already reported */
        agpu_set_error(context, hr);
    }
}
