/* umd_rig.c: opening and closing the driver stack. */
#include "tests/cases/rig/umd_rig.h"

#include <string.h>

#include "pci/machine/text.h"
#include "tests/cases/rig/spy.h"
#include "umd-port/entry/open.h"

#define PROCESS 1u

static const struct agpu_umd_watch *watch;

void agpu_umd_set_watch(const struct agpu_umd_watch *new_watch)
{
    watch = new_watch;
}

static const struct agpu_platform *platform_of(const struct agpu_umd_rig *umd)
{
    return umd->function->platform;
}

static enum agpu_status open_runtime(struct agpu_umd_rig *umd, const struct agpu_runtime_config *config)
{
    umd->runtime = agpu_runtime_open(config);
    if (umd->runtime == NULL) {
        return agpu_runtime_refusal(config) != NULL ? AGPU_ERR_INVALID : AGPU_ERR_NO_MEMORY;
    }
    umd->runtime_device = agpu_runtime_device_create(umd->runtime, PROCESS);
    return umd->runtime_device != NULL ? AGPU_OK : AGPU_ERR_NO_MEMORY;
}

static enum agpu_status open_adapter(struct agpu_umd_rig *umd)
{
    D3D10DDIARG_OPENADAPTER args = {
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .hRTAdapter = agpu_runtime_adapter_handle(umd->runtime),
        .pAdapterCallbacks = agpu_runtime_adapter_callbacks(umd->runtime),
        .pAdapterFuncs_11 = &umd->adapter_funcs,
    };

    if (OpenAdapter11(&args) != S_OK) {
        return AGPU_ERR_PLATFORM;
    }
    umd->adapter = args.hAdapter;
    return AGPU_OK;
}

static bool offers_command_lists(const struct agpu_umd_rig *umd)
{
    uint32_t threading = 0;
    const D3D10_2DDIARG_GETCAPS caps = {D3D11DDICAPS_THREADING, sizeof threading, &threading};

    return umd->adapter_funcs.pfnGetCaps(umd->adapter, &caps) == S_OK &&
           (threading & D3D11DDICAPS_COMMANDLISTS) != 0;
}

static enum agpu_status open_device(struct agpu_umd_rig *umd, const struct agpu_runtime_config *config)
{
    const struct agpu_platform *platform = platform_of(umd);
    D3D10DDIARG_CALCPRIVATEDEVICESIZE size = {.Interface = D3D11_0_DDI_INTERFACE_VERSION};
    D3D10DDIARG_CREATEDEVICE args = {
        .hRTDevice = agpu_runtime_device_handle(umd->runtime_device),
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .pKTCallbacks = agpu_watched_callbacks(),
        .hRTCoreLayer = agpu_runtime_core_handle(umd->runtime_device),
        .pUMCallbacks = agpu_watched_core_callbacks(),
    };

    if (watch != NULL) {
        args.pKTCallbacks = watch->callbacks();
        args.pUMCallbacks = watch->core_callbacks();
    }
    args.hDrvDevice.pDrvPrivate =
        platform->heap_alloc(platform->ctx, umd->adapter_funcs.pfnCalcPrivateDeviceSize(umd->adapter, &size));
    if (args.hDrvDevice.pDrvPrivate == NULL) {
        return AGPU_ERR_NO_MEMORY;
    }
    struct agpu_api *api = agpu_runtime_device_api(umd->runtime_device);
    agpu_api_begin(api, &args);
    if (umd->adapter_funcs.pfnCreateDevice(umd->adapter, &args) != S_OK) {
        platform->heap_free(platform->ctx, args.hDrvDevice.pDrvPrivate);
        return AGPU_ERR_PLATFORM;
    }
    umd->device = args.hDrvDevice;
    agpu_api_open(api, umd->device, &umd->funcs, &umd->context);
    if (offers_command_lists(umd) &&
        (agpu_local_sizes_begin(umd->runtime_device, umd->device, &umd->funcs) != S_OK ||
         !agpu_saved_state_begin(umd->runtime_device, umd->device, &umd->funcs, &umd->context))) {
        return AGPU_ERR_PLATFORM;
    }
    if (watch != NULL) {
        watch->opened(umd, config);
    }
    umd->usage = agpu_usage_begin(umd->runtime_device, umd->device, &umd->funcs, &umd->context);
    return umd->usage != NULL ? AGPU_OK : AGPU_ERR_NO_MEMORY;
}

enum agpu_status agpu_umd_open(struct agpu_umd_rig *umd, const struct agpu_function *function,
                               const struct agpu_runtime_config *config)
{
    enum agpu_status status;

    memset(umd, 0, sizeof *umd);
    umd->function = function;
    status = open_runtime(umd, config);
    if (status == AGPU_OK) {
        status = open_adapter(umd);
    }
    if (status == AGPU_OK) {
        status = open_device(umd, config);
    }
    if (status != AGPU_OK) {
        agpu_umd_close(umd, NULL);
    }
    return status;
}

static void add_leak(struct agpu_text *why, const char *what, uint64_t count)
{
    if (why == NULL || count == 0) {
        return;
    }
    agpu_format(why, "%s%ju%s", why->length == 0 ? "the driver leaked " : ", ", count, what);
}

bool agpu_umd_close(struct agpu_umd_rig *umd, struct agpu_text *why)
{
    struct agpu_runtime_leaks leaks = {0};
    const struct agpu_platform *platform;

    if (umd->runtime == NULL) {
        return true;
    }
    platform = platform_of(umd);
    agpu_usage_end(umd->usage);
    if (umd->runtime_device != NULL) {
        agpu_saved_state_end(umd->runtime_device);
        agpu_local_sizes_end(umd->runtime_device);
    }
    if (umd->device.pDrvPrivate != NULL) {
        umd->funcs.pfnDestroyDevice(umd->device);
        platform->heap_free(platform->ctx, umd->device.pDrvPrivate);
    }
    if (umd->adapter.pDrvPrivate != NULL) {
        umd->adapter_funcs.pfnCloseAdapter(umd->adapter);
    }
    if (umd->runtime_device != NULL) {
        agpu_runtime_device_destroy(umd->runtime_device);
    }
    agpu_runtime_close(umd->runtime, &leaks);
    memset(umd, 0, sizeof *umd);

    add_leak(why, " devices", leaks.devices);
    add_leak(why, " contexts", leaks.contexts);
    add_leak(why, " synchronisation objects", leaks.syncs);
    add_leak(why, " allocations", leaks.allocations);
    add_leak(why, " resources", leaks.resources);
    add_leak(why, " locks", leaks.locks);
    add_leak(why, " heap blocks", leaks.umd_heap_blocks);
    add_leak(why, " heap blocks of the memory manager", leaks.heap_blocks);
    add_leak(why, " heap bytes of the memory manager", leaks.heap_bytes);
    add_leak(why, " DMA blocks", leaks.dma_blocks);
    add_leak(why, " bytes committed", leaks.committed_bytes);
    add_leak(why, " bytes swapped", leaks.swap_bytes);
    if (leaks.resets != 0) {
        agpu_format(why, "%sthe device did not complete the work that the case left, and was reset",
                    why->length == 0 ? "" : ", ");
    }
    return leaks.resets == 0 && leaks.devices == 0 && leaks.contexts == 0 && leaks.syncs == 0 &&
           leaks.allocations == 0 && leaks.resources == 0 && leaks.locks == 0 && leaks.umd_heap_blocks == 0 &&
           leaks.heap_blocks == 0 && leaks.heap_bytes == 0 && leaks.dma_blocks == 0 &&
           leaks.committed_bytes == 0 && leaks.swap_bytes == 0;
}
