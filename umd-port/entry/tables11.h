/* tables11.h: pfnCreateDevice of a Direct3D 11 adapter (umd.md 3.1, 14, 15, 18). */
#ifndef AGPU_UMD_ENTRY_TABLES11_H
#define AGPU_UMD_ENTRY_TABLES11_H

#include "umd-port/ddi/d3d10umddi.h"

/* Fills the function tables and constructs the device memory even when the result is E_FAIL, so that DestroyDevice
 * through the table is safe. No entry is null. The option for deferred contexts replaces the entries that they
 * affect. */
HRESULT agpu_create_device11(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE *args);

#endif
