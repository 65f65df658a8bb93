/* creation.h: creation entries of the Direct3D 11 device table: failures also go to SetErrorCb, as on a device with
 * deferred contexts (umd.md 15). */
#ifndef AGPU_UMD_ENTRY_CREATION_H
#define AGPU_UMD_ENTRY_CREATION_H

#include "umd-port/ddi/d3d11umddi.h"

/* Replaces the creation entries of the table by the reporting ones. */
void agpu_install_reported_creation(D3D11DDI_DEVICEFUNCS *funcs);

#endif
