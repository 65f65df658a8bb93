/* umd_peer.c: the second device, which can open resources that the first shares. */
#include "tests/cases/rig/umd_peer.h"

#include <string.h>

#include "tests/cases/rig/env.h"
#include "tests/cases/rig/spy.h"
#include "umd-port/entry/open.h"

#define PROCESS 2u

/* One case runs at a time. */
static struct peer {
    bool open;
    bool swapped;
    uint32_t interface_version;
    D3D10DDI_ADAPTERFUNCS adapter_funcs10;
    D3D10DDI_DEVICEFUNCS funcs10;
    /* The members of the rig that belong to a device. */
    struct agpu_umd_rig other;
} peer;

static size_t opened_size10(D3D10DDI_HDEVICE device, const D3D10DDIARG_OPENRESOURCE *args)
{
    (void)args;
    return peer.funcs10.pfnCalcPrivateResourceSize(device, NULL);
}

static size_t resource_size10(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATERESOURCE *args)
{
    D3D10DDIARG_CREATERESOURCE args10;

    memcpy(&args10, args, sizeof args10);
    return peer.funcs10.pfnCalcPrivateResourceSize(device, &args10);
}

static void create_resource10(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATERESOURCE *args,
                              D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    D3D10DDIARG_CREATERESOURCE args10;

    memcpy(&args10, args, sizeof args10);
    peer.funcs10.pfnCreateResource(device, &args10, resource, runtime);
}

/* The functions of a Direct3D 10 device that cases use, as entries of the Direct3D 11 tables. */
static void present_as_11(const D3D10DDI_DEVICEFUNCS *from, D3D11DDI_DEVICEFUNCS *funcs,
                          D3D11DDI_DEVICECONTEXTFUNCS *context)
{
    funcs->pfnDestroyDevice = from->pfnDestroyDevice;
    funcs->pfnCalcPrivateResourceSize = resource_size10;
    funcs->pfnCalcPrivateOpenedResourceSize = opened_size10;
    funcs->pfnCreateResource = create_resource10;
    funcs->pfnOpenResource = from->pfnOpenResource;
    funcs->pfnDestroyResource = from->pfnDestroyResource;
    funcs->pfnCalcPrivateShaderResourceViewSize = from->pfnCalcPrivateShaderResourceViewSize;
    funcs->pfnCreateShaderResourceView = from->pfnCreateShaderResourceView;
    funcs->pfnDestroyShaderResourceView = from->pfnDestroyShaderResourceView;
    funcs->pfnCalcPrivateRenderTargetViewSize = from->pfnCalcPrivateRenderTargetViewSize;
    funcs->pfnCreateRenderTargetView = from->pfnCreateRenderTargetView;
    funcs->pfnDestroyRenderTargetView = from->pfnDestroyRenderTargetView;
    funcs->pfnCalcPrivateDepthStencilViewSize = from->pfnCalcPrivateDepthStencilViewSize;
    funcs->pfnCreateDepthStencilView = from->pfnCreateDepthStencilView;
    funcs->pfnDestroyDepthStencilView = from->pfnDestroyDepthStencilView;
    funcs->pfnCalcPrivateQuerySize = from->pfnCalcPrivateQuerySize;
    funcs->pfnCreateQuery = from->pfnCreateQuery;
    funcs->pfnDestroyQuery = from->pfnDestroyQuery;
    funcs->pfnCheckFormatSupport = from->pfnCheckFormatSupport;
    funcs->pfnCheckMultisampleQualityLevels = from->pfnCheckMultisampleQualityLevels;
    funcs->pfnPresent = from->pfnPresent;
    funcs->pfnRotateResourceIdentities = from->pfnRotateResourceIdentities;
    context->pfnSetRenderTargets = from->pfnSetRenderTargets;
    context->pfnClearRenderTargetView = from->pfnClearRenderTargetView;
    context->pfnClearDepthStencilView = from->pfnClearDepthStencilView;
    context->pfnResourceCopy = from->pfnResourceCopy;
    context->pfnResourceCopyRegion = from->pfnResourceCopyRegion;
    context->pfnResourceUpdateSubresourceUP = from->pfnResourceUpdateSubresourceUP;
    context->pfnDefaultConstantBufferUpdateSubresourceUP = from->pfnDefaultConstantBufferUpdateSubresourceUP;
    context->pfnResourceMap = from->pfnResourceMap;
    context->pfnResourceUnmap = from->pfnResourceUnmap;
    context->pfnQueryBegin = from->pfnQueryBegin;
    context->pfnQueryEnd = from->pfnQueryEnd;
    context->pfnQueryGetData = from->pfnQueryGetData;
    context->pfnFlush = from->pfnFlush;
    context->pfnPresent = from->pfnPresent;
    context->pfnRotateResourceIdentities = from->pfnRotateResourceIdentities;
    context->pfnClearState = from->pfnClearState;
    funcs->pfnCalcPrivateShaderSize = from->pfnCalcPrivateShaderSize;
    funcs->pfnCreateVertexShader = from->pfnCreateVertexShader;
    funcs->pfnCreateGeometryShader = from->pfnCreateGeometryShader;
    funcs->pfnCreatePixelShader = from->pfnCreatePixelShader;
    funcs->pfnDestroyShader = from->pfnDestroyShader;
    funcs->pfnCalcPrivateElementLayoutSize = from->pfnCalcPrivateElementLayoutSize;
    funcs->pfnCreateElementLayout = from->pfnCreateElementLayout;
    funcs->pfnDestroyElementLayout = from->pfnDestroyElementLayout;
    funcs->pfnCalcPrivateRasterizerStateSize = from->pfnCalcPrivateRasterizerStateSize;
    funcs->pfnCreateRasterizerState = from->pfnCreateRasterizerState;
    funcs->pfnDestroyRasterizerState = from->pfnDestroyRasterizerState;
    funcs->pfnCalcPrivateBlendStateSize = from->pfnCalcPrivateBlendStateSize;
    funcs->pfnCreateBlendState = from->pfnCreateBlendState;
    funcs->pfnDestroyBlendState = from->pfnDestroyBlendState;
    context->pfnVsSetShader = from->pfnVsSetShader;
    context->pfnPsSetShader = from->pfnPsSetShader;
    context->pfnGsSetShader = from->pfnGsSetShader;
    context->pfnIaSetInputLayout = from->pfnIaSetInputLayout;
    context->pfnIaSetVertexBuffers = from->pfnIaSetVertexBuffers;
    context->pfnIaSetTopology = from->pfnIaSetTopology;
    context->pfnPsSetConstantBuffers = from->pfnPsSetConstantBuffers;
    context->pfnPsSetShaderResources = from->pfnPsSetShaderResources;
    context->pfnPsSetSamplers = from->pfnPsSetSamplers;
    context->pfnSetViewports = from->pfnSetViewports;
    context->pfnSetScissorRects = from->pfnSetScissorRects;
    context->pfnSetRasterizerState = from->pfnSetRasterizerState;
    context->pfnSetBlendState = from->pfnSetBlendState;
    context->pfnDraw = from->pfnDraw;
}

static HRESULT peer_open_adapter(struct agpu_umd_rig *umd, uint32_t interface_version)
{
    D3D10DDIARG_OPENADAPTER args = {
        .Interface = interface_version,
        .hRTAdapter = agpu_runtime_adapter_handle(umd->runtime),
        .pAdapterCallbacks = agpu_runtime_adapter_callbacks(umd->runtime),
    };
    HRESULT hr;

    if (interface_version == D3D11_0_DDI_INTERFACE_VERSION) {
        args.pAdapterFuncs_11 = &umd->adapter_funcs;
        hr = OpenAdapter11(&args);
    } else {
        args.pAdapterFuncs = &peer.adapter_funcs10;
        hr = interface_version == D3D10_0_DDI_INTERFACE_VERSION ? OpenAdapter10(&args)
                                                                : OpenAdapter10_2(&args);
        umd->adapter_funcs.pfnGetCaps = peer.adapter_funcs10.pfnGetCaps;
        umd->adapter_funcs.pfnCalcPrivateDeviceSize = peer.adapter_funcs10.pfnCalcPrivateDeviceSize;
        umd->adapter_funcs.pfnCreateDevice = peer.adapter_funcs10.pfnCreateDevice;
        umd->adapter_funcs.pfnCloseAdapter = peer.adapter_funcs10.pfnCloseAdapter;
    }
    umd->adapter = args.hAdapter;
    return hr;
}

static HRESULT create_device(struct agpu_umd_rig *umd, uint32_t interface_version, void *memory)
{
    D3D10DDIARG_CREATEDEVICE args = {
        .hRTDevice = agpu_runtime_device_handle(umd->runtime_device),
        .Interface = interface_version,
        .pKTCallbacks = agpu_callback_table(),
        .hDrvDevice = {memory},
        .hRTCoreLayer = agpu_runtime_core_handle(umd->runtime_device),
        .pUMCallbacks = agpu_watched_core_callbacks(),
    };
    struct agpu_api *api = agpu_runtime_device_api(umd->runtime_device);
    HRESULT hr;

    agpu_api_begin(api, &args);
    if (interface_version != D3D11_0_DDI_INTERFACE_VERSION) {
        args.pDeviceFuncs = &peer.funcs10;
    }
    hr = umd->adapter_funcs.pfnCreateDevice(umd->adapter, &args);
    if (FAILED(hr)) {
        return hr;
    }
    if (interface_version != D3D11_0_DDI_INTERFACE_VERSION) {
        present_as_11(&peer.funcs10, &api->own_funcs, &api->context);
    }
    umd->device = args.hDrvDevice;
    agpu_api_open(api, umd->device, &umd->funcs, &umd->context);
    umd->usage = agpu_usage_begin(umd->runtime_device, umd->device, &umd->funcs, &umd->context);
    return umd->usage != NULL ? S_OK : E_OUTOFMEMORY;
}

bool agpu_peer_open(struct agpu_test *test, uint32_t interface_version)
{
    const struct agpu_platform *platform = test->env->platform;
    D3D10DDIARG_CALCPRIVATEDEVICESIZE size = {.Interface = interface_version};
    struct agpu_umd_rig *umd = &peer.other;
    void *memory;

    memset(&peer, 0, sizeof peer);
    peer.open = true;
    peer.interface_version = interface_version;
    umd->function = test->env->umd.function;
    umd->runtime = test->env->umd.runtime;
    umd->runtime_device = agpu_runtime_device_create(umd->runtime, PROCESS);
    if (!agpu_check(test, umd->runtime_device != NULL) ||
        !agpu_check_hr(test, peer_open_adapter(umd, interface_version), S_OK)) {
        return false;
    }
    memory =
        platform->heap_alloc(platform->ctx, umd->adapter_funcs.pfnCalcPrivateDeviceSize(umd->adapter, &size));
    if (memory == NULL) {
        agpu_error(test, "no heap memory for a second device");
        return false;
    }
    if (agpu_check_hr(test, create_device(umd, interface_version, memory), S_OK)) {
        return true;
    }
    platform->heap_free(platform->ctx, memory);
    return false;
}

const D3D10DDI_DEVICEFUNCS *agpu_peer_table10(void)
{
    return &peer.funcs10;
}

void agpu_peer_swap(struct agpu_test *test)
{
    struct agpu_umd_rig rig = test->env->umd;

    test->env->umd = peer.other;
    peer.other = rig;
    peer.swapped = !peer.swapped;
}

void agpu_peer_close(struct agpu_test *test)
{
    const struct agpu_platform *platform = test->env->platform;
    struct agpu_umd_rig *umd = &test->env->umd;

    if (!peer.open) {
        return;
    }
    if (!peer.swapped) {
        agpu_peer_swap(test);
    }
    if (umd->device.pDrvPrivate != NULL) {
        while (umd->resource_count != 0) {
            agpu_umd_destroy(test, umd->resources[umd->resource_count - 1]);
        }
        umd->context.pfnFlush(umd->device);
        agpu_check_no_errors_left(test);
        agpu_usage_end(umd->usage);
        umd->funcs.pfnDestroyDevice(umd->device);
        platform->heap_free(platform->ctx, umd->device.pDrvPrivate);
        umd->device.pDrvPrivate = NULL;
    }
    if (umd->adapter.pDrvPrivate != NULL) {
        umd->adapter_funcs.pfnCloseAdapter(umd->adapter);
    }
    if (umd->runtime_device != NULL) {
        agpu_runtime_device_destroy(umd->runtime_device);
    }
    agpu_peer_swap(test);
    peer.open = false;
}

uint64_t agpu_newest_token(struct agpu_test *test)
{
    return agpu_runtime_kmd(test->env->umd.runtime)->vm.next_token - 1;
}

D3D10DDI_HRESOURCE agpu_umd_open_shared(struct agpu_test *test, uint64_t token, HRESULT *result)
{
    const D3D10DDIARG_OPENRESOURCE drawn = {
        .BindFlags = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE,
    };

    return agpu_umd_open_shared_as(test, token, &drawn, result);
}

D3D10DDI_HRESOURCE agpu_umd_open_shared_as(struct agpu_test *test, uint64_t token,
                                           const D3D10DDIARG_OPENRESOURCE *as, HRESULT *result)
{
    struct agpu_umd_rig *umd = &test->env->umd;
    const struct agpu_platform *platform = test->env->platform;
    D3D10DDI_HRESOURCE resource = {NULL};
    uint8_t blob[64];
    uint32_t blob_size = 0;
    D3DDDI_OPENALLOCATIONINFO info = {.pPrivateDriverData = blob};
    D3D10DDIARG_OPENRESOURCE args = {
        .NumAllocations = 1,
        .pOpenAllocationInfo = &info,
        .Usage = as->Usage,
        .BindFlags = as->BindFlags,
        .CPUAccessFlags = as->CPUAccessFlags,
        .MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED,
    };

    *result = agpu_runtime_open_shared(umd->runtime_device, token, &info.hAllocation, blob, &blob_size);
    if (FAILED(*result)) {
        return resource;
    }
    info.PrivateDriverDataSize = blob_size;
    if (umd->resource_count == AGPU_UMD_RESOURCES_MAX) {
        agpu_error(test, "the case has more resources alive than the rig remembers");
        return resource;
    }
    resource.pDrvPrivate =
        platform->heap_alloc(platform->ctx, umd->funcs.pfnCalcPrivateOpenedResourceSize(umd->device, &args));
    if (resource.pDrvPrivate == NULL) {
        agpu_error(test, "no heap memory for an opened resource");
        return resource;
    }
    umd->resources[umd->resource_count++] = resource;
    *result = umd->funcs.pfnOpenResource(umd->device, &args, resource, (D3D10DDI_HRTRESOURCE){NULL});
    if (FAILED(*result)) { /* the runtime keeps what the driver did not accept */
        const D3DDDICB_DEALLOCATE close = {.NumAllocations = 1, .HandleList = &info.hAllocation};

        agpu_runtime_device_callbacks()->pfnDeallocateCb(
            agpu_runtime_device_handle(umd->runtime_device).handle, &close);
    }
    return resource;
}

void agpu_peer_forget(void)
{
    memset(&peer, 0, sizeof peer);
}
