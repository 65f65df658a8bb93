/* usage_maps.h: Map and Unmap behind the usage rules (umd.md 19). */
#ifndef AGPU_MM_RUNTIME_USAGE_MAPS_H
#define AGPU_MM_RUNTIME_USAGE_MAPS_H

#include "umd-port/ddi/d3d11umddi.h"

/* Puts the checked entries over the driver's, each where the table has one. */
void agpu_usage_check_maps(D3D11DDI_DEVICECONTEXTFUNCS *context);

#endif
