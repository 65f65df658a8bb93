/* d3d11umddi.h: the Direct3D 11 device function table. umd.md 18 defines its order, sizes and offsets. */
#ifndef AGPU_UMD_DDI_D3D11UMDDI_H
#define AGPU_UMD_DDI_D3D11UMDDI_H

#include "umd-port/ddi/d3d10umddi.h"
#include "umd-port/ddi/d3d11contextfuncs.h"

typedef D3D10DDI_CORELAYER_DEVICECALLBACKS D3D11DDI_CORELAYER_DEVICECALLBACKS;

/* Kinds of object with context-local handles (umd.md 1.2, 15). */
typedef enum D3D11DDI_HANDLETYPE {
    D3D10DDI_HT_RESOURCE = 0,
    D3D10DDI_HT_SHADERRESOURCEVIEW = 1,
    D3D10DDI_HT_RENDERTARGETVIEW = 2,
    D3D10DDI_HT_DEPTHSTENCILVIEW = 3,
    D3D10DDI_HT_SHADER = 4,
    D3D10DDI_HT_ELEMENTLAYOUT = 5,
    D3D10DDI_HT_BLENDSTATE = 6,
    D3D10DDI_HT_DEPTHSTENCILSTATE = 7,
    D3D10DDI_HT_RASTERIZERSTATE = 8,
    D3D10DDI_HT_SAMPLERSTATE = 9,
    D3D10DDI_HT_QUERY = 10,
    D3D11DDI_HT_COMMANDLIST = 11,
    D3D11DDI_HT_UNORDEREDACCESSVIEW = 12,
} D3D11DDI_HANDLETYPE;

typedef struct D3D11DDI_HANDLESIZE {
    uint32_t HandleType; /* D3D11DDI_HANDLETYPE */
    uint32_t Size;       /* bytes of a context-local handle */
} D3D11DDI_HANDLESIZE;

typedef struct D3D11DDIARG_CREATEDEFERREDCONTEXT {
    struct D3D11DDI_DEVICECONTEXTFUNCS *p11ContextFuncs;
    D3D10DDI_HDEVICE hDrvContext;
    D3D10DDI_HRTCORELAYER hRTCoreLayer;
    const D3D11DDI_CORELAYER_DEVICECALLBACKS *p11UMCallbacks;
    uint32_t Flags;
} D3D11DDIARG_CREATEDEFERREDCONTEXT;

typedef struct D3D11DDIARG_CREATECOMMANDLIST {
    D3D10DDI_HDEVICE hDeferredContext;
} D3D11DDIARG_CREATECOMMANDLIST;

#define AGPU_DDI_RESULT                           void
#define AGPU_DDI_RESOURCE                         D3D11DDIARG_CREATERESOURCE
#define AGPU_DDI(result, name, parameters, names) result(*pfn##name) parameters;
typedef struct D3D11DDI_DEVICEFUNCS {
#include "umd-port/ddi/d3d11devicefuncs.def"
} D3D11DDI_DEVICEFUNCS;
#undef AGPU_DDI
#undef AGPU_DDI_RESULT
#undef AGPU_DDI_RESOURCE

#endif
