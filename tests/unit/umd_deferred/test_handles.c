/* test_handles.c: handles of several contexts: sizes, layout, creation, order, errors (cases.md DEF-01 to 08,
 * 19, 20). */
#include "tests/unit/umd_deferred/rig.h"

#define ROOM 32

struct sizes {
    uint32_t count;
    D3D11DDI_HANDLESIZE entries[ROOM];
};

static struct sizes poll_sizes(struct world *world)
{
    struct sizes sizes = {.count = 0};
    uint32_t count = 0;

    world->dev.pfnCheckDeferredContextHandleSizes(world->device, &count, NULL);
    assert_in_range(count, 1, ROOM);
    sizes.count = count;
    world->dev.pfnCheckDeferredContextHandleSizes(world->device, &sizes.count, sizes.entries);
    assert_int_equal(sizes.count, count);
    return sizes;
}

static bool advertised(const struct sizes *sizes, uint32_t type, size_t bytes)
{
    for (uint32_t i = 0; i < sizes->count; i++) {
        if (sizes->entries[i].HandleType == type && sizes->entries[i].Size == bytes) {
            return true;
        }
    }
    return false;
}

RIG_TEST(DEF_01_handle_sizes_are_polled_twice, AGPU_BACKING_WDK)
{
    const struct sizes sizes = poll_sizes(world), again = poll_sizes(world);
    assert_memory_equal(&sizes, &again, sizeof sizes);
    bool seen[AGPU_HANDLE_TYPES] = {false};
    for (uint32_t i = 0; i < sizes.count; i++) {
        assert_true(sizes.entries[i].Size > 0);
        assert_in_range(sizes.entries[i].HandleType, 0, AGPU_HANDLE_TYPES - 1);
        seen[sizes.entries[i].HandleType] = true;
    }
    for (uint32_t type = 0; type < AGPU_HANDLE_TYPES; type++) {
        assert_true(seen[type]);
    }
    uint32_t short_count = 1;
    D3D11DDI_HANDLESIZE one;
    world->dev.pfnCheckDeferredContextHandleSizes(world->device, &short_count, &one);
    expect_errors(world, 1, E_INVALIDARG);
}

/* One immediate object of each kind, in the order of creation. */
struct kinds {
    D3D10DDI_HRESOURCE texture, depth, buffer;
    D3D10DDI_HSHADERRESOURCEVIEW srv;
    D3D10DDI_HRENDERTARGETVIEW rtv;
    D3D10DDI_HDEPTHSTENCILVIEW dsv;
    D3D11DDI_HUNORDEREDACCESSVIEW uav;
    D3D10DDI_HSHADER shader;
    D3D10DDI_HELEMENTLAYOUT layout;
    D3D10DDI_HBLENDSTATE blend;
    D3D10DDI_HDEPTHSTENCILSTATE depth_stencil;
    D3D10DDI_HRASTERIZERSTATE rasterizer;
    D3D10DDI_HSAMPLER sampler;
    D3D10DDI_HQUERY query;
};

static void check_size(struct world *world, const struct sizes *sizes, uint32_t type, void *object_memory)
{
    uint64_t before = world->fake.total_calls;
    size_t bytes = world->dev.pfnCalcDeferredContextHandleSize(world->device, type, object_memory);

    assert_true(advertised(sizes, type, bytes));
    assert_int_equal(world->fake.total_calls, before); /* no callback was called */
}

/* Creates one object of each kind, and queries the size of its local handle right after. */
static void make_kinds(struct world *world, struct kinds *all, const struct sizes *sizes)
{
    const uint32_t target = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE;

    all->texture = make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, target, 0);
    check_size(world, sizes, D3D10DDI_HT_RESOURCE, all->texture.pDrvPrivate);
    all->depth = make_texture(world, DXGI_FORMAT_D24_UNORM_S8_UINT, 8, 8, 0, D3D10_DDI_BIND_DEPTH_STENCIL, 0);
    all->buffer = make_buffer(world, 64, 0, D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
    check_size(world, sizes, D3D10DDI_HT_RESOURCE, all->buffer.pDrvPrivate);
    all->srv = make_srv(world, all->texture);
    check_size(world, sizes, D3D10DDI_HT_SHADERRESOURCEVIEW, all->srv.pDrvPrivate);
    all->rtv = make_rtv(world, all->texture);
    check_size(world, sizes, D3D10DDI_HT_RENDERTARGETVIEW, all->rtv.pDrvPrivate);
    all->dsv = make_dsv(world, all->depth);
    check_size(world, sizes, D3D10DDI_HT_DEPTHSTENCILVIEW, all->dsv.pDrvPrivate);
    const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW uav = {.hDrvResource = all->buffer, .NumElements = 4};
    all->uav.pDrvPrivate = object(world->dev.pfnCalcPrivateUnorderedAccessViewSize(world->device, &uav));
    assert_int_equal(world->dev.pfnCreateUnorderedAccessView(world->device, &uav, all->uav,
                                                             (D3D11DDI_HRTUNORDEREDACCESSVIEW){NULL}),
                     S_OK);
    check_size(world, sizes, D3D11DDI_HT_UNORDEREDACCESSVIEW, all->uav.pDrvPrivate);
    all->shader = make_shader(world, false);
    check_size(world, sizes, D3D10DDI_HT_SHADER, all->shader.pDrvPrivate);
    all->layout = make_layout(world);
    check_size(world, sizes, D3D10DDI_HT_ELEMENTLAYOUT, all->layout.pDrvPrivate);
    all->blend.pDrvPrivate = object(world->dev.pfnCalcPrivateBlendStateSize(world->device, NULL));
    assert_int_equal(
        world->dev.pfnCreateBlendState(world->device, NULL, all->blend, (D3D10DDI_HRTBLENDSTATE){NULL}),
        S_OK);
    check_size(world, sizes, D3D10DDI_HT_BLENDSTATE, all->blend.pDrvPrivate);
    all->depth_stencil.pDrvPrivate =
        object(world->dev.pfnCalcPrivateDepthStencilStateSize(world->device, NULL));
    assert_int_equal(world->dev.pfnCreateDepthStencilState(world->device, NULL, all->depth_stencil,
                                                           (D3D10DDI_HRTDEPTHSTENCILSTATE){NULL}),
                     S_OK);
    check_size(world, sizes, D3D10DDI_HT_DEPTHSTENCILSTATE, all->depth_stencil.pDrvPrivate);
    all->rasterizer.pDrvPrivate = object(world->dev.pfnCalcPrivateRasterizerStateSize(world->device, NULL));
    assert_int_equal(world->dev.pfnCreateRasterizerState(world->device, NULL, all->rasterizer,
                                                         (D3D10DDI_HRTRASTERIZERSTATE){NULL}),
                     S_OK);
    check_size(world, sizes, D3D10DDI_HT_RASTERIZERSTATE, all->rasterizer.pDrvPrivate);
    all->sampler = make_sampler(world);
    check_size(world, sizes, D3D10DDI_HT_SAMPLERSTATE, all->sampler.pDrvPrivate);
    all->query = make_query(world);
    check_size(world, sizes, D3D10DDI_HT_QUERY, all->query.pDrvPrivate);
}

static void free_kinds(struct world *world, struct kinds *all)
{
    free_query(world, all->query);
    free_sampler(world, all->sampler);
    world->dev.pfnDestroyRasterizerState(world->device, all->rasterizer);
    world->dev.pfnDestroyDepthStencilState(world->device, all->depth_stencil);
    world->dev.pfnDestroyBlendState(world->device, all->blend);
    world->dev.pfnDestroyUnorderedAccessView(world->device, all->uav);
    free(all->rasterizer.pDrvPrivate);
    free(all->depth_stencil.pDrvPrivate);
    free(all->blend.pDrvPrivate);
    free(all->uav.pDrvPrivate);
    free_layout(world, all->layout);
    free_shader(world, all->shader);
    free_dsv(world, all->dsv);
    free_rtv(world, all->rtv);
    free_srv(world, all->srv);
    free_resource(world, all->buffer);
    free_resource(world, all->depth);
    free_resource(world, all->texture);
}

RIG_TEST(DEF_02_and_19_size_of_every_kind_right_after_creation, AGPU_BACKING_WDK)
{
    struct kinds all;

    const struct sizes sizes = poll_sizes(world);
    make_kinds(world, &all, &sizes);
    struct dc dc;
    dc_open(&dc, world);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    check_size(world, &sizes, D3D11DDI_HT_COMMANDLIST, list.pDrvPrivate);
    free_list(world, list);
    dc_close(&dc);
    free_kinds(world, &all);
    expect_errors(world, 0, S_OK);
}

RIG_TEST(DEF_03_three_contexts_make_four_handles, AGPU_BACKING_WDK)
{
    struct dc dc[3];
    D3D10DDI_HRESOURCE local[3];

    D3D10DDI_HRESOURCE buffer = make_buffer(world, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    for (int i = 0; i < 3; i++) {
        dc_open(&dc[i], world);
        local[i] = dc_resource(&dc[i], buffer); /* the immediate handle is passed as the runtime handle */
        for (int k = 0; k < i; k++) {
            assert_ptr_not_equal(local[k].pDrvPrivate, local[i].pDrvPrivate);
        }
    }
    /* All three contexts draw from the buffer. Each list names the same protocol object. */
    const uint32_t stride = 8, offset = 0;
    for (int i = 0; i < 3; i++) {
        dc[i].fn.pfnIaSetVertexBuffers(dc[i].handle, 0, 1, &local[i], &stride, &offset);
        dc[i].fn.pfnDraw(dc[i].handle, 3, 0);
        D3D11DDI_HCOMMANDLIST list = dc_finish(&dc[i], NULL);
        start_clean(world);
        execute(world, list);
        const struct aerogpu_cmd_set_vertex_buffers *set =
            recorded_at(world, AEROGPU_CMD_SET_VERTEX_BUFFERS, 0);
        assert_int_equal(((const struct aerogpu_vertex_buffer_binding *)(set + 1))->buffer,
                         res(buffer)->handle);
        free_list(world, list);
        dc_free_resource(&dc[i], local[i]);
        dc_close(&dc[i]);
    }
}

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

        assert_int_equal(entry((D3D10DDI_HDEVICE){NULL}, &args), E_INVALIDARG);
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

RIG_TEST(DEF_05_local_view_equals_the_immediate_one, AGPU_BACKING_WDK)
{
    struct dc dc;

    D3D10DDIARG_CREATERESOURCE desc =
        texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 16, 16, 0, D3D10_DDI_BIND_RENDER_TARGET, 0);
    desc.ArraySize = 3;
    D3D10DDI_HRESOURCE texture = make(world, &desc);
    const D3D10DDIARG_CREATERENDERTARGETVIEW part = {.hDrvResource = texture,
                                                     .ViewDimension = AGPU_DDI_VIEW_TEXTURE2DARRAY,
                                                     .FirstArraySlice = 1,
                                                     .ArraySize = 1};
    HRESULT hr;
    D3D10DDI_HRENDERTARGETVIEW view = try_rtv(world, &part, &hr);
    assert_int_equal(hr, S_OK);
    start_clean(world);
    dc_open(&dc, world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, texture);
    D3D10DDI_HRENDERTARGETVIEW local_view = dc_rtv(&dc, view, local); /* all members but the resource are 0 */
    assert_ptr_equal(rtv(local_view)->resource, local.pDrvPrivate);
    assert_int_equal(rtv(local_view)->format, rtv(view)->format);
    assert_int_equal(rtv(local_view)->first_layer, 1);
    assert_int_equal(rtv(local_view)->layers, 1);
    dc.fn.pfnSetRenderTargets(dc.handle, &local_view, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    execute(world, list);
    const struct aerogpu_cmd_set_render_targets *set = recorded_at(world, AEROGPU_CMD_SET_RENDER_TARGETS, 0);
    assert_int_equal(set->colors[0], rtv(view)->handle);
    free_list(world, list);
    dc_free_rtv(&dc, local_view);
    dc_free_resource(&dc, local);
    dc_close(&dc);
    free_rtv(world, view);
}

RIG_TEST(DEF_06_failed_creation_reports_to_the_device, AGPU_BACKING_WDK)
{
    struct dc dc;

    dc_open(&dc, world);
    D3D10DDIARG_CREATERESOURCE desc = texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 0, 8, 0, 0, 0);
    D3D10DDI_HRESOURCE resource = new_resource(world);
    assert_int_equal(create(world, resource, &desc), E_INVALIDARG);
    expect_errors(world, 1, E_INVALIDARG);
    world->fake.fail[FAKE_ALLOCATE] = E_OUTOFMEMORY;
    desc.Width = 8;
    assert_int_equal(create(world, resource, &desc), E_OUTOFMEMORY);
    expect_errors(world, 1, E_OUTOFMEMORY);
    dc_expect_errors(&dc, 0, S_OK);
    world->fake.fail[FAKE_ALLOCATE] = S_OK;
    /* No local handle is created. */
    D3D10DDI_HRESOURCE local = {object(agpu_local_handle_bytes(D3D10DDI_HT_RESOURCE))};
    assert_int_equal(
        world->dev.pfnCreateResource(dc.handle, NULL, local, (D3D10DDI_HRTRESOURCE){resource.pDrvPrivate}),
        E_INVALIDARG);
    dc_expect_errors(&dc, 1, E_INVALIDARG);
    expect_errors(world, 0, S_OK);
    dc_free_resource(&dc, local);
    free_resource(world, resource);
    dc_close(&dc);
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

RIG_TEST(DEF_08_errors_stay_with_their_context, AGPU_BACKING_WDK)
{
    struct dc dc, other;

    dc_open(&dc, world);
    dc_open(&other, world);
    dc.fn.pfnSetViewports(dc.handle, 1, 0, NULL);
    dc_expect_errors(&dc, 1, E_INVALIDARG);
    D3D10DDI_MAPPED_SUBRESOURCE out;
    D3D10DDI_HRESOURCE buffer = make_buffer(world, 16, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_VERTEX_BUFFER,
                                            D3D10_DDI_CPU_ACCESS_WRITE);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer);
    assert_int_equal(dc.fn.pfnResourceMap(dc.handle, local, 0, D3D10_DDI_MAP_READ, 0, &out), E_INVALIDARG);
    dc_expect_errors(&dc, 1, E_INVALIDARG);
    dc.fn.pfnResourceUnmap(dc.handle, local, 0);
    dc_expect_errors(&dc, 1, E_INVALIDARG);
    dc.fn.pfnGenMips(dc.handle, (D3D10DDI_HSHADERRESOURCEVIEW){&out});
    dc_expect_errors(&dc, 1, E_NOTIMPL);
    assert_int_equal(dc.fn.pfnFlush(dc.handle), E_INVALIDARG);
    assert_int_equal(dc.fn.pfnPresent(dc.handle, &(DXGI_DDI_ARG_PRESENT){.SyncInterval = 0}), E_INVALIDARG);
    assert_int_equal(dc.fn.pfnStagingResourceMap(dc.handle, local, 0, D3D10_DDI_MAP_READ, 0, &out),
                     E_INVALIDARG);
    dc.error_count = 0;
    assert_int_equal(dc.fn.pfnResourceIsStagingBusy(dc.handle, local), 0); /* not possible in a recording */
    assert_int_equal(dc.fn.pfnResourceIsStagingBusy(dc.handle, (D3D10DDI_HRESOURCE){NULL}), 0);
    dc_expect_errors(&dc, 1, E_INVALIDARG);
    dc.fn.pfnStagingResourceUnmap(dc.handle, local, 0);
    dc_expect_errors(&dc, 1, E_INVALIDARG);
    assert_int_equal(dc.fn.pfnDynamicIABufferMapNoOverwrite(dc.handle, local, 0, 0, 0, &out), E_INVALIDARG);
    dc_expect_errors(&dc, 1, E_INVALIDARG); /* no discard in this list yet */
    assert_int_equal(dc.fn.pfnDynamicResourceMapDiscard(dc.handle, local, 0, 0, 0, &out), S_OK);
    dc.fn.pfnDynamicResourceUnmap(dc.handle, local, 0);
    assert_int_equal(dc.fn.pfnDynamicIABufferMapNoOverwrite(dc.handle, local, 0, 0, 0, &out), S_OK);
    dc.fn.pfnDynamicIABufferUnmap(dc.handle, local, 0);
    dc_expect_errors(&dc, 0, S_OK);
    dc_expect_errors(&other, 0, S_OK);
    expect_errors(world, 0, S_OK);
    dc_free_resource(&dc, local);
    dc_close(&other);
    dc_close(&dc);
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
