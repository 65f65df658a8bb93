/* device.h: devices of the runtime (umd.md 4): creation and destruction, callback tables, collected errors, and
 * resources opened from other processes. */
#ifndef AGPU_MM_RUNTIME_DEVICE_H
#define AGPU_MM_RUNTIME_DEVICE_H

#include "mm/runtime/api.h"
#include "mm/runtime/config.h"
#include "umd-port/ddi/d3d10umddi.h"
#include "umd-port/ddi/d3dddicb.h"

struct agpu_runtime;
struct agpu_runtime_device;

/* Creates a device of a process (1 .. AGPU_PROCESS_LIMIT - 1; devices of one process share handles). NULL when memory
 * is exhausted or the number is out of range. */
struct agpu_runtime_device *agpu_runtime_device_create(struct agpu_runtime *runtime, uint16_t process);
/* Frees the device and its contexts; call after the driver's DestroyDevice. Allocations belong to the process and
 * stay. */
void agpu_runtime_device_destroy(struct agpu_runtime_device *device);

/* Arguments of CreateDevice. One callback table serves every device. */
const D3DDDI_DEVICECALLBACKS *agpu_runtime_device_callbacks(void);
const D3D10DDI_CORELAYER_DEVICECALLBACKS *agpu_runtime_core_callbacks(void);
D3D10DDI_HRTDEVICE agpu_runtime_device_handle(struct agpu_runtime_device *device);
D3D10DDI_HRTCORELAYER agpu_runtime_core_handle(struct agpu_runtime_device *device);

/* Returns the record for agpu_api_begin(); it ends with the device. */
struct agpu_api *agpu_runtime_device_api(struct agpu_runtime_device *device);

struct agpu_runtime_error_record agpu_runtime_errors(const struct agpu_runtime_device *device);
void agpu_runtime_errors_clear(struct agpu_runtime_device *device);
/* Returns why the device is lost, S_OK while it is not: 887A0005, 887A0006 (its work hung) or 887A0007 (the work of
 * another device hung). */
HRESULT agpu_runtime_device_lost(const struct agpu_runtime_device *device);

/* Opens a shared allocation for OpenResource: returns the handle and the creator's private data. */
HRESULT agpu_runtime_open_shared(struct agpu_runtime_device *device, uint64_t token,
                                 D3DKMT_HANDLE *allocation, uint8_t blob[64], uint32_t *blob_size);

#endif
