/* tables10.h: pfnCreateDevice of a Direct3D 10 or 10.1 adapter (umd.md 3.1, 14, 18). */
#ifndef AGPU_UMD_ENTRY_TABLES10_H
#define AGPU_UMD_ENTRY_TABLES10_H

#include "umd-port/ddi/d3d10umddi.h"

/* Fills the function table and constructs the device memory even when the result is E_FAIL, so that DestroyDevice
 * through the table is safe. No entry is null. */
HRESULT agpu_create_device10(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE *args);

#endif
