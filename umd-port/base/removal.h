/* removal.h: the removed device: results of callbacks, and the reason reported to the application (umd.md 3.1, 6.6). */
#ifndef AGPU_UMD_BASE_REMOVAL_H
#define AGPU_UMD_BASE_REMOVAL_H

#include "umd-port/base/device.h"

/* Stores the result of a callback if it means that the device is lost. The first reason stays. */
void agpu_note_removal(struct agpu_device *device, HRESULT hr);

/* Returns S_OK while the device works; else DXGI_ERROR_DEVICE_HUNG (its own work hung), _RESET (the work of another
 * device hung) or _REMOVED. Queries the runtime if it has the callback. */
HRESULT agpu_removal_reason(struct agpu_device *device);

#endif
