/* create_device.h: creation and destruction of a device, for every kind of function table (umd.md 3.1, 12.4). */
#ifndef AGPU_UMD_ENTRY_CREATE_DEVICE_H
#define AGPU_UMD_ENTRY_CREATE_DEVICE_H

#include "umd-port/base/device.h"

/* Constructs the device in args->hDrvDevice, even when the result is E_FAIL: DestroyDevice is then safe and does
 * nothing. */
HRESULT agpu_create_device(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE *args, enum agpu_cookie cookie,
                           uint32_t vertex_slots);
/* Submits, waits, frees. Handles that are not a live device are ignored. */
void agpu_destroy_device(D3D10DDI_HDEVICE device);

#endif
