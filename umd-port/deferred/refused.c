/* refused.c: calls that a deferred context refuses: E_INVALIDARG (umd.md 15). */
#include "umd-port/deferred/refused.h"

#include "umd-port/base/trace.h"
#include "umd-port/deferred/recording.h"

void agpu_deferred_get_data(D3D10DDI_HDEVICE handle, D3D10DDI_HQUERY query, void *data, uint32_t size,
                            uint32_t flags)
{
    (void)query, (void)data, (void)size, (void)flags;
    agpu_report(agpu_context_of(handle), agpu_traced_result(handle, "QueryGetData", E_INVALIDARG));
}

uint32_t agpu_deferred_is_staging_busy(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource)
{
    struct agpu_deferred_context *dc = agpu_recording_of(handle);

    agpu_traced(handle, "ResourceIsStagingBusy");
    if (dc != NULL && resource.pDrvPrivate != NULL) {
        agpu_set_error(&dc->recorder.imm, E_INVALIDARG);
    }
    return 0;
}

void agpu_deferred_flush(D3D10DDI_HDEVICE handle)
{
    agpu_report(agpu_context_of(handle), agpu_traced_result(handle, "Flush", E_INVALIDARG));
}

HRESULT agpu_deferred_present(D3D10DDI_HDEVICE handle, const DXGI_DDI_ARG_PRESENT *args)
{
    (void)args;
    return agpu_traced_result(handle, "Present", E_INVALIDARG);
}

HRESULT agpu_deferred_rotate(D3D10DDI_HDEVICE handle, const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *args)
{
    (void)args;
    return agpu_traced_result(handle, "RotateResourceIdentities", E_INVALIDARG);
}
