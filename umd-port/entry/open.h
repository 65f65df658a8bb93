/* open.h: the driver's exports (umd.md 14, 18). */
#ifndef AGPU_UMD_ENTRY_OPEN_H
#define AGPU_UMD_ENTRY_OPEN_H

#include "umd-port/ddi/d3d10umddi.h"

/* Return S_OK; E_INVALIDARG: no arguments, no table, unknown interface or older version (11: E_NOINTERFACE); E_FAIL: no
 * environment; E_OUTOFMEMORY. Close with pfnCloseAdapter. */
HRESULT OpenAdapter10(D3D10DDIARG_OPENADAPTER *args);
HRESULT OpenAdapter10_2(D3D10DDIARG_OPENADAPTER *args);
HRESULT OpenAdapter11(D3D10DDIARG_OPENADAPTER *args);

#endif
