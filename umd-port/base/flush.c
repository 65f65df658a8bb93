/* flush.c: Flush and Present (umd.md 12.4, 13). */
#include "umd-port/base/flush.h"

#include "umd-port/base/operation.h"
#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"

static bool emit_flush(struct agpu_cmd_writer *cmd)
{
    struct aerogpu_cmd_flush *packet = agpu_cmd_reserve(cmd, AEROGPU_CMD_FLUSH, sizeof *packet);

    if (packet == NULL) {
        return false;
    }
    packet->reserved0 = 0;
    packet->reserved1 = 0;
    return true;
}

static bool emit_present(struct agpu_cmd_writer *cmd, uint32_t flags)
{
    struct aerogpu_cmd_present *packet = agpu_cmd_reserve(cmd, AEROGPU_CMD_PRESENT, sizeof *packet);

    if (packet == NULL) {
        return false;
    }
    packet->scanout_id = 0;
    packet->flags = flags;
    return true;
}

/* Submits the recorded packets although there was no room for the PRESENT packet. */
static HRESULT submit_without_present(struct agpu_context *context)
{
    agpu_set_error(context, E_OUTOFMEMORY);
    HRESULT hr = agpu_submit(context->device, NULL);
    return FAILED(hr) ? hr : E_OUTOFMEMORY;
}

static HRESULT finish_submission(struct agpu_context *context, HRESULT hr)
{
    if (FAILED(hr) && agpu_mode(context->device) == AGPU_BACKING_WDK) {
        agpu_set_error(context, hr);
    }
    return hr;
}

void agpu_flush(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    bool written = emit_flush(&context->cmd);
    HRESULT hr = agpu_submit(context->device, NULL);
    agpu_report(context, agpu_traced_result(handle, "Flush", written ? hr : E_OUTOFMEMORY));
}

static HRESULT record_present(struct agpu_context *context, const DXGI_DDI_ARG_PRESENT *args)
{
    struct agpu_device *device = context->device;
    struct agpu_resource *source = args->hSurfaceToPresent.pDrvPrivate;
    bool wdk = agpu_mode(device) == AGPU_BACKING_WDK;

    AGPU_TRACE_RESOURCES(device->env, "Present sync=%u backbuffer=%u", args->SyncInterval,
                         source ? source->handle : 0);
    HRESULT hr = agpu_track_room(device, 1);
    if (FAILED(hr)) {
        return finish_submission(context, hr);
    }
    bool oom_before = device->list_oom;
    if (source != NULL) {
        agpu_track(device, source, false);
    }
    if (agpu_list_oom_now(device, oom_before)) {
        return agpu_submit(device, NULL); /* reported; fails as a whole */
    }
    bool vsync = args->SyncInterval && (!wdk || agpu_gate_vblank(device->adapter));
    uint32_t flags = vsync ? AEROGPU_PRESENT_FLAG_VSYNC : AEROGPU_PRESENT_FLAG_NONE;
    const struct agpu_present_args present = {source != NULL ? source->alloc_handle : 0, args->SyncInterval};
    if (!emit_present(&context->cmd, flags)) {
        if (!wdk) {
            return submit_without_present(context);
        }
        /* An empty stream has room for one packet unless memory is exhausted. */
        hr = agpu_submit(device, NULL);
        if (source != NULL && SUCCEEDED(hr)) {
            agpu_track(device, source, false);
        }
        if (FAILED(hr) || !emit_present(&context->cmd, flags)) {
            return finish_submission(context, FAILED(hr) ? hr : E_OUTOFMEMORY);
        }
    }
    return finish_submission(context, agpu_submit(device, &present));
}

HRESULT agpu_present(D3D10DDI_HDEVICE handle, const DXGI_DDI_ARG_PRESENT *args)
{
    struct agpu_context *context = agpu_context_of(handle);
    HRESULT hr = context != NULL && args != NULL ? record_present(context, args) : E_INVALIDARG;

    return agpu_traced_result(handle, "Present", hr);
}
