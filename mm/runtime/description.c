/* description.c: converts an application's description of a resource to the driver's. */
#include "mm/runtime/description.h"

static uint32_t full_chain(uint32_t width, uint32_t height)
{
    uint32_t size = width > height ? width : height;
    uint32_t mips = 1;

    while (size > 1u) {
        size /= 2u;
        mips++;
    }
    return mips;
}

struct agpu_usage_resource agpu_usage_resource_of(const struct agpu_resource_desc *desc)
{
    bool buffer = desc->ResourceDimension == D3D10DDIRESOURCE_BUFFER;
    bool all_mips = desc->MipLevels == 0 || desc->MipLevels == AGPU_DDI_ALL_REMAINING;
    bool one_layer = desc->ArraySize == 0 || desc->ArraySize == AGPU_DDI_ALL_REMAINING;

    return (struct agpu_usage_resource){
        .dimension = desc->ResourceDimension,
        .usage = desc->Usage,
        .bind = desc->BindFlags,
        .cpu_access = desc->CPUAccessFlags,
        .format = buffer ? DXGI_FORMAT_UNKNOWN : desc->Format,
        .width = buffer ? desc->ByteWidth : desc->Width,
        .height = buffer ? 1 : desc->Height,
        .mips = buffer     ? 1
                : all_mips ? full_chain(desc->Width, desc->Height)
                           : desc->MipLevels,
        .layers = buffer || one_layer ? 1 : desc->ArraySize,
    };
}

/* BC1 to BC5, BC6H and BC7. */
static bool has_blocks(uint32_t format)
{
    return (format >= DXGI_FORMAT_BC1_TYPELESS && format <= 84u) ||
           (format >= 94u && format <= DXGI_FORMAT_BC7_UNORM_SRGB);
}

static void fill_mips(const struct agpu_usage_resource *resource, D3D10DDI_MIPINFO mips[AGPU_MIPS_MAX])
{
    uint32_t padding = has_blocks(resource->format) ? 3 : 0;
    uint32_t width = resource->width, height = resource->height;

    for (uint32_t i = 0; i < resource->mips && i < AGPU_MIPS_MAX; i++) {
        mips[i] = (D3D10DDI_MIPINFO){.TexelWidth = width,
                                     .TexelHeight = height,
                                     .TexelDepth = 1,
                                     .PhysicalWidth = (width + padding) & ~padding,
                                     .PhysicalHeight = (height + padding) & ~padding,
                                     .PhysicalDepth = 1};
        width = width > 1 ? width / 2 : width;
        height = height > 1 ? height / 2 : height;
    }
}

static bool has_initial_data(const struct agpu_resource_desc *desc)
{
    return desc->pInitialDataUP != NULL && desc->InitialDataCount != 0;
}

bool agpu_has_all_data(const struct agpu_resource_desc *desc)
{
    const struct agpu_usage_resource resource = agpu_usage_resource_of(desc);

    return !has_initial_data(desc) || resource.dimension == D3D10DDIRESOURCE_BUFFER ||
           desc->InitialDataCount == (uint64_t)resource.mips * resource.layers;
}

const D3D11DDIARG_CREATERESOURCE *agpu_resource_args(const struct agpu_resource_desc *desc,
                                                     struct agpu_resource_args *out)
{
    if (desc == NULL) {
        return NULL;
    }
    const struct agpu_usage_resource resource = agpu_usage_resource_of(desc);
    fill_mips(&resource, out->mips);
    out->args = (D3D11DDIARG_CREATERESOURCE){
        .pMipInfoList = out->mips,
        .pInitialDataUP = has_initial_data(desc) ? desc->pInitialDataUP : NULL,
        .ResourceDimension = resource.dimension,
        .Usage = resource.usage,
        .BindFlags = resource.bind,
        .MapFlags = resource.cpu_access,
        .MiscFlags = desc->MiscFlags,
        .Format = resource.format,
        .SampleDesc = desc->SampleDesc,
        .MipLevels = resource.mips,
        .ArraySize = resource.layers,
        .pPrimaryDesc = desc->pPrimaryDesc,
        .ByteStride = desc->StructureByteStride,
    };
    return &out->args;
}
