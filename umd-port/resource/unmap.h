/* unmap.h: Unmap (umd.md 6.5). */
#ifndef AGPU_UMD_RESOURCE_UNMAP_H
#define AGPU_UMD_RESOURCE_UNMAP_H

#include "umd-port/ddi/d3d10umddi.h"

void agpu_resource_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource);

#endif
