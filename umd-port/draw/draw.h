/* draw.h: draws and dispatches (umd.md 11). */
#ifndef AGPU_UMD_DRAW_DRAW_H
#define AGPU_UMD_DRAW_DRAW_H

#include "umd-port/base/device.h"

void agpu_draw(D3D10DDI_HDEVICE, uint32_t count, uint32_t first_vertex);
void agpu_draw_indexed(D3D10DDI_HDEVICE, uint32_t count, uint32_t first_index, int32_t base_vertex);
void agpu_draw_instanced(D3D10DDI_HDEVICE, uint32_t vertex_count, uint32_t instance_count,
                         uint32_t first_vertex, uint32_t first_instance);
void agpu_draw_indexed_instanced(D3D10DDI_HDEVICE, uint32_t index_count, uint32_t instance_count,
                                 uint32_t first_index, int32_t base_vertex, uint32_t first_instance);
void agpu_draw_auto(D3D10DDI_HDEVICE);
void agpu_draw_instanced_indirect(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE arguments, uint32_t offset);
void agpu_draw_indexed_instanced_indirect(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE arguments, uint32_t offset);
void agpu_dispatch(D3D10DDI_HDEVICE, uint32_t x, uint32_t y, uint32_t z);
void agpu_dispatch_indirect(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE arguments, uint32_t offset);

/* Reads count words of indirect arguments. Submits first when recorded work may still write them. E_INVALIDARG: the
 * words lie outside the buffer. */
HRESULT agpu_read_arguments(struct agpu_device *device, struct agpu_resource *buffer, uint32_t offset,
                            uint32_t *words, uint32_t count);

#endif
