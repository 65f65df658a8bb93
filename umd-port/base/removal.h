/* removal.h: a device that the kernel has given up: what callbacks said, and what the application is told (umd.md 3.1,
 * 6.6). */
#ifndef AGPU_UMD_BASE_REMOVAL_H
#define AGPU_UMD_BASE_REMOVAL_H

#include "umd-port/base/device.h"

/* Remembers the result of a callback if it says that the device is lost. The first reason stays. */
void agpu_note_removal(struct agpu_device *device, HRESULT hr);

/* S_OK while the device works; else DXGI_ERROR_DEVICE_HUNG (its own work hung), _RESET (someone else's did) or
 * _REMOVED. Asks the runtime where it can be asked. */
HRESULT agpu_removal_reason(struct agpu_device *device);

#endif
