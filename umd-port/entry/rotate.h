/* rotate.h: RotateResourceIdentities (umd.md 13). */
#ifndef AGPU_UMD_ENTRY_ROTATE_H
#define AGPU_UMD_ENTRY_ROTATE_H

#include "umd-port/ddi/d3d10umddi.h"

/* Resource i takes the identity of i + 1, the last that of 0. A list that cannot rotate is left alone with
 * S_OK. E_OUTOFMEMORY: packets found no room, nothing changed. */
HRESULT agpu_rotate_resource_identities(D3D10DDI_HDEVICE device,
                                        const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *args);

#endif
