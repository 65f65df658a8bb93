/* creation.h: creation entries of the device tables: the creating functions, whose failures go to SetErrorCb. */
#ifndef AGPU_UMD_ENTRY_CREATION_H
#define AGPU_UMD_ENTRY_CREATION_H

#include "umd-port/ddi/d3d11creations.h"

/* agpu_entry_<function>(): the function as an entry without a result. */
#define AGPU_DECLARE_CREATION(name, api, args_type, handle_type, runtime_type)                               \
    void agpu_entry_##name(D3D10DDI_HDEVICE, const args_type *, handle_type, runtime_type);
AGPU_CREATE_RESOURCE(AGPU_DECLARE_CREATION, D3D11DDIARG_CREATERESOURCE)
AGPU_CREATIONS(AGPU_DECLARE_CREATION)
AGPU_CREATIONS11(AGPU_DECLARE_CREATION)
#define AGPU_CREATION_ENTRY(name, api, args_type, handle_type, runtime_type) .pfn##api = agpu_entry_##name,

#endif
