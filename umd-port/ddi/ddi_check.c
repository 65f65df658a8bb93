/* ddi_check.c: layout of the driver interface against the numbers of umd.md 1.3 and 18; a mismatch is a build
 * error. */
#include "umd-port/ddi/d3d11umddi.h"

#define CHECK(condition) _Static_assert(condition, #condition)
/* Offset of a table entry in pointers: the same number on 32-bit and 64-bit builds. */
#define ENTRY(table, member) (offsetof(table, member) / sizeof(void (*)(void)))

/* Size, or offset of a member, on 32-bit and 64-bit builds. */
#define SIZE(type, in32, in64)       CHECK(sizeof(type) == (sizeof(void *) == 8 ? (in64) : (in32)));
#define AT(type, member, in32, in64) CHECK(offsetof(type, member) == (sizeof(void *) == 8 ? (in64) : (in32)));

SIZE(D3DDDICB_LOCKFLAGS, 4, 4)
SIZE(D3DDDICB_ALLOCATEFLAGS, 4, 4)
SIZE(AGPU_DMA_PRIV, 16, 16)
AT(AGPU_DMA_PRIV, MetaHandle, 8, 8)

/* Structures that have the kit's layout (umd.md 18). */
SIZE(D3D10DDIARG_OPENADAPTER, 24, 40)
AT(D3D10DDIARG_OPENADAPTER, Version, 4, 4)
AT(D3D10DDIARG_OPENADAPTER, hRTAdapter, 8, 8)
AT(D3D10DDIARG_OPENADAPTER, hAdapter, 12, 16)
AT(D3D10DDIARG_OPENADAPTER, pAdapterCallbacks, 16, 24)
AT(D3D10DDIARG_OPENADAPTER, pAdapterFuncs, 20, 32)
SIZE(D3D10DDIARG_CALCPRIVATEDEVICESIZE, 12, 12)
AT(D3D10DDIARG_CALCPRIVATEDEVICESIZE, Version, 4, 4)
AT(D3D10DDIARG_CALCPRIVATEDEVICESIZE, Flags, 8, 8)
SIZE(D3D10DDI_HDEVICE, 4, 8)
SIZE(D3D10DDI_HRESOURCE, 4, 8)
SIZE(D3D10DDI_HRTCORELAYER, 4, 8)
SIZE(DXGI_SAMPLE_DESC, 8, 8)
AT(DXGI_SAMPLE_DESC, Quality, 4, 4)
SIZE(D3D10_DDIARG_SUBRESOURCE_UP, 12, 16)
AT(D3D10_DDIARG_SUBRESOURCE_UP, SysMemPitch, 4, 8)
AT(D3D10_DDIARG_SUBRESOURCE_UP, SysMemSlicePitch, 8, 12)
SIZE(D3D10DDI_MAPPED_SUBRESOURCE, 12, 16)
AT(D3D10DDI_MAPPED_SUBRESOURCE, RowPitch, 4, 8)
AT(D3D10DDI_MAPPED_SUBRESOURCE, DepthPitch, 8, 12)
SIZE(D3D10_DDI_BOX, 24, 24)
AT(D3D10_DDI_BOX, front, 8, 8)
AT(D3D10_DDI_BOX, right, 12, 12)
SIZE(D3D10_DDI_RECT, 16, 16)
AT(D3D10_DDI_RECT, right, 8, 8)
SIZE(D3D10_DDI_VIEWPORT, 24, 24)
AT(D3D10_DDI_VIEWPORT, Width, 8, 8)
AT(D3D10_DDI_VIEWPORT, MinDepth, 16, 16)
SIZE(D3D10DDIARG_CREATEELEMENTLAYOUT, 8, 16)
AT(D3D10DDIARG_CREATEELEMENTLAYOUT, NumElements, 4, 8)
SIZE(D3D10DDIARG_CREATEQUERY, 8, 8)
AT(D3D10DDIARG_CREATEQUERY, MiscFlags, 4, 4)
SIZE(D3D11DDI_HANDLESIZE, 8, 8)
AT(D3D11DDI_HANDLESIZE, Size, 4, 4)

CHECK(sizeof(D3D10DDI_ADAPTERFUNCS) == 4 * sizeof(void *));
CHECK(sizeof(D3D11DDI_ADAPTERFUNCS) == 5 * sizeof(void *));
CHECK(sizeof(D3D10DDI_DEVICEFUNCS) == 104 * sizeof(void *));
CHECK(ENTRY(D3D10DDI_DEVICEFUNCS, pfnDestroyDevice) == 0);
CHECK(ENTRY(D3D10DDI_DEVICEFUNCS, pfnCreateResource) == 2);
CHECK(ENTRY(D3D10DDI_DEVICEFUNCS, pfnPresent) == 72);
CHECK(ENTRY(D3D10DDI_DEVICEFUNCS, pfnFlush) == 73);
CHECK(ENTRY(D3D10DDI_DEVICEFUNCS, pfnRotateResourceIdentities) == 74);
CHECK(sizeof(D3D11DDI_DEVICEFUNCS) == 87 * sizeof(void *));
CHECK(ENTRY(D3D11DDI_DEVICEFUNCS, pfnDestroyDevice) == 0);
CHECK(ENTRY(D3D11DDI_DEVICEFUNCS, pfnCreateResource) == 2);
CHECK(ENTRY(D3D11DDI_DEVICEFUNCS, pfnPresent) == 78);
CHECK(ENTRY(D3D11DDI_DEVICEFUNCS, pfnRotateResourceIdentities) == 79);
CHECK(sizeof(D3D11DDI_DEVICECONTEXTFUNCS) == 85 * sizeof(void *));
CHECK(ENTRY(D3D11DDI_DEVICECONTEXTFUNCS, pfnVsSetShader) == 0);
CHECK(ENTRY(D3D11DDI_DEVICECONTEXTFUNCS, pfnDraw) == 38);
CHECK(ENTRY(D3D11DDI_DEVICECONTEXTFUNCS, pfnFlush) == 77);
CHECK(ENTRY(D3D11DDI_DEVICECONTEXTFUNCS, pfnPresent) == 78);
CHECK(ENTRY(D3D11DDI_DEVICECONTEXTFUNCS, pfnRotateResourceIdentities) == 79);
