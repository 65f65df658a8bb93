/* samplers.h: sampler objects (umd.md 9). */
#ifndef AGPU_UMD_STATE_SAMPLERS_H
#define AGPU_UMD_STATE_SAMPLERS_H

#include "umd-port/ddi/d3d11umddi.h"

size_t agpu_calc_sampler_size(D3D10DDI_HDEVICE, const D3D10_DDI_SAMPLER_DESC *);
HRESULT agpu_create_sampler(D3D10DDI_HDEVICE, const D3D10_DDI_SAMPLER_DESC *, D3D10DDI_HSAMPLER,
                            D3D10DDI_HRTSAMPLER);
void agpu_destroy_sampler(D3D10DDI_HDEVICE, D3D10DDI_HSAMPLER);

#endif
