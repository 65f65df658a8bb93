/* state_ddi.h: entry points of the function tables that create state objects and set state (umd.md 8, 9, 10).
 * Creators return their result, setters report one error through SetErrorCb. */
#ifndef AGPU_UMD_STATE_STATE_DDI_H
#define AGPU_UMD_STATE_STATE_DDI_H

#include "umd-port/ddi/d3d11umddi.h"

/* views.c */
size_t agpu_calc_srv_size(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *);
HRESULT agpu_create_srv(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *,
                        D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW);
void agpu_destroy_srv(D3D10DDI_HDEVICE, D3D10DDI_HSHADERRESOURCEVIEW);
size_t agpu_calc_rtv_size(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATERENDERTARGETVIEW *);
HRESULT agpu_create_rtv(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATERENDERTARGETVIEW *,
                        D3D10DDI_HRENDERTARGETVIEW, D3D10DDI_HRTRENDERTARGETVIEW);
void agpu_destroy_rtv(D3D10DDI_HDEVICE, D3D10DDI_HRENDERTARGETVIEW);
HRESULT agpu_create_dsv(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *,
                        D3D10DDI_HDEPTHSTENCILVIEW, D3D10DDI_HRTDEPTHSTENCILVIEW);
void agpu_destroy_dsv(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILVIEW);
size_t agpu_calc_uav_size(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *);
HRESULT agpu_create_uav(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *,
                        D3D11DDI_HUNORDEREDACCESSVIEW, D3D11DDI_HRTUNORDEREDACCESSVIEW);
void agpu_destroy_uav(D3D10DDI_HDEVICE, D3D11DDI_HUNORDEREDACCESSVIEW);

/* shaders.c */
size_t agpu_calc_shader_size(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *);
size_t agpu_calc_so_shader_size(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *);
HRESULT agpu_create_vs(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                       D3D10DDI_HRTSHADER);
HRESULT agpu_create_ps(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                       D3D10DDI_HRTSHADER);
HRESULT agpu_create_gs(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                       D3D10DDI_HRTSHADER);
HRESULT agpu_create_hs(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                       D3D10DDI_HRTSHADER);
HRESULT agpu_create_ds(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                       D3D10DDI_HRTSHADER);
HRESULT agpu_create_cs(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                       D3D10DDI_HRTSHADER);
HRESULT agpu_create_so_gs(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *,
                          D3D10DDI_HSHADER, D3D10DDI_HRTSHADER);
void agpu_destroy_shader(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
void agpu_vs_set_shader(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
void agpu_ps_set_shader(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
void agpu_gs_set_shader(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
void agpu_hs_set_shader(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
void agpu_ds_set_shader(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
void agpu_cs_set_shader(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);

/* input.c */
size_t agpu_calc_element_layout_size(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEELEMENTLAYOUT *);
HRESULT agpu_create_element_layout(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEELEMENTLAYOUT *,
                                   D3D10DDI_HELEMENTLAYOUT, D3D10DDI_HRTELEMENTLAYOUT);
void agpu_destroy_element_layout(D3D10DDI_HDEVICE, D3D10DDI_HELEMENTLAYOUT);
void agpu_ia_set_input_layout(D3D10DDI_HDEVICE, D3D10DDI_HELEMENTLAYOUT);
void agpu_ia_set_vertex_buffers(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HRESOURCE *,
                                const uint32_t *strides, const uint32_t *offsets);
void agpu_ia_set_index_buffer(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t format, uint32_t offset);
void agpu_ia_set_topology(D3D10DDI_HDEVICE, uint32_t topology);

/* samplers.c */
size_t agpu_calc_sampler_size(D3D10DDI_HDEVICE, const D3D10_DDI_SAMPLER_DESC *);
HRESULT agpu_create_sampler(D3D10DDI_HDEVICE, const D3D10_DDI_SAMPLER_DESC *, D3D10DDI_HSAMPLER,
                            D3D10DDI_HRTSAMPLER);
void agpu_destroy_sampler(D3D10DDI_HDEVICE, D3D10DDI_HSAMPLER);

/* stages.c: one set of slots per stage */
#define AGPU_DECLARE_STAGE(prefix)                                                                           \
    void agpu_##prefix##_set_constant_buffers(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,              \
                                              const D3D10DDI_HRESOURCE *);                                   \
    void agpu_##prefix##_set_shader_resources(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,              \
                                              const D3D10DDI_HSHADERRESOURCEVIEW *);                         \
    void agpu_##prefix##_set_samplers(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,                      \
                                      const D3D10DDI_HSAMPLER *)
AGPU_DECLARE_STAGE(vs);
AGPU_DECLARE_STAGE(ps);
AGPU_DECLARE_STAGE(gs);
AGPU_DECLARE_STAGE(hs);
AGPU_DECLARE_STAGE(ds);
AGPU_DECLARE_STAGE(cs);
void agpu_cs_set_uavs(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D11DDI_HUNORDEREDACCESSVIEW *,
                      const uint32_t *initial_counts);

/* fixed.c */
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

/* viewport.c */
void agpu_set_viewports(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_slots, const D3D10_DDI_VIEWPORT *);
void agpu_set_scissors(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_slots, const D3D10_DDI_RECT *);

/* targets.c */
void agpu_set_render_targets(D3D10DDI_HDEVICE, const D3D10DDI_HRENDERTARGETVIEW *, uint32_t count,
                             uint32_t clear_slots, D3D10DDI_HDEPTHSTENCILVIEW);
void agpu_set_render_targets_and_uavs(D3D10DDI_HDEVICE, const D3D10DDI_HRENDERTARGETVIEW *,
                                      uint32_t rtv_count, D3D10DDI_HDEPTHSTENCILVIEW,
                                      const D3D11DDI_HUNORDEREDACCESSVIEW *, const uint32_t *initial_counts,
                                      uint32_t first_uav, uint32_t uav_count);

/* clear_state.c: everything back to its default (umd.md 11). */
void agpu_clear_state(D3D10DDI_HDEVICE);

#endif
