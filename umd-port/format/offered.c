/* offered.c: format caps and protocol formats behind the gates (umd.md 2.3). */
#include "umd-port/format/offered.h"

#include "pci/protocol/aerogpu_pci.h"
#include "umd-port/format/format.h"

uint32_t agpu_adapter_format_caps(const struct agpu_adapter *adapter, uint32_t dxgi)
{
    const struct agpu_format *format = agpu_format_find(dxgi);

    if (format == NULL || (format->srgb_twin && !agpu_gate_srgb(adapter)) ||
        (agpu_format_is_bc(format) && !agpu_gate_bc(adapter))) {
        return 0;
    }
    return format->caps;
}

uint32_t agpu_adapter_protocol_format(const struct agpu_adapter *adapter, uint32_t dxgi)
{
    const struct agpu_format *format = agpu_format_find(dxgi);

    if (format == NULL || (agpu_format_is_bc(format) && !agpu_gate_bc(adapter))) {
        return AEROGPU_FORMAT_INVALID;
    }
    if (format->srgb_twin && !agpu_gate_srgb(adapter)) {
        format = agpu_format_find(format->srgb_twin);
    }
    return format->protocol;
}

uint32_t agpu_adapter_multisample_levels(const struct agpu_adapter *adapter, uint32_t dxgi, uint32_t samples)
{
    uint32_t caps = agpu_adapter_format_caps(adapter, dxgi);

    return samples == 1 && (caps & AGPU_CAP_TEXTURE2D) &&
           (caps & (AGPU_CAP_RENDER_TARGET | AGPU_CAP_DEPTH_STENCIL));
}
