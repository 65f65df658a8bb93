/* kept_setters.h: listening to the setters of the immediate context (umd.md 15). */
#ifndef AGPU_MM_RUNTIME_KEPT_SETTERS_H
#define AGPU_MM_RUNTIME_KEPT_SETTERS_H

#include "umd-port/ddi/d3d11umddi.h"

/* Puts the listening entries over the driver's, in place. */
void agpu_kept_setters_put(D3D11DDI_DEVICECONTEXTFUNCS *context);

#endif
