/* views.c: creates views for tests. */
#include "tests/unit/umd/views.h"

D3D10DDI_HRENDERTARGETVIEW try_rtv(struct world *world, const D3D10DDIARG_CREATERENDERTARGETVIEW *desc,
                                   HRESULT *hr)
{
    D3D10DDI_HRENDERTARGETVIEW view = {
        object(world->dev.pfnCalcPrivateRenderTargetViewSize(world->device, desc))};

    *hr =
        world->dev.pfnCreateRenderTargetView(world->device, desc, view, (D3D10DDI_HRTRENDERTARGETVIEW){NULL});
    return view;
}

D3D10DDI_HRENDERTARGETVIEW make_rtv(struct world *world, D3D10DDI_HRESOURCE resource)
{
    const D3D10DDIARG_CREATERENDERTARGETVIEW desc = {.hDrvResource = resource};
    HRESULT hr;
    D3D10DDI_HRENDERTARGETVIEW view = try_rtv(world, &desc, &hr);

    assert_int_equal(hr, S_OK);
    return view;
}

void free_rtv(struct world *world, D3D10DDI_HRENDERTARGETVIEW view)
{
    world->dev.pfnDestroyRenderTargetView(world->device, view);
    free(view.pDrvPrivate);
}

D3D10DDI_HDEPTHSTENCILVIEW make_dsv(struct world *world, D3D10DDI_HRESOURCE resource)
{
    const D3D10DDIARG_CREATEDEPTHSTENCILVIEW desc = {.hDrvResource = resource};
    D3D10DDI_HDEPTHSTENCILVIEW view = {
        object(world->dev.pfnCalcPrivateDepthStencilViewSize(world->device, &desc))};

    assert_int_equal(world->dev.pfnCreateDepthStencilView(world->device, &desc, view,
                                                          (D3D10DDI_HRTDEPTHSTENCILVIEW){NULL}),
                     S_OK);
    return view;
}

void free_dsv(struct world *world, D3D10DDI_HDEPTHSTENCILVIEW view)
{
    world->dev.pfnDestroyDepthStencilView(world->device, view);
    free(view.pDrvPrivate);
}

D3D10DDI_HSHADERRESOURCEVIEW try_srv(struct world *world, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *desc,
                                     HRESULT *hr)
{
    D3D10DDI_HSHADERRESOURCEVIEW view = {
        object(world->dev.pfnCalcPrivateShaderResourceViewSize(world->device, desc))};

    *hr = world->dev.pfnCreateShaderResourceView(world->device, desc, view,
                                                 (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL});
    return view;
}

D3D10DDI_HSHADERRESOURCEVIEW make_srv(struct world *world, D3D10DDI_HRESOURCE resource)
{
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW desc = {.hDrvResource = resource};
    HRESULT hr;
    D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(world, &desc, &hr);

    assert_int_equal(hr, S_OK);
    return view;
}

void free_srv(struct world *world, D3D10DDI_HSHADERRESOURCEVIEW view)
{
    world->dev.pfnDestroyShaderResourceView(world->device, view);
    free(view.pDrvPrivate);
}

void set_targets(struct world *world, uint32_t count, const D3D10DDI_HRENDERTARGETVIEW *views,
                 D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    world->ctx.pfnSetRenderTargets(world->device, views, count, 0, depth);
}

void set_srv(struct world *world, bool pixel, uint32_t slot, D3D10DDI_HSHADERRESOURCEVIEW view)
{
    if (pixel) {
        world->ctx.pfnPsSetShaderResources(world->device, slot, 1, &view);
    } else {
        world->ctx.pfnVsSetShaderResources(world->device, slot, 1, &view);
    }
}
