/* views.h: views and small state objects for tests. Each make_ has a free_. */
#ifndef AGPU_TESTS_UNIT_UMD_VIEWS_H
#define AGPU_TESTS_UNIT_UMD_VIEWS_H

#include "tests/unit/umd/world.h"
#include "umd-port/state/objects.h"

D3D10DDI_HRENDERTARGETVIEW make_rtv(struct world *world, D3D10DDI_HRESOURCE resource);
void free_rtv(struct world *world, D3D10DDI_HRENDERTARGETVIEW view);
D3D10DDI_HDEPTHSTENCILVIEW make_dsv(struct world *world, D3D10DDI_HRESOURCE resource);
void free_dsv(struct world *world, D3D10DDI_HDEPTHSTENCILVIEW view);
D3D10DDI_HSHADERRESOURCEVIEW make_srv(struct world *world, D3D10DDI_HRESOURCE resource);
void free_srv(struct world *world, D3D10DDI_HSHADERRESOURCEVIEW view);

/* Creates the object from the caller's description, in memory filled with 0xCC. *hr: the result. */
D3D10DDI_HSHADERRESOURCEVIEW try_srv(struct world *world, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *desc,
                                     HRESULT *hr);
D3D10DDI_HRENDERTARGETVIEW try_rtv(struct world *world, const D3D10DDIARG_CREATERENDERTARGETVIEW *desc,
                                   HRESULT *hr);

void set_targets(struct world *world, uint32_t count, const D3D10DDI_HRENDERTARGETVIEW *views,
                 D3D10DDI_HDEPTHSTENCILVIEW depth);
void set_srv(struct world *world, bool pixel, uint32_t slot, D3D10DDI_HSHADERRESOURCEVIEW view);

static inline struct agpu_view *rtv(D3D10DDI_HRENDERTARGETVIEW view)
{
    return view.pDrvPrivate;
}

static inline struct agpu_view *srv(D3D10DDI_HSHADERRESOURCEVIEW view)
{
    return view.pDrvPrivate;
}

#endif
