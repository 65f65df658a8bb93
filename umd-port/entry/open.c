/* open.c: the driver's three exports: OpenAdapter10, OpenAdapter10_2, OpenAdapter11 (umd.md 14, 18). */
#include "umd-port/entry/open.h"

#include <string.h>

#include "umd-port/base/device.h"
#include "umd-port/base/trace.h"
#include "umd-port/entry/caps.h"
#include "umd-port/entry/tables10.h"
#include "umd-port/entry/tables11.h"

#define MODULE_NAME (sizeof(void *) == 8 ? "aerogpu_d3d10_x64" : "aerogpu_d3d10")

static HRESULT close_adapter(D3D10DDI_HADAPTER handle)
{
    struct agpu_adapter *adapter = handle.pDrvPrivate;

    if (adapter == NULL) {
        return E_INVALIDARG;
    }
    AGPU_TRACE(adapter->env, AGPU_TRACE_CALLS, "CloseAdapter");
    adapter->env->heap_free(adapter->env->ctx, adapter);
    return S_OK;
}

static size_t traced_adapter_size(D3D10DDI_HADAPTER handle, const char *name, size_t bytes)
{
    const struct agpu_adapter *adapter = handle.pDrvPrivate;

    if (adapter != NULL) {
        AGPU_TRACE(adapter->env, AGPU_TRACE_CALLS, "%s -> %u", name, (unsigned)bytes);
    }
    return bytes;
}

static size_t calc_private_device_size(D3D10DDI_HADAPTER adapter,
                                       const D3D10DDIARG_CALCPRIVATEDEVICESIZE *args)
{
    (void)args;
    return traced_adapter_size(adapter, "CalcPrivateDeviceSize", sizeof(struct agpu_device));
}

/* The immediate context is the device itself, so it needs no memory of its own; but sizes are never 0. */
static size_t calc_private_context_size(D3D10DDI_HADAPTER adapter,
                                        const D3D10DDIARG_CALCPRIVATEDEVICESIZE *args)
{
    (void)args;
    return traced_adapter_size(adapter, "CalcPrivateDeviceContextSize", sizeof(void *));
}

/* Reads the kernel driver's record. A bad or missing record leaves every gate closed. */
static void read_adapter_info(struct agpu_adapter *adapter)
{
    const D3DDDICB_QUERYADAPTERINFO query = {&adapter->info, sizeof adapter->info};

    if (adapter->callbacks->pfnQueryAdapterInfoCb == NULL ||
        FAILED(adapter->callbacks->pfnQueryAdapterInfoCb(adapter->runtime.handle, &query)) ||
        adapter->info.size_bytes < sizeof adapter->info ||
        adapter->info.struct_version != AEROGPU_UMDPRIV_STRUCT_VERSION_V1) {
        memset(&adapter->info, 0, sizeof adapter->info);
        return;
    }
    adapter->info_valid = true;
}

/* Fills in the one supported version for 0, offers it to newer callers, and refuses older ones. */
static bool negotiate_version(uint32_t supported, uint32_t *version)
{
    if (*version && *version < supported) {
        return false;
    }
    *version = supported;
    return true;
}

static HRESULT create_adapter(D3D10DDIARG_OPENADAPTER *args)
{
    const D3DDDI_ADAPTERCALLBACKS *callbacks = args->pAdapterCallbacks;

    if (callbacks == NULL || callbacks->pEnvironment == NULL) {
        return E_FAIL;
    }
    const struct agpu_umd_environment *env = callbacks->pEnvironment;
    struct agpu_adapter *adapter = env->heap_alloc(env->ctx, sizeof *adapter);
    if (adapter == NULL) {
        return E_OUTOFMEMORY;
    }
    *adapter = (struct agpu_adapter){
        .interface = args->Interface,
        .runtime = args->hRTAdapter,
        .callbacks = callbacks,
        .env = env,
    };
    read_adapter_info(adapter);
    args->hAdapter.pDrvPrivate = adapter;
    return S_OK;
}

/* Trace line for AEROGPU_LOG_MIC. On Windows the counter lies in a named section, which sandboxed processes can open
 * only with a low mandatory label. Here all processes are in one security domain. */
static void trace_mic(const struct agpu_umd_environment *env)
{
    agpu_trace_line(env, "trace_mic: GlobalHandleCounter %s, no mandatory label: one security domain",
                    env->next_handle != NULL ? "shared by every adapter of the environment"
                                             : "of this adapter alone");
}

/* Logs the module once per process, at the first traced open, and every open. */
static HRESULT trace_open(const D3D10DDIARG_OPENADAPTER *args, const char *name, HRESULT hr)
{
    static bool module_logged;

    const struct agpu_umd_environment *env =
        args != NULL && args->pAdapterCallbacks != NULL ? args->pAdapterCallbacks->pEnvironment : NULL;
    if (env != NULL && env->options->trace_mic && hr == S_OK) {
        trace_mic(env);
    }
    if (env == NULL || !AGPU_TRACES(env->options, AGPU_TRACE_CALLS)) {
        return hr;
    }
    if (!__atomic_exchange_n(&module_logged, true, __ATOMIC_RELAXED)) {
        agpu_trace_line(env, "aerogpu-d3d10_11: module_path=%s",
                        env->module_path != NULL ? env->module_path : MODULE_NAME);
    }
    agpu_trace_line(env, "%s interface=0x%X version=0x%X -> hr=0x%X", name, args->Interface, args->Version,
                    (unsigned)hr);
    return hr;
}

static HRESULT open_adapter10(D3D10DDIARG_OPENADAPTER *args)
{
    if (args == NULL || args->pAdapterFuncs == NULL) {
        return E_INVALIDARG;
    }
    uint32_t supported;
    switch (args->Interface) {
    case D3D10_0_DDI_INTERFACE_VERSION:
        supported = D3D10_0_DDI_SUPPORTED;
        break;
    case D3D10_1_DDI_INTERFACE_VERSION:
        supported = D3D10_1_DDI_SUPPORTED;
        break;
    default:
        return E_INVALIDARG;
    }
    if (!negotiate_version(supported, &args->Version)) {
        return E_INVALIDARG;
    }
    HRESULT hr = create_adapter(args);
    if (FAILED(hr)) {
        return hr;
    }
    *args->pAdapterFuncs = (D3D10DDI_ADAPTERFUNCS){
        .pfnGetCaps = agpu_adapter_get_caps,
        .pfnCalcPrivateDeviceSize = calc_private_device_size,
        .pfnCreateDevice = agpu_create_device10,
        .pfnCloseAdapter = close_adapter,
    };
    return S_OK;
}

HRESULT OpenAdapter10(D3D10DDIARG_OPENADAPTER *args)
{
    return trace_open(args, "OpenAdapter10", open_adapter10(args));
}

HRESULT OpenAdapter10_2(D3D10DDIARG_OPENADAPTER *args)
{
    return trace_open(args, "OpenAdapter10_2", open_adapter10(args));
}

static HRESULT open_adapter11(D3D10DDIARG_OPENADAPTER *args)
{
    if (args == NULL || args->pAdapterFuncs_11 == NULL || args->Interface != D3D11_0_DDI_INTERFACE_VERSION) {
        return E_INVALIDARG;
    }
    if (!negotiate_version(D3D11_0_DDI_SUPPORTED, &args->Version)) {
        return E_NOINTERFACE;
    }
    HRESULT hr = create_adapter(args);
    if (FAILED(hr)) {
        return hr;
    }
    *args->pAdapterFuncs_11 = (D3D11DDI_ADAPTERFUNCS){
        .pfnGetCaps = agpu_adapter_get_caps,
        .pfnCalcPrivateDeviceSize = calc_private_device_size,
        .pfnCalcPrivateDeviceContextSize = calc_private_context_size,
        .pfnCreateDevice = agpu_create_device11,
        .pfnCloseAdapter = close_adapter,
    };
    return S_OK;
}

HRESULT OpenAdapter11(D3D10DDIARG_OPENADAPTER *args)
{
    return trace_open(args, "OpenAdapter11", open_adapter11(args));
}
