/* query.c: event queries (umd.md 8). */
#include "umd-port/base/query.h"

#include <string.h>

#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/base/wait.h"

#define QUERY_EVENT 0u

struct agpu_query {
    uint64_t fence; /* of the submission that Event ended */
    uint8_t created, ended;
};

size_t agpu_calc_query_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATEQUERY *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateQuerySize", sizeof(struct agpu_query));
}

HRESULT agpu_create_query(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATEQUERY *args,
                          D3D10DDI_HQUERY handle, D3D10DDI_HRTQUERY runtime)
{
    struct agpu_query *query = handle.pDrvPrivate;

    (void)runtime;
    if (query == NULL) {
        return E_INVALIDARG;
    }
    *query = (struct agpu_query){.created = 0};
    if (agpu_context_of(device) == NULL || args == NULL) {
        return agpu_traced_result(device, "CreateQuery", E_INVALIDARG);
    }
    query->created = args->Query == QUERY_EVENT;
    return agpu_traced_result(device, "CreateQuery", query->created ? S_OK : E_NOTIMPL);
}

void agpu_destroy_query(D3D10DDI_HDEVICE device, D3D10DDI_HQUERY handle)
{
    (void)handle;
    agpu_traced(device, "DestroyQuery");
}

void agpu_query_begin(D3D10DDI_HDEVICE device, D3D10DDI_HQUERY handle)
{
    struct agpu_context *context = agpu_context_of(device);

    agpu_traced(device, "QueryBegin");
    if (context != NULL && handle.pDrvPrivate != NULL) {
        agpu_set_error(context, E_INVALIDARG);
    }
}

void agpu_query_end(D3D10DDI_HDEVICE device, D3D10DDI_HQUERY handle)
{
    struct agpu_context *context = agpu_context_of(device);
    struct agpu_query *query = handle.pDrvPrivate;

    agpu_traced(device, "QueryEnd");
    if (context == NULL || query == NULL) {
        return;
    }
    if (!query->created) {
        agpu_set_error(context, E_INVALIDARG);
        return;
    }
    HRESULT hr = agpu_submit(context->device, NULL);
    if (FAILED(hr)) {
        agpu_set_error(context, hr);
        return;
    }
    query->fence = context->device->last_submitted_fence;
    query->ended = 1;
}

static HRESULT get_query_data(const struct agpu_context *context, const struct agpu_query *query, void *data,
                              uint32_t size)
{
    const uint32_t done = 1;

    if (context == NULL || query == NULL || !query->created || !query->ended ||
        (data != NULL && size < sizeof done)) {
        return E_INVALIDARG;
    }
    HRESULT hr = agpu_wait_fence(context->device, query->fence, true);
    if (hr != S_OK) {
        return hr;
    }
    if (data != NULL) {
        memcpy(data, &done, sizeof done);
    }
    return S_OK;
}

void agpu_query_get_data(D3D10DDI_HDEVICE device, D3D10DDI_HQUERY handle, void *data, uint32_t size,
                         uint32_t flags)
{
    struct agpu_context *context = agpu_context_of(device);

    (void)flags;
    agpu_report(context, agpu_traced_result(device, "QueryGetData",
                                            get_query_data(context, handle.pDrvPrivate, data, size)));
}
