/* tables.h: the function tables that CreateDevice copies out (umd.md 3.1, 14, 18). No entry is null. */
#ifndef AGPU_UMD_ENTRY_TABLES_H
#define AGPU_UMD_ENTRY_TABLES_H

#include "umd-port/ddi/d3d11umddi.h"

extern const D3D10DDI_DEVICEFUNCS agpu_d3d10_device_funcs;
extern const D3D11DDI_DEVICEFUNCS agpu_d3d11_device_funcs;
extern const D3D11DDI_DEVICECONTEXTFUNCS agpu_d3d11_context_funcs;

#endif
