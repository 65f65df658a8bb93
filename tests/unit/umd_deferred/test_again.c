/* test_again.c: contexts that end in the middle of a list, and lists that are given back (umd.md 15). */
#include "tests/unit/umd/resources.h"
#include "tests/unit/umd_deferred/rig.h"

static struct world world;
static struct dc dc;

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
