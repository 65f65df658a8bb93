/* destroy.h: DestroyResource (umd.md 5.7). */
#ifndef AGPU_UMD_RESOURCE_DESTROY_H
#define AGPU_UMD_RESOURCE_DESTROY_H

#include "umd-port/ddi/d3d10umddi.h"

/* Destroys the resource, also after the device is gone; harmless for an empty resource. */
void agpu_destroy_resource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource);

#endif
