/* wait.c: waits for fences; busy codes (umd.md 4, 6.3, 6.6). */
#include "umd-port/base/wait.h"

#include "umd-port/base/removal.h"

/* Maximum of polls for a blocking wait that gets busy results: at the runtime's 1 ms poll this is the kernel's 2 s
 * time-out with a margin. With a clock the time limit applies instead. */
#define MAX_RETRIES  4000u
#define MAX_RETRY_MS 4000u

bool agpu_is_busy(HRESULT hr, bool poll)
{
    switch (hr) {
    case DXGI_ERROR_WAS_STILL_DRAWING:
    case D3DDDIERR_WASSTILLDRAWING:
    case HRESULT_WIN32_WAIT_TIMEOUT:
    case HRESULT_WIN32_ERROR_TIMEOUT:
    case HRESULT_NT_TIMEOUT:
    case HRESULT_NT_GPU_BUSY:
        return true;
    case E_PENDING:
        return poll;
    default:
        return false;
    }
}

static void note_completed(struct agpu_device *device, uint64_t fence)
{
    if (fence > device->completed_fence) {
        device->completed_fence = fence;
    }
}

/* Updates the completed value if the runtime has a query. */
static bool fence_reached(struct agpu_device *device, uint64_t fence)
{
    D3DDDICB_QUERYCOMPLETEDFENCE args = {.hContext = device->kernel_context};

    if (device->callbacks->pfnQueryCompletedFenceCb != NULL &&
        SUCCEEDED(device->callbacks->pfnQueryCompletedFenceCb(device->runtime.handle, &args))) {
        note_completed(device, args.FenceValue);
    }
    return fence <= device->completed_fence;
}

/* Uses the wait call, or the query when there is none. */
static HRESULT poll_or_wait(struct agpu_device *device, uint64_t fence, bool poll)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = device->callbacks;

    if (callbacks->pfnWaitForSynchronizationObjectCb == NULL) {
        return fence_reached(device, fence) ? S_OK : DXGI_ERROR_WAS_STILL_DRAWING;
    }
    D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT args;

    args.hContext = device->kernel_context;
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = device->fence_object;
    args.FenceValue = fence;
    args.Timeout = poll ? AGPU_WAIT_POLL : AGPU_WAIT_INFINITE;
    return callbacks->pfnWaitForSynchronizationObjectCb(device->runtime.handle, &args);
}

static uint64_t now_ms(const struct agpu_device *device)
{
    return device->env->now_ms != NULL ? device->env->now_ms(device->env->ctx) : 0;
}

HRESULT agpu_wait_fence(struct agpu_device *device, uint64_t fence, bool poll)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = device->callbacks;

    if (fence <= device->completed_fence || fence_reached(device, fence)) {
        return S_OK;
    }
    if (callbacks->pfnWaitForSynchronizationObjectCb == NULL && callbacks->pfnQueryCompletedFenceCb == NULL) {
        note_completed(device, fence); /* no way to detect completion: treat it as complete at once */
        return S_OK;
    }
    uint64_t start = now_ms(device);
    for (uint32_t tries = 0;; tries++) {
        HRESULT hr = poll_or_wait(device, fence, poll);

        if (agpu_is_busy(hr, poll)) {
            if (poll) {
                return DXGI_ERROR_WAS_STILL_DRAWING;
            }
            bool over =
                device->env->now_ms != NULL ? now_ms(device) - start > MAX_RETRY_MS : tries >= MAX_RETRIES;
            if (over) {
                agpu_note_removal(device, DXGI_ERROR_DEVICE_HUNG);
                return DXGI_ERROR_DEVICE_HUNG;
            }
            continue;
        }
        if (SUCCEEDED(hr)) {
            note_completed(device, fence);
        }
        agpu_note_removal(device, hr);
        return hr;
    }
}
