/* query.h: event queries; every other kind is refused at creation (umd.md 8). */
#ifndef AGPU_UMD_BASE_QUERY_H
#define AGPU_UMD_BASE_QUERY_H

#include "umd-port/ddi/d3d10umddi.h"

size_t agpu_calc_query_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATEQUERY *args);
HRESULT agpu_create_query(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATEQUERY *args, D3D10DDI_HQUERY query,
                          D3D10DDI_HRTQUERY runtime);
void agpu_destroy_query(D3D10DDI_HDEVICE device, D3D10DDI_HQUERY query);
/* Event queries have no Begin: E_INVALIDARG through SetErrorCb. */
void agpu_query_begin(D3D10DDI_HDEVICE device, D3D10DDI_HQUERY query);
/* Submits the recorded commands; the query is done when they complete. */
void agpu_query_end(D3D10DDI_HDEVICE device, D3D10DDI_HQUERY query);
/* Answers a 32-bit TRUE when done, else reports DXGI_DDI_ERR_WASSTILLDRAWING. Never blocks. data may be NULL. */
void agpu_query_get_data(D3D10DDI_HDEVICE device, D3D10DDI_HQUERY query, void *data, uint32_t size,
                         uint32_t flags);

#endif
