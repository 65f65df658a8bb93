/* format.h: the texture and buffer formats of the API, their protocol formats and their capabilities (umd.md 2). */
#ifndef AGPU_UMD_FORMAT_FORMAT_H
#define AGPU_UMD_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "umd-port/base/adapter.h"
#include "umd-port/ddi/d3d10ddihandle.h"

/* Capabilities of a format; the letters of umd.md 2.1 are sums of these. */
enum agpu_format_cap {
    AGPU_CAP_BUFFER = 1 << 0,
    AGPU_CAP_IA_VERTEX = 1 << 1,
    AGPU_CAP_IA_INDEX = 1 << 2,
    AGPU_CAP_TEXTURE2D = 1 << 3,
    AGPU_CAP_SHADER_SAMPLE = 1 << 4,
    AGPU_CAP_RENDER_TARGET = 1 << 5,
    AGPU_CAP_BLEND = 1 << 6,
    AGPU_CAP_DEPTH_STENCIL = 1 << 7,
    AGPU_CAP_CPU_LOCK = 1 << 8,
    AGPU_CAP_DISPLAY = 1 << 9,
};

struct agpu_format {
    uint8_t dxgi;
    uint8_t protocol; /* AEROGPU_FORMAT_*; 0: not a texture format */
    uint8_t bytes;    /* per texel, or per block */
    uint8_t block;    /* edge of a block in texels: 1 or 4 */
    uint8_t unorm;    /* sRGB formats: the UNORM format used without the sRGB gate; 0 else */
    uint8_t family;   /* formats of one family are related (agpu_format_related()); 0 = none of its own */
    uint16_t caps;    /* enum agpu_format_cap, all gates open */
};

/* True when texels of one format are valid texels of the other: copies between them, and views as the other. */
bool agpu_format_related(uint32_t dxgi, uint32_t other);

/* Returns the format's record, NULL for unknown numbers. */
const struct agpu_format *agpu_format_find(uint32_t dxgi);

static inline bool agpu_format_is_bc(const struct agpu_format *format)
{
    return format->block != 1;
}

/* Returns the D3D FORMAT_SUPPORT word of a caps mask (umd.md 2.2). */
uint32_t agpu_format_support_word(uint32_t caps);
/* Converts the D3D9 format of a legacy shared surface (umd.md 2.4) to DXGI; *bytes per pixel. 0: reject. */
uint32_t agpu_format_from_d3d9(uint32_t d3dfmt, uint32_t *bytes);

/* Returns the caps of a format on this adapter; 0 when it is unknown or gated off. */
uint32_t agpu_adapter_format_caps(const struct agpu_adapter *adapter, uint32_t dxgi);
/* Returns the protocol format for creation: sRGB falls back to its UNORM twin without the gate. 0: unknown, gated off,
 * or not a texture format. */
uint32_t agpu_adapter_protocol_format(const struct agpu_adapter *adapter, uint32_t dxgi);
/* Returns the multisample quality levels: 1 for a single sample of a format that can be a target, else 0. */
uint32_t agpu_adapter_multisample_levels(const struct agpu_adapter *adapter, uint32_t dxgi, uint32_t samples);

#endif
