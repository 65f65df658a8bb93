/* formats.c: converts formats of the protocol to Vulkan formats. */

#include "tests/device/render/vulkan/formats.h"
#include "pci/protocol/aerogpu_pci.h"

VkFormat vgpu_vk_format(const struct vgpu_vk *engine, uint32_t format)
{
    switch (format) {
    case AEROGPU_FORMAT_B8G8R8A8_UNORM:
    case AEROGPU_FORMAT_B8G8R8X8_UNORM:
        return VK_FORMAT_B8G8R8A8_UNORM;
    case AEROGPU_FORMAT_R8G8B8A8_UNORM:
    case AEROGPU_FORMAT_R8G8B8X8_UNORM:
        return VK_FORMAT_R8G8B8A8_UNORM;
    case AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB:
    case AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB:
        return VK_FORMAT_B8G8R8A8_SRGB;
    case AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB:
    case AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB:
        return VK_FORMAT_R8G8B8A8_SRGB;
    case AEROGPU_FORMAT_B5G6R5_UNORM: /* Vulkan names packed formats starting at the highest bit */
        return VK_FORMAT_R5G6B5_UNORM_PACK16;
    case AEROGPU_FORMAT_B5G5R5A1_UNORM:
        return VK_FORMAT_A1R5G5B5_UNORM_PACK16;
    case AEROGPU_FORMAT_D24_UNORM_S8_UINT:
        return engine->d24 ? VK_FORMAT_D24_UNORM_S8_UINT : VK_FORMAT_D32_SFLOAT_S8_UINT;
    case AEROGPU_FORMAT_D32_FLOAT:
        return VK_FORMAT_D32_SFLOAT;
    case AEROGPU_FORMAT_BC1_RGBA_UNORM:
        return VK_FORMAT_BC1_RGBA_UNORM_BLOCK;
    case AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB:
        return VK_FORMAT_BC1_RGBA_SRGB_BLOCK;
    case AEROGPU_FORMAT_BC2_RGBA_UNORM:
        return VK_FORMAT_BC2_UNORM_BLOCK;
    case AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB:
        return VK_FORMAT_BC2_SRGB_BLOCK;
    case AEROGPU_FORMAT_BC3_RGBA_UNORM:
        return VK_FORMAT_BC3_UNORM_BLOCK;
    case AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB:
        return VK_FORMAT_BC3_SRGB_BLOCK;
    case AEROGPU_FORMAT_BC7_RGBA_UNORM:
        return VK_FORMAT_BC7_UNORM_BLOCK;
    case AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB:
        return VK_FORMAT_BC7_SRGB_BLOCK;
    default:
        return VK_FORMAT_UNDEFINED;
    }
}

VkFormat vgpu_vk_sibling_format(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_B8G8R8A8_UNORM:
        return VK_FORMAT_B8G8R8A8_SRGB;
    case VK_FORMAT_B8G8R8A8_SRGB:
        return VK_FORMAT_B8G8R8A8_UNORM;
    case VK_FORMAT_R8G8B8A8_UNORM:
        return VK_FORMAT_R8G8B8A8_SRGB;
    case VK_FORMAT_R8G8B8A8_SRGB:
        return VK_FORMAT_R8G8B8A8_UNORM;
    case VK_FORMAT_BC1_RGBA_UNORM_BLOCK:
    case VK_FORMAT_BC2_UNORM_BLOCK:
    case VK_FORMAT_BC3_UNORM_BLOCK:
    case VK_FORMAT_BC7_UNORM_BLOCK:
        return (VkFormat)(format + 1);
    case VK_FORMAT_BC1_RGBA_SRGB_BLOCK:
    case VK_FORMAT_BC2_SRGB_BLOCK:
    case VK_FORMAT_BC3_SRGB_BLOCK:
    case VK_FORMAT_BC7_SRGB_BLOCK:
        return (VkFormat)(format - 1);
    default:
        return format;
    }
}

uint32_t vgpu_vk_block_edge(uint32_t format)
{
    return format >= AEROGPU_FORMAT_BC1_RGBA_UNORM ? 4 : 1;
}

uint32_t vgpu_vk_block_bytes(uint32_t format)
{
    switch (format) {
    case AEROGPU_FORMAT_B5G6R5_UNORM:
    case AEROGPU_FORMAT_B5G5R5A1_UNORM:
        return 2;
    case AEROGPU_FORMAT_BC1_RGBA_UNORM:
    case AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB:
        return 8;
    default:
        return format >= AEROGPU_FORMAT_BC2_RGBA_UNORM ? 16 : 4;
    }
}

bool vgpu_vk_format_x8(uint32_t format)
{
    return format == AEROGPU_FORMAT_B8G8R8X8_UNORM || format == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
           format == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB || format == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

/* The formats of commands.md 7, by DXGI number. */
static const VkFormat vertex_formats[] = {
    [2] = VK_FORMAT_R32G32B32A32_SFLOAT,
    [3] = VK_FORMAT_R32G32B32A32_UINT,
    [4] = VK_FORMAT_R32G32B32A32_SINT,
    [6] = VK_FORMAT_R32G32B32_SFLOAT,
    [7] = VK_FORMAT_R32G32B32_UINT,
    [8] = VK_FORMAT_R32G32B32_SINT,
    [10] = VK_FORMAT_R16G16B16A16_SFLOAT,
    [11] = VK_FORMAT_R16G16B16A16_UNORM,
    [12] = VK_FORMAT_R16G16B16A16_UINT,
    [13] = VK_FORMAT_R16G16B16A16_SNORM,
    [14] = VK_FORMAT_R16G16B16A16_SINT,
    [16] = VK_FORMAT_R32G32_SFLOAT,
    [17] = VK_FORMAT_R32G32_UINT,
    [18] = VK_FORMAT_R32G32_SINT,
    [24] = VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    [28] = VK_FORMAT_R8G8B8A8_UNORM,
    [29] = VK_FORMAT_R8G8B8A8_UNORM, /* Vulkan has no sRGB vertex data: read as linear */
    [30] = VK_FORMAT_R8G8B8A8_UINT,
    [31] = VK_FORMAT_R8G8B8A8_SNORM,
    [32] = VK_FORMAT_R8G8B8A8_SINT,
    [34] = VK_FORMAT_R16G16_SFLOAT,
    [35] = VK_FORMAT_R16G16_UNORM,
    [36] = VK_FORMAT_R16G16_UINT,
    [37] = VK_FORMAT_R16G16_SNORM,
    [38] = VK_FORMAT_R16G16_SINT,
    [41] = VK_FORMAT_R32_SFLOAT,
    [42] = VK_FORMAT_R32_UINT,
    [43] = VK_FORMAT_R32_SINT,
    [49] = VK_FORMAT_R8G8_UNORM,
    [50] = VK_FORMAT_R8G8_UINT,
    [51] = VK_FORMAT_R8G8_SNORM,
    [52] = VK_FORMAT_R8G8_SINT,
    [54] = VK_FORMAT_R16_SFLOAT,
    [56] = VK_FORMAT_R16_UNORM,
    [57] = VK_FORMAT_R16_UINT,
    [58] = VK_FORMAT_R16_SNORM,
    [59] = VK_FORMAT_R16_SINT,
    [87] = VK_FORMAT_B8G8R8A8_UNORM,
    [91] = VK_FORMAT_B8G8R8A8_UNORM,
};

VkFormat vgpu_vk_vertex_format(const struct vgpu_wire_attribute *attribute)
{
    /* 32-bit data has the type that the shader declares: Direct3D does not convert it. Starting at these
     * numbers, the formats are in the order float, uint, sint. */
    static const uint8_t wide[] = {2, 6, 16, 41};
    uint32_t number = attribute->dxgi_format;
    for (uint32_t i = 0; i < sizeof wide; i++) {
        if (number >= wide[i] && number < wide[i] + 3u) {
            number = wide[i] + (attribute->component_type == VGPU_DXBC_UINT  ? 1u
                                : attribute->component_type == VGPU_DXBC_INT ? 2u
                                                                             : 0u);
        }
    }
    return number < sizeof vertex_formats / sizeof *vertex_formats ? vertex_formats[number]
                                                                   : VK_FORMAT_UNDEFINED;
}
