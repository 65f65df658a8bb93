/* object_entries.h: creation, destruction and sizes of objects that several contexts use (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_OBJECT_ENTRIES_H
#define AGPU_UMD_DEFERRED_OBJECT_ENTRIES_H

#include "umd-port/ddi/d3d11umddi.h"

/* Replaces the table's entries for every kind of object. On the immediate context they create and destroy as on any
 * device, maintain the data for other contexts, and also report failed creations through SetErrorCb. On a deferred
 * context they create and free context-local handles. */
void agpu_install_shared_entries(D3D11DDI_DEVICEFUNCS *funcs);

#endif
