/* clear.h: clears of views (umd.md 11). */
#ifndef AGPU_UMD_DRAW_CLEAR_H
#define AGPU_UMD_DRAW_CLEAR_H

#include "umd-port/ddi/d3d10umddi.h"

void agpu_clear_rtv(D3D10DDI_HDEVICE, D3D10DDI_HRENDERTARGETVIEW, const float *rgba);
void agpu_clear_dsv(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILVIEW, uint32_t flags, float depth,
                    uint8_t stencil);

#endif
