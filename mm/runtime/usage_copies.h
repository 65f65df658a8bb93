/* usage_copies.h: copies and updates behind the usage rules (umd.md 19). */
#ifndef AGPU_MM_RUNTIME_USAGE_COPIES_H
#define AGPU_MM_RUNTIME_USAGE_COPIES_H

#include "umd-port/ddi/d3d11umddi.h"

/* Puts the checked entries over the driver's, each where the table has one. */
void agpu_usage_check_copies(D3D11DDI_DEVICECONTEXTFUNCS *context);

#endif
