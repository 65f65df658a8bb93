/* ddi_check.c: layout of the driver interface against the numbers of umd.md 1.3 and 18; a mismatch is a build
 * error. */
#include "umd-port/ddi/d3d11umddi.h"

#define CHECK(condition) _Static_assert(condition, #condition)
/* Offset of a table entry in pointers: the same number on 32-bit and 64-bit builds. */
#define ENTRY(table, member) (offsetof(table, member) / sizeof(void (*)(void)))

CHECK(sizeof(D3DDDICB_LOCKFLAGS) == 4);
CHECK(sizeof(D3DDDICB_ALLOCATEFLAGS) == 4);
CHECK(sizeof(AGPU_DMA_PRIV) == 16);
CHECK(offsetof(AGPU_DMA_PRIV, MetaHandle) == 8);

CHECK(sizeof(D3D10DDIARG_OPENADAPTER) == (sizeof(void *) == 8 ? 40 : 24));
CHECK(offsetof(D3D10DDIARG_OPENADAPTER, Version) == 4);
CHECK(offsetof(D3D10DDIARG_OPENADAPTER, hRTAdapter) == 8);
CHECK(offsetof(D3D10DDIARG_OPENADAPTER, hAdapter) == (sizeof(void *) == 8 ? 16 : 12));
CHECK(offsetof(D3D10DDIARG_OPENADAPTER, pAdapterCallbacks) == (sizeof(void *) == 8 ? 24 : 16));
CHECK(offsetof(D3D10DDIARG_OPENADAPTER, pAdapterFuncs) == (sizeof(void *) == 8 ? 32 : 20));

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
