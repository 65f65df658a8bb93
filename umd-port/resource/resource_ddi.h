/* resource_ddi.h: the resource entry points of the function tables (umd.md 5, 6, 7). Result codes and error
 * reporting follow umd.md 3.1: HRESULT by return, void through SetErrorCb. */
#ifndef AGPU_UMD_RESOURCE_RESOURCE_DDI_H
#define AGPU_UMD_RESOURCE_RESOURCE_DDI_H

#include "umd-port/ddi/d3d10umddi.h"

size_t agpu_calc_resource_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATERESOURCE *args);
size_t agpu_calc_opened_resource_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_OPENRESOURCE *args);
HRESULT agpu_create_resource(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATERESOURCE *args,
                             D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime);
HRESULT agpu_open_resource(D3D10DDI_HDEVICE device, const D3D10DDIARG_OPENRESOURCE *args,
                           D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime);
void agpu_destroy_resource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource);

HRESULT agpu_resource_map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                          uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out);
void agpu_resource_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource);
/* The dynamic entries choose the map type themselves; map_type is ignored. */
HRESULT agpu_dynamic_ia_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                    uint32_t subresource, uint32_t type, uint32_t flags,
                                    D3D10DDI_MAPPED_SUBRESOURCE *out);
HRESULT agpu_dynamic_ia_map_no_overwrite(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                         uint32_t subresource, uint32_t type, uint32_t flags,
                                         D3D10DDI_MAPPED_SUBRESOURCE *out);
HRESULT agpu_dynamic_cb_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                    uint32_t subresource, uint32_t type, uint32_t flags,
                                    D3D10DDI_MAPPED_SUBRESOURCE *out);
HRESULT agpu_dynamic_cb_map_no_overwrite(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                         uint32_t subresource, uint32_t type, uint32_t flags,
                                         D3D10DDI_MAPPED_SUBRESOURCE *out);
HRESULT agpu_dynamic_resource_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                          uint32_t subresource, uint32_t type, uint32_t flags,
                                          D3D10DDI_MAPPED_SUBRESOURCE *out);
HRESULT agpu_staging_map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                         uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out);
/* 1 while the last submission that wrote it has not completed. Submits what is recorded if that writes it. */
uint32_t agpu_resource_is_staging_busy(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource);

void agpu_update_subresource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                             const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,
                             uint32_t depth_pitch);
void agpu_resource_copy(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src);
HRESULT agpu_resource_copy_region(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                                  uint32_t x, uint32_t y, uint32_t z, D3D10DDI_HRESOURCE src,
                                  uint32_t src_subresource, const D3D10_DDI_BOX *box);

#endif
