/* bench_runtime.c: the callback table of the benchmarks. */
#include "tests/benchmarks/umd/bench_runtime.h"

#include <stdio.h>
#include <stdlib.h>

#include "ring/protocol/aerogpu_umd_private.h"
#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "umd-port/entry/open.h"

#define COMMAND_BYTES   (1u << 20)
#define LIST_ENTRIES    256u
#define MAX_ALLOCATIONS 256u
#define PAGE            4096u

/* One device at a time. */
static struct {
    struct agpu_umd_environment env;
    uint8_t *memory[MAX_ALLOCATIONS]; /* by handle - 1 */
    uint32_t allocations;
    uint64_t fence;
    uint8_t *command;
    D3DDDI_ALLOCATIONLIST *list;
    uint8_t priv[64];
} runtime;

void *bench_alloc(size_t bytes)
{
    void *memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);

    if (memory == NULL) {
        fprintf(stderr, "bench_umd: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    for (size_t i = 0; i < bytes; i += PAGE) { /* mapped before the measurement */
        ((uint8_t *)memory)[i] = 0;
    }
    return memory;
}

void bench_expect(HRESULT hr, const char *what)
{
    if (SUCCEEDED(hr)) {
        return;
    }
    fprintf(stderr, "bench_umd: %s failed with 0x%08X\n", what, (unsigned)hr);
    exit(1);
}

static HRESULT allocate(HANDLE device, D3DDDICB_ALLOCATE *args)
{
    (void)device;
    D3DDDI_ALLOCATIONINFO *info = args->pAllocationInfo;
    if (runtime.allocations == MAX_ALLOCATIONS) {
        return E_OUTOFMEMORY;
    }
    runtime.memory[runtime.allocations++] = bench_alloc((size_t)info->Size);
    info->hAllocation = runtime.allocations;
    args->hKMResource = runtime.allocations;
    return S_OK;
}

static HRESULT deallocate(HANDLE device, const D3DDDICB_DEALLOCATE *args)
{
    (void)device;
    for (uint32_t i = 0; i < args->NumAllocations; i++) {
        free(runtime.memory[args->HandleList[i] - 1]);
        runtime.memory[args->HandleList[i] - 1] = NULL;
    }
    return S_OK;
}

static HRESULT lock(HANDLE device, D3DDDICB_LOCK *args)
{
    (void)device;
    args->pData = runtime.memory[args->hAllocation - 1];
    args->Pitch = 0;
    return S_OK;
}

static HRESULT unlock(HANDLE device, const D3DDDICB_UNLOCK *args)
{
    (void)device, (void)args;
    return S_OK;
}

static HRESULT render(HANDLE device, D3DDDICB_RENDER *args)
{
    (void)device;
    args->NewFenceValue = ++runtime.fence;
    return S_OK;
}

static HRESULT present(HANDLE device, D3DDDICB_PRESENT *args)
{
    return render(device, args->pSubmission);
}

static HRESULT create_context(HANDLE device, D3DDDICB_CREATECONTEXT *args)
{
    (void)device;
    *args = (D3DDDICB_CREATECONTEXT){
        .hContext = &runtime,
        .pDmaBuffer = runtime.command,
        .pCommandBuffer = runtime.command,
        .CommandBufferSize = COMMAND_BYTES,
        .pAllocationList = runtime.list,
        .AllocationListSize = LIST_ENTRIES,
        .pDmaBufferPrivateData = runtime.priv,
        .DmaBufferPrivateDataSize = sizeof runtime.priv,
    };
    return S_OK;
}

static HRESULT destroy_context(HANDLE device, const D3DDDICB_DESTROYCONTEXT *args)
{
    (void)device, (void)args;
    return S_OK;
}

static HRESULT create_fence(HANDLE device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT *args)
{
    (void)device;
    args->hSyncObject = 1;
    return S_OK;
}

static HRESULT destroy_fence(HANDLE device, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT *args)
{
    (void)device, (void)args;
    return S_OK;
}

static HRESULT wait_fence(HANDLE device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *args)
{
    (void)device, (void)args;
    return S_OK;
}

static const D3DDDI_DEVICECALLBACKS device_callbacks = {
    .pfnAllocateCb = allocate,
    .pfnDeallocateCb = deallocate,
    .pfnLockCb = lock,
    .pfnUnlockCb = unlock,
    .pfnRenderCb = render,
    .pfnPresentCb = present,
    .pfnCreateContextCb = create_context,
    .pfnDestroyContextCb = destroy_context,
    .pfnCreateSynchronizationObjectCb = create_fence,
    .pfnDestroySynchronizationObjectCb = destroy_fence,
    .pfnWaitForSynchronizationObjectCb = wait_fence,
};

static void set_error(D3D10DDI_HRTCORELAYER core, HRESULT hr)
{
    (void)core;
    bench_expect(hr, "a measured call");
}

static const D3D10DDI_CORELAYER_DEVICECALLBACKS core_callbacks = {.pfnSetErrorCb = set_error};

static HRESULT query_adapter(HANDLE adapter, const D3DDDICB_QUERYADAPTERINFO *args)
{
    (void)adapter;
    *(struct aerogpu_umd_private_v1 *)args->pPrivateDriverData = (struct aerogpu_umd_private_v1){
        .size_bytes = sizeof(struct aerogpu_umd_private_v1),
        .struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_V1,
        .device_abi_version_u32 = 0x10004,
        .device_features = AEROGPU_UMDPRIV_FEATURE_TRANSFER,
    };
    return S_OK;
}

static void *heap_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return bench_alloc(size);
}

static void heap_free(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

void bench_open(struct bench_device *device, enum agpu_backing_mode mode, uint8_t dynamic_guest)
{
    static D3DDDI_ADAPTERCALLBACKS adapter_callbacks = {query_adapter, &runtime.env};

    *device = (struct bench_device){.options = {.backing_mode = mode, .dynamic_guest_backed = dynamic_guest}};
    runtime.env = (struct agpu_umd_environment){
        .heap_alloc = heap_alloc, .heap_free = heap_free, .options = &device->options};
    runtime.command = bench_alloc(COMMAND_BYTES);
    runtime.list = bench_alloc(LIST_ENTRIES * sizeof *runtime.list);
    D3D10DDIARG_OPENADAPTER open = {
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .pAdapterCallbacks = &adapter_callbacks,
        .pAdapterFuncs_11 = &device->adapter_funcs,
    };
    bench_expect(OpenAdapter11(&open), "OpenAdapter11");
    device->adapter = open.hAdapter;
    D3D10DDIARG_CREATEDEVICE create = {
        .hRTDevice = {&runtime},
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .pKTCallbacks = &device_callbacks,
        .p11DeviceFuncs = &device->dev,
        .p11ContextFuncs = &device->ctx,
        .hDrvDevice = {bench_alloc(device->adapter_funcs.pfnCalcPrivateDeviceSize(open.hAdapter, NULL))},
        .pUMCallbacks = &core_callbacks,
    };
    bench_expect(device->adapter_funcs.pfnCreateDevice(open.hAdapter, &create), "CreateDevice");
    device->handle = create.hDrvDevice;
}

void bench_close(struct bench_device *device)
{
    device->dev.pfnDestroyDevice(device->handle);
    free(device->handle.pDrvPrivate);
    bench_expect(device->adapter_funcs.pfnCloseAdapter(device->adapter), "CloseAdapter");
    free(runtime.command);
    free(runtime.list);
}

void bench_flush(struct bench_device *device)
{
    device->ctx.pfnFlush(device->handle);
}

static D3D10DDI_HRESOURCE create(struct bench_device *device, D3D11DDIARG_CREATERESOURCE args, uint32_t width,
                                 uint32_t height)
{
    D3D10DDI_HRESOURCE resource = {
        bench_alloc(device->dev.pfnCalcPrivateResourceSize(device->handle, &args))};
    const D3D10DDI_MIPINFO mip = {.TexelWidth = width, .TexelHeight = height};

    args.pMipInfoList = &mip;
    args.SampleDesc.Count = args.MipLevels = args.ArraySize = 1;
    device->dev.pfnCreateResource(device->handle, &args, resource, (D3D10DDI_HRTRESOURCE){NULL});
    return resource;
}

D3D10DDI_HRESOURCE bench_buffer(struct bench_device *device, uint32_t bytes, uint32_t usage, uint32_t bind,
                                uint32_t cpu)
{
    const D3D11DDIARG_CREATERESOURCE args = {
        .ResourceDimension = D3D10DDIRESOURCE_BUFFER, .Usage = usage, .BindFlags = bind, .MapFlags = cpu};

    return create(device, args, bytes, 1);
}

D3D10DDI_HRESOURCE bench_texture(struct bench_device *device, uint32_t format, uint32_t width,
                                 uint32_t height, uint32_t bind)
{
    const D3D11DDIARG_CREATERESOURCE args = {
        .ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D, .BindFlags = bind, .Format = format};

    return create(device, args, width, height);
}

void bench_destroy(struct bench_device *device, D3D10DDI_HRESOURCE resource)
{
    device->dev.pfnDestroyResource(device->handle, resource);
    free(resource.pDrvPrivate);
}
