/* adapter.h: one opened adapter: what the kernel driver said about the device, and the gates that follow from
 * it (umd.md 2.3, 14). */
#ifndef AGPU_UMD_ENTRY_ADAPTER_H
#define AGPU_UMD_ENTRY_ADAPTER_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_umd_private.h"
#include "umd-port/ddi/d3d10umddi.h"
#include "umd-port/ddi/environment.h"
#include "umd-port/format/format.h"

struct agpu_adapter {
    /* The kernel driver's record. Gates read it at each call: a test may rewrite it while devices live. */
    struct aerogpu_umd_private_v1 info;
    bool info_valid;
    uint32_t interface;   /* D3D10_0_DDI_INTERFACE_VERSION and its like */
    uint32_t next_handle; /* used while the environment counts no handles */
    D3D10DDI_HRTADAPTER runtime;
    const D3DDDI_ADAPTERCALLBACKS *callbacks;
    const struct agpu_umd_environment *env;
};

bool agpu_gate_transfer(const struct agpu_adapter *adapter);
bool agpu_gate_srgb(const struct agpu_adapter *adapter);
bool agpu_gate_bc(const struct agpu_adapter *adapter);
bool agpu_gate_texture_view(const struct agpu_adapter *adapter);
bool agpu_gate_vblank(const struct agpu_adapter *adapter);

/* Caps of a format as this adapter offers it; 0 when unknown or gated off. */
uint32_t agpu_adapter_format_caps(const struct agpu_adapter *adapter, uint32_t dxgi);
/* Protocol format to create with: sRGB falls back to its UNORM twin without the gate. 0: unknown, gated off,
 * or no texture format. */
uint32_t agpu_adapter_protocol_format(const struct agpu_adapter *adapter, uint32_t dxgi);

/* A protocol object handle, never 0 in its low 31 bits (umd.md 3.1). */
uint32_t agpu_adapter_next_handle(struct agpu_adapter *adapter);

/* pfnGetCaps of both adapter tables. */
HRESULT agpu_adapter_get_caps(D3D10DDI_HADAPTER adapter, const D3D10_2DDIARG_GETCAPS *args);
/* Multisample quality levels: 1 for a single sample of a format that can be a target, else 0. */
uint32_t agpu_adapter_multisample_levels(const struct agpu_adapter *adapter, uint32_t dxgi, uint32_t samples);

#endif
