/* targets.h: render target and depth-stencil binding (umd.md 10). */
#ifndef AGPU_UMD_STATE_TARGETS_H
#define AGPU_UMD_STATE_TARGETS_H

#include "umd-port/base/context.h"
#include "umd-port/ddi/d3d11umddi.h"

/* Empties every target that shares memory with resource: one SET_RENDER_TARGETS if there is any. False: no room. */
bool agpu_unbind_targets_of(struct agpu_context *context, const struct agpu_resource *resource);

/* Table entries. */
void agpu_set_render_targets(D3D10DDI_HDEVICE, const D3D10DDI_HRENDERTARGETVIEW *, uint32_t count,
                             uint32_t clear_slots, D3D10DDI_HDEPTHSTENCILVIEW);
void agpu_set_render_targets_and_uavs(D3D10DDI_HDEVICE, const D3D10DDI_HRENDERTARGETVIEW *,
                                      uint32_t rtv_count, D3D10DDI_HDEPTHSTENCILVIEW,
                                      const D3D11DDI_HUNORDEREDACCESSVIEW *, const uint32_t *initial_counts,
                                      uint32_t first_uav, uint32_t uav_count);

#endif
