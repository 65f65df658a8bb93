/* context.h: creation and destruction of deferred contexts (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_CONTEXT_H
#define AGPU_UMD_DEFERRED_CONTEXT_H

#include "umd-port/ddi/d3d11umddi.h"

/* Entries of the function tables. The caller fills the context's own function table: p11ContextFuncs is not changed. */
size_t agpu_calc_deferred_context_size(D3D10DDI_HDEVICE device,
                                       const D3D11DDIARG_CREATEDEFERREDCONTEXT *args);
HRESULT agpu_create_deferred_context(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args);
HRESULT agpu_recycle_create_deferred_context(D3D10DDI_HDEVICE device,
                                             const D3D11DDIARG_CREATEDEFERREDCONTEXT *args);
void agpu_destroy_deferred_context(D3D10DDI_HDEVICE device, D3D10DDI_HDEVICE deferred_context);
void agpu_abandon_command_list(D3D10DDI_HDEVICE deferred_context);

#endif
