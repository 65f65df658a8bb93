/* offered.h: which formats an adapter offers: the format table behind the adapter's gates (umd.md 2.3). */
#ifndef AGPU_UMD_FORMAT_OFFERED_H
#define AGPU_UMD_FORMAT_OFFERED_H

#include "umd-port/base/adapter.h"

/* Caps of a format as this adapter offers it; 0 when unknown or gated off. */
uint32_t agpu_adapter_format_caps(const struct agpu_adapter *adapter, uint32_t dxgi);
/* Protocol format to create with: sRGB falls back to its UNORM twin without the gate. 0: unknown, gated off,
 * or no texture format. */
uint32_t agpu_adapter_protocol_format(const struct agpu_adapter *adapter, uint32_t dxgi);
/* Multisample quality levels: 1 for a single sample of a format that can be a target, else 0. */
uint32_t agpu_adapter_multisample_levels(const struct agpu_adapter *adapter, uint32_t dxgi, uint32_t samples);

#endif
