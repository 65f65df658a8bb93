/* caps.h: pfnGetCaps of the adapter tables (umd.md 14). */
#ifndef AGPU_UMD_ENTRY_CAPS_H
#define AGPU_UMD_ENTRY_CAPS_H

#include "umd-port/ddi/d3d10umddi.h"

HRESULT agpu_adapter_get_caps(D3D10DDI_HADAPTER adapter, const D3D10_2DDIARG_GETCAPS *args);

#endif
