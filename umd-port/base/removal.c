/* removal.c: why a device is lost (umd.md 3.1). */
#include "umd-port/base/removal.h"

void agpu_note_removal(struct agpu_device *device, HRESULT hr)
{
    if (device->removed != S_OK) {
        return;
    }
    switch (hr) {
    case D3DDDIERR_DEVICEREMOVED:
        device->removed = DXGI_ERROR_DEVICE_REMOVED;
        break;
    case DXGI_ERROR_DEVICE_REMOVED:
    case DXGI_ERROR_DEVICE_HUNG:
    case DXGI_ERROR_DEVICE_RESET:
        device->removed = hr;
        break;
    default:
        break;
    }
}

HRESULT agpu_removal_reason(struct agpu_device *device)
{
    D3DDDICB_GETDEVICESTATE state = {.Reason = S_OK};

    if (device->callbacks->pfnGetDeviceStateCb != NULL &&
        SUCCEEDED(device->callbacks->pfnGetDeviceStateCb(device->runtime.handle, &state)) &&
        state.Reason != S_OK) {
        device->removed = state.Reason;
    }
    return device->removed;
}
