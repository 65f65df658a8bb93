/* rig.c: uses deferred contexts as the runtime does. */
#include "tests/unit/umd_deferred/rig.h"

void rig_open(struct world *world, enum agpu_backing_mode mode)
{
    world_fake(world, mode);
    world->fake.options.deferred_contexts = 1;
    world_start(world);
}

static void dc_error(D3D10DDI_HRTCORELAYER layer, HRESULT hr)
{
    struct dc *dc = layer.handle;

    if (dc->lost && dc->api.reports_result && hr == E_OUTOFMEMORY) {
        return;
    }
    dc->lost |= hr == E_OUTOFMEMORY;
    if (dc->error_count < 16) {
        dc->errors[dc->error_count] = hr;
    }
    dc->error_count++;
}

void dc_open(struct dc *dc, struct world *world)
{
    static const D3D11DDI_CORELAYER_DEVICECALLBACKS callbacks = {.pfnSetErrorCb = dc_error};

    *dc = (struct dc){.world = world};
    D3D11DDIARG_CREATEDEFERREDCONTEXT args = {
        .hDrvContext = {object(world->dev.pfnCalcPrivateDeferredContextSize(world->device, NULL))},
        .hRTCoreLayer = {dc},
        .p11UMCallbacks = &callbacks,
    };
    agpu_api_begin_deferred(&dc->api, world->device, &args);
    assert_int_equal(world->dev.pfnCreateDeferredContext(world->device, &args), S_OK);
    dc->handle = args.hDrvContext;
    agpu_api_open_deferred(&dc->api, dc->handle, &dc->fn);
}

void dc_close(struct dc *dc)
{
    dc->world->dev.pfnDestroyDeferredContext(dc->world->device, dc->handle);
    agpu_api_end(&dc->api);
    free(dc->handle.pDrvPrivate);
}

void dc_expect_errors(struct dc *dc, uint32_t count, HRESULT hr)
{
    assert_int_equal(dc->error_count, count);
    for (uint32_t i = 0; i < count && i < 16; i++) {
        assert_int_equal(dc->errors[i], hr);
    }
    dc->error_count = 0;
}

static void *local(struct dc *dc, uint32_t type, void *immediate)
{
    return object(dc->world->dev.pfnCalcDeferredContextHandleSize(dc->world->device, type, immediate));
}

D3D10DDI_HRESOURCE dc_resource(struct dc *dc, D3D10DDI_HRESOURCE immediate)
{
    D3D10DDI_HRESOURCE handle = {local(dc, D3D10DDI_HT_RESOURCE, immediate.pDrvPrivate)};

    assert_int_equal(dc->world->dev.pfnCreateResource(dc->handle, NULL, handle,
                                                      (D3D10DDI_HRTRESOURCE){immediate.pDrvPrivate}),
                     S_OK);
    return handle;
}

#define LOCAL_VIEW(name, handle_type, type, create, args_type, runtime_type)                                 \
    handle_type name(struct dc *dc, handle_type immediate, D3D10DDI_HRESOURCE resource)                      \
    {                                                                                                        \
        const args_type args = {.hDrvResource = resource};                                                   \
        handle_type handle = {local(dc, type, immediate.pDrvPrivate)};                                       \
        assert_int_equal(                                                                                    \
            dc->world->dev.create(dc->handle, &args, handle, (runtime_type){immediate.pDrvPrivate}), S_OK);  \
        return handle;                                                                                       \
    }
LOCAL_VIEW(dc_rtv, D3D10DDI_HRENDERTARGETVIEW, D3D10DDI_HT_RENDERTARGETVIEW, pfnCreateRenderTargetView,
           D3D10DDIARG_CREATERENDERTARGETVIEW, D3D10DDI_HRTRENDERTARGETVIEW)
LOCAL_VIEW(dc_srv, D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HT_SHADERRESOURCEVIEW, pfnCreateShaderResourceView,
           D3D10DDIARG_CREATESHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW)

#define LOCAL_OBJECT(name, handle_type, type, create, runtime_type)                                          \
    handle_type name(struct dc *dc, handle_type immediate)                                                   \
    {                                                                                                        \
        handle_type handle = {local(dc, type, immediate.pDrvPrivate)};                                       \
        assert_int_equal(                                                                                    \
            dc->world->dev.create(dc->handle, NULL, handle, (runtime_type){immediate.pDrvPrivate}), S_OK);   \
        return handle;                                                                                       \
    }
LOCAL_OBJECT(dc_shader, D3D10DDI_HSHADER, D3D10DDI_HT_SHADER, pfnCreateVertexShader, D3D10DDI_HRTSHADER)
LOCAL_OBJECT(dc_sampler, D3D10DDI_HSAMPLER, D3D10DDI_HT_SAMPLERSTATE, pfnCreateSampler, D3D10DDI_HRTSAMPLER)
LOCAL_OBJECT(dc_layout, D3D10DDI_HELEMENTLAYOUT, D3D10DDI_HT_ELEMENTLAYOUT, pfnCreateElementLayout,
             D3D10DDI_HRTELEMENTLAYOUT)
LOCAL_OBJECT(dc_query, D3D10DDI_HQUERY, D3D10DDI_HT_QUERY, pfnCreateQuery, D3D10DDI_HRTQUERY)

#define FREE_LOCAL(name, handle_type, destroy)                                                               \
    void name(struct dc *dc, handle_type handle)                                                             \
    {                                                                                                        \
        dc->world->dev.destroy(dc->handle, handle);                                                          \
        free(handle.pDrvPrivate);                                                                            \
    }
FREE_LOCAL(dc_free_resource, D3D10DDI_HRESOURCE, pfnDestroyResource)
FREE_LOCAL(dc_free_rtv, D3D10DDI_HRENDERTARGETVIEW, pfnDestroyRenderTargetView)
FREE_LOCAL(dc_free_srv, D3D10DDI_HSHADERRESOURCEVIEW, pfnDestroyShaderResourceView)
FREE_LOCAL(dc_free_shader, D3D10DDI_HSHADER, pfnDestroyShader)
FREE_LOCAL(dc_free_sampler, D3D10DDI_HSAMPLER, pfnDestroySampler)
FREE_LOCAL(dc_free_layout, D3D10DDI_HELEMENTLAYOUT, pfnDestroyElementLayout)
FREE_LOCAL(dc_free_query, D3D10DDI_HQUERY, pfnDestroyQuery)

D3D10DDI_HSHADER make_shader(struct world *world, bool pixel)
{
    static const uint8_t code[20] = "DXBC";
    const D3D10DDIARG_CREATESHADER args = {code, sizeof code};
    D3D10DDI_HSHADER shader = {object(world->dev.pfnCalcPrivateShaderSize(world->device, &args))};

    HRESULT hr =
        pixel ? world->dev.pfnCreatePixelShader(world->device, &args, shader, (D3D10DDI_HRTSHADER){NULL})
              : world->dev.pfnCreateVertexShader(world->device, &args, shader, (D3D10DDI_HRTSHADER){NULL});
    assert_int_equal(hr, S_OK);
    return shader;
}

D3D10DDI_HSAMPLER make_sampler(struct world *world)
{
    const D3D10_DDI_SAMPLER_DESC desc = {.Filter = 1, .AddressU = 1, .AddressV = 1, .AddressW = 1};
    D3D10DDI_HSAMPLER sampler = {object(world->dev.pfnCalcPrivateSamplerSize(world->device, &desc))};

    assert_int_equal(world->dev.pfnCreateSampler(world->device, &desc, sampler, (D3D10DDI_HRTSAMPLER){NULL}),
                     S_OK);
    return sampler;
}

D3D10DDI_HELEMENTLAYOUT make_layout(struct world *world)
{
    static const D3D10DDIARG_INPUT_ELEMENT_DESC element = {.SemanticName = "POSITION",
                                                           .Format = DXGI_FORMAT_R32G32_FLOAT};
    const D3D10DDIARG_CREATEELEMENTLAYOUT args = {&element, 1};
    D3D10DDI_HELEMENTLAYOUT layout = {
        object(world->dev.pfnCalcPrivateElementLayoutSize(world->device, &args))};

    assert_int_equal(
        world->dev.pfnCreateElementLayout(world->device, &args, layout, (D3D10DDI_HRTELEMENTLAYOUT){NULL}),
        S_OK);
    return layout;
}

D3D10DDI_HQUERY make_query(struct world *world)
{
    const D3D10DDIARG_CREATEQUERY args = {.Query = 0};
    D3D10DDI_HQUERY query = {object(world->dev.pfnCalcPrivateQuerySize(world->device, &args))};

    assert_int_equal(world->dev.pfnCreateQuery(world->device, &args, query, (D3D10DDI_HRTQUERY){NULL}), S_OK);
    return query;
}

void free_shader(struct world *world, D3D10DDI_HSHADER shader)
{
    world->dev.pfnDestroyShader(world->device, shader);
    free(shader.pDrvPrivate);
}

void free_sampler(struct world *world, D3D10DDI_HSAMPLER sampler)
{
    world->dev.pfnDestroySampler(world->device, sampler);
    free(sampler.pDrvPrivate);
}

void free_layout(struct world *world, D3D10DDI_HELEMENTLAYOUT layout)
{
    world->dev.pfnDestroyElementLayout(world->device, layout);
    free(layout.pDrvPrivate);
}

void free_query(struct world *world, D3D10DDI_HQUERY query)
{
    world->dev.pfnDestroyQuery(world->device, query);
    free(query.pDrvPrivate);
}

D3D11DDI_HCOMMANDLIST dc_finish(struct dc *dc, HRESULT *hr)
{
    const D3D11DDIARG_CREATECOMMANDLIST args = {.hDeferredContext = dc->handle};
    D3D11DDI_HCOMMANDLIST list = {object(dc->world->dev.pfnCalcPrivateCommandListSize(dc->handle, &args))};

    const uint32_t before = dc->error_count;
    HRESULT result =
        dc->world->dev.pfnCreateCommandList(dc->handle, &args, list, (D3D11DDI_HRTCOMMANDLIST){NULL});
    dc->error_count = before; /* its report is its result */
    dc->lost = false;
    if (hr != NULL) {
        *hr = result;
    } else {
        assert_int_equal(result, S_OK);
    }
    return list;
}

void execute(struct world *world, D3D11DDI_HCOMMANDLIST list)
{
    world->ctx.pfnCommandListExecute(world->device, list);
}

void free_list(struct world *world, D3D11DDI_HCOMMANDLIST list)
{
    world->dev.pfnDestroyCommandList(world->device, list);
    free(list.pDrvPrivate);
}

void start_clean(struct world *world)
{
    assert_int_equal(flush(world), S_OK);
    fake_forget(&world->fake);
}
