/* description.h: a resource as an application describes it to the runtime, and as the runtime describes it to a
 * driver. */
#ifndef AGPU_MM_RUNTIME_DESCRIPTION_H
#define AGPU_MM_RUNTIME_DESCRIPTION_H

#include <stdbool.h>

#include "umd-port/ddi/d3d10ddiarg.h"

/* Descriptions of buffers and textures, as CreateBuffer and CreateTexture2D take them, in one. */
struct agpu_resource_desc {
    uint32_t ResourceDimension; /* D3D10DDIRESOURCE_TYPE */
    uint32_t Usage;             /* D3D10_DDI_RESOURCE_USAGE */
    uint32_t BindFlags;
    uint32_t CPUAccessFlags;
    uint32_t MiscFlags;
    uint32_t Format;              /* DXGI_FORMAT; textures */
    uint32_t ByteWidth;           /* buffers */
    uint32_t StructureByteStride; /* buffers */
    uint32_t Width;               /* textures */
    uint32_t Height;
    uint32_t MipLevels;                                /* 0 = full chain */
    uint32_t ArraySize;                                /* 0 = 1 */
    DXGI_SAMPLE_DESC SampleDesc;                       /* Count 0 means 1 */
    const D3D10_DDIARG_SUBRESOURCE_UP *pInitialDataUP; /* NULL or count 0 = none */
    uint32_t InitialDataCount;                         /* textures: mips * layers; buffers use element 0 */
    const DXGI_DDI_PRIMARY_DESC *pPrimaryDesc;
};

/* The properties of a resource that rules for its use need. */
struct agpu_usage_resource {
    uint32_t dimension, usage, bind, cpu_access;
    uint32_t format; /* of textures */
    uint32_t width, height, mips, layers;
    bool opened; /* opened from another device: format and sizes are unknown */
};

/* Replaces the numbers that stand for "all" by what they mean. */
struct agpu_usage_resource agpu_usage_resource_of(const struct agpu_resource_desc *desc);

/* Returns whether initial data, if any, has one element for each subresource: a driver gets no number of elements. */
bool agpu_has_all_data(const struct agpu_resource_desc *desc);

#define AGPU_MIPS_MAX 32u

/* The driver's description and its list of mips. Must not move. */
struct agpu_resource_args {
    D3D11DDIARG_CREATERESOURCE args;
    D3D10DDI_MIPINFO mips[AGPU_MIPS_MAX];
};

/* Fills out and returns its args; NULL for NULL. */
const D3D11DDIARG_CREATERESOURCE *agpu_resource_args(const struct agpu_resource_desc *desc,
                                                     struct agpu_resource_args *out);

#endif
