/* adapter.h: one opened adapter: the kernel driver's description of the device, and the gates that follow from it
 * (umd.md 2.3, 3.1). */
#ifndef AGPU_UMD_BASE_ADAPTER_H
#define AGPU_UMD_BASE_ADAPTER_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_umd_private.h"
#include "umd-port/ddi/d3d10umddi.h"
#include "umd-port/ddi/environment.h"

struct agpu_adapter {
    /* The kernel driver's record. Gates read it at each call, because a test may rewrite it while devices exist. */
    struct aerogpu_umd_private_v1 info;
    bool info_valid;
    uint32_t interface;   /* D3D10_0_DDI_INTERFACE_VERSION and its like */
    uint32_t next_handle; /* used when the environment counts no handles */
    D3D10DDI_HRTADAPTER runtime;
    const D3DDDI_ADAPTERCALLBACKS *callbacks;
    const struct agpu_umd_environment *env;
};

bool agpu_gate_transfer(const struct agpu_adapter *adapter);
bool agpu_gate_srgb(const struct agpu_adapter *adapter);
bool agpu_gate_bc(const struct agpu_adapter *adapter);
bool agpu_gate_texture_view(const struct agpu_adapter *adapter);
bool agpu_gate_vblank(const struct agpu_adapter *adapter);

/* Returns a new protocol object handle, never 0 in its low 31 bits (umd.md 3.1). */
uint32_t agpu_adapter_next_handle(struct agpu_adapter *adapter);

#endif
