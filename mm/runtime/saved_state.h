/* saved_state.h: records what an application has set on the immediate context, so that the runtime can set it again
 * after a command list (saved_restore.h; umd.md 15). */
#ifndef AGPU_MM_RUNTIME_SAVED_STATE_H
#define AGPU_MM_RUNTIME_SAVED_STATE_H

#include <stdbool.h>

#include "mm/runtime/api.h"

struct agpu_runtime_device;
struct agpu_saved_state;

/* Call right after CreateDevice. Wraps, in place, the setters, the creation of views and the destruction of objects.
 * False: no memory; the tables are unchanged. */
bool agpu_saved_state_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                            struct agpu_api_device *funcs, struct agpu_api_context *context);
/* Call before DestroyDevice. Does nothing without agpu_saved_state_begin(). */
void agpu_saved_state_end(struct agpu_runtime_device *owner);

/* Resets the record to default state, which driver and application have now. */
void agpu_saved_state_forget(struct agpu_runtime_device *owner);

#endif
