/* umd_submissions.c: counts and drops RenderCb and PresentCb calls. */
#include "tests/cases/rig/umd_submissions.h"

#include "mm/runtime/device.h"

/* One case runs at a time, and only the rig's first device is watched. */
static struct {
    D3DDDI_DEVICECALLBACKS table;
    const D3DDDI_DEVICECALLBACKS *runtime;
    uint32_t calls, to_lose;
    HRESULT result; /* result of these */
} watched;

static bool loses_this(void)
{
    watched.calls++;
    if (watched.to_lose == 0) {
        return false;
    }
    watched.to_lose--;
    return true;
}

static HRESULT watched_render(HANDLE device, D3DDDICB_RENDER *args)
{
    return loses_this() ? watched.result : watched.runtime->pfnRenderCb(device, args);
}

static HRESULT watched_present(HANDLE device, D3DDDICB_PRESENT *args)
{
    return loses_this() ? watched.result : watched.runtime->pfnPresentCb(device, args);
}

D3DDDI_DEVICECALLBACKS *agpu_watched_callbacks(void)
{
    watched.runtime = agpu_runtime_device_callbacks();
    watched.table = *watched.runtime;
    watched.table.pfnRenderCb = watched_render;
    watched.table.pfnPresentCb = watched_present;
    watched.calls = watched.to_lose = 0;
    return &watched.table;
}

D3DDDI_DEVICECALLBACKS *agpu_callback_table(void)
{
    return &watched.table;
}

uint32_t agpu_submission_calls(void)
{
    return watched.calls;
}

void agpu_lose_submissions(uint32_t count, HRESULT hr)
{
    watched.to_lose = count;
    watched.result = hr;
}
