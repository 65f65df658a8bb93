/* test_handles.c: handles of several contexts: creation and order (cases.md DEF-04, 07, 20). */
#include "tests/unit/umd_deferred/rig.h"

/* Each argument alone is enough to refuse a context. A deferred context cannot create another one. */
RIG_TEST(creation_of_contexts, AGPU_BACKING_WDK)
{
    struct dc dc;
    D3D11DDI_DEVICECONTEXTFUNCS fn;

    dc_open(&dc, world);
    D3D11DDIARG_CREATEDEFERREDCONTEXT args = {.p11ContextFuncs = &fn};
    args.hDrvContext.pDrvPrivate = object(world->dev.pfnCalcPrivateDeferredContextSize(world->device, &args));
    const D3D10DDI_HDEVICE memory = args.hDrvContext;
    for (unsigned again = 0; again < 2; again++) {
        HRESULT(*entry)
        (D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEDEFERREDCONTEXT *) =
            again ? world->dev.pfnRecycleCreateDeferredContext : world->dev.pfnCreateDeferredContext;

        /* without a device nothing receives a report */
        assert_int_equal(entry((D3D10DDI_HDEVICE){NULL}, &args), again ? E_INVALIDARG : S_OK);
        assert_int_equal(entry(dc.handle, &args), E_INVALIDARG);
        assert_int_equal(entry(world->device, NULL), E_INVALIDARG);
        args.hDrvContext.pDrvPrivate = NULL;
        assert_int_equal(entry(world->device, &args), E_INVALIDARG);
        args.hDrvContext = memory;
        args.p11ContextFuncs = NULL;
        assert_int_equal(entry(world->device, &args), E_INVALIDARG);
        args.p11ContextFuncs = &fn;
    }
    /* The same for lists: without a description the handle is a local one of a list, which only a deferred context
     * creates. */
    const D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    const D3D11DDI_HCOMMANDLIST local = {
        object(world->dev.pfnCalcPrivateCommandListSize(world->device, NULL))};
    const D3D11DDI_HRTCOMMANDLIST of = {list.pDrvPrivate}, none = {NULL};
    const D3D11DDIARG_CREATECOMMANDLIST no_context = {.hDeferredContext = world->device};
    assert_int_equal(world->dev.pfnCreateCommandList(world->device, NULL, local, of), E_INVALIDARG);
    assert_int_equal(world->dev.pfnCreateCommandList(dc.handle, NULL, local, none), E_INVALIDARG);
    assert_int_equal(world->dev.pfnCreateCommandList(world->device, &no_context, local, none), E_INVALIDARG);
    assert_int_equal(world->dev.pfnRecycleCreateCommandList(world->device, &no_context, local, none),
                     E_INVALIDARG);
    assert_int_equal(world->dev.pfnRecycleCreateCommandList(dc.handle, NULL, local, none), E_INVALIDARG);
    assert_int_equal(world->dev.pfnCreateCommandList(dc.handle, NULL, (D3D11DDI_HCOMMANDLIST){NULL}, of),
                     E_INVALIDARG);
    free(local.pDrvPrivate);
    free_list(world, list);
    dc.error_count = 0;
    assert_int_equal(world->dev.pfnCreateDeferredContext(world->device, &args), S_OK);
    world->dev.pfnDestroyDeferredContext(world->device, memory);
    free(memory.pDrvPrivate);
    dc_close(&dc);
}

RIG_TEST(DEF_04_local_creation_records_nothing, AGPU_BACKING_WDK)
{
    struct dc dc;

    D3D10DDI_HRESOURCE texture =
        make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, D3D10_DDI_BIND_RENDER_TARGET, 0);
    D3D10DDI_HSHADER shader = make_shader(world, true);
    start_clean(world);
    struct agpu_device *before = malloc(sizeof *before);
    memcpy(before, world->device.pDrvPrivate, sizeof *before);
    dc_open(&dc, world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, texture);
    D3D10DDI_HSHADER local_shader = dc_shader(&dc, shader);
    assert_int_equal(recorded_total(world), 0);
    assert_memory_equal(before, world->device.pDrvPrivate, sizeof *before);
    assert_int_equal(world->fake.calls[FAKE_ALLOCATE] + world->fake.calls[FAKE_LOCK], 0);
    dc_free_shader(&dc, local_shader);
    dc_free_resource(&dc, local);
    dc_close(&dc);
    assert_memory_equal(before, world->device.pDrvPrivate, sizeof *before);
    free(before);
    free_shader(world, shader);
}

RIG_TEST(DEF_07_views_need_the_resource_handle_of_their_context, AGPU_BACKING_WDK)
{
    struct dc dc, other;

    D3D10DDI_HRESOURCE texture =
        make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, D3D10_DDI_BIND_RENDER_TARGET, 0);
    D3D10DDI_HRENDERTARGETVIEW view = make_rtv(world, texture);
    dc_open(&dc, world);
    dc_open(&other, world);
    D3D10DDI_HRESOURCE foreign = dc_resource(&other, texture);
    D3D10DDIARG_CREATERENDERTARGETVIEW args = {.hDrvResource = foreign};
    D3D10DDI_HRENDERTARGETVIEW local = {object(agpu_local_handle_bytes(D3D10DDI_HT_RENDERTARGETVIEW))};
    const D3D10DDI_HRTRENDERTARGETVIEW immediate = {view.pDrvPrivate};
    assert_int_equal(world->dev.pfnCreateRenderTargetView(dc.handle, &args, local, immediate), E_INVALIDARG);
    assert_int_equal(world->dev.pfnCreateRenderTargetView(dc.handle, NULL, local, immediate), E_INVALIDARG);
    dc_expect_errors(&dc, 2, E_INVALIDARG);
    args.hDrvResource = dc_resource(&dc, texture);
    assert_int_equal(world->dev.pfnCreateRenderTargetView(dc.handle, &args, local, immediate), S_OK);
    assert_ptr_equal(rtv(local)->resource, args.hDrvResource.pDrvPrivate);
    /* In the other order the view is empty afterwards, not dangling. */
    dc_free_resource(&dc, args.hDrvResource);
    assert_null(rtv(local)->resource);
    dc.fn.pfnSetRenderTargets(dc.handle, &local, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    dc_free_rtv(&dc, local);
    dc_free_resource(&other, foreign);
    dc_close(&other);
    dc_close(&dc);
    free_rtv(world, view);
}

RIG_TEST(DEF_20_immediate_handle_lives_longest, AGPU_BACKING_WDK)
{
    struct dc dc;

    D3D10DDI_HRESOURCE texture =
        make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    D3D10DDI_HSHADERRESOURCEVIEW view = make_srv(world, texture);
    dc_open(&dc, world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, texture);
    D3D10DDI_HSHADERRESOURCEVIEW local_view = dc_srv(&dc, view, local);
    start_clean(world);
    /* On the context: first the view, then its resource. The device is not affected. */
    dc_free_srv(&dc, local_view);
    dc_free_resource(&dc, local);
    assert_int_equal(recorded_total(world), 0);
    assert_int_equal(world->fake.calls[FAKE_DEALLOCATE], 0);
    dc_close(&dc);
    /* Destruction of the immediate handles then destroys the objects at once. */
    free_srv(world, view);
    uint32_t handle = res(texture)->handle;
    free_resource(world, texture);
    const struct aerogpu_cmd_destroy_resource *packet =
        captured_at(world, 0, AEROGPU_CMD_DESTROY_RESOURCE, 0);
    assert_int_equal(packet->resource_handle, handle);
    assert_int_equal(world->fake.calls[FAKE_DEALLOCATE], 1);
}
