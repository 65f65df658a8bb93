/* test_tables.c: tables, adapter, lifetimes (required behaviours TBL). */
#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"

static void expect_full(const void *table, size_t bytes)
{
    void (*const *entries)(void) = table;
    for (size_t i = 0; i < bytes / sizeof *entries; i++) {
        assert_non_null((const void *)(uintptr_t)entries[i]);
    }
}

ALL_MODES_TEST(TBL_01_no_null_entry)
{
    expect_full(&w->adapter_funcs, sizeof w->adapter_funcs);
    expect_full(&w->dev, sizeof w->dev);
    expect_full(&w->ctx, sizeof w->ctx);
}

/* Checks the table, the vertex slots and the destruction of a Direct3D 10 and a 10.1 device. */
TEST(TBL_01_no_null_entry_direct3d_10)
{
    static const struct {
        uint32_t interface, vertex_slots, cookie;
    } rows[] = {{D3D10_0_DDI_INTERFACE_VERSION, 16, 0xA3E0D310},
                {D3D10_1_DDI_INTERFACE_VERSION, 32, 0xA3E0D301}};
    for (int i = 0; i < 2; i++) {
        struct fake fake;
        D3D10DDI_ADAPTERFUNCS adapter;
        D3D10DDI_DEVICEFUNCS table = {0};

        fake_init(&fake, AGPU_BACKING_WDK);
        D3D10DDIARG_OPENADAPTER open = {.Interface = rows[i].interface,
                                        .hRTAdapter = {&fake},
                                        .pAdapterCallbacks = &fake.adapter_callbacks,
                                        .pAdapterFuncs = &adapter};
        assert_int_equal(OpenAdapter10_2(&open), S_OK);
        D3D10DDIARG_CREATEDEVICE args = {
            .hRTDevice = {&fake},
            .Interface = rows[i].interface,
            .pKTCallbacks = &fake.callbacks,
            .pDeviceFuncs = &table,
            .hDrvDevice = {object(adapter.pfnCalcPrivateDeviceSize(open.hAdapter, NULL))},
            .hRTCoreLayer = {&fake},
            .pUMCallbacks = &fake.core_callbacks};
        assert_int_equal(adapter.pfnCreateDevice(open.hAdapter, &args), S_OK);
        expect_full(&table, sizeof table);
        assert_int_equal(*(uint32_t *)args.hDrvDevice.pDrvPrivate, rows[i].cookie);
        const D3D10DDI_HRESOURCE null = {NULL};
        const uint32_t zero = 0;
        table.pfnIaSetVertexBuffers(args.hDrvDevice, rows[i].vertex_slots - 1, 1, &null, &zero, &zero);
        assert_int_equal(fake.error_count, 0);
        table.pfnIaSetVertexBuffers(args.hDrvDevice, rows[i].vertex_slots, 1, &null, &zero, &zero);
        assert_int_equal(fake.error_count, 1);
        table.pfnDestroyDevice(args.hDrvDevice);
        assert_int_equal(*(uint32_t *)args.hDrvDevice.pDrvPrivate, 0);
        assert_int_equal(adapter.pfnCloseAdapter(open.hAdapter), S_OK);
        assert_int_equal(fake.live_blocks, 0);
        free(args.hDrvDevice.pDrvPrivate);
        fake_free(&fake);
    }
}

WDK_TEST(TBL_02_refused_features)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 4, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    D3D10DDI_HSHADERRESOURCEVIEW view = make_srv(w, texture);
    int anything;
    void *object_memory = &anything;
    assert_int_equal(w->dev.pfnCheckCounter(w->device, 0), E_NOTIMPL);
    assert_int_equal(w->dev.pfnCreateClassLinkage(w->device, object_memory), E_NOTIMPL);
    assert_int_equal(w->dev.pfnCreateClassInstance(w->device, object_memory), E_NOTIMPL);
    assert_int_equal(w->dev.pfnCreateCounter(w->device, object_memory), E_NOTIMPL);
    assert_int_equal(w->dev.pfnCreatePredicate(w->device, object_memory), E_NOTIMPL);
    assert_int_equal(w->dev.pfnGetGammaCaps(w->device, object_memory), E_NOTIMPL);
    assert_int_equal(w->dev.pfnSetDisplayMode(w->device, texture, 0), E_NOTIMPL);
    assert_int_equal(w->dev.pfnSetResourcePriority(w->device, texture, 0), E_NOTIMPL);
    assert_int_equal(w->dev.pfnQueryResourceResidency(w->device, 0, NULL, NULL), E_NOTIMPL);
    assert_int_equal(w->dev.pfnCreateDeferredContext(w->device, NULL), E_NOTIMPL);
    assert_int_equal(w->dev.pfnRecycleCreateDeferredContext(w->device, NULL), E_NOTIMPL);
    const D3D11DDI_HCOMMANDLIST list = {object_memory};
    const D3D11DDI_HRTCOMMANDLIST rt_list = {NULL};
    assert_int_equal(w->dev.pfnCreateCommandList(w->device, NULL, list, rt_list), E_NOTIMPL);
    assert_int_equal(w->dev.pfnRecycleCreateCommandList(w->device, NULL, list, rt_list), E_NOTIMPL);
    assert_int_equal(w->dev.pfnGetDeviceRemovedReason(w->device), S_OK);
    assert_int_equal(w->dev.pfnCheckDeviceState(w->device), S_OK);
    expect_errors(w, 3, E_NOTIMPL); /* of the calls without a result of their own */
    w->ctx.pfnGenMips(w->device, view);
    expect_errors(w, 1, E_NOTIMPL);
    w->ctx.pfnResourceResolveSubresource(w->device, texture, 0, texture, 0, 28);
    expect_errors(w, 1, E_NOTIMPL);
    w->ctx.pfnCommandListExecute(w->device, list);
    expect_errors(w, 1, E_NOTIMPL);
    w->ctx.pfnSetPredication(w->device, (D3D10DDI_HQUERY){object_memory}, 1);
    expect_errors(w, 1, E_NOTIMPL);
    w->ctx.pfnSoSetTargets(w->device, 2, 0, (const D3D10DDI_HRESOURCE[]){{NULL}, texture}, NULL);
    expect_errors(w, 1, E_NOTIMPL);
    w->ctx.pfnHsSetShader(w->device, (D3D10DDI_HSHADER){object_memory});
    expect_errors(w, 1, E_NOTIMPL);
    w->ctx.pfnDsSetShader(w->device, (D3D10DDI_HSHADER){object_memory});
    expect_errors(w, 1, E_NOTIMPL);
    const D3D11DDI_HUNORDEREDACCESSVIEW uav = {object_memory};
    w->ctx.pfnClearUnorderedAccessViewUint(w->device, uav, NULL);
    expect_errors(w, 1, E_NOTIMPL);
    w->ctx.pfnClearUnorderedAccessViewFloat(w->device, uav, NULL);
    expect_errors(w, 1, E_NOTIMPL);
    w->ctx.pfnCopyStructureCount(w->device, texture, 0, uav);
    expect_errors(w, 1, E_NOTIMPL);
    w->dev.pfnCheckCounterInfo(w->device, object_memory);
    expect_errors(w, 1, E_NOTIMPL);
    w->dev.pfnAbandonCommandList(w->device);
    expect_errors(w, 1, E_NOTIMPL);
    uint32_t count = 9;
    w->dev.pfnCheckDeferredContextHandleSizes(w->device, &count, NULL);
    assert_int_equal(count, 0);
    expect_errors(w, 1, E_NOTIMPL);
    /* Unbinding reports no error. */
    const D3D10DDI_HRESOURCE null = {NULL};
    w->ctx.pfnSetPredication(w->device, (D3D10DDI_HQUERY){NULL}, 0);
    w->ctx.pfnSoSetTargets(w->device, 1, 0, &null, NULL);
    w->ctx.pfnHsSetShader(w->device, (D3D10DDI_HSHADER){NULL});
    w->ctx.pfnDsSetShader(w->device, (D3D10DDI_HSHADER){NULL});
    w->ctx.pfnGenMips(w->device, (D3D10DDI_HSHADERRESOURCEVIEW){NULL});
    w->ctx.pfnResourceResolveSubresource(w->device, null, 0, null, 0, 28);
    w->ctx.pfnSetMarker(w->device, "x");
    w->ctx.pfnBeginEvent(w->device, "x");
    w->ctx.pfnEndEvent(w->device);
    w->ctx.pfnDiscardResource(w->device, texture);
    w->ctx.pfnDiscardView(w->device, NULL);
    w->ctx.pfnSetResourceMinLOD(w->device, texture, 1);
    w->dev.pfnSetTextFilterSize(w->device, 1, 1);
    w->dev.pfnRelocateDeviceFuncs(w->device, &w->api.own_funcs);
    w->dev.pfnDestroyClassLinkage(w->device, object_memory);
    w->dev.pfnDestroyClassInstance(w->device, object_memory);
    w->dev.pfnDestroyCounter(w->device, object_memory);
    w->dev.pfnDestroyPredicate(w->device, object_memory);
    w->dev.pfnDestroyCommandList(w->device, list);
    w->dev.pfnRecycleDestroyCommandList(w->device, list);
    w->dev.pfnDestroyDeferredContext(w->device, (D3D10DDI_HDEVICE){NULL});
    expect_errors(w, 0, S_OK);
    free_srv(w, view);
}

HOST_TEST(TBL_03_and_07_sizes)
{
    const D3D10DDI_HDEVICE d = w->device;
    const size_t sizes[] = {
        w->dev.pfnCalcPrivateResourceSize(d, NULL),
        w->dev.pfnCalcPrivateOpenedResourceSize(d, NULL),
        w->dev.pfnCalcPrivateRenderTargetViewSize(d, NULL),
        w->dev.pfnCalcPrivateDepthStencilViewSize(d, NULL),
        w->dev.pfnCalcPrivateUnorderedAccessViewSize(d, NULL),
        w->dev.pfnCalcPrivateElementLayoutSize(d, NULL),
        w->dev.pfnCalcPrivateBlendStateSize(d, NULL),
        w->dev.pfnCalcPrivateDepthStencilStateSize(d, NULL),
        w->dev.pfnCalcPrivateRasterizerStateSize(d, NULL),
        w->dev.pfnCalcPrivateShaderSize(d, NULL),
        w->dev.pfnCalcPrivateGeometryShaderWithStreamOutput(d, NULL),
        w->dev.pfnCalcPrivateTessellationShaderSize(d, NULL),
        w->dev.pfnCalcPrivateSamplerSize(d, NULL),
        w->dev.pfnCalcPrivateQuerySize(d, NULL),
        w->dev.pfnCalcDeferredContextHandleSize(d, 0, NULL),
        w->dev.pfnCalcPrivateDeferredContextSize(d, NULL),
        w->dev.pfnCalcPrivateCommandListSize(d, NULL),
        w->dev.pfnCalcPrivateClassLinkageSize(d),
        w->dev.pfnCalcPrivateClassInstanceSize(d),
        w->dev.pfnCalcPrivateCounterSize(d),
        w->dev.pfnCalcPrivatePredicateSize(d),
        w->adapter_funcs.pfnCalcPrivateDeviceSize(w->adapter, NULL),
        w->adapter_funcs.pfnCalcPrivateDeviceContextSize(w->adapter, NULL),
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_true(sizes[i] >= sizeof(void *));
    }
    assert_true(w->dev.pfnCalcPrivateShaderResourceViewSize(d, NULL) >= sizeof(void *) + 4);
}

HOST_TEST(TBL_08_and_17_garbage_devices)
{
    w->dev.pfnDestroyDevice((D3D10DDI_HDEVICE){NULL});
    void *pointers[16];
    memset(pointers, 0xCC, sizeof pointers);
    w->dev.pfnDestroyDevice((D3D10DDI_HDEVICE){pointers});
    for (size_t i = 0; i < sizeof pointers; i++) {
        assert_int_equal(((uint8_t *)pointers)[i], 0xCC);
    }
    w->dev.pfnDestroyDevice(w->device);
    w->dev.pfnDestroyDevice(w->device);
}

/* Objects of each kind, created in one world. */
struct table_objects {
    D3D10DDI_HRESOURCE buffer, texture, depth;
    D3D10DDI_HRENDERTARGETVIEW rtv;
    D3D10DDI_HDEPTHSTENCILVIEW dsv;
    D3D10DDI_HSHADERRESOURCEVIEW srv;
    D3D10DDI_HSAMPLER sampler;
    D3D10DDI_HBLENDSTATE blend;
    D3D10DDI_HRASTERIZERSTATE raster;
    D3D10DDI_HDEPTHSTENCILSTATE depth_state;
    D3D10DDI_HELEMENTLAYOUT layout;
    D3D10DDI_HSHADER shader;
};

static void create_objects(struct world *w, struct table_objects *o)
{
    const D3D10_DDI_SAMPLER_DESC sampler = {0x15, 1, 1, 1};
    const D3D10DDIARG_CREATEELEMENTLAYOUT layout = {NULL, 0};
    const D3D10DDIARG_CREATESHADER shader = {"code", 4};

    o->buffer =
        make_buffer(w, 16, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_VERTEX_BUFFER, D3D10_DDI_CPU_ACCESS_WRITE);
    o->texture =
        make_texture(w, 28, 4, 4, 0, D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    o->depth = make_texture(w, 40, 4, 4, 0, D3D10_DDI_BIND_DEPTH_STENCIL, 0);
    o->rtv = make_rtv(w, o->texture);
    o->dsv = make_dsv(w, o->depth);
    o->srv = make_srv(w, o->texture);
    o->sampler.pDrvPrivate = object(w->dev.pfnCalcPrivateSamplerSize(w->device, &sampler));
    o->blend.pDrvPrivate = object(w->dev.pfnCalcPrivateBlendStateSize(w->device, NULL));
    o->raster.pDrvPrivate = object(w->dev.pfnCalcPrivateRasterizerStateSize(w->device, NULL));
    o->depth_state.pDrvPrivate = object(w->dev.pfnCalcPrivateDepthStencilStateSize(w->device, NULL));
    o->layout.pDrvPrivate = object(w->dev.pfnCalcPrivateElementLayoutSize(w->device, NULL));
    o->shader.pDrvPrivate = object(w->dev.pfnCalcPrivateShaderSize(w->device, NULL));
    assert_int_equal(w->dev.pfnCreateSampler(w->device, &sampler, o->sampler, (D3D10DDI_HRTSAMPLER){NULL}),
                     S_OK);
    assert_int_equal(w->dev.pfnCreateBlendState(w->device, NULL, o->blend, (D3D10DDI_HRTBLENDSTATE){NULL}),
                     S_OK);
    assert_int_equal(
        w->dev.pfnCreateRasterizerState(w->device, NULL, o->raster, (D3D10DDI_HRTRASTERIZERSTATE){NULL}),
        S_OK);
    assert_int_equal(w->dev.pfnCreateDepthStencilState(w->device, NULL, o->depth_state,
                                                       (D3D10DDI_HRTDEPTHSTENCILSTATE){NULL}),
                     S_OK);
    assert_int_equal(
        w->dev.pfnCreateElementLayout(w->device, &layout, o->layout, (D3D10DDI_HRTELEMENTLAYOUT){NULL}),
        S_OK);
    assert_int_equal(w->dev.pfnCreateVertexShader(w->device, &shader, o->shader, (D3D10DDI_HRTSHADER){NULL}),
                     S_OK);
}

static void destroy_objects(struct world *w, struct table_objects *o)
{
    w->dev.pfnDestroyShaderResourceView(w->device, o->srv);
    w->dev.pfnDestroyRenderTargetView(w->device, o->rtv);
    w->dev.pfnDestroyDepthStencilView(w->device, o->dsv);
    w->dev.pfnDestroySampler(w->device, o->sampler);
    w->dev.pfnDestroyBlendState(w->device, o->blend);
    w->dev.pfnDestroyRasterizerState(w->device, o->raster);
    w->dev.pfnDestroyDepthStencilState(w->device, o->depth_state);
    w->dev.pfnDestroyElementLayout(w->device, o->layout);
    w->dev.pfnDestroyShader(w->device, o->shader);
    drop_resource(w, o->buffer);
    drop_resource(w, o->texture);
    drop_resource(w, o->depth);
}

static void expect_zero(const void *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        assert_int_equal(((const uint8_t *)memory)[i], 0);
    }
}

ALL_MODES_TEST(TBL_09_and_15_children_after_device)
{
    struct table_objects o;

    create_objects(w, &o);
    w->dev.pfnDestroyDevice(w->device);
    w->fake.total_calls = 0;
    destroy_objects(w, &o);
    destroy_objects(w, &o);
    assert_int_equal(w->fake.total_calls, 0); /* no callback after the device is destroyed */
    expect_zero(o.srv.pDrvPrivate, sizeof(void *) + 4);
    expect_zero(o.rtv.pDrvPrivate, sizeof(void *));
    expect_zero(o.dsv.pDrvPrivate, sizeof(void *));
    expect_zero(o.blend.pDrvPrivate, sizeof(struct aerogpu_blend_state));
    expect_zero(o.raster.pDrvPrivate, sizeof(struct aerogpu_rasterizer_state));
    expect_zero(o.depth_state.pDrvPrivate, sizeof(struct aerogpu_depth_stencil_state));
    expect_zero(o.sampler.pDrvPrivate, 20);
    expect_zero(o.layout.pDrvPrivate, 4);
    expect_zero(o.shader.pDrvPrivate, 4);
    expect_zero(o.buffer.pDrvPrivate, 4);
    expect_zero(o.texture.pDrvPrivate, 4);
    void *const memory[] = {o.srv.pDrvPrivate,     o.rtv.pDrvPrivate,     o.dsv.pDrvPrivate,
                            o.blend.pDrvPrivate,   o.raster.pDrvPrivate,  o.depth_state.pDrvPrivate,
                            o.sampler.pDrvPrivate, o.layout.pDrvPrivate,  o.shader.pDrvPrivate,
                            o.buffer.pDrvPrivate,  o.texture.pDrvPrivate, o.depth.pDrvPrivate};
    for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++) {
        free(memory[k]);
    }
}

HOST_TEST(CRE_42_handles_differ_across_kinds)
{
    struct table_objects o;

    create_objects(w, &o);
    D3D10DDIARG_CREATERENDERTARGETVIEW desc = {.hDrvResource = o.texture, .Format = 29};
    HRESULT hr;
    D3D10DDI_HRENDERTARGETVIEW part = try_rtv(w, &desc, &hr);
    assert_int_equal(hr, S_OK);
    const uint32_t handles[] = {res(o.buffer)->handle,
                                res(o.texture)->handle,
                                res(o.depth)->handle,
                                rtv(part)->handle,
                                *(uint32_t *)o.sampler.pDrvPrivate,
                                *(uint32_t *)o.layout.pDrvPrivate,
                                *(uint32_t *)o.shader.pDrvPrivate};
    for (size_t i = 0; i < 7; i++) {
        assert_int_not_equal(handles[i], 0);
        for (size_t k = 0; k < i; k++) {
            assert_int_not_equal(handles[i], handles[k]);
        }
    }
    free_rtv(w, part);
    destroy_objects(w, &o);
    void *const memory[] = {o.srv.pDrvPrivate,     o.rtv.pDrvPrivate,     o.dsv.pDrvPrivate,
                            o.blend.pDrvPrivate,   o.raster.pDrvPrivate,  o.depth_state.pDrvPrivate,
                            o.sampler.pDrvPrivate, o.layout.pDrvPrivate,  o.shader.pDrvPrivate,
                            o.buffer.pDrvPrivate,  o.texture.pDrvPrivate, o.depth.pDrvPrivate};
    for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++) {
        free(memory[k]);
    }
}

HOST_TEST(TBL_10_null_adapter)
{
    D3D11DDI_DEVICEFUNCS dev = {0};
    D3D11DDI_DEVICECONTEXTFUNCS ctx = {0};
    D3D10DDIARG_CREATEDEVICE args = {
        .hRTDevice = {&w->fake},
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .pKTCallbacks = &w->fake.callbacks,
        .p11DeviceFuncs = &dev,
        .p11ContextFuncs = &ctx,
        .hDrvDevice = {object(sizeof(struct agpu_device))},
    };
    assert_int_equal(w->adapter_funcs.pfnCreateDevice((D3D10DDI_HADAPTER){NULL}, &args), E_FAIL);
    expect_full(&dev, sizeof dev);
    expect_full(&ctx, sizeof ctx);
    dev.pfnDestroyDevice(args.hDrvDevice);
    assert_int_equal(w->adapter_funcs.pfnCreateDevice(w->adapter, NULL), E_INVALIDARG);
    args.p11DeviceFuncs = NULL;
    assert_int_equal(w->adapter_funcs.pfnCreateDevice(w->adapter, &args), E_INVALIDARG);
    args.p11DeviceFuncs = &dev;
    void *memory = args.hDrvDevice.pDrvPrivate;
    args.hDrvDevice.pDrvPrivate = NULL;
    assert_int_equal(w->adapter_funcs.pfnCreateDevice(w->adapter, &args), E_INVALIDARG);
    free(memory);
}

/* Windows passes a complete table. The driver refuses one that lacks any callback. */
TEST(incomplete_callbacks)
{
    for (unsigned missing = 0; missing <= 11; missing++) {
        struct world w;
        D3D11DDI_DEVICEFUNCS dev = {0};
        D3D11DDI_DEVICECONTEXTFUNCS ctx = {0};

        world_open(&w, AGPU_BACKING_WDK);
        D3DDDI_DEVICECALLBACKS callbacks = w.fake.callbacks;
        D3D10DDIARG_CREATEDEVICE args = {
            .hRTDevice = {&w.fake},
            .Interface = D3D11_0_DDI_INTERFACE_VERSION,
            .pKTCallbacks = &callbacks,
            .p11DeviceFuncs = &dev,
            .p11ContextFuncs = &ctx,
            .hDrvDevice = {object(sizeof(struct agpu_device))},
        };
        unsigned at = 0;
#define TAKE_AWAY(callback) callbacks.callback = missing == at++ ? NULL : callbacks.callback
        TAKE_AWAY(pfnAllocateCb);
        TAKE_AWAY(pfnDeallocateCb);
        TAKE_AWAY(pfnLockCb);
        TAKE_AWAY(pfnUnlockCb);
        TAKE_AWAY(pfnRenderCb);
        TAKE_AWAY(pfnPresentCb);
        TAKE_AWAY(pfnCreateContextCb);
        TAKE_AWAY(pfnDestroyContextCb);
        TAKE_AWAY(pfnCreateSynchronizationObjectCb);
        TAKE_AWAY(pfnDestroySynchronizationObjectCb);
        TAKE_AWAY(pfnWaitForSynchronizationObjectCb);
#undef TAKE_AWAY
        assert_int_equal(w.adapter_funcs.pfnCreateDevice(w.adapter, &args), missing < at ? E_FAIL : S_OK);
        dev.pfnDestroyDevice(args.hDrvDevice);
        free(args.hDrvDevice.pDrvPrivate);
        world_close(&w);
    }
}

/* A limit of the command buffer outside its bounds is refused; 0 is the default. */
TEST(command_limits)
{
    static const struct {
        uint32_t limit, submit_at;
        HRESULT hr;
    } rows[] = {{0, AGPU_COMMAND_LIMIT_DEFAULT, S_OK},
                {AGPU_COMMAND_LIMIT_MIN - 1, 0, E_INVALIDARG},
                {AGPU_COMMAND_LIMIT_MIN, AGPU_COMMAND_LIMIT_MIN, S_OK},
                {AGPU_COMMAND_LIMIT_MAX, AGPU_COMMAND_LIMIT_MAX, S_OK},
                {AGPU_COMMAND_LIMIT_MAX + 1, 0, E_INVALIDARG}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct world w;
        D3D11DDI_DEVICEFUNCS dev = {0};
        D3D11DDI_DEVICECONTEXTFUNCS ctx = {0};

        world_open(&w, AGPU_BACKING_WDK);
        w.fake.options.command_limit = rows[i].limit;
        D3D10DDIARG_CREATEDEVICE args = {
            .hRTDevice = {&w.fake},
            .Interface = D3D11_0_DDI_INTERFACE_VERSION,
            .pKTCallbacks = &w.fake.callbacks,
            .p11DeviceFuncs = &dev,
            .p11ContextFuncs = &ctx,
            .hDrvDevice = {object(sizeof(struct agpu_device))},
        };
        assert_int_equal(w.adapter_funcs.pfnCreateDevice(w.adapter, &args), rows[i].hr);
        if (rows[i].hr == S_OK) {
            assert_int_equal(((struct agpu_device *)args.hDrvDevice.pDrvPrivate)->imm.cmd.submit_at,
                             rows[i].submit_at);
        }
        dev.pfnDestroyDevice(args.hDrvDevice);
        free(args.hDrvDevice.pDrvPrivate);
        world_close(&w);
    }
}

/* Each argument alone is enough to refuse a Direct3D 10 device too. */
TEST(arguments_of_direct3d_10)
{
    D3D10DDI_ADAPTERFUNCS adapter = {0};
    D3D10DDI_DEVICEFUNCS table = {0};
    struct fake fake;

    fake_init(&fake, AGPU_BACKING_WDK);
    D3D10DDIARG_OPENADAPTER open = {.hRTAdapter = {&fake},
                                    .Interface = D3D10_0_DDI_INTERFACE_VERSION,
                                    .pAdapterCallbacks = &fake.adapter_callbacks,
                                    .pAdapterFuncs = &adapter};
    assert_int_equal(OpenAdapter10(&open), S_OK);
    D3D10DDIARG_CREATEDEVICE args = {.hRTDevice = {&fake},
                                     .Interface = D3D10_0_DDI_INTERFACE_VERSION,
                                     .pKTCallbacks = &fake.callbacks,
                                     .pDeviceFuncs = &table,
                                     .hDrvDevice = {object(sizeof(struct agpu_device))}};
    const D3D10DDI_HDEVICE memory = args.hDrvDevice;
    assert_int_equal(adapter.pfnCreateDevice(open.hAdapter, NULL), E_INVALIDARG);
    args.hDrvDevice.pDrvPrivate = NULL;
    assert_int_equal(adapter.pfnCreateDevice(open.hAdapter, &args), E_INVALIDARG);
    args.hDrvDevice = memory;
    args.pDeviceFuncs = NULL;
    assert_int_equal(adapter.pfnCreateDevice(open.hAdapter, &args), E_INVALIDARG);
    args.pDeviceFuncs = &table;
    assert_int_equal(adapter.pfnCreateDevice(open.hAdapter, &args), S_OK);
    table.pfnDestroyDevice(memory);
    free(memory.pDrvPrivate);
    assert_int_equal(adapter.pfnCloseAdapter(open.hAdapter), S_OK);
    assert_int_equal(fake.live_blocks, 0);
    fake_free(&fake);
}

TEST(TBL_11_backing_callbacks_added_later)
{
    struct world w;
    world_fake(&w, AGPU_BACKING_GUEST);
    w.fake.callbacks.pfnAllocateCb = NULL;
    w.fake.callbacks.pfnLockCb = NULL;
    w.fake.callbacks.pfnUnlockCb = NULL;
    world_start(&w);
    D3D10DDI_HRESOURCE host = make_texture(&w, 28, 4, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    assert_int_equal(res(host)->alloc_id, 0);
    fake_add_backing(&w.fake);
    D3D10DDI_HRESOURCE guest = make_texture(&w, 28, 4, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, 1);
    assert_int_not_equal(packet->backing_alloc_id, 0);
    assert_int_equal(packet->backing_alloc_id, res(guest)->alloc_id);
    world_close(&w);
}
