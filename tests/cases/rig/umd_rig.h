/* umd_rig.h: the whole driver stack opened for a case: ported user-mode driver over memory manager over ring,
 * seen as the Direct3D 11 runtime sees it. */
#ifndef AGPU_CASES_RIG_UMD_RIG_H
#define AGPU_CASES_RIG_UMD_RIG_H

#include "mm/runtime/kept_state.h"
#include "mm/runtime/local_sizes.h"
#include "mm/runtime/runtime.h"
#include "mm/runtime/usage.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "umd-port/ddi/d3d11umddi.h"

/* Resources that one case may have alive; what it leaves is destroyed for it, newest first. */
#define AGPU_UMD_RESOURCES_MAX 1600u

struct agpu_umd_rig {
    const struct agpu_function *function;
    struct agpu_runtime *runtime; /* NULL: closed */
    struct agpu_runtime_device *runtime_device;
    D3D10DDI_HADAPTER adapter;
    D3D11DDI_ADAPTERFUNCS adapter_funcs;
    D3D10DDI_HDEVICE device;
    D3D11DDI_DEVICEFUNCS funcs;
    D3D11DDI_DEVICECONTEXTFUNCS context;
    struct agpu_usage *usage; /* the runtime's usage rules, which funcs and context stand behind */
    D3D10DDI_HRESOURCE resources[AGPU_UMD_RESOURCES_MAX];
    uint32_t resource_count;
};

/* Opens runtime, adapter and a Direct3D 11 device over the transport that the configuration names.
 * AGPU_ERR_NO_MEMORY; AGPU_ERR_INVALID for a configuration that is refused (agpu_runtime_refusal()); AGPU_ERR_PLATFORM when the driver refuses to open. Nothing is kept on error. */
enum agpu_status agpu_umd_open(struct agpu_umd_rig *umd, const struct agpu_function *function,
                               const struct agpu_runtime_config *config);

/* Closes everything. False when the driver kept something that it was given: the leak is named in why. */
bool agpu_umd_close(struct agpu_umd_rig *umd, struct agpu_text *why);

#endif
