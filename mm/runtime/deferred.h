/* deferred.h: the runtime's side of deferred contexts (umd.md 15): context-local handles, created at first use in
 * dependency order; command lists; an error record of each context. One thread at a time. */
#ifndef AGPU_MM_RUNTIME_DEFERRED_H
#define AGPU_MM_RUNTIME_DEFERRED_H

#include "mm/runtime/runtime.h"
#include "mm/runtime/api.h"

/* The driver's device as CreateDevice filled it in; outlives what is created with it. */
struct agpu_runtime_driver {
    D3D10DDI_HDEVICE device;
    const struct agpu_api_device *funcs;
    const struct agpu_api_context *context;
};

typedef HRESULT agpu_create_shader_entry(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                                         D3D10DDI_HRTSHADER);

/* An object of the immediate context for use by a deferred context. */
struct agpu_runtime_object {
    uint32_t type;                           /* D3D11DDI_HANDLETYPE */
    void *immediate;                         /* pDrvPrivate of the immediate handle */
    void *resource;                          /* views: pDrvPrivate of the immediate resource; else NULL */
    agpu_create_shader_entry *create_shader; /* shaders: the entry that created it; else NULL */
};

struct agpu_runtime_deferred;
struct agpu_runtime_list;

/* CreateDeferredContext, with the handle sizes polled at device creation (local_sizes.h), or polled now. NULL: the
 * reason is in *result; E_FAIL when the two polls differ or advertise nothing. */
struct agpu_runtime_deferred *agpu_runtime_deferred_create(struct agpu_runtime_device *device,
                                                           const struct agpu_runtime_driver *driver,
                                                           HRESULT *result);
/* Destroys the context's local handles, views first, then the context. Call before the driver's DestroyDevice. */
void agpu_runtime_deferred_destroy(struct agpu_runtime_deferred *deferred);

/* Return the first argument of every call on the context, and its function table. */
D3D10DDI_HDEVICE agpu_runtime_deferred_handle(const struct agpu_runtime_deferred *deferred);
const struct agpu_api_context *agpu_runtime_deferred_funcs(const struct agpu_runtime_deferred *deferred);
/* Returns the errors that the driver reported through this context's SetErrorCb since the last clear. */
struct agpu_runtime_error_record agpu_runtime_deferred_errors(const struct agpu_runtime_deferred *deferred);
void agpu_runtime_deferred_errors_clear(struct agpu_runtime_deferred *deferred);

/* Returns pDrvPrivate of the context's own handle of an object. Creates the handle at first use, a resource's before
 * its views'. NULL: no memory, a size that was not advertised, or the driver refused (see the error record). */
void *agpu_runtime_deferred_local(struct agpu_runtime_deferred *deferred,
                                  const struct agpu_runtime_object *object);
/* Call before an immediate object is destroyed: destroys every local handle of it, and of the views of a resource. */
void agpu_runtime_deferred_forget(struct agpu_runtime_device *device, const void *immediate);

/* FinishCommandList: returns the driver's result. If SetErrorCb got E_OUTOFMEMORY during the recording, the runtime
 * abandons the recording and returns E_OUTOFMEMORY, whatever the driver returns. *list is valid unless it is NULL,
 * which takes no memory. Reuses the memory of a list that was recycled to this context. */
HRESULT agpu_runtime_list_finish(struct agpu_runtime_deferred *deferred, struct agpu_runtime_list **list);
/* ExecuteCommandList on the immediate context (on is NULL) or on a deferred one, which gets a local handle of the
 * list. */
void agpu_runtime_list_execute(struct agpu_runtime_list *list, struct agpu_runtime_deferred *on);
/* ExecuteCommandList on the immediate context with RestoreContextState: afterwards sets the application's state again,
 * on a device with saved state (saved_state.h). */
void agpu_runtime_list_execute_restoring(struct agpu_runtime_list *list);
/* Returns pDrvPrivate of its handle on the immediate context. */
void *agpu_runtime_list_handle(const struct agpu_runtime_list *list);
/* Releases the list, for the application. */
void agpu_runtime_list_destroy(struct agpu_runtime_list *list);
/* Releases the list; the next list of context `to` reuses its memory. */
void agpu_runtime_list_recycle(struct agpu_runtime_list *list, struct agpu_runtime_deferred *to);

#endif
