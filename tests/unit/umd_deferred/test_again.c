/* test_again.c: a context records list after list: each is independent of the one before, and memory does not grow
 * (umd.md 15). */
#include "tests/unit/umd/resources.h"
#include "tests/unit/umd_deferred/rig.h"

static struct world world;
static struct dc dc;

/* Each list binds what it draws with, even if the list before bound the same. */
TEST(each_list_binds_for_itself)
{
    const uint32_t stride = 4, offset = 0;

    rig_open(&world, AGPU_BACKING_WDK);
    dc_open(&dc, &world);
    D3D10DDI_HRESOURCE buffer = make_buffer(&world, 64, DEFAULT, VB | CB, 0);
    D3D10DDI_HRESOURCE texture = make_texture(&world, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, DEFAULT, SRV, 0);
    D3D10DDI_HSHADERRESOURCEVIEW view = make_srv(&world, texture);
    D3D10DDI_HSAMPLER sampler = make_sampler(&world);
    D3D10DDI_HSHADER shader = make_shader(&world, true);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer), local_texture = dc_resource(&dc, texture);
    D3D10DDI_HSHADERRESOURCEVIEW local_view = dc_srv(&dc, view, local_texture);
    D3D10DDI_HSAMPLER local_sampler = dc_sampler(&dc, sampler);
    D3D10DDI_HSHADER local_shader = dc_shader(&dc, shader);
    uint32_t packets[2];
    for (unsigned i = 0; i < 4; i++) {
        D3D11DDI_HCOMMANDLIST list = {NULL};

        start_clean(&world);
        dc.fn.pfnIaSetTopology(dc.handle, 5);
        dc.fn.pfnIaSetVertexBuffers(dc.handle, 0, 1, &local, &stride, &offset);
        dc.fn.pfnIaSetIndexBuffer(dc.handle, local, DXGI_FORMAT_R16_UINT, 0);
        dc.fn.pfnVsSetConstantBuffers(dc.handle, 3, 1, &local);
        dc.fn.pfnPsSetShaderResources(dc.handle, 2, 1, &local_view);
        dc.fn.pfnPsSetSamplers(dc.handle, 1, 1, &local_sampler);
        dc.fn.pfnPsSetShader(dc.handle, local_shader);
        if (i == 2) { /* nor does an abandoned list leave anything */
            dc.fn.pfnDraw(dc.handle, 3, 0);
            world.dev.pfnAbandonCommandList(dc.handle);
            continue;
        }
        dc.fn.pfnDraw(dc.handle, 3, 0);
        list = dc_finish(&dc, NULL);
        execute(&world, list);
        expect_errors(&world, 0, S_OK);
        packets[i != 0] = recorded_total(&world);
        assert_int_equal(packets[i != 0], packets[0]);
        assert_int_equal(recorded(&world, AEROGPU_CMD_DRAW), 1);
        assert_true(recorded_index(&world, AEROGPU_CMD_SET_TEXTURE, 0) <
                    recorded_index(&world, AEROGPU_CMD_DRAW, 0));
        const struct aerogpu_cmd_set_primitive_topology *topology =
            recorded_at(&world, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, 0);
        assert_int_equal(topology->topology, 5);
        free_list(&world, list);
    }
    dc_free_shader(&dc, local_shader);
    dc_free_sampler(&dc, local_sampler);
    dc_free_srv(&dc, local_view);
    dc_free_resource(&dc, local_texture);
    dc_free_resource(&dc, local);
    dc_close(&dc);
    free_shader(&world, shader);
    free_sampler(&world, sampler);
    free_srv(&world, view);
    world_close(&world);
}

/* A context may be destroyed in the middle of a list. Its resources are then neither mapped nor pending. */
TEST(contexts_end_in_the_middle)
{
    rig_open(&world, AGPU_BACKING_WDK);
    dc_open(&dc, &world);
    D3D10DDI_HRESOURCE from = make_buffer(&world, 64, DEFAULT, VB, 0);
    D3D10DDI_HRESOURCE to = make_buffer(&world, 64, STAGING, 0, CPU_R);
    D3D10DDI_HRESOURCE dynamic = make_buffer(&world, 64, DYNAMIC, VB, CPU_W);
    D3D10DDI_HRESOURCE local_from = dc_resource(&dc, from), local_to = dc_resource(&dc, to),
                       local_dynamic = dc_resource(&dc, dynamic);
    dc.fn.pfnResourceCopy(dc.handle, local_to, local_from);
    assert_int_equal(dc.fn.pfnResourceMap(dc.handle, local_dynamic, 0, DISCARD, 0, &m), S_OK);
    assert_non_null(res(local_to)->pending_link);
    world.dev.pfnDestroyDeferredContext(world.device, dc.handle);
    assert_null(res(local_to)->pending_link);
    assert_false(res(local_dynamic)->map.active);
    dc_free_resource(&dc, local_dynamic);
    dc_free_resource(&dc, local_to);
    dc_free_resource(&dc, local_from);
    free(dc.handle.pDrvPrivate);
    agpu_api_end(&dc.api);
    free_resource(&world, dynamic);
    free_resource(&world, to);
    free_resource(&world, from);
    expect_errors(&world, 0, S_OK);
    world_close(&world);
}

/* A list that an entry for recycling has emptied is no list: it neither executes nor gets a local handle. */
TEST(lists_given_back_are_empty)
{
    for (unsigned light = 0; light < 2; light++) {
        rig_open(&world, AGPU_BACKING_WDK);
        dc_open(&dc, &world);
        start_clean(&world);
        dc.fn.pfnDraw(dc.handle, 3, 0);
        D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
        const D3D11DDI_HCOMMANDLIST local = {
            object(world.dev.pfnCalcPrivateCommandListSize(world.device, NULL))};
        if (light) {
            world.dev.pfnRecycleDestroyCommandList(world.device, list);
        } else {
            world.dev.pfnRecycleCommandList(dc.handle, list);
        }
        execute(&world, list);
        expect_errors(&world, 1, E_INVALIDARG);
        assert_int_equal(recorded(&world, AEROGPU_CMD_DRAW), 0);
        assert_int_equal(world.dev.pfnCreateCommandList(dc.handle, NULL, local,
                                                        (D3D11DDI_HRTCOMMANDLIST){list.pDrvPrivate}),
                         E_INVALIDARG);
        dc_expect_errors(&dc, 1, E_INVALIDARG);
        free(local.pDrvPrivate);
        free_list(&world, list);
        dc_close(&dc);
        world_close(&world);
    }
}
