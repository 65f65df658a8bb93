/* tables10.c: the Direct3D 10 and 10.1 device table. */
#include "umd-port/entry/tables10.h"

#include <string.h>

#include "umd-port/entry/entries.h"

static size_t calc_resource_size10(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATERESOURCE *args)
{
    (void)args;
    return agpu_calc_resource_size(device, NULL);
}

/* The description of Direct3D 10 ends before ByteStride. */
static void create_resource10(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATERESOURCE *args,
                              D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    D3D11DDIARG_CREATERESOURCE args11 = {.ByteStride = 0};

    if (args != NULL) {
        memcpy(&args11, args, sizeof *args);
    }
    agpu_entry_create_resource(device, args != NULL ? &args11 : NULL, resource, runtime);
}

static const D3D10DDI_DEVICEFUNCS device_funcs10 = {
    AGPU_DEVICE_ENTRIES,
    .pfnCalcPrivateResourceSize = calc_resource_size10,
    .pfnCreateResource = create_resource10,
    AGPU_RECORDING_ENTRIES,
    AGPU_IMMEDIATE_ENTRIES,
    .pfnResourceReadAfterWriteHazard = agpu_ignore_resource_hazard,
    .pfnShaderResourceViewReadAfterWriteHazard = agpu_ignore_srv_hazard,
    .pfnRelocateDeviceFuncs = agpu_ignore_relocate10,
};

HRESULT agpu_create_device10(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE *args)
{
    if (args == NULL || args->hDrvDevice.pDrvPrivate == NULL || args->pDeviceFuncs == NULL) {
        return E_INVALIDARG;
    }
    *args->pDeviceFuncs = device_funcs10;
    bool d3d10_1 = args->Interface == D3D10_1_DDI_INTERFACE_VERSION;
    return agpu_create_device(adapter, args, d3d10_1 ? AGPU_COOKIE_D3D10_1 : AGPU_COOKIE_D3D10,
                              d3d10_1 ? AGPU_DDI_VERTEX_BUFFER_SLOTS : AGPU_DDI_D3D10_VERTEX_SLOTS);
}
