/* rotate.h: RotateResourceIdentities (umd.md 13). */
#ifndef AGPU_UMD_ENTRY_ROTATE_H
#define AGPU_UMD_ENTRY_ROTATE_H

#include "umd-port/ddi/d3d10umddi.h"

/* Gives resource i the identity of i + 1, the last one that of 0. A list that cannot rotate is left unchanged with
 * S_OK. E_OUTOFMEMORY: no room for packets, nothing changed. */
HRESULT agpu_rotate_resource_identities(D3D10DDI_HDEVICE device,
                                        const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *args);

#endif
