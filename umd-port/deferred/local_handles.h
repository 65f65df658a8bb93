/* local_handles.h: context-local handles, created from immediate handles for one deferred context; the device does not
 * know them (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_LOCAL_HANDLES_H
#define AGPU_UMD_DEFERRED_LOCAL_HANDLES_H

#include "umd-port/deferred/recording.h"

/* Creates the local handle of an immediate object; parent is a view's local resource. Failures are reported to the
 * context and leave the handle empty. E_INVALIDARG: no live object, or a parent of another context. */
HRESULT agpu_create_local(struct agpu_deferred_context *dc, uint32_t handle_type, void *local,
                          void *immediate_object, void *parent);
/* Frees the context's data about the handle. dc NULL: the context was already destroyed. */
void agpu_destroy_local(struct agpu_deferred_context *dc, uint32_t handle_type, void *local);

#endif
