/* usage_objects.h: usage rules of resources and views (umd.md 19). */
#ifndef AGPU_MM_RUNTIME_USAGE_OBJECTS_H
#define AGPU_MM_RUNTIME_USAGE_OBJECTS_H

#include "umd-port/ddi/d3d11umddi.h"

/* Replaces the driver's entries by the checked ones, where the table has one. */
void agpu_usage_check_objects(D3D11DDI_DEVICEFUNCS *funcs);

#endif
