/* convert.h: converts D3D state numbers to protocol numbers, with the checks (umd.md 2.5, 10). */
#ifndef AGPU_UMD_STATE_CONVERT_H
#define AGPU_UMD_STATE_CONVERT_H

#include "ring/protocol/aerogpu_cmd.h"
#include "umd-port/ddi/d3d10ddiarg.h"

uint32_t agpu_convert_filter(uint32_t filter);
uint32_t agpu_convert_address(uint32_t address);
/* Comparison 1..8; any other number compares ALWAYS. */
uint32_t agpu_convert_comparison(uint32_t comparison);

/* State for a null description or handle. */
extern const struct aerogpu_blend_state agpu_default_blend;
extern const struct aerogpu_depth_stencil_state agpu_default_depth_stencil;
extern const struct aerogpu_rasterizer_state agpu_default_rasterizer;

/* Convert D3D descriptions; *state is the default state unless the result is S_OK. E_INVALIDARG: no such number.
 * E_NOTIMPL: a number or combination that the protocol cannot express. */
HRESULT agpu_convert_blend(const D3D10_1_DDI_BLEND_DESC *desc, struct aerogpu_blend_state *state);
HRESULT agpu_convert_depth_stencil(const D3D10_DDI_DEPTH_STENCIL_DESC *desc,
                                   struct aerogpu_depth_stencil_state *state);
HRESULT agpu_convert_rasterizer(const D3D10_DDI_RASTERIZER_DESC *desc,
                                struct aerogpu_rasterizer_state *state);

#endif
