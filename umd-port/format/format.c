/* format.c: the format table of umd.md 2.1 and its conversions. */
#include "umd-port/format/format.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_pci.h"

#define COLOR                                                                                                \
    (AGPU_CAP_TEXTURE2D | AGPU_CAP_RENDER_TARGET | AGPU_CAP_SHADER_SAMPLE | AGPU_CAP_DISPLAY |               \
     AGPU_CAP_BLEND | AGPU_CAP_CPU_LOCK)
#define TEXTURE (AGPU_CAP_TEXTURE2D | AGPU_CAP_SHADER_SAMPLE | AGPU_CAP_CPU_LOCK)
#define DEPTH   (AGPU_CAP_TEXTURE2D | AGPU_CAP_DEPTH_STENCIL)
#define INDEX   (AGPU_CAP_BUFFER | AGPU_CAP_IA_INDEX)
#define VERTEX  (AGPU_CAP_BUFFER | AGPU_CAP_IA_VERTEX)

/* Families of related formats. */
enum { NONE, BGRA8, BGRX8, RGBA8, BC1, BC2, BC3, BC7 };

static const struct agpu_format formats[] = {
    {DXGI_FORMAT_B5G6R5_UNORM, AEROGPU_FORMAT_B5G6R5_UNORM, 2, 1, 0, NONE, COLOR},
    {DXGI_FORMAT_B5G5R5A1_UNORM, AEROGPU_FORMAT_B5G5R5A1_UNORM, 2, 1, 0, NONE, COLOR},
    {DXGI_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_B8G8R8A8_UNORM, 4, 1, 0, BGRA8, COLOR},
    {DXGI_FORMAT_B8G8R8A8_TYPELESS, AEROGPU_FORMAT_B8G8R8A8_UNORM, 4, 1, 0, BGRA8, COLOR},
    {DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, 4, 1, DXGI_FORMAT_B8G8R8A8_UNORM,
     BGRA8, COLOR},
    {DXGI_FORMAT_B8G8R8X8_UNORM, AEROGPU_FORMAT_B8G8R8X8_UNORM, 4, 1, 0, BGRX8, COLOR},
    {DXGI_FORMAT_B8G8R8X8_TYPELESS, AEROGPU_FORMAT_B8G8R8X8_UNORM, 4, 1, 0, BGRX8, COLOR},
    {DXGI_FORMAT_B8G8R8X8_UNORM_SRGB, AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB, 4, 1, DXGI_FORMAT_B8G8R8X8_UNORM,
     BGRX8, COLOR},
    {DXGI_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 1, 0, RGBA8, COLOR},
    {DXGI_FORMAT_R8G8B8A8_TYPELESS, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 1, 0, RGBA8, COLOR},
    {DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, 4, 1, DXGI_FORMAT_R8G8B8A8_UNORM,
     RGBA8, COLOR},
    {DXGI_FORMAT_BC1_TYPELESS, AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, 4, 0, BC1, TEXTURE},
    {DXGI_FORMAT_BC1_UNORM, AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, 4, 0, BC1, TEXTURE},
    {DXGI_FORMAT_BC1_UNORM_SRGB, AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB, 8, 4, 0, BC1, TEXTURE},
    {DXGI_FORMAT_BC2_TYPELESS, AEROGPU_FORMAT_BC2_RGBA_UNORM, 16, 4, 0, BC2, TEXTURE},
    {DXGI_FORMAT_BC2_UNORM, AEROGPU_FORMAT_BC2_RGBA_UNORM, 16, 4, 0, BC2, TEXTURE},
    {DXGI_FORMAT_BC2_UNORM_SRGB, AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB, 16, 4, 0, BC2, TEXTURE},
    {DXGI_FORMAT_BC3_TYPELESS, AEROGPU_FORMAT_BC3_RGBA_UNORM, 16, 4, 0, BC3, TEXTURE},
    {DXGI_FORMAT_BC3_UNORM, AEROGPU_FORMAT_BC3_RGBA_UNORM, 16, 4, 0, BC3, TEXTURE},
    {DXGI_FORMAT_BC3_UNORM_SRGB, AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB, 16, 4, 0, BC3, TEXTURE},
    {DXGI_FORMAT_BC7_TYPELESS, AEROGPU_FORMAT_BC7_RGBA_UNORM, 16, 4, 0, BC7, TEXTURE},
    {DXGI_FORMAT_BC7_UNORM, AEROGPU_FORMAT_BC7_RGBA_UNORM, 16, 4, 0, BC7, TEXTURE},
    {DXGI_FORMAT_BC7_UNORM_SRGB, AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB, 16, 4, 0, BC7, TEXTURE},
    {DXGI_FORMAT_D24_UNORM_S8_UINT, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 4, 1, 0, NONE, DEPTH},
    {DXGI_FORMAT_D32_FLOAT, AEROGPU_FORMAT_D32_FLOAT, 4, 1, 0, NONE, DEPTH},
    {DXGI_FORMAT_R16_UINT, 0, 2, 1, 0, NONE, INDEX},
    {DXGI_FORMAT_R32_UINT, 0, 4, 1, 0, NONE, INDEX},
    {DXGI_FORMAT_R32_TYPELESS, 0, 4, 1, 0, NONE, AGPU_CAP_BUFFER},
    {DXGI_FORMAT_R32_FLOAT, 0, 4, 1, 0, NONE, AGPU_CAP_BUFFER},
    {DXGI_FORMAT_R32_SINT, 0, 4, 1, 0, NONE, AGPU_CAP_BUFFER},
    {DXGI_FORMAT_R32G32_FLOAT, 0, 8, 1, 0, NONE, VERTEX},
    {DXGI_FORMAT_R32G32B32_FLOAT, 0, 12, 1, 0, NONE, VERTEX},
    {DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 16, 1, 0, NONE, VERTEX},
};

const struct agpu_format *agpu_format_find(uint32_t dxgi)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].dxgi == dxgi) {
            return &formats[i];
        }
    }
    return NULL;
}

bool agpu_format_related(uint32_t dxgi, uint32_t other)
{
    const struct agpu_format *a = agpu_format_find(dxgi), *b = agpu_format_find(other);

    return a != NULL && b != NULL && (a == b || (a->family && a->family == b->family));
}

uint32_t agpu_format_support_word(uint32_t caps)
{
    /* D3D10_FORMAT_SUPPORT bits. */
    static const struct {
        uint32_t cap, bits;
    } map[] = {
        {AGPU_CAP_BUFFER, 0x1 | 0x100}, /* BUFFER, SHADER_LOAD */
        {AGPU_CAP_IA_VERTEX, 0x2},         {AGPU_CAP_IA_INDEX, 0x4},         {AGPU_CAP_TEXTURE2D, 0x20},
        {AGPU_CAP_SHADER_SAMPLE, 0x200},   {AGPU_CAP_RENDER_TARGET, 0x4000}, {AGPU_CAP_BLEND, 0x8000},
        {AGPU_CAP_DEPTH_STENCIL, 0x10000}, {AGPU_CAP_CPU_LOCK, 0x20000},     {AGPU_CAP_DISPLAY, 0x80000},
    };
    uint32_t word = 0;
    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++) {
        if (caps & map[i].cap) {
            word |= map[i].bits;
        }
    }
    return word;
}

uint32_t agpu_format_from_d3d9(uint32_t d3dfmt, uint32_t *bytes)
{
    /* D3DFMT numbers. */
    static const struct {
        uint8_t d3dfmt, dxgi, bytes;
    } map[] = {
        {21, DXGI_FORMAT_B8G8R8A8_UNORM, 4}, /* A8R8G8B8 */
        {22, DXGI_FORMAT_B8G8R8X8_UNORM, 4}, /* X8R8G8B8 */
        {23, DXGI_FORMAT_B5G6R5_UNORM, 2},   /* R5G6B5 */
        {24, DXGI_FORMAT_B5G5R5A1_UNORM, 2}, /* X1R5G5B5 */
        {25, DXGI_FORMAT_B5G5R5A1_UNORM, 2}, /* A1R5G5B5 */
        {32, DXGI_FORMAT_R8G8B8A8_UNORM, 4}, /* A8B8G8R8 */
        {33, DXGI_FORMAT_R8G8B8A8_UNORM, 4}, /* X8B8G8R8 */
    };
    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++) {
        if (map[i].d3dfmt == d3dfmt) {
            *bytes = map[i].bytes;
            return map[i].dxgi;
        }
    }
    return 0;
}

uint32_t agpu_adapter_format_caps(const struct agpu_adapter *adapter, uint32_t dxgi)
{
    const struct agpu_format *format = agpu_format_find(dxgi);

    if (format == NULL || (format->unorm && !agpu_gate_srgb(adapter)) ||
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
    if (format->unorm && !agpu_gate_srgb(adapter)) {
        format = agpu_format_find(format->unorm);
    }
    return format->protocol;
}

uint32_t agpu_adapter_multisample_levels(const struct agpu_adapter *adapter, uint32_t dxgi, uint32_t samples)
{
    uint32_t caps = agpu_adapter_format_caps(adapter, dxgi);

    return samples == 1 && (caps & AGPU_CAP_TEXTURE2D) &&
           (caps & (AGPU_CAP_RENDER_TARGET | AGPU_CAP_DEPTH_STENCIL));
}
