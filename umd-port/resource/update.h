/* update.h: plans and carries out updates of a subresource (umd.md 7.1). */
#ifndef AGPU_UMD_RESOURCE_UPDATE_H
#define AGPU_UMD_RESOURCE_UPDATE_H

#include "umd-port/base/device.h"
#include "umd-port/resource/box.h"

/* Completes *update, in which the caller has set data and data_pitch. False: no such subresource, box or pitch. */
bool agpu_plan_update(const struct agpu_resource *resource, uint32_t index, const D3D10_DDI_BOX *box,
                      struct agpu_update *update);
/* Writes the bytes into the resource's memory. */
void agpu_write_update(const struct agpu_update *update, uint8_t *resource_memory);
/* Updates a host-owned resource: UPLOAD_RESOURCE and the shadow. E_OUTOFMEMORY: no room, nothing changed. */
HRESULT agpu_update_host(struct agpu_device *device, struct agpu_resource *resource,
                         const struct agpu_update *update);

/* Table entries. */
void agpu_update_subresource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                             const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,
                             uint32_t depth_pitch);
void agpu_update_constant_buffer(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                                 const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,
                                 uint32_t depth_pitch);

#endif
