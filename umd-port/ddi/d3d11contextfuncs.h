/* d3d11contextfuncs.h: the Direct3D 11 context function table. umd.md 18 defines its order, sizes and offsets.
 * Immediate and deferred contexts share the type; the HDEVICE distinguishes them. */
#ifndef AGPU_UMD_DDI_D3D11CONTEXTFUNCS_H
#define AGPU_UMD_DDI_D3D11CONTEXTFUNCS_H

#include "umd-port/ddi/d3d10ddiarg.h"

#define AGPU_DDI_RESULT                           void
#define AGPU_DDI(result, name, parameters, names) result(*pfn##name) parameters;
typedef struct D3D11DDI_DEVICECONTEXTFUNCS {
#include "umd-port/ddi/d3d11contextfuncs.def"
} D3D11DDI_DEVICECONTEXTFUNCS;
#undef AGPU_DDI
#undef AGPU_DDI_RESULT

#endif
