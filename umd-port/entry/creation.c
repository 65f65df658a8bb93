/* creation.c: creation entries that report failures through SetErrorCb (umd.md 3.1). */
#include "umd-port/entry/creation.h"

#include "umd-port/base/query.h"
#include "umd-port/base/track.h"
#include "umd-port/resource/create.h"
#include "umd-port/resource/open.h"
#include "umd-port/state/fixed.h"
#include "umd-port/state/input.h"
#include "umd-port/state/samplers.h"
#include "umd-port/state/shaders.h"
#include "umd-port/state/views.h"

#define REPORTED(name, api, args_type, handle_type, runtime_type)                                            \
    void agpu_entry_##name(D3D10DDI_HDEVICE device, const args_type *args, handle_type object,               \
                           runtime_type runtime)                                                             \
    {                                                                                                        \
        bool oom_before = agpu_list_oom_of(device);                                                          \
                                                                                                             \
        agpu_report_creation(device, oom_before, agpu_##name(device, args, object, runtime));                \
    }
AGPU_CREATE_RESOURCE(REPORTED, D3D11DDIARG_CREATERESOURCE)
AGPU_CREATIONS(REPORTED)
AGPU_CREATIONS11(REPORTED)
