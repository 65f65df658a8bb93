/* create.h: CreateResource (umd.md 5.1 to 5.5). */
#ifndef AGPU_UMD_RESOURCE_CREATE_H
#define AGPU_UMD_RESOURCE_CREATE_H

#include "umd-port/ddi/d3d10umddi.h"

size_t agpu_calc_resource_size(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATERESOURCE *args);
/* A failure leaves nothing allocated or recorded, and the resource empty. */
HRESULT agpu_create_resource(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATERESOURCE *args,
                             D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime);

#endif
