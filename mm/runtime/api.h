/* api.h: the Direct3D runtime's own functions over a driver: tables like the driver's, but their entries return what
 * the driver reports through SetErrorCb during the call (umd.md 3.1), as those of ID3D11Device do. */
#ifndef AGPU_MM_RUNTIME_API_H
#define AGPU_MM_RUNTIME_API_H

#include <stdbool.h>

#include "mm/runtime/description.h"
#include "mm/runtime/layers.h"
#include "umd-port/ddi/d3d11umddi.h"

#define AGPU_DDI_RESULT                           HRESULT
#define AGPU_DDI_RESOURCE                         struct agpu_resource_desc
#define AGPU_DDI(result, name, parameters, names) result(*pfn##name) parameters;
struct agpu_api_device {
#include "umd-port/ddi/d3d11devicefuncs.def"
};
struct agpu_api_context {
#include "umd-port/ddi/d3d11contextfuncs.def"
};
#undef AGPU_DDI
#undef AGPU_DDI_RESULT
#undef AGPU_DDI_RESOURCE

/* One device, with its immediate context, or one deferred context. Must not move while it is open. */
struct agpu_api {
    struct agpu_layer layer;
    D3D11DDI_DEVICEFUNCS own_funcs;      /* a device: the driver's table */
    const D3D11DDI_DEVICEFUNCS *funcs;   /* a deferred context: that of its device */
    D3D11DDI_DEVICECONTEXTFUNCS context; /* the driver's table */
    /* The runtime's own record of errors: receives every report, except that an entry that returns it is busy. */
    D3D10DDI_HRTCORELAYER core_layer;
    const D3D10DDI_CORELAYER_DEVICECALLBACKS *core_callbacks;
    HRESULT result;      /* of the current call of an entry that returns one: S_OK, or the first report */
    bool returning;      /* in such a call, before its first report */
    bool reports_result; /* for core_callbacks: the present report is a result */
};

/* Prepares CreateDevice: takes core layer and callbacks out of the arguments, and puts its own and its tables in. */
void agpu_api_begin(struct agpu_api *api, D3D10DDIARG_CREATEDEVICE *args);
/* Call after the driver has filled the tables: fills the runtime's. An entry that the driver lacks stays NULL. */
void agpu_api_open(struct agpu_api *api, D3D10DDI_HDEVICE device, struct agpu_api_device *funcs,
                   struct agpu_api_context *context);
/* The same for CreateDeferredContext on a device of this API. */
void agpu_api_begin_deferred(struct agpu_api *api, D3D10DDI_HDEVICE device,
                             D3D11DDIARG_CREATEDEFERREDCONTEXT *args);
void agpu_api_open_deferred(struct agpu_api *api, D3D10DDI_HDEVICE context_handle,
                            struct agpu_api_context *context);
/* Call when no further call is made on the device or context. */
void agpu_api_end(struct agpu_api *api);

#endif
