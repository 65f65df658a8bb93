/* deferred_types.h: insides of runtime_deferred.c and runtime_list.c, for nobody else. */
#ifndef AGPU_MM_RUNTIME_DEFERRED_TYPES_H
#define AGPU_MM_RUNTIME_DEFERRED_TYPES_H

#include "mm/runtime/deferred.h"
#include "mm/runtime/types.h"

/* Types may be advertised with several sizes; more than that is no driver's answer. */
#define AGPU_RUNTIME_HANDLE_SIZES 64u

/* The context's own handle of an immediate object. */
struct agpu_runtime_local {
    struct agpu_runtime_local *next;
    uint32_t type;
    const void *immediate, *resource; /* as in agpu_runtime_object */
    void *handle;                     /* pDrvPrivate; bytes of the driver's */
    size_t bytes;
};

struct agpu_runtime_deferred {
    struct agpu_runtime_device *device;
    struct agpu_runtime_deferred *next; /* of the device */
    struct agpu_runtime_driver driver;
    D3D10DDI_HDEVICE handle;
    size_t bytes; /* of the driver's memory behind it */
    D3D11DDI_DEVICECONTEXTFUNCS funcs;
    struct agpu_runtime_errors errors;
    D3D11DDI_HANDLESIZE sizes[AGPU_RUNTIME_HANDLE_SIZES];
    uint32_t size_count;
    struct agpu_runtime_local *locals;
    struct agpu_runtime_list *spare; /* recycled to this context; NULL = none */
};

struct agpu_runtime_list {
    struct agpu_runtime_device *device;
    struct agpu_runtime_driver driver;
    D3D11DDI_HCOMMANDLIST handle;
    size_t bytes;
};

#endif
