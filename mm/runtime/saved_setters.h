/* saved_setters.h: wrappers around the setters of the immediate context, which record the state (umd.md 15). */
#ifndef AGPU_MM_RUNTIME_SAVED_SETTERS_H
#define AGPU_MM_RUNTIME_SAVED_SETTERS_H

#include "umd-port/ddi/d3d11umddi.h"

/* Replaces the driver's entries by the recording ones, in place. */
void agpu_saved_setters_put(D3D11DDI_DEVICECONTEXTFUNCS *context);

#endif
