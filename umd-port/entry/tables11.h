/* tables11.h: pfnCreateDevice of a Direct3D 11 adapter (umd.md 3.1, 14, 15, 18). */
#ifndef AGPU_UMD_ENTRY_TABLES11_H
#define AGPU_UMD_ENTRY_TABLES11_H

#include "umd-port/ddi/d3d10umddi.h"

/* The function tables are filled and the device memory is constructed even when the result is E_FAIL, so that
 * DestroyDevice through the table is safe. No entry is null. With the option for deferred contexts the entries
 * that they change are replaced. */
HRESULT agpu_create_device11(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE *args);

#endif
