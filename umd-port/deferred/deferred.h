/* deferred.h: deferred contexts and command lists, offered when the device was opened with the option (umd.md
 * 15); without it the tables keep their refusing entries. */
#ifndef AGPU_UMD_DEFERRED_DEFERRED_H
#define AGPU_UMD_DEFERRED_DEFERRED_H

#include "umd-port/base/device.h"

/* Option on, and a device that can take a list's contents: by copies, or everything host-owned. Decides caps
 * THREADING and CreateDeferredContext. */
bool agpu_deferred_contexts_offered(const struct agpu_adapter *adapter);

/* End of CreateDevice: with the option on, gives the device what objects need to be shared between contexts
 * and replaces table entries. E_OUTOFMEMORY: nothing changed. */
HRESULT agpu_offer_deferred_contexts(struct agpu_device *device, D3D11DDI_DEVICEFUNCS *device_funcs,
                                     D3D11DDI_DEVICECONTEXTFUNCS *context_funcs);

/* The table of every deferred context. */
extern const D3D11DDI_DEVICECONTEXTFUNCS agpu_deferred_context_funcs;

#endif
