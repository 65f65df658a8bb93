/* usage_objects.h: resources and views behind the usage rules (umd.md 19). */
#ifndef AGPU_MM_RUNTIME_USAGE_OBJECTS_H
#define AGPU_MM_RUNTIME_USAGE_OBJECTS_H

#include "umd-port/ddi/d3d11umddi.h"

/* Puts the checked entries over the driver's, each where the table has one. */
void agpu_usage_check_objects(D3D11DDI_DEVICEFUNCS *funcs);

#endif
