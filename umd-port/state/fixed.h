/* fixed.h: blend, depth-stencil and rasteriser state (umd.md 10). */
#ifndef AGPU_UMD_STATE_FIXED_H
#define AGPU_UMD_STATE_FIXED_H

#include "umd-port/state/objects.h"
#include "umd-port/ddi/d3d11umddi.h"

/* Record a packet with the object's state, NULL = the default; there is no cache. factor4 NULL = all 1. False: no
 * room. */
bool agpu_emit_blend(struct agpu_context *context, const struct agpu_blend_object *blend,
                     const float *factor4, uint32_t sample_mask);
bool agpu_emit_depth_stencil(struct agpu_context *context, const struct agpu_depth_stencil_object *depth);
bool agpu_emit_rasterizer_state(struct agpu_context *context, const struct aerogpu_rasterizer_state *state);
bool agpu_emit_rasterizer(struct agpu_context *context, const struct agpu_rasterizer_object *raster);

/* Table entries. */
size_t agpu_calc_blend_size(D3D10DDI_HDEVICE, const D3D10_1_DDI_BLEND_DESC *);
HRESULT agpu_create_blend(D3D10DDI_HDEVICE, const D3D10_1_DDI_BLEND_DESC *, D3D10DDI_HBLENDSTATE,
                          D3D10DDI_HRTBLENDSTATE);
void agpu_destroy_blend(D3D10DDI_HDEVICE, D3D10DDI_HBLENDSTATE);
void agpu_set_blend(D3D10DDI_HDEVICE, D3D10DDI_HBLENDSTATE, const float *factor4, uint32_t sample_mask);
size_t agpu_calc_depth_stencil_size(D3D10DDI_HDEVICE, const D3D10_DDI_DEPTH_STENCIL_DESC *);
HRESULT agpu_create_depth_stencil(D3D10DDI_HDEVICE, const D3D10_DDI_DEPTH_STENCIL_DESC *,
                                  D3D10DDI_HDEPTHSTENCILSTATE, D3D10DDI_HRTDEPTHSTENCILSTATE);
void agpu_destroy_depth_stencil(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILSTATE);
void agpu_set_depth_stencil(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILSTATE, uint32_t stencil_ref);
size_t agpu_calc_rasterizer_size(D3D10DDI_HDEVICE, const D3D10_DDI_RASTERIZER_DESC *);
HRESULT agpu_create_rasterizer(D3D10DDI_HDEVICE, const D3D10_DDI_RASTERIZER_DESC *, D3D10DDI_HRASTERIZERSTATE,
                               D3D10DDI_HRTRASTERIZERSTATE);
void agpu_destroy_rasterizer(D3D10DDI_HDEVICE, D3D10DDI_HRASTERIZERSTATE);
void agpu_set_rasterizer(D3D10DDI_HDEVICE, D3D10DDI_HRASTERIZERSTATE);

#endif
