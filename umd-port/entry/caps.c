/* caps.c: pfnGetCaps (umd.md 1.2, 2.2, 14). */
#include "umd-port/entry/caps.h"

#include <string.h>

#include "umd-port/base/trace.h"
#include "umd-port/deferred/deferred.h"
#include "umd-port/format/format.h"

#define FEATURE_LEVEL_10_0 0xA000u

static const uint32_t feature_level = FEATURE_LEVEL_10_0;

/* FORMAT_SUPPORT and FORMAT_SUPPORT2. */
struct format_query {
    uint32_t format;
    uint32_t support;
};

struct multisample_query {
    uint32_t format;
    uint32_t samples;
    uint32_t levels;
};

static HRESULT get_format_support(const struct agpu_adapter *adapter, const D3D10_2DDIARG_GETCAPS *args)
{
    struct format_query query;

    if (args->DataSize < sizeof query) {
        return E_INVALIDARG;
    }
    memcpy(&query, args->pData, sizeof query);
    query.support = args->Type == D3D11DDICAPS_FORMAT_SUPPORT
                        ? agpu_format_support_word(agpu_adapter_format_caps(adapter, query.format))
                        : 0;
    memcpy(args->pData, &query, sizeof query);
    return S_OK;
}

static HRESULT get_multisample_quality(const struct agpu_adapter *adapter, const D3D10_2DDIARG_GETCAPS *args)
{
    struct multisample_query query;

    if (args->DataSize < sizeof query) {
        return E_INVALIDARG;
    }
    memcpy(&query, args->pData, sizeof query);
    query.levels = agpu_adapter_multisample_levels(adapter, query.format, query.samples);
    memcpy(args->pData, &query, sizeof query);
    return S_OK;
}

static HRESULT get_feature_levels(const D3D10_2DDIARG_GETCAPS *args)
{
    if (args->DataSize < 4) {
        return E_INVALIDARG;
    }
    uint8_t *out = args->pData;
    memset(out, 0, args->DataSize);
    if (args->DataSize < 8) {
        memcpy(out, &feature_level, 4);
        return S_OK;
    }
    const uint32_t count = 1;
    const uint32_t *levels = &feature_level;
    memcpy(out, &count, 4);
    if (sizeof(void *) == 4) {
        memcpy(out + 4, &levels, sizeof levels);
        return S_OK;
    }
    memcpy(out + 4, &feature_level, 4);
    if (args->DataSize >= 8 + sizeof levels) {
        memcpy(out + 8, &levels, sizeof levels);
    }
    return S_OK;
}

/* Command lists, if they are offered (umd.md 15), and with them creation on any thread: Windows expects both. */
static HRESULT get_threading(const struct agpu_adapter *adapter, const D3D10_2DDIARG_GETCAPS *args)
{
    const uint32_t offered = D3D11DDICAPS_FREETHREADED | D3D11DDICAPS_COMMANDLISTS;
    const uint32_t caps = agpu_deferred_contexts_offered(adapter) ? offered : 0;

    memset(args->pData, 0, args->DataSize);
    if (args->DataSize >= sizeof caps) {
        memcpy(args->pData, &caps, sizeof caps);
    }
    return S_OK;
}

static HRESULT get_caps(const struct agpu_adapter *adapter, const D3D10_2DDIARG_GETCAPS *args)
{
    if (args->pData == NULL || !args->DataSize) {
        return S_OK;
    }
    switch (args->Type) {
    case D3D11DDICAPS_FORMAT_SUPPORT:
    case D3D11DDICAPS_FORMAT_SUPPORT2:
        return get_format_support(adapter, args);
    case D3D11DDICAPS_MULTISAMPLE_QUALITY_LEVELS:
        return get_multisample_quality(adapter, args);
    case D3D11DDICAPS_FEATURE_LEVELS:
        return get_feature_levels(args);
    case D3D11DDICAPS_THREADING:
        return get_threading(adapter, args);
    case D3D11DDICAPS_D3D10_X_HW_OPTIONS: /* compute shaders on 10.x hardware: supported */
        memset(args->pData, 0, args->DataSize);
        *(uint8_t *)args->pData = 1;
        return S_OK;
    /* nothing is supported: SHADER (doubles), D3D11_OPTIONS, ARCHITECTURE_INFO, D3D9_OPTIONS */
    default:
        memset(args->pData, 0, args->DataSize);
        return S_OK;
    }
}

HRESULT agpu_adapter_get_caps(D3D10DDI_HADAPTER handle, const D3D10_2DDIARG_GETCAPS *args)
{
    const struct agpu_adapter *adapter = handle.pDrvPrivate;

    if (adapter == NULL || args == NULL) {
        return E_INVALIDARG;
    }
    HRESULT hr = get_caps(adapter, args);
    const struct agpu_umd_options *options = adapter->env->options;
    bool unknown = args->Type > D3D11DDICAPS_MULTISAMPLE_QUALITY_LEVELS;
    if (__builtin_expect(options->trace_caps || options->trace_level, 0)) {
        agpu_trace_line(adapter->env, "GetCaps %stype=%u size=%u -> hr=0x%X", unknown ? "unknown " : "",
                        args->Type, args->DataSize, (unsigned)hr);
    }
    return hr;
}
