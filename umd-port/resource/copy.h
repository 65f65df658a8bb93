/* copy.h: ResourceCopy and ResourceCopyRegion (umd.md 7.2, 7.3). */
#ifndef AGPU_UMD_RESOURCE_COPY_H
#define AGPU_UMD_RESOURCE_COPY_H

#include "umd-port/base/device.h"
#include "umd-port/resource/copy_packets.h"

/* Table entries. */
void agpu_resource_copy(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src);
void agpu_resource_copy_region(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                               uint32_t x, uint32_t y, uint32_t z, D3D10DDI_HRESOURCE src,
                               uint32_t src_subresource, const D3D10_DDI_BOX *box);
/* Copies between textures of different protocol formats of one family: the device reads the source's bytes as the
 * destination's format. */
HRESULT agpu_copy_across(struct agpu_device *device, const struct agpu_texture_copy *copy);
/* DXGI's Blt: copies one subresource to a rectangle of the same size; refuses scaling. */
HRESULT agpu_blt(D3D10DDI_HDEVICE device, const DXGI_DDI_ARG_BLT *args);

#endif
