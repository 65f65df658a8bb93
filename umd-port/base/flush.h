/* flush.h: Flush and Present (umd.md 12.4, 13). */
#ifndef AGPU_UMD_BASE_FLUSH_H
#define AGPU_UMD_BASE_FLUSH_H

#include "umd-port/ddi/d3d10umddi.h"

/* Records a FLUSH packet and submits. Reports the submission's failure, or E_OUTOFMEMORY when there was no room for the
 * packet. */
void agpu_flush(D3D10DDI_HDEVICE device);
/* Records a PRESENT packet and submits as a present. */
HRESULT agpu_present(D3D10DDI_HDEVICE device, const DXGI_DDI_ARG_PRESENT *args);

#endif
