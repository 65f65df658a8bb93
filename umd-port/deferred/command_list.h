/* command_list.h: function table entries for command lists (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_COMMAND_LIST_H
#define AGPU_UMD_DEFERRED_COMMAND_LIST_H

#include "umd-port/ddi/d3d11umddi.h"

size_t agpu_calc_command_list_size(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATECOMMANDLIST *);
/* With a description: finishes the recording of its context. E_OUTOFMEMORY when the list was lost; the context is ready
 * for the next list in either case. Without: creates another context's handle of the list that `runtime` names. */
void agpu_create_command_list(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATECOMMANDLIST *, D3D11DDI_HCOMMANDLIST,
                              D3D11DDI_HRTCOMMANDLIST runtime);
void agpu_destroy_command_list(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
/* Recycling of command lists: RecycleDestroy drops the contents, Recycle gives the memory to the context that records
 * next, RecycleCreate finishes into a recycled handle. */
void agpu_recycle_destroy_command_list(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
void agpu_recycle_command_list(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
HRESULT agpu_recycle_create_command_list(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATECOMMANDLIST *,
                                         D3D11DDI_HCOMMANDLIST, D3D11DDI_HRTCOMMANDLIST runtime);
/* On the immediate context: executes everything or nothing. On a deferred one: records the execution into its list. */
void agpu_command_list_execute(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);

#endif
