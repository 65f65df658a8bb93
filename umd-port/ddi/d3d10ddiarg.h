/* d3d10ddiarg.h: argument structures of the Direct3D 10 and 11 driver entry points. Where the kit has one form per
 * interface version, the driver uses one that covers all. Pointers are read during the call only. */
#ifndef AGPU_UMD_DDI_D3D10DDIARG_H
#define AGPU_UMD_DDI_D3D10DDIARG_H

#include "umd-port/ddi/d3d10ddihandle.h"

typedef struct DXGI_SAMPLE_DESC {
    uint32_t Count;   /* 1 */
    uint32_t Quality; /* 0 */
} DXGI_SAMPLE_DESC;

/* One subresource of initial data. */
typedef struct D3D10_DDIARG_SUBRESOURCE_UP {
    const void *pSysMem;
    uint32_t SysMemPitch;      /* bytes per row (of blocks); 0 = tight */
    uint32_t SysMemSlicePitch; /* ignored */
} D3D10_DDIARG_SUBRESOURCE_UP;

typedef struct DXGI_DDI_MODE_DESC {
    uint32_t Width;
    uint32_t Height;
    uint32_t Format;
    uint32_t RefreshRate[2]; /* numerator, denominator */
    uint32_t ScanlineOrdering;
    uint32_t Rotation;
    uint32_t Scaling;
} DXGI_DDI_MODE_DESC;

/* Present on resources that may be scanned out. */
typedef struct DXGI_DDI_PRIMARY_DESC {
    uint32_t Flags;
    uint32_t VidPnSourceId;
    DXGI_DDI_MODE_DESC ModeDesc; /* not used, like DriverFlags */
    uint32_t DriverFlags;
} DXGI_DDI_PRIMARY_DESC;

/* Sizes of one mip; the physical ones in whole blocks. */
typedef struct D3D10DDI_MIPINFO {
    uint32_t TexelWidth; /* buffers: bytes */
    uint32_t TexelHeight;
    uint32_t TexelDepth;
    uint32_t PhysicalWidth;
    uint32_t PhysicalHeight;
    uint32_t PhysicalDepth;
} D3D10DDI_MIPINFO;

#define AGPU_DDI_CREATERESOURCE_MEMBERS                                                                      \
    const D3D10DDI_MIPINFO *pMipInfoList;              /* MipLevels elements */                              \
    const D3D10_DDIARG_SUBRESOURCE_UP *pInitialDataUP; /* MipLevels * ArraySize elements; NULL = none */     \
    uint32_t ResourceDimension;                        /* D3D10DDIRESOURCE_TYPE */                           \
    uint32_t Usage;                                    /* D3D10_DDI_RESOURCE_USAGE */                        \
    uint32_t BindFlags;                                                                                      \
    uint32_t MapFlags; /* D3D10_DDI_CPU_ACCESS_ */                                                           \
    uint32_t MiscFlags;                                                                                      \
    uint32_t Format;             /* DXGI_FORMAT; textures */                                                 \
    DXGI_SAMPLE_DESC SampleDesc; /* Count 0 means 1 */                                                       \
    uint32_t MipLevels;          /* buffers: 1 */                                                            \
    uint32_t ArraySize;          /* buffers: 1 */                                                            \
    const DXGI_DDI_PRIMARY_DESC *pPrimaryDesc;
typedef struct D3D10DDIARG_CREATERESOURCE {
    AGPU_DDI_CREATERESOURCE_MEMBERS
} D3D10DDIARG_CREATERESOURCE;
/* Direct3D 10 has its members first, at the same offsets. */
typedef struct D3D11DDIARG_CREATERESOURCE {
    AGPU_DDI_CREATERESOURCE_MEMBERS
    uint32_t ByteStride; /* structured buffers */
} D3D11DDIARG_CREATERESOURCE;

/* One allocation of a shared resource that is being opened. */
typedef struct D3DDDI_OPENALLOCATIONINFO {
    D3DKMT_HANDLE hAllocation;
    const void *pPrivateDriverData; /* aerogpu_wddm_alloc_priv of the creator, version 1 or 2 */
    uint32_t PrivateDriverDataSize;
} D3DDDI_OPENALLOCATIONINFO;

typedef struct D3D10DDIARG_OPENRESOURCE {
    uint32_t NumAllocations;
    const D3DDDI_OPENALLOCATIONINFO *pOpenAllocationInfo;
    D3DKMT_HANDLE hKMResource;
    D3DKMT_HANDLE hAllocation;      /* 0: taken from pOpenAllocationInfo */
    const void *pPrivateDriverData; /* NULL: taken from pOpenAllocationInfo */
    uint32_t PrivateDriverDataSize;
    uint32_t Usage;
    uint32_t BindFlags;
    uint32_t MiscFlags;
    uint32_t CPUAccessFlags;
} D3D10DDIARG_OPENRESOURCE;

typedef struct D3D10DDI_MAPPED_SUBRESOURCE {
    void *pData;
    uint32_t RowPitch;   /* 0 for buffers */
    uint32_t DepthPitch; /* bytes of the subresource; 0 for buffers */
} D3D10DDI_MAPPED_SUBRESOURCE;

/* Texels, half-open range: left <= x < right. */
typedef struct D3D10_DDI_BOX {
    int32_t left, top, front, right, bottom, back;
} D3D10_DDI_BOX;

typedef struct D3D10_DDI_RECT {
    int32_t left, top, right, bottom;
} D3D10_DDI_RECT;

typedef struct D3D10_DDI_VIEWPORT {
    float TopLeftX, TopLeftY, Width, Height, MinDepth, MaxDepth;
} D3D10_DDI_VIEWPORT;

/* Views. ViewDimension 0 = the whole resource; array members are used only for AGPU_DDI_VIEW_TEXTURE2DARRAY, buffer
 * members only for buffers. */
typedef struct D3D10DDIARG_CREATESHADERRESOURCEVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    uint32_t Format; /* 0 = the resource's */
    uint32_t ViewDimension;
    uint32_t MostDetailedMip;
    uint32_t MipLevels;
    uint32_t FirstArraySlice;
    uint32_t ArraySize;
    uint32_t FirstElement; /* buffers */
    uint32_t NumElements;
    uint32_t ElementBytes; /* 0 = by structure stride, else by format, else 4 (raw) */
} D3D10DDIARG_CREATESHADERRESOURCEVIEW;

typedef struct D3D10DDIARG_CREATERENDERTARGETVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    uint32_t Format;
    uint32_t ViewDimension;
    uint32_t MipSlice;
    uint32_t FirstArraySlice;
    uint32_t ArraySize;
} D3D10DDIARG_CREATERENDERTARGETVIEW;
typedef D3D10DDIARG_CREATERENDERTARGETVIEW D3D10DDIARG_CREATEDEPTHSTENCILVIEW;

typedef struct D3D11DDIARG_CREATEUNORDEREDACCESSVIEW {
    D3D10DDI_HRESOURCE hDrvResource;
    uint32_t Format;
    uint32_t FirstElement;
    uint32_t NumElements;
    uint32_t ElementBytes;
} D3D11DDIARG_CREATEUNORDEREDACCESSVIEW;

typedef struct D3D10DDIARG_INPUT_ELEMENT_DESC {
    const char *SemanticName; /* NULL hashes to 0 */
    uint32_t SemanticIndex;
    uint32_t Format;
    uint32_t InputSlot;
    uint32_t AlignedByteOffset; /* 0xFFFFFFFF = append */
    uint32_t InputSlotClass;
    uint32_t InstanceDataStepRate;
} D3D10DDIARG_INPUT_ELEMENT_DESC;

typedef struct D3D10DDIARG_CREATEELEMENTLAYOUT {
    const D3D10DDIARG_INPUT_ELEMENT_DESC *pVertexElements;
    uint32_t NumElements;
} D3D10DDIARG_CREATEELEMENTLAYOUT;

/* Shader byte code: a DXBC container. */
typedef struct D3D10DDIARG_CREATESHADER {
    const void *pShaderCode;
    uint32_t CodeSize; /* bytes */
} D3D10DDIARG_CREATESHADER;

typedef struct D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT {
    const void *pShaderCode;
    uint32_t CodeSize;
    uint32_t NumEntries; /* stream output declaration: ignored */
} D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT;

/* D3D numbers in all structures: blend 1.., op 1.., comparison 1.., fill 2/3, cull 1..3 (umd.md 2.5). */
typedef struct D3D11_1_DDI_RENDER_TARGET_BLEND_DESC {
    uint32_t BlendEnable, SrcBlend, DestBlend, BlendOp, SrcBlendAlpha, DestBlendAlpha, BlendOpAlpha;
    uint32_t RenderTargetWriteMask;
} D3D10_DDI_RENDER_TARGET_BLEND_DESC;

typedef struct D3D10_1_DDI_BLEND_DESC {
    uint32_t AlphaToCoverageEnable;
    uint32_t IndependentBlendEnable;
    uint32_t NumRenderTargets; /* valid entries of RenderTarget, 1..8 */
    D3D10_DDI_RENDER_TARGET_BLEND_DESC RenderTarget[8];
} D3D10_1_DDI_BLEND_DESC;

typedef struct D3D10_DDI_DEPTH_STENCIL_DESC {
    uint32_t DepthEnable;
    uint32_t DepthWriteMask; /* 0 or 1 */
    uint32_t DepthFunc;
    uint32_t StencilEnable;
    uint8_t StencilReadMask, StencilWriteMask;
} D3D10_DDI_DEPTH_STENCIL_DESC;

typedef struct D3D10_DDI_RASTERIZER_DESC {
    uint32_t FillMode, CullMode, FrontCounterClockwise;
    int32_t DepthBias;
    uint32_t DepthClipEnable, ScissorEnable;
} D3D10_DDI_RASTERIZER_DESC;

typedef struct D3D10_DDI_SAMPLER_DESC {
    uint32_t Filter, AddressU, AddressV, AddressW;
} D3D10_DDI_SAMPLER_DESC;

typedef struct D3D10DDIARG_CREATEQUERY {
    uint32_t Query; /* 0 = event */
    uint32_t MiscFlags;
} D3D10DDIARG_CREATEQUERY;

typedef struct DXGI_DDI_ARG_PRESENT {
    D3D10DDI_HRESOURCE hSurfaceToPresent; /* may be null */
    uint32_t SyncInterval;
} DXGI_DDI_ARG_PRESENT;

typedef struct DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES {
    const D3D10DDI_HRESOURCE *pResources;
    uint32_t Resources;
} DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES;

typedef struct DXGI_DDI_ARG_BLT {
    D3D10DDI_HRESOURCE hDstResource;
    uint32_t DstSubresource;
    uint32_t DstLeft, DstTop, DstRight, DstBottom;
    D3D10DDI_HRESOURCE hSrcResource;
    uint32_t SrcSubresource;
} DXGI_DDI_ARG_BLT;

#endif
