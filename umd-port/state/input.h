/* input.h: input layouts, vertex and index buffers, topology (umd.md 8, 10). */
#ifndef AGPU_UMD_STATE_INPUT_H
#define AGPU_UMD_STATE_INPUT_H

#include "umd-port/base/context.h"
#include "umd-port/ddi/d3d11umddi.h"

/* Record a packet and update the cache; false without room, nothing changed. Counts are in range and non-zero. */
bool agpu_bind_input_layout(struct agpu_context *context, uint32_t handle);
bool agpu_bind_vertex_buffers(struct agpu_context *context, uint32_t start, uint32_t count,
                              const struct agpu_bound_vertices *vertices);
bool agpu_bind_index_buffer(struct agpu_context *context, struct agpu_resource *buffer, uint32_t format,
                            uint32_t offset);
bool agpu_bind_topology(struct agpu_context *context, uint32_t topology);

/* Table entries. */
size_t agpu_calc_element_layout_size(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEELEMENTLAYOUT *);
HRESULT agpu_create_element_layout(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEELEMENTLAYOUT *,
                                   D3D10DDI_HELEMENTLAYOUT, D3D10DDI_HRTELEMENTLAYOUT);
void agpu_destroy_element_layout(D3D10DDI_HDEVICE, D3D10DDI_HELEMENTLAYOUT);
void agpu_ia_set_input_layout(D3D10DDI_HDEVICE, D3D10DDI_HELEMENTLAYOUT);
void agpu_ia_set_vertex_buffers(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HRESOURCE *,
                                const uint32_t *strides, const uint32_t *offsets);
void agpu_ia_set_index_buffer(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t format, uint32_t offset);
void agpu_ia_set_topology(D3D10DDI_HDEVICE, uint32_t topology);

#endif
