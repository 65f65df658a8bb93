/* creation.h: creation in the Direct3D 11 device table: failures go to SetErrorCb as well, as on a device with deferred contexts
 * (umd.md 15). */
#ifndef AGPU_UMD_ENTRY_CREATION_H
#define AGPU_UMD_ENTRY_CREATION_H

#include "umd-port/ddi/d3d11umddi.h"

/* Puts the entries that report over those of the table. */
void agpu_install_reported_creation(D3D11DDI_DEVICEFUNCS *funcs);

#endif
