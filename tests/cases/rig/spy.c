/* spy.c: counts and drops RenderCb and PresentCb calls. */
#include "tests/cases/rig/spy.h"

#include "mm/runtime/device.h"

/* One case runs at a time, and only the rig's first device is watched. */
static struct {
    D3DDDI_DEVICECALLBACKS table;
    const D3DDDI_DEVICECALLBACKS *runtime;
    struct agpu_submitted submitted;
    uint32_t to_lose;
    HRESULT result; /* result of these */
} watched;

static bool loses_this(const D3DDDICB_RENDER *args)
{
    watched.submitted.calls++;
    watched.submitted.bytes += args->CommandLength;
    if (args->CommandLength > watched.submitted.largest) {
        watched.submitted.largest = args->CommandLength;
    }
    if (watched.to_lose == 0) {
        return false;
    }
    watched.to_lose--;
    return true;
}

static HRESULT watched_render(HANDLE device, D3DDDICB_RENDER *args)
{
    return loses_this(args) ? watched.result : watched.runtime->pfnRenderCb(device, args);
}

static HRESULT watched_present(HANDLE device, D3DDDICB_PRESENT *args)
{
    return loses_this(&args->Submission) ? watched.result : watched.runtime->pfnPresentCb(device, args);
}

D3DDDI_DEVICECALLBACKS *agpu_watched_callbacks(void)
{
    watched.runtime = agpu_runtime_device_callbacks();
    watched.table = *watched.runtime;
    watched.table.pfnRenderCb = watched_render;
    watched.table.pfnPresentCb = watched_present;
    watched.submitted = (struct agpu_submitted){0};
    watched.to_lose = 0;
    return &watched.table;
}

D3DDDI_DEVICECALLBACKS *agpu_callback_table(void)
{
    return &watched.table;
}

uint32_t agpu_submission_calls(void)
{
    return watched.submitted.calls;
}

struct agpu_submitted agpu_submitted(void)
{
    return watched.submitted;
}

void agpu_lose_submissions(uint32_t count, HRESULT hr)
{
    watched.to_lose = count;
    watched.result = hr;
}
