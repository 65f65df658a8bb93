/* tables_deferred.h: the function table of deferred contexts, and the Direct3D 11 entries that differ when deferred
 * contexts are offered (umd.md 15). */
#ifndef AGPU_UMD_ENTRY_TABLES_DEFERRED_H
#define AGPU_UMD_ENTRY_TABLES_DEFERRED_H

#include "umd-port/base/device.h"

/* Last step of CreateDevice. With the option on, creates the data that contexts share and replaces table entries.
 * E_OUTOFMEMORY: nothing changed. */
HRESULT agpu_install_deferred_entries(struct agpu_device *device, D3D11DDI_DEVICEFUNCS *device_funcs,
                                      D3D11DDI_DEVICECONTEXTFUNCS *context_funcs);

#endif
