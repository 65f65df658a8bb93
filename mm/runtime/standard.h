/* standard.h: a surface that the kernel side creates and the user-mode driver only opens: a standard cross-adapter
 * allocation (vidmm.md 9). It is exported on the device under its token. */
#ifndef AGPU_MM_RUNTIME_STANDARD_H
#define AGPU_MM_RUNTIME_STANDARD_H

#include "mm/runtime/runtime.h"

/* Request and result. The caller zeroes all but the first four members. */
struct agpu_standard_surface {
    uint32_t width, height;
    uint32_t dxgi_format; /* DXGI_FORMAT_B8G8R8A8_UNORM or DXGI_FORMAT_R8G8B8A8_UNORM */
    bool texture;         /* the opener will sample from it: tier 2 */
    /* out */
    uint64_t token; /* for opening it (agpu_runtime_open_shared()) */
    uint32_t pitch, rows;
    uint64_t bytes;
    struct agpu_runtime_device *device; /* device of the kernel side */
    HANDLE context;
    D3DKMT_HANDLE allocation, resource;
    uint32_t object; /* protocol handle */
    bool announced;  /* exported on the device */
};

/* Creates the surface, also on the device. E_INVALIDARG for another format or a size of 0; errors of AllocateCb and
 * RenderCb; on error nothing stays allocated. */
HRESULT agpu_runtime_standard_create(struct agpu_runtime *runtime, struct agpu_standard_surface *surface);
/* Maps the pixels, like the second adapter, until agpu_runtime_standard_unlock(). Waits for pending writes. */
HRESULT agpu_runtime_standard_lock(struct agpu_standard_surface *surface, void **data);
void agpu_runtime_standard_unlock(struct agpu_standard_surface *surface);
/* Destroys the surface. Processes that have opened it keep it. */
void agpu_runtime_standard_destroy(struct agpu_standard_surface *surface);

#endif
