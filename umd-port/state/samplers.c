/* samplers.c: sampler objects (umd.md 2.5, 9). */
#include "umd-port/state/samplers.h"

#include "umd-port/base/device.h"
#include "umd-port/base/trace.h"
#include "umd-port/state/convert.h"
#include "umd-port/state/objects.h"

size_t agpu_calc_sampler_size(D3D10DDI_HDEVICE device, const D3D10_DDI_SAMPLER_DESC *desc)
{
    (void)desc;
    return agpu_traced_size(device, "CalcPrivateSamplerSize", sizeof(struct agpu_sampler));
}

static HRESULT emit_create_sampler(struct agpu_context *context, const D3D10_DDI_SAMPLER_DESC *desc,
                                   struct agpu_sampler *sampler)
{
    if (desc == NULL) {
        return E_INVALIDARG;
    }
    struct aerogpu_cmd_create_sampler *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_CREATE_SAMPLER, sizeof *packet);
    if (packet == NULL) {
        return E_OUTOFMEMORY;
    }
    *sampler = (struct agpu_sampler){
        .handle = agpu_adapter_next_handle(context->device->adapter),
        .filter = agpu_convert_filter(desc->Filter),
        .address_u = agpu_convert_address(desc->AddressU),
        .address_v = agpu_convert_address(desc->AddressV),
        .address_w = agpu_convert_address(desc->AddressW),
    };
    packet->sampler_handle = sampler->handle;
    packet->filter = sampler->filter;
    packet->address_u = sampler->address_u;
    packet->address_v = sampler->address_v;
    packet->address_w = sampler->address_w;
    return S_OK;
}

HRESULT agpu_create_sampler(D3D10DDI_HDEVICE handle, const D3D10_DDI_SAMPLER_DESC *desc,
                            D3D10DDI_HSAMPLER sampler_handle, D3D10DDI_HRTSAMPLER runtime)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_sampler *sampler = sampler_handle.pDrvPrivate;

    (void)runtime;
    if (sampler == NULL) {
        return E_INVALIDARG;
    }
    *sampler = (struct agpu_sampler){.handle = 0}; /* nearest, clamp */
    if (context == NULL) {
        return E_INVALIDARG;
    }
    HRESULT hr = emit_create_sampler(context, desc, sampler);
    AGPU_TRACE_CALL(context, "CreateSampler handle=%u -> hr=0x%X", sampler->handle, (unsigned)hr);
    return hr;
}

void agpu_destroy_sampler(D3D10DDI_HDEVICE handle, D3D10DDI_HSAMPLER sampler_handle)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_sampler *sampler = sampler_handle.pDrvPrivate;

    if (sampler == NULL || !sampler->handle) {
        return;
    }
    uint32_t old = sampler->handle;
    *sampler = (struct agpu_sampler){.handle = 0};
    if (context == NULL) {
        return;
    }
    AGPU_TRACE_CALL(context, "DestroySampler handle=%u", old);
    struct aerogpu_cmd_destroy_sampler *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_DESTROY_SAMPLER, sizeof *packet);
    if (packet == NULL) {
        agpu_set_error(context, E_OUTOFMEMORY);
        return;
    }
    packet->sampler_handle = old;
    packet->reserved0 = 0;
}
