/* kept_state.h: what an application has set on the immediate context, kept by the runtime so that it can be set again behind
 * a command list (kept_restore.h; umd.md 15). */
#ifndef AGPU_MM_RUNTIME_KEPT_STATE_H
#define AGPU_MM_RUNTIME_KEPT_STATE_H

#include <stdbool.h>

#include "umd-port/ddi/d3d11umddi.h"

struct agpu_runtime_device;
struct agpu_kept_state;

/* Right after CreateDevice: listens to the setters, to the creation of views and the end of what is set, in place. False: no memory; the tables
 * are as they were. */
bool agpu_kept_state_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                           D3D11DDI_DEVICEFUNCS *funcs, D3D11DDI_DEVICECONTEXTFUNCS *context);
/* Before DestroyDevice; does nothing without a beginning. */
void agpu_kept_state_end(struct agpu_runtime_device *owner);

/* The driver has default state now, and so the application. */
void agpu_kept_state_forget(struct agpu_runtime_device *owner);

#endif
