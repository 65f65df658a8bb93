/* content.h: CPU writes on a deferred context: UpdateSubresource, and Map of dynamic resources (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_CONTENT_H
#define AGPU_UMD_DEFERRED_CONTENT_H

#include "umd-port/ddi/d3d11umddi.h"

/* Copies the source; reports E_INVALIDARG for invalid arguments. */
void agpu_deferred_update(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, const D3D10_DDI_BOX *,
                          const void *data, uint32_t row_pitch, uint32_t depth_pitch);
void agpu_deferred_update_constants(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource,
                                    const D3D10_DDI_BOX *, const void *data, uint32_t row_pitch,
                                    uint32_t depth_pitch);

/* Maps with WRITE_DISCARD, then WRITE_NO_OVERWRITE of the same subresource in the same list; E_INVALIDARG for anything
 * else, E_FAIL while mapped. DO_NOT_WAIT has no effect. The pointer is valid until Unmap. */
void agpu_deferred_map(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t type,
                       uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *);
/* Records the bytes. One function for each entry of the table; they differ only in the trace line. */
void agpu_deferred_unmap(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
void agpu_deferred_ia_unmap(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
void agpu_deferred_cb_unmap(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
void agpu_deferred_resource_unmap(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
void agpu_deferred_staging_unmap(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
/* Entries for one purpose: the resource must have the matching bind flag. */
void agpu_deferred_ia_discard(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t type,
                              uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *);
void agpu_deferred_ia_no_overwrite(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t type,
                                   uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *);
void agpu_deferred_cb_discard(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t type,
                              uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *);
void agpu_deferred_cb_no_overwrite(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t type,
                                   uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *);
void agpu_deferred_resource_discard(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t type,
                                    uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *);
/* Deferred contexts have no readback: E_INVALIDARG. */
void agpu_deferred_staging_map(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t type,
                               uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *);

#endif
