/* destroy.c: DestroyResource, in an order in which nothing refers to freed memory (umd.md 5.7). */
#include "umd-port/resource/destroy.h"

#include "umd-port/base/lost.h"
#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/base/track.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"
#include "umd-port/state/unbind.h"
#include "umd-port/state/view_packets.h"
#include "umd-port/state/views.h"

/* Keeps the first error: a destruction reports once and never stops half way. */
static void keep_first_error(HRESULT *first, HRESULT hr)
{
    if (SUCCEEDED(*first) && FAILED(hr)) {
        *first = hr;
    }
}

/* Called when there was no room for the destruction. The memory is freed next, so the device must not keep the object
 * in its slots: destroying it, and the views that name it, empties them (commands.md 15). The submission before has
 * made room. */
static bool emit_destruction_again(struct agpu_context *context, const struct agpu_resource *resource)
{
    for (const struct agpu_view *view = resource->views; view != NULL; view = view->next) {
        if (view->handle && !agpu_emit_destroy_view(&context->cmd, view->handle)) {
            return false;
        }
    }
    return agpu_emit_destroy_resource(&context->cmd, resource->handle);
}

static HRESULT destroy_listed(struct agpu_context *context, struct agpu_resource *resource)
{
    struct agpu_device *device = context->device;
    HRESULT error = S_OK;

    agpu_forget_staging_write(resource);
    keep_first_error(&error, agpu_end_mapping(device, resource));
    if (!agpu_unbind_destroyed(context, resource)) {
        keep_first_error(&error, E_OUTOFMEMORY);
    }
    bool gone = agpu_emit_destroy_resource(&context->cmd, resource->handle);
    if (!gone) {
        keep_first_error(&error, E_OUTOFMEMORY);
    }
    /* The other modes free allocations only with the device, so their references cannot free one. */
    if (agpu_mode(device) == AGPU_BACKING_WDK && resource->alloc_handle) {
        HRESULT hr = agpu_submit(device, NULL);

        keep_first_error(&error, hr);
        if (!gone) {
            gone = emit_destruction_again(context, resource);
        }
        if (!agpu_cmd_empty(&context->cmd)) { /* saved packets of a lost submission, or the above */
            hr = agpu_submit(device, NULL);
            keep_first_error(&error, hr);
        }
        if (FAILED(hr)) {
            agpu_forget_resource(device, resource);
        }
        keep_first_error(&error, agpu_deallocate(device, resource));
    }
    agpu_empty_views(resource);
    agpu_free_shadow(resource);
    return error;
}

void agpu_destroy_resource(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (context != NULL) {
        AGPU_TRACE_CALL(context, "DestroyResource handle=%u", resource ? resource->handle : 0);
    }
    if (resource == NULL || !resource->handle) {
        return;
    }
    if (context == NULL) { /* the device was destroyed first: clean up only the object */
        agpu_empty_views(resource);
        agpu_end_mapping(NULL, resource);
        agpu_free_shadow(resource);
        *resource = (struct agpu_resource){.handle = 0};
        return;
    }
    HRESULT error = destroy_listed(context, resource);
    *resource = (struct agpu_resource){.handle = 0};
    if (FAILED(error)) {
        agpu_set_error(context, error);
    }
}
