/* umd_rig.h: opens the whole driver stack for a case: ported user-mode driver over memory manager over ring, used as
 * the Direct3D 11 runtime uses it. */
#ifndef AGPU_CASES_RIG_UMD_RIG_H
#define AGPU_CASES_RIG_UMD_RIG_H

#include "mm/runtime/saved_state.h"
#include "mm/runtime/local_sizes.h"
#include "mm/runtime/runtime.h"
#include "mm/runtime/usage.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "mm/runtime/api.h"

/* Maximum number of live resources of a case; those left are destroyed after it, newest first. */
#define AGPU_UMD_RESOURCES_MAX 1600u

struct agpu_umd_rig {
    const struct agpu_function *function;
    struct agpu_runtime *runtime; /* NULL: closed */
    struct agpu_runtime_device *runtime_device;
    D3D10DDI_HADAPTER adapter;
    D3D11DDI_ADAPTERFUNCS adapter_funcs;
    D3D10DDI_HDEVICE device;
    struct agpu_api_device funcs;
    struct agpu_api_context context;
    struct agpu_usage *usage; /* checks the runtime's usage rules in front of funcs and context */
    D3D10DDI_HRESOURCE resources[AGPU_UMD_RESOURCES_MAX];
    uint32_t resource_count;
};

/* A program's view of every device that is opened (tests/ddi). */
struct agpu_umd_watch {
    /* Returns the callbacks for CreateDevice, which pass each call on to those of the rig. */
    const D3DDDI_DEVICECALLBACKS *(*callbacks)(void);
    const D3D10DDI_CORELAYER_DEVICECALLBACKS *(*core_callbacks)(void);
    /* Called before the usage rules are put in front of the driver's tables; may replace their entries. */
    void (*opened)(struct agpu_umd_rig *umd, const struct agpu_runtime_config *config);
};
/* Watches the devices that are opened from now on; NULL: none. */
void agpu_umd_set_watch(const struct agpu_umd_watch *watch);

/* Opens runtime, adapter and a Direct3D 11 device over the transport that the configuration names. Errors:
 * AGPU_ERR_NO_MEMORY; AGPU_ERR_INVALID for a configuration that is refused (agpu_runtime_refusal());
 * AGPU_ERR_PLATFORM if the driver refuses to open. On error nothing stays allocated. */
enum agpu_status agpu_umd_open(struct agpu_umd_rig *umd, const struct agpu_function *function,
                               const struct agpu_runtime_config *config);

/* Closes everything. Returns false if the driver kept something that was passed to it: why names the leak. */
bool agpu_umd_close(struct agpu_umd_rig *umd, struct agpu_text *why);

#endif
