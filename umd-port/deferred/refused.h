/* refused.h: entries of a deferred context's function table that refuse operations of the immediate context (umd.md
 * 15). */
#ifndef AGPU_UMD_DEFERRED_REFUSED_H
#define AGPU_UMD_DEFERRED_REFUSED_H

#include "umd-port/ddi/d3d11umddi.h"

void agpu_deferred_get_data(D3D10DDI_HDEVICE, D3D10DDI_HQUERY, void *data, uint32_t size, uint32_t flags);
uint32_t agpu_deferred_is_staging_busy(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE);
void agpu_deferred_flush(D3D10DDI_HDEVICE);
HRESULT agpu_deferred_present(D3D10DDI_HDEVICE, const DXGI_DDI_ARG_PRESENT *);
HRESULT agpu_deferred_rotate(D3D10DDI_HDEVICE, const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *);

#endif
