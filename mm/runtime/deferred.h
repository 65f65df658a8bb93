/* deferred.h: deferred contexts as the runtime drives them (umd.md 15): context-local handles made at first use in dependency order, command lists, and an error record of
 * each context. One thread at a time. */
#ifndef AGPU_MM_RUNTIME_DEFERRED_H
#define AGPU_MM_RUNTIME_DEFERRED_H

#include "mm/runtime/runtime.h"
#include "umd-port/ddi/d3d11umddi.h"

/* The driver's device, as CreateDevice filled it in; outlives what is made with it. */
struct agpu_runtime_driver {
    D3D10DDI_HDEVICE device;
    const D3D11DDI_DEVICEFUNCS *funcs;
    const D3D11DDI_DEVICECONTEXTFUNCS *context;
};

typedef HRESULT agpu_create_shader_entry(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                                         D3D10DDI_HRTSHADER);

/* An object of the immediate context that a deferred context is to use. */
struct agpu_runtime_object {
    uint32_t type;                           /* D3D11DDI_HANDLETYPE */
    void *immediate;                         /* pDrvPrivate of the immediate handle */
    void *resource;                          /* views: pDrvPrivate of the immediate resource; else NULL */
    agpu_create_shader_entry *create_shader; /* shaders: the entry that made it; else NULL */
};

struct agpu_runtime_deferred;
struct agpu_runtime_list;

/* CreateDeferredContext, with the sizes that were polled when the device was made (local_sizes.h), or polled now. NULL: the
 * reason in *result; E_FAIL when the two answers differ or advertise nothing. */
struct agpu_runtime_deferred *agpu_runtime_deferred_create(struct agpu_runtime_device *device,
                                                           const struct agpu_runtime_driver *driver,
                                                           HRESULT *result);
/* Destroys its local handles, views first, then the context. Before the driver's device. */
void agpu_runtime_deferred_destroy(struct agpu_runtime_deferred *deferred);

/* First argument of every call on the context, and its function table. */
D3D10DDI_HDEVICE agpu_runtime_deferred_handle(const struct agpu_runtime_deferred *deferred);
const D3D11DDI_DEVICECONTEXTFUNCS *agpu_runtime_deferred_funcs(const struct agpu_runtime_deferred *deferred);
/* What the driver reported through this context's SetErrorCb since it was last cleared. */
struct agpu_runtime_error_record agpu_runtime_deferred_errors(const struct agpu_runtime_deferred *deferred);
void agpu_runtime_deferred_errors_clear(struct agpu_runtime_deferred *deferred);

/* pDrvPrivate of the context's own handle for an object: made at the first use, the resource's before its
 * views'. NULL: no memory, a size that was not advertised, or the driver refused (see the error record). */
void *agpu_runtime_deferred_local(struct agpu_runtime_deferred *deferred,
                                  const struct agpu_runtime_object *object);
/* An immediate object is about to be destroyed: no context of the device keeps a handle of it, nor of the
 * views of a resource. */
void agpu_runtime_deferred_forget(struct agpu_runtime_device *device, const void *immediate);

/* FinishCommandList: the driver's result. A recording for which SetErrorCb was told E_OUTOFMEMORY was removed: it is
 * abandoned, and this is E_OUTOFMEMORY, whatever the driver would say. *list is valid unless NULL was stored, which takes no memory; with
 * a list that was recycled to this context the memory of that one is used again. */
HRESULT agpu_runtime_list_finish(struct agpu_runtime_deferred *deferred, struct agpu_runtime_list **list);
/* ExecuteCommandList on the immediate context, or on a deferred one (on, else NULL), which takes a local
 * handle of it. */
void agpu_runtime_list_execute(struct agpu_runtime_list *list, struct agpu_runtime_deferred *on);
/* The same on the immediate context with RestoreContextState: afterwards everything is set again as the application had set it,
 * on a device whose state is kept (kept_state.h). */
void agpu_runtime_list_execute_restoring(struct agpu_runtime_list *list);
/* pDrvPrivate of its handle on the immediate context. */
void *agpu_runtime_list_handle(const struct agpu_runtime_list *list);
/* The application releases it. */
void agpu_runtime_list_destroy(struct agpu_runtime_list *list);
/* The same, but its memory serves the next list of this context. */
void agpu_runtime_list_recycle(struct agpu_runtime_list *list, struct agpu_runtime_deferred *to);

#endif
