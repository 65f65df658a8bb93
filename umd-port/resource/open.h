/* open.h: OpenResource: shared surfaces (umd.md 5.6). */
#ifndef AGPU_UMD_RESOURCE_OPEN_H
#define AGPU_UMD_RESOURCE_OPEN_H

#include "umd-port/ddi/d3d10umddi.h"

size_t agpu_calc_opened_resource_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_OPENRESOURCE *args);
HRESULT agpu_open_resource(D3D10DDI_HDEVICE device, const D3D10DDIARG_OPENRESOURCE *args,
                           D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime);

#endif
