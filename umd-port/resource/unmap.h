/* unmap.h: Unmap (umd.md 6.5). */
#ifndef AGPU_UMD_RESOURCE_UNMAP_H
#define AGPU_UMD_RESOURCE_UNMAP_H

#include "umd-port/ddi/d3d10umddi.h"

/* One function for each entry; they differ in their trace line. */
void agpu_resource_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource);
void agpu_dynamic_ia_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource);
void agpu_dynamic_cb_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource);
void agpu_dynamic_resource_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource);
void agpu_staging_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource);

#endif
