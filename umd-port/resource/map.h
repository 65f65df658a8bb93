/* map.h: the entries of Map (umd.md 6.1 to 6.4). */
#ifndef AGPU_UMD_RESOURCE_MAP_H
#define AGPU_UMD_RESOURCE_MAP_H

#include "umd-port/ddi/d3d10umddi.h"

void agpu_resource_map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                       uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out);
/* The dynamic entries use a fixed map type and ignore `type`. */
void agpu_dynamic_ia_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                                 uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out);
void agpu_dynamic_ia_map_no_overwrite(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                      uint32_t subresource, uint32_t type, uint32_t flags,
                                      D3D10DDI_MAPPED_SUBRESOURCE *out);
void agpu_dynamic_cb_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                                 uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out);
void agpu_dynamic_cb_map_no_overwrite(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                      uint32_t subresource, uint32_t type, uint32_t flags,
                                      D3D10DDI_MAPPED_SUBRESOURCE *out);
void agpu_dynamic_resource_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                       uint32_t subresource, uint32_t type, uint32_t flags,
                                       D3D10DDI_MAPPED_SUBRESOURCE *out);
void agpu_staging_map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                      uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out);
/* Returns 1 while the last submission that wrote the resource is incomplete. Submits first if recorded packets write
 * it. */
uint32_t agpu_resource_is_staging_busy(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource);

#endif
